"""Training in half precision with the squares of activations as a penalty."""

import torch
from torch import nn

device = torch.device("cuda")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(256, 1024)
        self.second = nn.Linear(1024, 10)

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        return self.second(hidden), hidden


model = Model().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    x = torch.randn(128, 256, device=device)
    y = torch.randint(0, 10, (128,), device=device)
    scores, hidden = model(x)
    penalty = hidden.float().mean(dim=1).pow(2).mean()
    loss = nn.functional.cross_entropy(scores, y) + 1e-4 * penalty.float()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
