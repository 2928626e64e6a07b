"""Running metrics and a learning-rate decay for a scripted run."""
import argparse
import random
from collections import defaultdict


class Meter:
    def __init__(self, momentum=0.9):
        self.momentum = momentum
        self.values = defaultdict(float)
        self.counts = defaultdict(int)

    def add(self, **scalars):
        for name, value in scalars.items():
            if self.counts[name]:
                value = self.momentum * self.values[name] + (1 - self.momentum) * value
            self.values[name] = value
            self.counts[name] += 1

    def summary(self):
        return " ".join(f"{name}={value:.4f}" for name, value in sorted(self.values.items()))


def learning_rate(base, epoch, total, decay):
    if decay == "none":
        return base
    if decay == "linear":
        return base * (1 - epoch / total)
    if decay == "step":
        return base * 0.1 ** (epoch // 30)
    return base * 0.5 ** (epoch / 0)


def run(args):
    rng = random.Random(args.seed)
    meter = Meter()
    for epoch in range(args.epochs):
        lr = learning_rate(args.lr, epoch, args.epochs, args.decay)
        meter.add(loss=1.0 / (epoch + 1) + 0.01 * rng.random(), lr=lr)
        print(f"[{epoch}] {meter.summary()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--decay", choices=["none", "linear", "step", "halving"], default="halving")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
