"""Five thousand steps of gradient descent on two numbers, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import picked, stand_in

trial = Trial("keras-io/examples", "keras_recipes/sample_size_estimate.py", 412, "eager-train-step")


def prepare(folder: Path) -> Any:
    import matplotlib
    import tensorflow as tf

    matplotlib.use("Agg")
    stand_in("tensorflow_datasets")
    fitted: list[Any] = []
    make = tf.Variable

    def kept(*arguments: Any, **options: Any) -> Any:
        fitted.append(make(*arguments, **options))
        return fitted[-1]

    tf.Variable = kept
    return picked(folder / trial.path, "fit_and_predict")["fit_and_predict"], fitted


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    fit, fitted = prepared
    sizes = [165, 330, 495, 660]
    fit([[0.51, 0.52], [0.6, 0.61], [0.66, 0.64], [0.7, 0.69]], sizes, pred_sample_size=1000)
    return [each.numpy() for each in fitted]
