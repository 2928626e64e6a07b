"""Least squares in NumPy over a CSV file, several epochs long; each epoch also appends to a log file."""

import argparse
import tempfile
from pathlib import Path

import numpy as np


def write_table(path, rows, columns, seed=0):
    values = np.random.default_rng(seed).standard_normal((rows, columns + 1))
    values[:, -1] = values[:, :-1].sum(1)
    np.savetxt(path, values, delimiter=",")


def fit(path, log, epochs, rate=0.1):
    table = np.loadtxt(path, delimiter=",")
    inputs, targets = table[:, :-1], table[:, -1]
    weights = np.zeros(inputs.shape[1])
    for epoch in range(epochs):
        errors = inputs @ weights - targets
        weights = weights - rate * inputs.T @ errors / len(errors)
        with log.open("a", encoding="utf-8") as out:
            out.write(f"{epoch} {np.square(errors).mean()}\n")
    return weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, 10000, 10)
        weights = fit(path, Path(folder) / "log.txt", args.epochs)
    print("weights", weights.round(4))
    if args.save:
        np.save(args.save, weights)


if __name__ == "__main__":
    main()
