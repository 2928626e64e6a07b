"""Structured logging around a toy optimisation."""
import argparse
import logging
import logging.handlers
import sys
import tempfile
from pathlib import Path

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def setup(folder, level):
    root = logging.getLogger()
    root.setLevel(level)
    console = logging.StreamHandler(sys.stdout)
    rotating = logging.handlers.RotatingFileHandler(folder / "train.log", maxBytes=10_000, backupCount=1)
    for handler in (console, rotating):
        handler.setFormatter(logging.Formatter(FORMAT))
        root.addHandler(handler)
    return rotating


def minimise(epochs, lr):
    logger = logging.getLogger("train")
    x = 4.0
    for epoch in range(epochs):
        loss = (x - 1.0) ** 2
        x -= lr * 2 * (x - 1.0)
        if epoch % 2 == 0:
            message = "epoch %d/%d: loss %.4f" % (epoch, loss)
            logger.info(message)
    logger.info("finished after %d epochs", epochs)
    return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.2)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        handler = setup(Path(folder), logging.DEBUG if args.verbose else logging.INFO)
        print("x =", minimise(args.epochs, args.lr))
        handler.close()


if __name__ == "__main__":
    main()
