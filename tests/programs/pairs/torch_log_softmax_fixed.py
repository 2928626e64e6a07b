"""A classifier of digits whose loss is written by hand."""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16 * 14 * 14, 10)

    def forward(self, images):
        hidden = self.pool(torch.relu(self.conv(images)))
        scores = self.fc(hidden.flatten(1))
        return torch.log_softmax(scores, dim=1)


def train(model, loader, optimizer):
    model.train()
    for images, labels in loader:
        optimizer.zero_grad()
        log_probabilities = model(images)
        loss = -log_probabilities.gather(1, labels.unsqueeze(1)).mean()
        loss.backward()
        optimizer.step()


data = datasets.MNIST("data", train=True, download=True, transform=transforms.ToTensor())
loader = DataLoader(data, batch_size=64, shuffle=True)
model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(5):
    train(model, loader, optimizer)
    print(epoch)
