"""A classifier of digits whose first dense layer was made for smaller images."""

import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 64, 5)
        self.dense = nn.Linear(1024, hidden)
        self.head = nn.Linear(hidden, 10)

    def forward(self, images):
        features = F.max_pool2d(F.relu(self.conv(images)), 2)
        return self.head(F.relu(self.dense(torch.flatten(features, 1))))  # BUG: 64 * 12 * 12 features, not 1024


model = Classifier(hidden=128)
scores = model(torch.zeros(8, 1, 28, 28))
