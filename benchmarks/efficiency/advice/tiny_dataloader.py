"""A PyTorch classifier trained from a small data set that is wholly in memory."""

import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(epochs):
        for rows, labels in loader:
            loss = F.cross_entropy(model(rows), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    inputs = torch.randn(512, 16)
    data = TensorDataset(inputs, inputs[:, :4].argmax(1))
    loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=2)
    losses = train(nn.Linear(16, 4), loader, args.epochs)
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}")
    if args.save:
        np.save(args.save, losses.numpy())


if __name__ == "__main__":
    main()
