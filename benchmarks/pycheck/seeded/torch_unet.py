"""Segmentation with a two-level U-Net and a dice metric."""
import torch
from torch import nn


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, 3, padding=1),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.block(x)


class UNet(nn.Module):
    def __init__(self, in_channels, num_classes, width=16):
        super().__init__()
        self.down1 = DoubleConv(in_channels, width)
        self.down2 = DoubleConv(width, width * 2)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(width * 2, width, kernel_size=2, stride=2)
        self.merge = DoubleConv(width * 2, width)
        self.head = nn.Conv2d(width, num_classes, kernel_size=1)

    def forward(self, x):
        skip = self.down1(x)
        deep = self.down2(self.pool(skip))
        merged = torch.cat([skip, self.up(deep)], dim=1)
        return self.head(self.merge(merged))


@torch.no_grad()
def dice(logits, masks, eps=1e-6):
    predicted = logits.argmax(dim=1)
    overlap = (predicted * masks).sum().item()
    return (2 * overlap + eps) / (predicted.sum().item() + masks.sum().item() + eps)


def synthetic_batch(batch_size, size=16):
    images = torch.rand(batch_size, 3, size, size)
    masks = (images.mean(dim=1) > 0.5).long()
    return images, masks


def main():
    torch.manual_seed(0)
    model = UNet(3, 2, 8, True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for step in range(3):
        images, masks = synthetic_batch(2)
        logits = model(images)
        loss = criterion(logits, masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.4f} dice {dice(logits, masks):.3f}")


if __name__ == "__main__":
    main()
