"""Command line: segment a folder of synthetic images."""
import argparse
import random
import tempfile
from pathlib import Path

from . import Engine, ThresholdModel
from .io import write_image


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for index in range(args.images):
            write_image(root / f"{index}.img", [[random.random() for _ in range(4)] for _ in range(4)])
        engine = Engine(ThresholdModel(), root / "out")
        print(engine.run(root), engine.summary())


if __name__ == "__main__":
    main()
