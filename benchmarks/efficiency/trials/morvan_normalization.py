"""Two networks that are tested in every epoch, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, passage

trial = Trial("MorvanZhou/PyTorch-Tutorial", "tutorial-contents/504_batch_normalization.py", 128, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import matplotlib
    import numpy as np
    import torch

    matplotlib.use("Agg")
    torch.manual_seed(0)
    np.random.seed(0)
    return vars(loaded(folder / trial.path)) | {"losses": [[], []], "plot_histogram": lambda *_: None}


def run(folder: Path, names: Any) -> Iterable[Any]:
    tested = passage(folder / trial.path, "layer_inputs, pre_acts", "plot_histogram(")
    for _ in range(12 * 50):
        exec(tested, names)
    return [names["losses"], *names["pre_acts"][0], *names["pre_acts"][1]]
