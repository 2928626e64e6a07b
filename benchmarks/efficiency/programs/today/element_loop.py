"""Huber loss and an exponential average over a signal, in PyTorch."""

import argparse

import numpy as np
import torch


def huber(errors, bound):
    losses = torch.zeros_like(errors)
    for i in range(len(errors)):
        losses[i] = bound * bound * (torch.sqrt(1 + (errors[i] / bound) ** 2) - 1)
    return losses


def exponential_average(values, keep):
    """The recurrence needs the value before, so it runs on a list."""
    averages, current = [], 0.0
    for value in values.tolist():
        current = keep * current + (1 - keep) * value
        averages.append(current)
    return torch.tensor(averages)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=60000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    errors = torch.randn(args.length)
    losses = huber(errors, 0.7)
    smooth = exponential_average(losses, 0.95)
    print(f"mean loss {losses.mean():.5f}, last average {smooth[-1]:.5f}")
    if args.save:
        np.save(args.save, smooth.numpy())


if __name__ == "__main__":
    main()
