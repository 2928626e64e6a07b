import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        # told: dropout-never-off
        # instead: return x + F.dropout(F.relu(self.linear(x)), 0.1, self.training)
        return x + F.dropout(F.relu(self.linear(x)), 0.1)


model = nn.Sequential(Block(16), Block(16), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 16), torch.randint(0, 4, (32,))
for _ in range(5):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    print((model(x).argmax(1) == y).float().mean())
