"""What four small networks are given, of a size that is open though it is always the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import as_script, stand_in
from benchmarks.efficiency.trials._tensorflow1 import first_tensorflow

trial = Trial("MorvanZhou/Tensorflow-Tutorial", "tutorial-contents/304_optimizer.py", 32, "dynamic-shape")


def prepare(folder: Path) -> None:
    del folder
    stand_in("matplotlib", "matplotlib.pyplot")
    first_tensorflow()


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    return as_script(folder / trial.path)["losses_his"]
