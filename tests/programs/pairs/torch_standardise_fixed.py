"""A network that standardises what its hidden units say."""

import torch
from torch import nn


class Standardise(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        std = x.std(dim=-1, keepdim=True)
        normal = (x - mean) / (std + 1e-5)
        return self.gain * normal + self.bias


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(30, 64)
        self.norm = Standardise(64)
        self.head = nn.Linear(64, 3)

    def forward(self, x):
        return self.head(self.norm(torch.relu(self.embed(x))))


model = Model()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.rand(256, 30)
labels = torch.randint(0, 3, (256,))
for epoch in range(20):
    for start in range(0, 256, 32):
        scores = model(inputs[start : start + 32])
        loss = criterion(scores, labels[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
