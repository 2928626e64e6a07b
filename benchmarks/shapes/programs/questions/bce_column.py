import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


class ChurnData(Dataset):
    def __init__(self, rows=500, columns=14):
        self.x = torch.randn(rows, columns)
        self.y = (self.x.sum(dim=1) > 0).float()

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class BinaryClassifier(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.layer_1 = nn.Linear(n_features, 64)
        self.layer_2 = nn.Linear(64, 64)
        self.layer_out = nn.Linear(64, 1)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=0.1)
        self.batchnorm1 = nn.BatchNorm1d(64)
        self.batchnorm2 = nn.BatchNorm1d(64)

    def forward(self, inputs):
        x = self.batchnorm1(self.relu(self.layer_1(inputs)))
        x = self.batchnorm2(self.relu(self.layer_2(x)))
        x = self.dropout(x)
        return torch.sigmoid(self.layer_out(x))


dataset = ChurnData()
train_set, test_set = random_split(dataset, [400, 100])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True, drop_last=True)

model = BinaryClassifier(14)
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for e in range(1, 4):
    epoch_loss = 0
    for X_batch, y_batch in train_loader:
        optimizer.zero_grad()
        y_pred = model(X_batch)
        loss = criterion(y_pred, y_batch)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    print(f"Epoch {e}: loss {epoch_loss / len(train_loader):.5f}")
