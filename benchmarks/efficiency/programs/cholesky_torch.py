"""Cholesky factor of a covariance matrix, element by element, and a Gaussian density computed with it."""

import argparse
import math

import numpy as np
import torch


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1, help="covariance matrices to factor")
    parser.add_argument("--save", default="")
    return parser.parse_args()


def random_covariance(size, seed):
    generator = torch.Generator().manual_seed(seed)
    factor = torch.randn(size, size, generator=generator, dtype=torch.float64)
    return factor @ factor.T / size + torch.eye(size, dtype=torch.float64)


def cholesky(matrix):
    size = matrix.shape[0]
    lower = torch.zeros_like(matrix)
    for column in range(size):
        total = matrix[column, column].clone()
        for k in range(column):
            total -= lower[column, k] * lower[column, k]
        lower[column, column] = torch.sqrt(total)
        for row in range(column + 1, size):
            total = matrix[row, column].clone()
            for k in range(column):
                total -= lower[row, k] * lower[column, k]
            lower[row, column] = total / lower[column, column]
    return lower


def forward_substitution(lower, right):
    solution = torch.zeros_like(right)
    for row in range(len(right)):
        known = lower[row, :row] @ solution[:row]
        solution[row] = (right[row] - known) / lower[row, row]
    return solution


def log_density(point, lower):
    white = forward_substitution(lower, point)
    log_determinant = 2 * torch.log(torch.diagonal(lower)).sum()
    return -0.5 * (white @ white + log_determinant + len(point) * math.log(2 * math.pi))


def main():
    args = parse_arguments()
    size = round(90 * math.sqrt(args.scale))
    point = torch.ones(size, dtype=torch.float64)
    densities = []
    for seed in range(args.steps):
        covariance = random_covariance(size, seed)
        lower = cholesky(covariance)
        densities.append(log_density(point, lower))
        print(f"matrix {seed}: log density {densities[-1]:.6f}")
    if args.save:
        np.save(args.save, torch.stack(densities).numpy())


if __name__ == "__main__":
    main()
