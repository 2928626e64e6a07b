import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(1)
X = rng.normal(size=(404, 13))
weights = rng.normal(size=(13, 1))
y = X @ weights + 0.1 * rng.normal(size=(404, 1))

X = (X - X.mean(axis=0)) / X.std(axis=0)
X_train, y_train = torch.from_numpy(X[:320]), torch.from_numpy(y[:320])
X_test, y_test = torch.from_numpy(X[320:]), torch.from_numpy(y[320:])
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)


class HousePriceNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(n_in, 32),
            nn.ReLU(),
            nn.Linear(32, 16),
            nn.ReLU(),
            nn.Linear(16, 1),
        )

    def forward(self, x):
        return self.model(x)


net = HousePriceNet(X_train.shape[1])
loss_fn = nn.MSELoss()
optimizer = optim.Adam(net.parameters(), lr=1e-2)

for epoch in range(10):
    net.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        test_loss = loss_fn(net(X_test), y_test)
    print("epoch %d test loss %.4f" % (epoch, test_loss.item()))
