"""Names that a recurrent network classifies one by one, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import passage, picked, stand_in

trial = Trial("hunkim/PyTorchZeroToAll", "13_1_rnn_classification_basics.py", 87, "missing-no-grad")
_TIMES = 500


def prepare(folder: Path) -> Any:
    import torch

    stand_in("name_dataset")
    torch.manual_seed(0)
    settings = ("HIDDEN_SIZE", "N_CHARS", "N_CLASSES")
    names = picked(folder / trial.path, *settings, "RNNClassifier", "str2ascii_arr", "pad_sequences", "make_variables")
    exec(passage(folder / trial.path, "names = ", "classifier = "), names)
    return names


def run(folder: Path, names: Any) -> Iterable[Any]:
    steps = passage(folder / trial.path, "classifier = ", "inputs = ")
    made, names["RNNClassifier"] = names["classifier"], lambda *_: made
    with redirect_stdout(StringIO()):
        for _ in range(_TIMES):
            exec(steps, names)
    return [names["out"]]
