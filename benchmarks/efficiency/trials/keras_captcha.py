"""Pictures that are read and decoded again in every epoch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import passage, picked

trial = Trial("keras-io/examples", "vision/captcha_ocr.py", 152, "repeated-host-work")


def prepare(folder: Path) -> Any:
    import numpy as np
    import tensorflow as tf

    draw = np.random.default_rng(0)
    files = []
    for number in range(936):
        files.append(str(folder / f"{number:05}.png"))
        tf.io.write_file(files[-1], tf.io.encode_png(draw.integers(0, 256, (50, 200, 3), dtype=np.uint8)))
    labels = [f"{number:05}" for number in range(936)]
    given = {"x_train": np.array(files), "y_train": np.array(labels), "characters": "0123456789"}
    names = ("batch_size", "img_width", "img_height", "char_to_num", "encode_single_sample")
    return picked(folder / trial.path, *names, given=given)


def run(folder: Path, names: Any) -> Iterable[Any]:
    exec(passage(folder / trial.path, "train_dataset = tf", "train_dataset = ("), names)
    return [[float(batch["image"].numpy().sum()) for batch in names["train_dataset"]] for _ in range(10)]
