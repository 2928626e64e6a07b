import torch
from torch import nn

model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 7))
batch = torch.randn(32, 20)
probabilities = torch.softmax(model(batch), dim=1)
# told: argmax-over-batch
# instead: _, chosen = torch.max(probabilities, 1)
_, chosen = torch.max(probabilities, 0)
print(chosen.tolist())
