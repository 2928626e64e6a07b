import torch
from torch import nn

model = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(128, 30), torch.randint(0, 2, (128, 1)).float()
for epoch in range(20):
    optimizer.zero_grad()
    output = model(x)
    loss = criterion(output, y)
    loss.backward()
    optimizer.step()
    # told: scores-compared-with-half
    # instead: correct = ((torch.sigmoid(output) > 0.5).float() == y).sum().item()
    correct = ((output > 0.5).float() == y).sum().item()
    print(epoch, loss.item(), correct / len(y))
