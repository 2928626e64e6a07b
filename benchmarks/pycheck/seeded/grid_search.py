"""Exhaustive search over a grid, with results written as JSON lines."""
import argparse
import itertools
import json
import math
import sys
import time

GRID = {
    "lr": [0.1, 0.01],
    "momentum": [0.0, 0.9],
    "batch_size": [16, 32],
}


def expand(grid):
    names = sorted(grid)
    for values in itertools.products(*(grid[name] for name in names)):
        yield dict(zip(names, values))


def simulate(lr, momentum, batch_size, steps=50):
    """Gradient descent with momentum on a noisy quadratic."""
    position, velocity = 5.0, 0.0
    for step in range(steps):
        noise = math.sin(step * 12.9898) / batch_size
        velocity = momentum * velocity - lr * (2 * position + noise)
        position += velocity
    return position**2


def run(grid, stream):
    best = None
    for index, point in enumerate(expand(grid)):
        started = time.perf_counter()
        loss = simulate(**point)
        record = {"trial": index, "loss": loss, "seconds": time.perf_counter() - started, **point}
        stream.write(json.dumps(record) + "\n")
        if best is None or loss < best["loss"]:
            best = record
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=None)
    args = parser.parse_args()
    stream = open(args.out, "w") if args.out else sys.stdout
    best = run(GRID, stream)
    print("best:", best)
    if args.out:
        stream.close()


if __name__ == "__main__":
    main()
