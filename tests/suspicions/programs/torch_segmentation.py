import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(net.parameters())
images, masks = torch.randn(6, 3, 64, 64), torch.rand(6, 64, 64)
for _ in range(10):
    # instead: guess = net(images).squeeze(1)
    guess = net(images)
    # told: loss-broadcasts
    loss = (guess - masks).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # told: loss-broadcasts
    right = ((guess > 0.5) == (masks > 0.5)).float().mean()
    print(loss.item(), right.item())
