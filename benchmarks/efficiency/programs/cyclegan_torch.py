"""CycleGAN between two domains of small pictures, in PyTorch."""

import argparse
import itertools
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the number of pictures")
    parser.add_argument("--steps", type=int, default=1, help="epochs")
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_pictures(count, side, seed):
    generator = torch.Generator().manual_seed(seed)
    phase = 6.28 * torch.rand(count, 3, 1, 1, generator=generator)
    ramp = torch.linspace(0, 6, side)
    slope = ramp[:, None] + (1 + seed) * ramp[None, :]
    return torch.sin(slope + phase)


def block(inputs, outputs, stride):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1), nn.InstanceNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(block(width, width, 1), nn.Conv2d(width, width, 3, padding=1))

    def forward(self, features):
        return features + self.body(features)


class Generator(nn.Sequential):
    def __init__(self, width=16, depth=2):
        inner = [Residual(2 * width) for _ in range(depth)]
        grow = nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1)
        last = nn.Conv2d(width, 3, 3, padding=1)
        super().__init__(block(3, width, 1), block(width, 2 * width, 2), *inner, grow, nn.ReLU(), last, nn.Tanh())


class Discriminator(nn.Sequential):
    def __init__(self, width=16):
        super().__init__(block(3, width, 2), block(width, 2 * width, 2), nn.Conv2d(2 * width, 1, 3, padding=1))


class History:
    """Earlier fakes, of which some are shown to the discriminator again."""

    def __init__(self, size=32, seed=1):
        self.size, self.kept, self.chooser = size, [], random.Random(seed)

    def exchange(self, pictures):
        shown = []
        for picture in pictures.detach():
            if len(self.kept) < self.size:
                self.kept.append(picture)
                shown.append(picture)
            elif self.chooser.random() < 0.5:
                place = self.chooser.randrange(self.size)
                shown.append(self.kept[place])
                self.kept[place] = picture
            else:
                shown.append(picture)
        return torch.stack(shown)


class CycleGAN:
    def __init__(self, device):
        self.to_b, self.to_a = Generator().to(device), Generator().to(device)
        self.judge_a, self.judge_b = Discriminator().to(device), Discriminator().to(device)
        makers = itertools.chain(self.to_a.parameters(), self.to_b.parameters())
        judges = itertools.chain(self.judge_a.parameters(), self.judge_b.parameters())
        self.maker_optimizer = torch.optim.Adam(makers, lr=2e-4, betas=(0.5, 0.999))
        self.judge_optimizer = torch.optim.Adam(judges, lr=2e-4, betas=(0.5, 0.999))
        self.history_a, self.history_b = History(), History()

    def maker_loss(self, real_a, real_b, fake_a, fake_b):
        identity = (self.to_b(real_b) - real_b).abs().mean() + (self.to_a(real_a) - real_a).abs().mean()
        cycle = (self.to_a(fake_b) - real_a).abs().mean() + (self.to_b(fake_a) - real_b).abs().mean()
        fooled = (self.judge_a(fake_a) - 1).square().mean() + (self.judge_b(fake_b) - 1).square().mean()
        return fooled + 10 * cycle + 5 * identity

    @staticmethod
    def judge_loss(judge, real, fake):
        return 0.5 * ((judge(real) - 1).square().mean() + judge(fake).square().mean())

    def step(self, real_a, real_b):
        fake_a, fake_b = self.to_a(real_b), self.to_b(real_a)
        maker_loss = self.maker_loss(real_a, real_b, fake_a, fake_b)
        self.maker_optimizer.zero_grad()
        maker_loss.backward()
        self.maker_optimizer.step()
        loss_a = self.judge_loss(self.judge_a, real_a, self.history_a.exchange(fake_a))
        loss_b = self.judge_loss(self.judge_b, real_b, self.history_b.exchange(fake_b))
        self.judge_optimizer.zero_grad()
        (loss_a + loss_b).backward()
        self.judge_optimizer.step()
        return torch.stack([maker_loss.detach(), loss_a.detach(), loss_b.detach()])


def main():
    args = parse_arguments()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    count = 96 * args.scale
    pictures = TensorDataset(make_pictures(count, args.side, 0), make_pictures(count, args.side, 1))
    loader = DataLoader(pictures, batch_size=8, shuffle=True, drop_last=True)
    model = CycleGAN(device)
    history = []
    for epoch in range(args.steps):
        for real_a, real_b in loader:
            history.append(model.step(real_a.to(device), real_b.to(device)))
        print(f"epoch {epoch}: losses {history[-1].tolist()}")
    if args.save:
        np.save(args.save, torch.stack(history).cpu().numpy())


if __name__ == "__main__":
    main()
