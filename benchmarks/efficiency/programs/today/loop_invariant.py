"""Smoothing of node values over a graph in PyTorch."""

import argparse

import numpy as np
import torch


def make_graph(nodes, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = torch.triu(torch.rand(nodes, nodes, generator=generator) < 0.01, diagonal=1).float()
    return upper + upper.T, torch.randn(nodes, 4, generator=generator)


def smooth(adjacency, values, rounds):
    for _ in range(rounds):
        degrees = adjacency.sum(1) + 1.0
        scale = torch.diag(degrees.rsqrt())
        kernel = scale @ (adjacency + torch.eye(len(adjacency))) @ scale
        values = 0.9 * (kernel @ values) + 0.1 * values
    return values


def spread(values):
    centre = values.mean(0)
    return (values - centre).norm(dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    adjacency, values = make_graph(700)
    result = spread(smooth(adjacency, values, args.rounds))
    print(f"mean spread {result.mean():.5f}")
    if args.save:
        np.save(args.save, result.numpy())


if __name__ == "__main__":
    main()
