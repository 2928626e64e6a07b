import torch
from torch import nn


def build(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 1))


model = build(16)
# told: optimizer-without-parameters
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
# instead: print(model)
model = build(64)
x, y = torch.randn(20, 10), torch.randn(20, 1)
for _ in range(100):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
