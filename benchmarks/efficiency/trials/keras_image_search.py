"""Pictures of a search, read and decoded one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import picked, stand_in, sums

trial = Trial("keras-io/examples", "vision/nl_image_search.py", 492, "input-pipeline", threads=2)


def prepare(folder: Path) -> Any:
    from types import SimpleNamespace

    import numpy as np
    import tensorflow as tf

    stand_in("tensorflow_hub", "tensorflow_text")
    draw = np.random.default_rng(0)
    files = []
    for number in range(200):
        files.append(str(folder / f"{number}.jpg"))
        tf.io.write_file(files[-1], tf.io.encode_jpeg(draw.integers(0, 256, (480, 640, 3), dtype=np.uint8)))
    encoder = SimpleNamespace(predict=lambda dataset, **_: np.array(sums(dataset, -1)))
    return {"image_paths": files, "batch_size": 32, "vision_encoder": encoder}


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    return [picked(folder / trial.path, "read_image", "image_embeddings", given=prepared)["image_embeddings"]]
