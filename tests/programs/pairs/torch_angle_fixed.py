"""An angular loss between embeddings of faces and class centres."""

import torch
from torch import nn
import torch.nn.functional as F


class AngularLoss(nn.Module):
    def __init__(self, size, classes, margin=0.5, scale=30.0):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(classes, size))
        self.margin = margin
        self.scale = scale

    def forward(self, embeddings, labels):
        cosine = F.normalize(embeddings) @ F.normalize(self.centres).t()
        angle = torch.acos(torch.clamp(cosine, -1.0 + 1e-6, 1.0 - 1e-6))
        one_hot = F.one_hot(labels, cosine.shape[1]).float()
        logits = torch.cos(angle + self.margin * one_hot)
        return F.cross_entropy(self.scale * logits, labels)


backbone = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 128))
loss_function = AngularLoss(128, 100)
parameters = list(backbone.parameters()) + list(loss_function.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.05)
for step in range(500):
    images = torch.rand(32, 512)
    people = torch.randint(0, 100, (32,))
    loss = loss_function(backbone(images), people)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
