import torch
import torch.nn as nn


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(out_channels, out_channels, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, n_class=1):
        super().__init__()
        self.down1 = double_conv(1, 16)
        self.down2 = double_conv(16, 32)
        self.down3 = double_conv(32, 64)
        self.maxpool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, kernel_size=2, stride=2)
        self.dconv2 = double_conv(64, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, kernel_size=2, stride=2)
        self.dconv1 = double_conv(32, 16)
        self.conv_last = nn.Conv2d(16, n_class, 1)

    def forward(self, x):
        conv1 = self.down1(x)
        conv2 = self.down2(self.maxpool(conv1))
        conv3 = self.down3(self.maxpool(conv2))

        x = self.up2(conv3)
        x = torch.cat([x, conv2], dim=1)
        x = self.dconv2(x)

        x = self.up1(x)
        x = torch.cat([x, conv1], dim=1)
        x = self.dconv1(x)
        return self.conv_last(x)


# slices of a CT scan, 150 x 150
HEIGHT, WIDTH = 150, 150
scans = torch.randn(12, 1, HEIGHT, WIDTH)
masks = (torch.rand(12, 1, HEIGHT, WIDTH) > 0.8).float()

model = UNet()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for i in range(0, len(scans), 4):
    optimizer.zero_grad()
    output = model(scans[i:i + 4])
    loss = criterion(output, masks[i:i + 4])
    loss.backward()
    optimizer.step()
    print("iteration", i // 4, "loss", loss.item())
