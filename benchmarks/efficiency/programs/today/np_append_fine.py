"""A random walk recorded in a NumPy array, and its running mean."""

import argparse

import numpy as np


def walk(steps, seed=0):
    rng = np.random.default_rng(seed)
    places = [0.0]
    for _ in range(steps):
        places.append(0.99 * places[-1] + rng.standard_normal())
    return np.array(places)


def running_mean(values, width):
    total = np.cumsum(np.append(0.0, values))
    return (total[width:] - total[:-width]) / width


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    smooth = running_mean(walk(args.steps), 50)
    print(f"greatest running mean {smooth.max():.4f}")
    if args.save:
        np.save(args.save, smooth)


if __name__ == "__main__":
    main()
