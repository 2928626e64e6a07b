"""Segment synthetic pictures of discs with a small U-Net."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZE = 64


class Discs(Dataset):
    """Noisy pictures with one bright disc; the mask is 1 inside the disc."""

    def __init__(self, count, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        centre = torch.randint(16, 48, (2,), generator=self.generator)
        radius = torch.randint(5, 14, (1,), generator=self.generator)
        rows = torch.arange(SIZE).view(SIZE, 1)
        columns = torch.arange(SIZE).view(1, SIZE)
        mask = ((rows - centre[0]) ** 2 + (columns - centre[1]) ** 2 < radius**2).float()
        picture = torch.rand(3, SIZE, SIZE, generator=self.generator) * 0.5
        picture = picture + mask.unsqueeze(0)
        return picture, mask


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_channels, out_channels, 3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.block(x)


class UNet(nn.Module):
    def __init__(self, channels=3, classes=1):
        super().__init__()
        self.down1 = DoubleConv(channels, 8)
        self.down2 = DoubleConv(8, 16)
        self.down3 = DoubleConv(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(32, 16, kernel_size=2, stride=2)
        self.conv2 = DoubleConv(32, 16)
        self.up1 = nn.ConvTranspose2d(16, 8, kernel_size=2, stride=2)
        self.conv1 = DoubleConv(16, 8)
        self.head = nn.Conv2d(8, classes, kernel_size=1)
        self.presence = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(32, 12),
            nn.ReLU(),
            nn.Linear(12, 1),
        )

    def forward(self, x):
        x1 = self.down1(x)
        x2 = self.down2(self.pool(x1))
        x3 = self.down3(self.pool(x2))
        y = self.up2(x3)
        y = self.conv2(torch.cat([y, x2], dim=1))
        y = self.up1(y)
        y = self.conv1(torch.cat([y, x1], dim=1))
        return self.head(y), self.presence(x3)


def dice_loss(logits, mask):
    probability = torch.sigmoid(logits).flatten(1)
    mask = mask.reshape(-1, SIZE * SIZE)
    overlap = (probability * mask).sum(dim=1)
    total = probability.sum(dim=1) + mask.sum(dim=1)
    return 1 - ((2 * overlap + 1) / (total + 1)).mean()


def train(model, loader, optimizer, device):
    model.train()
    for pictures, masks in loader:
        pictures, masks = pictures.to(device), masks.to(device)
        logits, presence = model(pictures)
        bce = F.binary_cross_entropy_with_logits(logits, masks.unsqueeze(1))
        present = (masks.flatten(1).sum(dim=1) > 0).float()
        aux = F.binary_cross_entropy_with_logits(presence.squeeze(1), present)
        loss = bce + dice_loss(logits, masks) + 0.1 * aux
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def iou(model, loader, device):
    model.eval()
    scores = []
    for pictures, masks in loader:
        logits, _ = model(pictures.to(device))
        predicted = (logits.squeeze(1) > 0).cpu()
        truth = masks > 0.5
        both = (predicted & truth).view(len(masks), -1).sum(dim=1)
        either = (predicted | truth).view(len(masks), -1).sum(dim=1)
        scores.append(both / either.clamp(min=1))
    return torch.cat(scores).mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = UNet().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    train_loader = DataLoader(Discs(24, seed=1), batch_size=6, shuffle=True)
    test_loader = DataLoader(Discs(8, seed=2), batch_size=4)
    for epoch in range(2):
        loss = train(net, train_loader, optimizer, device)
        print(f"epoch {epoch}: loss {loss:.3f}, iou {iou(net, test_loader, device):.3f}")
