"""The difference of two pictures, computed again for every picture between them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import passage

trial = Trial("keras-io/examples", "vision/integrated_gradients.py", 137, "loop-invariant")


def prepare(folder: Path) -> Any:
    import numpy as np

    del folder
    draw = np.random.default_rng(0)
    pictures = {name: draw.integers(0, 256, (299, 299, 3)).astype(np.float32) for name in ("img_input", "baseline")}
    return pictures | {"np": np, "num_steps": 50}


def run(folder: Path, names: Any) -> Iterable[Any]:
    between = passage(folder / trial.path, "img_input = img_input", "interpolated_image = np.array")
    for _ in range(10):
        exec(between, names)
    return [names["interpolated_image"]]
