import torch
from torch import nn

# instead: net = nn.Sequential(nn.Linear(30, 2))
net = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(100, 30), torch.randint(0, 2, (100,))
for _ in range(50):
    optimizer.zero_grad()
    # told: softmax-over-one
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
