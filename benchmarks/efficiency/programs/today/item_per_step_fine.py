"""Logistic regression in PyTorch that reads the loss at every step."""

import argparse

import numpy as np
import torch
from torch import nn


def train(model, inputs, labels, epochs, batch, device):
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    means = []
    for epoch in range(epochs):
        total = torch.zeros((), device=device)
        for rows, wanted in zip(inputs.split(batch), labels.split(batch)):
            loss = criterion(model(rows.to(device)), wanted.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        means.append(total.item() / (len(inputs) // batch))
        print(f"epoch {epoch}: mean loss {means[-1]:.4f}")
    return means


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    inputs = torch.randn(6400, 20)
    labels = (inputs.sum(1, keepdim=True) > 0).float()
    means = train(nn.Linear(20, 1).to(device), inputs, labels, args.epochs, 32, device)
    if args.save:
        np.save(args.save, np.array(means))


if __name__ == "__main__":
    main()
