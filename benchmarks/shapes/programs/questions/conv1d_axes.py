import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

batch_size = 16
seq_len = 120   # time steps
n_sensors = 9   # channels of the accelerometer, gyroscope, ...
n_activities = 6

X = torch.randn(320, seq_len, n_sensors)
y = torch.randint(0, n_activities, (320,))
train_loader = DataLoader(TensorDataset(X, y), batch_size=batch_size, shuffle=True)


class ActivityCNN(nn.Module):
    def __init__(self, in_channels, n_classes):
        super().__init__()
        self.conv1 = nn.Conv1d(in_channels, 64, kernel_size=5, padding=2)
        self.conv2 = nn.Conv1d(64, 128, kernel_size=5, padding=2)
        self.pool = nn.MaxPool1d(2)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(128 * 30, n_classes)

    def forward(self, x):
        # x: batch, time, sensors
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = x.flatten(start_dim=1)
        x = self.dropout(x)
        return self.fc(x)


model = ActivityCNN(n_sensors, n_activities)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())

for epoch in range(3):
    correct = 0
    for xb, yb in train_loader:
        logits = model(xb)
        loss = criterion(logits, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(1) == yb).sum().item()
    print(f"epoch {epoch}: accuracy {correct / len(X):.3f}")
