"""A recurrent cell shown step by step, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import passage

trial = Trial("hunkim/PyTorchZeroToAll", "12_1_rnn_basics.py", 23, "missing-no-grad")
_TIMES = 3000


def prepare(folder: Path) -> Any:
    import torch

    torch.manual_seed(0)
    names: dict[str, Any] = {}
    exec(passage(folder / trial.path, "import torch", "inputs = Variable"), names)
    return names


def run(folder: Path, names: Any) -> Iterable[Any]:
    steps = passage(folder / trial.path, "inputs = Variable", "inputs = inputs.view")
    first = names["hidden"]
    with redirect_stdout(StringIO()):
        for _ in range(_TIMES):
            names["hidden"] = first
            exec(steps, names)
    return [names["hidden"]]
