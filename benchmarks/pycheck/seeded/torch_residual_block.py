"""A residual network assembled from a configurable list of stages."""
import torch
from torch import nn, optim

STAGES = ((8, 1), (16, 2), (32, 2))


class ResidualBlock(nn.Module):
    expansion = 1

    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )
        self.activation = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or in_channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x):
        out = self.body(x)
        out = out + self.short_cut(x)
        return self.activation(out)


class TinyResNet(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        blocks = []
        channels = 8
        for out_channels, stride in STAGES:
            blocks.append(ResidualBlock(channels, out_channels, stride))
            channels = out_channels * ResidualBlock.expansion
        self.stages = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, num_classes)

    def forward(self, x):
        features = self.stages(self.stem(x))
        return self.head(features.mean(dim=(2, 3)))


def main():
    torch.manual_seed(0)
    model = TinyResNet(num_classes=5)
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for step in range(3):
        images = torch.randn(4, 3, 16, 16)
        targets = torch.randint(5, (4,))
        loss = criterion(model(images), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print("step", step, "loss", round(loss.item(), 4))


if __name__ == "__main__":
    main()
