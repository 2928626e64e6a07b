import torch
import torch.nn as nn
import torch.nn.functional as F


class ImageBranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)

    def forward(self, image):
        x = F.relu(self.conv1(image))
        x = F.relu(self.conv2(x))
        return F.adaptive_avg_pool2d(x, 1).flatten(1)


class MultiInputNet(nn.Module):
    """Predict a price from a picture and from a row of a table."""

    def __init__(self, n_numeric):
        super().__init__()
        self.image_branch = ImageBranch()
        self.table_branch = nn.Sequential(nn.Linear(n_numeric, 24), nn.ReLU(), nn.Linear(24, 10), nn.ReLU())
        self.fc1 = nn.Linear(32 + 10, 20)
        self.fc2 = nn.Linear(20, 1)

    def forward(self, image, numeric):
        a = self.image_branch(image)
        b = self.table_branch(numeric)
        both = torch.cat((a, b), dim=0)
        both = F.relu(self.fc1(both))
        return self.fc2(both)


model = MultiInputNet(n_numeric=6)
optimizer = torch.optim.RMSprop(model.parameters())
loss_fn = nn.L1Loss()

for i in range(20):
    photos = torch.rand(8, 3, 64, 64)
    rows = torch.rand(8, 6)
    prices = torch.rand(8, 1) * 100
    optimizer.zero_grad()
    estimate = model(photos, rows)
    loss = loss_fn(estimate, prices)
    loss.backward()
    optimizer.step()
    if i % 5 == 0:
        print("step {} loss {:.2f}".format(i, loss.item()))
