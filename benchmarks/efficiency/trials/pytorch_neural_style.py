"""Pictures for style transfer that are read, decoded and resized in the process that trains."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, passage

trial = Trial(
    "pytorch/examples", "fast_neural_style/neural_style/neural_style.py", 49, "input-pipeline", threads=2
)  # fmt: skip
_PICTURES = 256


def prepare(folder: Path) -> Any:
    import numpy as np
    from PIL import Image

    draw = np.random.default_rng(0)
    for number in range(_PICTURES):
        picture = Image.fromarray(draw.integers(0, 256, (480, 640, 3), dtype=np.uint8))
        picture.save(folder / f"{number:03}.jpg")
    _stand_in_for_torchvision()
    module = loaded(folder / trial.path)
    return vars(module) | {"args": SimpleNamespace(image_size=256, batch_size=4, dataset=folder)}


def run(folder: Path, names: Any) -> Iterable[Any]:
    exec(passage(folder / trial.path, "transform = ", "train_loader = "), names)
    return [[float(pictures.sum()) for pictures, _ in names["train_loader"]]]


def _stand_in_for_torchvision() -> None:
    """What the program asks of torchvision, by the same calls of Pillow."""
    package = ModuleType("torchvision")
    package.transforms = SimpleNamespace(  # type: ignore[attr-defined]
        Compose=_compose, Resize=_resize, CenterCrop=_crop, ToTensor=lambda: _tensor, Lambda=lambda function: function
    )
    package.datasets = SimpleNamespace(ImageFolder=_Pictures)  # type: ignore[attr-defined]
    package.models = SimpleNamespace()  # type: ignore[attr-defined]
    sys.modules["torchvision"] = package


class _Pictures:
    """The pictures of a folder, each opened when it is asked for."""

    def __init__(self, folder: Path, transform: Callable[[Any], Any]) -> None:
        self.files, self.transform = sorted(folder.glob("*.jpg")), transform

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        from PIL import Image

        with self.files[index].open("rb") as file:
            return self.transform(Image.open(file).convert("RGB")), 0


def _compose(steps: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    return lambda picture: reduce(lambda seen, step: step(seen), steps, picture)


def _resize(size: int) -> Callable[[Any], Any]:
    return lambda picture: picture.resize([round(side * size / min(picture.size)) for side in picture.size], 2)


def _crop(size: int) -> Callable[[Any], Any]:
    def cropped(picture: Any) -> Any:
        left, top = ((side - size) // 2 for side in picture.size)
        return picture.crop((left, top, left + size, top + size))

    return cropped


def _tensor(picture: Any) -> Any:
    import numpy as np
    import torch

    return torch.from_numpy(np.array(picture)).permute(2, 0, 1).contiguous().float().div(255)
