import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

classes = ["daisy", "dandelion", "roses", "sunflowers", "tulips"]


class FakeFlowers(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return torch.randn(3, 96, 96), i % len(classes)


def conv_block(c_in, c_out, pool=True):
    layers = [nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True)]
    if pool:
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers)


class FlowerNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.backbone = nn.Sequential(
            conv_block(3, 32),
            conv_block(32, 64),
            conv_block(64, 128),
            conv_block(128, 256, pool=False),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((2, 2))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(256, n_classes))

    def forward(self, x):
        x = self.backbone(x)
        x = self.avgpool(x)
        x = torch.flatten(x, start_dim=1)
        return self.head(x)


model = FlowerNet(len(classes))
loader = DataLoader(FakeFlowers(48), batch_size=12)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_fn = nn.CrossEntropyLoss()

for batch, (X, y) in enumerate(loader):
    pred = model(X)
    loss = loss_fn(pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"batch {batch} loss {loss.item():.4f}")
