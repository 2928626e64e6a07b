"""A deep classifier in PyTorch, trained for a few steps and evaluated on a held-out set."""

import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def make_model(depth=12, width=256):
    layers = [nn.Linear(32, width), nn.Tanh()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(width, 4))


def train(model, inputs, labels, batch):
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for rows, wanted in zip(inputs.split(batch), labels.split(batch)):
        optimizer.zero_grad()
        F.cross_entropy(model(rows), wanted).backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, inputs, labels):
    model.eval()
    logits = model(inputs)
    loss = F.cross_entropy(logits, labels)
    accuracy = (logits.argmax(1) == labels).float().mean()
    return torch.stack([loss, accuracy])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=30000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    inputs = torch.randn(args.rows, 32)
    labels = inputs[:, :4].argmax(1)
    model = make_model()
    train(model, inputs[:2000], labels[:2000], batch=100)
    result = evaluate(model, inputs[2000:], labels[2000:])
    print(f"loss {result[0]:.4f}, accuracy {result[1]:.4f}")
    if args.save:
        np.save(args.save, result.numpy())


if __name__ == "__main__":
    main()
