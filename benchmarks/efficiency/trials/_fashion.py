"""Lessons on Fashion-MNIST, of which a few epochs are run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change
from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._loading import loaded, repaired

REPOSITORY = "dragen1860/TensorFlow-2.x-Tutorials"
_EPOCHS = 2


def joined_first(line: int, name: str, batches: str) -> tuple[Change, ...]:
    """The lines that a map and the batch behind it take, with the batch before the map."""
    return (
        Change(line, line, f"  {name} = {name}.{batches}"),
        Change(line + 1, line + 1, f"  {name} = {name}.map(prepare_mnist_features_and_labels)"),
    )


def lesson(file: Path, folder: Path) -> Any:
    """A lesson as a module, whose variables are made as versions of Keras do that are here."""
    import tensorflow as tf

    digits_of_keras(folder)
    repaired(file, "range(20)", f"range({_EPOCHS})")
    repaired(file, "epochs=30", f"epochs={_EPOCHS}")
    repaired(file, "add_variable(", "add_weight(")
    tf.keras.utils.set_random_seed(0)
    return loaded(file)


def stepped(module: Any) -> Iterable[Any]:
    """What the steps of a lesson with a loop of its own come to: losses and accuracies of all epochs."""
    found: list[Any] = []
    train = module.train

    def noted(*arguments: Any) -> Any:
        found.append(train(*arguments))
        return found[-1]

    module.train = noted
    module.main()
    return [[float(number) for pair in found for number in pair]]


def fitted(module: Any) -> Iterable[Any]:
    """What a lesson comes to that leaves the loop to Keras: the weights at the end."""
    found: list[Any] = []
    model: Any = module.keras.Model
    fit = model.fit

    def noted(self: Any, *arguments: Any, **options: Any) -> Any:
        history = fit(self, *arguments, **options)
        found.extend([*self.get_weights(), *history.history.values()])
        return history

    model.fit = noted
    module.main()
    return found
