import torch
from torch import nn
from torchvision import models

net = models.resnet18()
# told: optimizer-without-parameters
# instead: net.fc = nn.Linear(512, 5)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
# instead: optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
net.fc = nn.Linear(512, 5)
criterion = nn.CrossEntropyLoss()
for _ in range(10):
    images, labels = torch.randn(8, 3, 224, 224), torch.randint(0, 5, (8,))
    optimizer.zero_grad()
    criterion(net(images), labels).backward()
    optimizer.step()
