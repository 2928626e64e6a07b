"""Steps of two networks of convolutions that learn from each other, operator by operator.

A step takes two seconds of a core, of which starting operators is no part that is felt; eight show the memory it takes.
Biases before a normalisation are no results: it takes them out again, so rounding alone moves them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._loading import loaded, repaired, stand_in

trial = Trial("dragen1860/TensorFlow-2.x-Tutorials", "13-DCGAN/main.py", 133, "eager-train-step", tolerance=1e-2)
_STEPS = 8


def prepare(folder: Path) -> Any:
    digits_of_keras(folder)
    stand_in("scipy.misc")
    repaired(folder / trial.path, "epochs = 3000000", f"epochs = {_STEPS}")
    repaired(folder / trial.path, ", is_trainig)\n    d_", ", training=is_trainig)\n    d_")
    repaired(folder / trial.path, "real_image, is_trainig)\n    d_fake", "real_image, training=is_trainig)\n    d_fake")
    repaired(folder / trial.path, "fake_image, is_trainig)", "fake_image, training=is_trainig)")
    module = loaded(folder / trial.path)
    module.keras.utils.set_random_seed(22)
    made: list[Any] = []
    for name in ("Generator", "Discriminator"):
        setattr(module, name, _noted(getattr(module, name), made))
    return module, made


def _noted(kind: Any, made: list[Any]) -> Any:
    def make() -> Any:
        made.append(kind())
        return made[-1]

    return make


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    module, made = prepared
    module.main()
    weights = [each for model in made for each in model.weights]
    return [each.numpy() for each in weights if not ("conv2d" in each.path and each.path.endswith("bias"))]
