"""Programs of PyTorch-GAN on random pictures: all before their training loop runs first, then a part is tried."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from functools import reduce
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

REPOSITORY = "eriklindernoren/PyTorch-GAN"
_DIGITS = 640


def begun(file: Path, *arguments: str) -> tuple[dict[str, Any], ast.For, list[Any]]:
    """The names of a program before its training loop, that loop, and the pictures that it saves from then on."""
    import numpy as np
    import torch

    os.chdir(file.parent)
    sys.path.insert(0, str(file.parent))
    sys.argv = [file.name, "--n_epochs", "1", *arguments]
    saved = stand_in_for_torchvision()
    torch.manual_seed(0)
    np.random.seed(0)
    *first, last = ast.parse(file.read_text(encoding="utf-8")).body
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(ast.Module(first, []), str(file), "exec"), names)
    assert isinstance(last, ast.For)
    return names, last, saved


def continued(names: dict[str, Any], *statements: ast.stmt) -> None:
    """Run statements of a program that has begun."""
    exec(compile(ast.Module([*statements], []), "program", "exec"), names)


def pictures(folder: Path, name: str, count: int, width: int, height: int) -> None:
    """Random pictures where the programs look for a data set of this name."""
    import numpy as np
    from PIL import Image

    draw = np.random.default_rng(0)
    target = folder / "data" / name
    target.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        picture = draw.integers(0, 256, (height, width, 3), dtype=np.uint8)
        Image.fromarray(picture).save(target / f"{number}.jpg")


def read_before(names: dict[str, Any], loader: str, batches: int) -> None:
    """Let a loader be a list of its first batches, so that reading them is not timed."""
    names[loader] = list(islice(names[loader], batches))


def trained(names: dict[str, Any], *networks: str) -> list[Any]:
    """All that some networks hold."""
    return [each for network in networks for each in names[network].state_dict().values()]


def stand_in_for_torchvision() -> list[Any]:
    """Modules that do what the programs ask of torchvision; pictures are kept instead of saved."""
    from torch import nn

    saved: list[Any] = []
    package = ModuleType("torchvision")
    contents: dict[str, dict[str, Any]] = {
        "transforms": {"Compose": _compose, "Resize": _resize, "ToTensor": _to_tensor, "Normalize": _normalize},
        "datasets": {"MNIST": _digits},
        "models": {"resnet18": lambda **_: nn.Sequential()},
        "utils": {"save_image": lambda picture, *_, **__: saved.append(picture.detach())},
    }
    sys.modules["torchvision"] = package
    for name, values in contents.items():
        module = ModuleType(f"torchvision.{name}")
        vars(module).update(values)
        setattr(package, name, module)
        sys.modules[module.__name__] = module
    return saved


def _compose(steps: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    return lambda picture: reduce(lambda seen, step: step(seen), steps, picture)


def _resize(size: int | tuple[int, int], *how: Any) -> Callable[[Any], Any]:
    height, width = (size, size) if isinstance(size, int) else size
    return lambda picture: picture.resize((width, height), *how)


def _to_tensor() -> Callable[[Any], Any]:
    import numpy as np
    import torch

    def read(picture: Any) -> Any:
        values = np.array(picture, dtype=np.float32) / 255
        return torch.from_numpy(values.reshape(*values.shape[:2], -1).transpose(2, 0, 1).copy())

    return read


def _normalize(mean: Any, deviation: Any) -> Callable[[Any], Any]:
    import torch

    middle, width = (torch.tensor(each).view(-1, 1, 1) for each in (mean, deviation))
    return lambda picture: (picture - middle) / width


def _digits(*_: Any, transform: Callable[[Any], Any], **__: Any) -> list[tuple[Any, int]]:
    """A few pictures of the size of MNIST's, each with a label."""
    import numpy as np
    from PIL import Image

    drawn = np.random.default_rng(0).integers(0, 256, (_DIGITS, 28, 28), dtype=np.uint8)
    return [(transform(Image.fromarray(each)), number % 10) for number, each in enumerate(drawn)]
