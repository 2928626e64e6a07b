import torch
import torch.nn as nn


class DepthwiseSeparable(nn.Module):
    def __init__(self, nin, nout, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(nin, nin, kernel_size=3, stride=stride, padding=1, groups=nin)
        self.pointwise = nn.Conv2d(nin, nout, kernel_size=1, groups=nin)
        self.bn = nn.BatchNorm2d(nout)
        self.act = nn.ReLU6(inplace=True)

    def forward(self, x):
        x = self.depthwise(x)
        x = self.pointwise(x)
        return self.act(self.bn(x))


class MobileNetSmall(nn.Module):
    # channels and stride of every block
    cfg = [(32, 1), (64, 2), (96, 1), (128, 2)]

    def __init__(self, num_classes=100):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU6())
        blocks = []
        channels = 16
        for out, stride in self.cfg:
            blocks.append(DepthwiseSeparable(channels, out, stride))
            channels = out
        self.blocks = nn.ModuleList(blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, num_classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = self.pool(x).squeeze(-1).squeeze(-1)
        return self.fc(x)


if __name__ == "__main__":
    model = MobileNetSmall()
    print("parameters:", sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for _ in range(3):
        x = torch.randn(6, 3, 64, 64)
        y = torch.randint(100, (6,))
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
