"""A binary classifier of tabular rows with its loss by hand."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
features = torch.randn(512, 20)
targets = (features[:, 0] > 0).float()


class Classifier(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(20, width)
        self.second = nn.Linear(width, 1)

    def forward(self, x):
        return self.second(F.relu(self.first(x))).squeeze(1)


model = Classifier(64)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(1000):
    logits = model(features)
    probability = torch.sigmoid(logits)
    positive = targets * F.logsigmoid(logits)
    negative = (1 - targets) * torch.log(1 - probability)  # NUM
    loss = -(positive + negative).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(step, loss.item())
