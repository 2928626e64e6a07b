import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

latent_dim = 100


class Discriminator(nn.Module):
    def __init__(self, ndf=32):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(3, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 4, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, img):
        return self.main(img).view(-1)


class Generator(nn.Module):
    def __init__(self, ngf=32):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(latent_dim, ngf * 4, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, 3, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


netG, netD = Generator(), Discriminator()
criterion = nn.BCELoss()
optD = torch.optim.Adam(netD.parameters(), lr=0.0002, betas=(0.5, 0.999))
faces = TensorDataset(torch.rand(64, 3, 32, 32) * 2 - 1)
for (real,) in DataLoader(faces, batch_size=16):
    fake = netG(torch.randn(real.size(0), latent_dim, 1, 1)).detach()
    optD.zero_grad()
    loss_real = criterion(netD(real), torch.ones(real.size(0)))
    loss_fake = criterion(netD(fake), torch.zeros(real.size(0)))
    (loss_real + loss_fake).backward()
    optD.step()
    print("D loss", (loss_real + loss_fake).item())
