"""Entry point: train an image model from the vision package."""
import argparse

import torch
from torch import nn

from vision.data import make_loader
from vision.models import build_network
from vision.utils import AverageMeter, count_parameters


def train_epoch(model, loader, optimizer):
    meter = AverageMeter("loss")
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss.item(), images.size(0))
    return meter


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default="tiny", choices=["tiny", "small"])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01)
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    model = build_network(args.arch, num_classes=4)
    print(args.arch, "with", count_parameters(model), "parameters")
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    loader = make_loader(num_classes=4)
    for epoch in range(args.epochs):
        print(epoch, train_epoch(model, loader, optimizer))


if __name__ == "__main__":
    main()
