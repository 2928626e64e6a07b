"""Adversarial training of a fully connected generator on toy images."""
import torch
import torch.nn as nn

LATENT = 16
PIXELS = 64


class Generator(nn.Module):
    def __init__(self, latent_dim=LATENT):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            nn.Linear(latent_dim, 32),
            nn.ReLU(True),
            nn.Linear(32, PIXELS),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.net = nn.Sequential(
            nn.Linear(PIXELS, 32),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(32, 1),
        )

    def forward(self, images):
        return self.main(images).view(-1)


def discriminator_step(netD, netG, real, optimizer, criterion):
    netD.zero_grad()
    fake = netG(torch.randn(real.size(0), LATENT)).detach()
    err_real = criterion(netD(real), torch.ones(real.size(0)))
    err_fake = criterion(netD(fake), torch.zeros(real.size(0)))
    (err_real + err_fake).backward()
    optimizer.step()
    return err_real.item() + err_fake.item()


def generator_step(netD, netG, batch_size, optimizer, criterion):
    netG.zero_grad()
    fake = netG(torch.randn(batch_size, LATENT))
    err = criterion(netD(fake), torch.ones(batch_size))
    err.backward()
    optimizer.step()
    return err.item()


def main(num_steps=4, batch_size=8):
    netG, netD = Generator(), Discriminator()
    criterion = nn.BCEWithLogitsLoss()
    optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for step in range(num_steps):
        real = torch.rand(batch_size, PIXELS) * 2 - 1
        loss_d = discriminator_step(netD, netG, real, optD, criterion)
        loss_g = generator_step(netD, netG, batch_size, optG, criterion)
        print("[%d/%d] D %.3f G %.3f" % (step, num_steps, loss_d, loss_g))


if __name__ == "__main__":
    main()
