"""Multi-label classifier with a module-level step counter and warm restarts."""
import argparse

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts

LABELS = ("indoor", "outdoor", "people")
global_step = 0


def make_batch(size):
    x = torch.randn(size, 10)
    y = torch.stack([x[:, 0] > 0, x[:, 1] > 0, x[:, 2] + x[:, 3] > 0], dim=1).float()
    return x, y


def build(hidden):
    return nn.Sequential(
        nn.Linear(10, hidden),
        nn.LayerNorm(hidden),
        nn.SiLU(),
        nn.Linear(hidden, len(LABELS)),
    )


def train_step(model, optimizer, x, y):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    global_step += 1
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=16)
    args = parser.parse_args()
    model = build(args.hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2)
    for _ in range(args.steps):
        loss = train_step(model, optimizer, *make_batch(16))
        scheduler.step()
        print(global_step, round(loss, 4), scheduler.get_last_lr()[0])


if __name__ == "__main__":
    main()
