"""Paintings that a network judges, of a number that is open though it is always the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import as_script, stand_in
from benchmarks.efficiency.trials._tensorflow1 import first_tensorflow

trial = Trial("MorvanZhou/Tensorflow-Tutorial", "tutorial-contents/406_conditional_GAN.py", 47, "dynamic-shape")


def prepare(folder: Path) -> None:
    del folder
    stand_in("matplotlib", "matplotlib.pyplot")
    first_tensorflow()


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    names = as_script(folder / trial.path)
    return [names["G_paintings"], names["pa0"], names["Dl"]]
