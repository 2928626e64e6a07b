"""A contrastive loss on pairs of embeddings."""

import torch
import torch.nn as nn
import torch.optim as optim


class Encoder(nn.Module):
    def __init__(self, inputs=128, size=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, size), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


def contrastive(left, right, same, margin=1.0):
    difference = left - right
    squared = (difference * difference).sum(dim=1)
    distance = torch.sqrt(squared)  # NUM
    apart = torch.clamp(margin - distance, min=0)
    return (same * squared + (1 - same) * apart * apart).mean()


encoder = Encoder()
optimizer = optim.Adam(encoder.parameters())
for step in range(200):
    first = torch.randn(16, 128)
    second = torch.randn(16, 128)
    same = torch.randint(0, 2, (16,)).float()
    loss = contrastive(encoder(first), encoder(second), same)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
