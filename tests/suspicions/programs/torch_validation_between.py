import torch
from torch import nn

data = [(torch.randn(16, 6), torch.randint(0, 3, (16,))) for _ in range(12)]
model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.2), nn.ReLU(), nn.Linear(12, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def run_epoch(train):
    total = 0.0
    for x, y in data[:10] if train else data[10:]:
        # told: no-eval-mode
        loss = criterion(model(x), y)
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total


for epoch in range(10):
    model.train()
    run_epoch(True)
    # add: model.eval()
    with torch.no_grad():
        print(epoch, run_epoch(False))
model.eval()
torch.save(model.state_dict(), "model.pt")
