"""Self-supervised pretraining with the NT-Xent objective."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functionnal as F


class Projector(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(inplace=True),
            nn.Linear(hidden, outputs),
        )

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def augment(x, strength=0.1):
    mask = (torch.rand_like(x) > 0.1).float()
    return mask * (x + strength * torch.randn_like(x))


def nt_xent(left, right, temperature=0.5):
    count = left.size(0)
    both = torch.cat([left, right])
    similarity = both @ both.t() / temperature
    similarity.fill_diagonal_(-1e9)
    targets = torch.cat([torch.arange(count) + count, torch.arange(count)])
    return F.cross_entropy(similarity, targets)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Projector(20, 32, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = torch.randn(args.batch_size, 20)
        loss = nt_xent(model(augment(x)), model(augment(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item())


if __name__ == "__main__":
    main()
