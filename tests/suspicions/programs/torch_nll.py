import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(64, 784), torch.randint(0, 10, (64,))
for _ in range(5):
    optimizer.zero_grad()
    # instead: output = F.log_softmax(model(x), dim=1)
    output = F.softmax(model(x), dim=1)
    # told: scores-taken-for-probabilities
    loss = F.nll_loss(output, y)
    loss.backward()
    optimizer.step()
