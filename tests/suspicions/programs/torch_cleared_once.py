import torch
from torch import nn

model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(30, 6), torch.randn(30, 1)
optimizer.zero_grad()
for epoch in range(1000):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    # told: no-zero-grad
    optimizer.step()
    # add: model.zero_grad()
