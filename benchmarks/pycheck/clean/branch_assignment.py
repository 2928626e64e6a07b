"""Names that are always bound by the time they are read."""
import argparse
import sys

import numpy as np


def fail(message):
    print(message, file=sys.stderr)
    raise SystemExit(2)


def pick(name):
    if name == "relu":
        def activation(x):
            return np.maximum(x, 0)
    elif name == "tanh":
        activation = np.tanh
    else:
        fail(f"unknown activation {name}")
    return activation


def last_loss(steps):
    for step in range(1, 4):
        loss = 1.0 / step
    return loss + step * 0 * steps


def parse(text):
    try:
        value = float(text)
    except ValueError:
        kind = "text"
        value = len(text)
    else:
        kind = "number"
    return kind, value


def search(values, wanted):
    index = 0
    while index < len(values):
        if values[index] == wanted:
            found = index
            break
        index += 1
    else:
        found = -1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--activation", default="relu")
    parser.add_argument("--eval", action="store_true")
    args = parser.parse_args()
    if args.eval:
        epochs, mode = 1, "eval"
    else:
        epochs, mode = 3, "train"
    function = pick(args.activation)
    for epoch in range(epochs):
        if epoch == 0:
            best = function(np.array([-1.0, 2.0])).sum()
        best = max(best, epoch)
    with np.errstate(all="ignore"):
        ratio = np.float64(1.0) / np.float64(0.0)
    print(mode, best, ratio, last_loss(epochs), parse("3"), parse("abc"), search([4, 5], 5))


if __name__ == "__main__":
    main()
