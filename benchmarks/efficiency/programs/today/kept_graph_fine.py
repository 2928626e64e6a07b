"""Regression in PyTorch that also records how far the model has drifted from its first state."""

import argparse
import copy

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def make_model():
    return nn.Sequential(nn.Linear(32, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1))


def train(model, inputs, targets, batch):
    first = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    drifts = []
    for rows, wanted in zip(inputs.split(batch), targets.split(batch)):
        predictions = model(rows)
        loss = F.mse_loss(predictions, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            drift = (model(rows) - first(rows)).square().mean()
        drifts.append(drift)
    return torch.stack(drifts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    inputs = torch.randn(args.rows, 32)
    drifts = train(make_model(), inputs, inputs.sum(1, keepdim=True), batch=400)
    print(f"drift {drifts[0]:.5f} to {drifts[-1]:.5f}")
    if args.save:
        np.save(args.save, drifts.numpy())


if __name__ == "__main__":
    main()
