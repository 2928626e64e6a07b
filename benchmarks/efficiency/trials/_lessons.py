"""Lessons that are scripts over random digits, of which a few epochs are run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._loading import passage, repaired

REPOSITORY = "dragen1860/TensorFlow-2.x-Tutorials"
LESSONS = "深度学习与TensorFlow入门实战-源码和PPT"


def prepared_by_hand(file: Path, folder: Path, epochs: str) -> dict[str, Any]:
    """The names of a lesson with weights of its own up to its loop, and that loop to be run."""
    import tensorflow as tf

    digits_of_keras(folder)
    repaired(file, epochs, "range(2)")
    tf.keras.utils.set_random_seed(0)
    names: dict[str, Any] = {}
    exec(passage(file, "import  tensorflow", "lr = "), names)
    names["training"] = _after(file, "lr = ")
    return names


def _after(file: Path, last: str) -> Any:
    """All that a script does behind a statement, by how that begins."""
    import ast

    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    begun = [str(ast.get_source_segment(text, each)) for each in tree.body]
    place = next(index for index, each in enumerate(begun) if each.startswith(last))
    tree.body = tree.body[place + 1 :]
    return compile(tree, str(file), "exec")


def weights_after(names: dict[str, Any]) -> Iterable[Any]:
    """What the weights of such a lesson come to."""
    exec(names.pop("training"), names)
    return [names[each].numpy() for each in ("w1", "b1", "w2", "b2", "w3", "b3")]
