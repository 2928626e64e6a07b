"""A parallel `map` is suggested for more cores where TensorFlow reads the files of an item at once anyway."""

from __future__ import annotations

from pathlib import Path

from suggesting import told

ONE = """\
import tensorflow as tf


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


for batch in tf.data.Dataset.list_files("images/*.png").map(load).batch(32):
    print(tf.reduce_mean(batch))
"""

THREE = """\
import tensorflow as tf


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


def triplet(anchor, positive, negative):
    return load(anchor), load(positive), load(negative)


paths = tf.data.Dataset.list_files("images/*.png")
for batch in tf.data.Dataset.zip((paths, paths, paths)).map(triplet).batch(32):
    print(tf.reduce_mean(batch[0]))
"""


def conditions(text: str, folder: Path) -> list[str]:
    (found,) = told(text, folder, "input-pipeline")
    return [each.text for each in found.assumptions]


def test_cores_are_counted_from_the_files_that_an_item_is_made_of(tmp_path: Path) -> None:
    assert any("cores to spare" in each for each in conditions(ONE, tmp_path))
    assert any("more than 3 processor cores" in each for each in conditions(THREE, tmp_path))
