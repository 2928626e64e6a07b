"""Streaming mean and variance over chunks that do not fit in memory together."""
import argparse

import numpy as np


class RunningStats:
    """Chan's parallel update of mean and squared deviations."""

    def __init__(self):
        self.count = 0
        self.mean = np.zeros(0)
        self.m2 = np.zeros(0)

    def update(self, block):
        count = len(block)
        mean = block.mean(axis=0)
        m2 = ((block - mean) ** 2).sum(axis=0)
        if self.count == 0:
            self.count, self.mean, self.m2 = count, mean, m2
            return
        delta = mean - self.mean
        total = self.count + count
        self.mean = self.mean + delta * count / total
        self.m2 = self.m2 + m2 + delta**2 * self.count * count / total
        self.count = total

    @property
    def std(self):
        return np.sqrt(self.m2 / max(1, self.count - 1))


def chunks(number, rows, columns, seed):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield rng.normal(loc=2.0, scale=3.0, size=(rows, columns))


def summarise(number, rows, columns):
    stats = RunningStats()
    for chunk in chunks(number, rows, columns, seed=0):
        stats.update(chunk)
        del chunk
    print(f"{stats.count} rows, {chunk.shape[1]} columns")
    return stats


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=4)
    parser.add_argument("--rows", type=int, default=100)
    args = parser.parse_args()
    stats = summarise(args.chunks, args.rows, columns=3)
    print("mean", stats.mean.round(2), "std", stats.std.round(2))


if __name__ == "__main__":
    main()
