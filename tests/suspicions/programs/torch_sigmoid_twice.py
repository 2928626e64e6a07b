import torch
from torch import nn

# instead: model = nn.Linear(9, 1)
model = nn.Sequential(nn.Linear(9, 1), nn.Sigmoid())
criterion = nn.BCEWithLogitsLoss()
x, y = torch.randn(40, 9), torch.ones(40, 1)
# told: softmax-before-logits-loss
loss = criterion(model(x), y)
loss.backward()
