import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(12, 24)
        self.head = nn.Linear(24, 10)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


model = Model()
# add: model.head = nn.Linear(24, 2)
# told: optimizer-without-parameters
optimizer = torch.optim.Adam(model.parameters())
# instead: print(model)
model.head = nn.Linear(24, 2)
for _ in range(20):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(torch.randn(4, 12)), torch.randint(0, 2, (4,))).backward()
    optimizer.step()
