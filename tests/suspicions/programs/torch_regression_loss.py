import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self, features, hidden=32):
        super().__init__()
        self.hidden = nn.Linear(features, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


data = TensorDataset(torch.randn(1000, 12), torch.randn(1000))
loader = DataLoader(data, batch_size=50, shuffle=True)
model = Regressor(12)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(20):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        # instead: prediction = model(x).squeeze(-1)
        prediction = model(x)
        # told: loss-broadcasts
        loss = criterion(prediction, y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, total / len(loader))
