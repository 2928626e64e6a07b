"""Random pictures of the shape and number of MNIST's where programs look for it, four pixels in five of them black."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._gans import stand_in_for_torchvision

TRAINED, TESTED = 60_000, 10_000


@cache
def digits(count: int) -> tuple[Any, Any]:
    """So many pictures of bytes with their labels."""
    import numpy as np

    draw = np.random.default_rng(count)
    seen = draw.integers(0, 256, (count, 28, 28), dtype=np.uint8)
    seen[draw.random(seen.shape, dtype=np.float32) < 0.8] = 0
    return seen, draw.integers(0, 10, count, dtype=np.uint8)


class Digits:
    """The data set of torchvision: a picture is made and transformed whenever it is asked for."""

    def __init__(self, *_: Any, train: bool = True, transform: Callable[[Any], Any], **__: Any) -> None:
        import torch

        self.data, self.targets = (torch.from_numpy(each) for each in digits(TRAINED if train else TESTED))
        self.targets = self.targets.long()
        self.test_data, self.test_labels = self.data, self.targets
        self.transform = transform

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, number: int) -> tuple[Any, int]:
        from PIL import Image

        return self.transform(Image.fromarray(self.data[number].numpy())), int(self.targets[number])


def digits_of_torchvision() -> None:
    """Let `torchvision.datasets.MNIST` be random pictures that are there before."""
    stand_in_for_torchvision()
    vars(sys.modules["torchvision.datasets"])["MNIST"] = Digits
    for count in (TRAINED, TESTED):
        digits(count)


def digits_of_keras(folder: Path) -> None:
    """Let `load_data` of Keras read random pictures from files that are written as those of MNIST and Fashion-MNIST."""
    import gzip
    from importlib import import_module

    import numpy as np

    parts = {"train": digits(TRAINED), "t10k": digits(TESTED)}
    arrays = {"train": "train", "t10k": "test"}
    named = {f"{'xy'[n]}_{arrays[part]}": each for part, pair in parts.items() for n, each in enumerate(pair)}
    if not (folder / "mnist.npz").exists():
        np.savez_compressed(folder / "mnist.npz", **named)
        for part, (seen, labels) in parts.items():
            (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(bytes(16) + seen.tobytes(), 1))
            (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(bytes(8) + labels.tobytes(), 1))

    def get_file(fname: str | None = None, origin: str = "", **_: Any) -> str:
        return str(folder / (fname or origin.rpartition("/")[2]))

    for name in ("mnist", "fashion_mnist"):
        vars(import_module(f"keras.src.datasets.{name}"))["get_file"] = get_file
