import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(40, 80)
        self.drop = nn.Dropout(0.5)
        self.fc2 = nn.Linear(80, 3)

    def forward(self, x):
        return self.fc2(self.drop(F.relu(self.fc1(x))))


def test(model, loader):
    # add: model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            # told: no-eval-mode
            output = model(x)
            correct += output.argmax(1).eq(y).sum().item()
    print(correct / len(loader.dataset))


data = torch.utils.data.TensorDataset(torch.randn(300, 40), torch.randint(0, 3, (300,)))
loader = torch.utils.data.DataLoader(data, batch_size=30)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    test(model, loader)
