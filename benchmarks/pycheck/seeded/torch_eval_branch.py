"""Train or evaluate a linear probe, resuming from a file when there is one."""
import argparse
import os

import torch
from torch import nn


def data(seed, count=64):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 6, generator=generator)
    return x, (x[:, 0] * x[:, 1] > 0).long()


def resume(path, model):
    if not os.path.exists(path):
        return 0
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    return checkpoint["epoch"]


def train_epoch(model, optimizer):
    x, y = data(seed=0)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model):
    x, y = data(seed=1)
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--path", default="probe.pt")
    parser.add_argument("--eval", action="store_true")
    args = parser.parse_args()

    model = nn.Linear(6, 2)
    first_epoch = resume(args.path, model)

    if args.eval:
        accuracy = evaluate(model)
        print("epoch", checkpoint["epoch"], "accuracy", accuracy)
        return

    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(first_epoch, args.epochs):
        loss = train_epoch(model, optimizer)
        torch.save({"model": model.state_dict(), "epoch": epoch + 1}, args.path)
        print("epoch", epoch, "loss", loss)


if __name__ == "__main__":
    main()
