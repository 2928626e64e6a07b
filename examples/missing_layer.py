"""An image classifier whose third convolution was removed from __init__ only."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))  # BUG: self.conv3 is never defined
        return self.fc(x.mean(dim=(2, 3)))


def main():
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        images, labels = torch.randn(4, 1, 28, 28), torch.randint(10, (4,))
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item())


if __name__ == "__main__":
    main()
