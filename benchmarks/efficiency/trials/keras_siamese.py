"""Triplets of pictures, read and decoded one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import picked, sums

trial = Trial("keras-io/examples", "vision/siamese_network.py", 149, "input-pipeline", threads=4)


def prepare(folder: Path) -> Any:
    import numpy as np
    import tensorflow as tf

    draw = np.random.default_rng(0)
    files = []
    for number in range(200):
        picture = tf.io.encode_jpeg(draw.integers(0, 256, (250, 250, 3), dtype=np.uint8))
        files.append(str(folder / f"{number}.jpg"))
        tf.io.write_file(files[-1], picture)
    given = dict.fromkeys(("anchor_dataset", "positive_dataset", "negative_dataset"), None)
    given = {name: tf.data.Dataset.from_tensor_slices(files) for name in given}
    tf.keras.utils.set_random_seed(0)
    names = ("target_shape", "preprocess_image", "preprocess_triplets", "dataset")
    return picked(folder / trial.path, *names, given=given)["dataset"]


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    return [sorted(sums(prepared, 200))]
