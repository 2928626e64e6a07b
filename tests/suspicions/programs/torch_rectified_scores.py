import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(20, 40), nn.Linear(40, 40), nn.Linear(40, 6)])

    def forward(self, x):
        # instead: for layer in self.layers[:-1]:
        for layer in self.layers:
            x = F.relu(layer(x))
        # instead: return self.layers[-1](x)
        return x


net = Net()
# told: relu-before-logits-loss
loss = F.cross_entropy(net(torch.randn(10, 20)), torch.randint(0, 6, (10,)))
loss.backward()
