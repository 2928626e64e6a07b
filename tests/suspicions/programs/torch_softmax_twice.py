import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.fc = nn.Linear(8 * 26 * 26, 10)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(1)
        # instead: return self.fc(x)
        return self.softmax(self.fc(x))


loader = DataLoader(TensorDataset(torch.randn(320, 1, 28, 28), torch.randint(0, 10, (320,))), batch_size=32)
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    for images, labels in loader:
        optimizer.zero_grad()
        # told: softmax-before-logits-loss
        loss = criterion(net(images), labels)
        loss.backward()
        optimizer.step()
