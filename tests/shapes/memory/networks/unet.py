import torch
from torch import nn


def double(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1),
        nn.BatchNorm2d(outside),
        nn.ReLU(),
        nn.Conv2d(outside, outside, 3, padding=1),
        nn.BatchNorm2d(outside),
        nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.down3 = double(3, 16), double(16, 32), double(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, 2, stride=2)
        self.merge2 = double(64, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.merge1 = double(32, 16)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.down3(self.pool(b))
        b = self.merge2(torch.cat([self.up2(c), b], dim=1))
        a = self.merge1(torch.cat([self.up1(b), a], dim=1))
        return torch.sigmoid(self.out(a))


model = UNet()
optimizer = torch.optim.RMSprop(model.parameters())
images, masks = torch.randn(8, 3, 64, 64), torch.rand(8, 1, 64, 64)
for step in range(2):
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy(model(images), masks)
    loss.backward()
    optimizer.step()
