"""Digits that a generator draws to be looked at, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import passage, stand_in

trial = Trial("wiseodd/generative-models", "GAN/magan/magan_pytorch.py", 134, "missing-no-grad")
_EPOCHS = 1000


def prepare(folder: Path) -> Any:
    import torch

    stand_in("tensorflow.examples", "tensorflow.examples.tutorials", "tensorflow.examples.tutorials.mnist")
    stand_in("tensorflow", "matplotlib", "matplotlib.pyplot", "matplotlib.gridspec")
    torch.manual_seed(0)
    names: dict[str, Any] = {"X_dim": 784, "t": 0, "L": 0.0}
    exec(passage(folder / trial.path, "import torch", "from tensorflow"), names)
    exec(passage(folder / trial.path, "mb_size = ", "z_dim = "), names)
    exec(passage(folder / trial.path, "h_dim = ", "G = "), names)
    return names | {"m": 5.0, "z": torch.randn(names["mb_size"], names["z_dim"])}


def run(folder: Path, names: Any) -> Iterable[Any]:
    drawn = passage(folder / trial.path, "print('Epoch-", "fig = ")
    with redirect_stdout(StringIO()):
        for _ in range(_EPOCHS):
            exec(drawn, names)
    return [names["samples"]]
