"""The paper's own bugs, live in old environments: batch normalisation on CNTK and average pooling on Theano.

MLVET_HISTORY names the folder of the environments that history.md tells how to make.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.table import Table
from mlvet.analyses.compare.comparison import Comparison, compare
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.telling import findings, map_of

COMMAND = "MLVET_HISTORY=FOLDER python -m benchmarks.compare --only history"
BACKENDS = ("tensorflow", "theano", "cntk")
RISE = 1000.0
"""Backends that agree have an R below this, whatever the quartile says; a guilty layer has far more."""
EXPECTED: dict[str, set[tuple[str, str]]] = {
    "keras214": {("cntk", "norm"), ("theano", "average")},
    "keras220": {("cntk", "norm")},
    "keras224": set(),
}  # fmt: skip
MODEL = """
import sys
import numpy as np
from keras import layers, models
random = np.random.RandomState(0)
image = layers.Input((11, 13, 3), name="image")
x = layers.Conv2D(4, 3, activation="relu", name="conv")(image)
x = layers.BatchNormalization(name="norm")(x)
x = layers.Conv2D(6, 3, name="conv2")(x)
x = layers.AveragePooling2D(3, strides=2, padding="same", name="average")(x)
x = layers.Activation("tanh", name="tanh")(x)
x = layers.Flatten(name="flat")(x)
x = layers.Dense(8, activation="relu", name="dense")(x)
model = models.Model(image, layers.Dense(6, activation="softmax", name="classes")(x))
for layer in model.layers:
    layer.set_weights([random.normal(size=each.shape) * 0.2 for each in layer.get_weights()])
model.get_layer("norm").set_weights([
    random.uniform(0.5, 1.5, 4), random.normal(size=4), random.normal(size=4) * 0.1, random.uniform(1e-4, 1e-2, 4)])
model.save(sys.argv[1])
"""


def environments() -> dict[str, Path]:
    """The interpreters of the folder that the variable names."""
    folder = Path(os.environ.get("MLVET_HISTORY", os.devnull))
    return {path.parts[-3]: path for path in sorted(folder.glob("*/bin/python"))}


def compared(name: str, python: Path, folder: Path) -> Comparison:
    """The model, made by an old Keras, on its three backends."""
    model = folder / f"{name}.h5"
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [str(python), "-c", MODEL, str(model)]
    subprocess.run(command, env={**surroundings, "KERAS_BACKEND": "tensorflow"}, check=True, capture_output=True)
    os.environ["THEANO_FLAGS"] = f"base_compiledir={folder / f'theano-{name}'}"
    backends = tuple(f"{each}@{name}" for each in BACKENDS)
    return compare(CompareRequest(model, name, backends=backends, environments={name: str(python)}))


def row(name: str, found: Comparison) -> list[Any]:
    """What was found, whether that is all there is, and what the paper's map highlights first."""
    told = findings(found, name)
    where = {
        (str(each.evidence.data.get("blamed")).partition("@")[0], each.location.node) for each in told if each.evidence
    }
    red = []
    for backend, layer in sorted(EXPECTED[name], key=str):
        pair = next(
            each for each in found.pairs if each.second == f"{backend}@{name}" and each.first.startswith("tens")
        )
        places = map_of(found, pair)
        first = next((place.layer.name for place in places if place.red and place.rate >= RISE), "none")
        top = max(places, key=lambda place: place.rate).layer.name
        red.append(f"{backend}: {first}, top R {top} ({'right' if first == layer else 'wrong'})")
    version = next(iter(found.versions.values()), "").split()[1] if found.versions else "?"
    missing = [each.backend for each in found.refusals]
    return [
        f"Keras {version}", "; ".join(f"{layer} on {backend}" for backend, layer in sorted(where, key=str)) or "none",
        "yes" if where == EXPECTED[name] else "no", "; ".join(red) or "-", ", ".join(missing) or "-",
    ]  # fmt: skip


def main(folder: Path) -> Table:
    rows = []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for name, python in environments().items():
            if name in EXPECTED:
                rows.append(row(name, compared(name, python, Path(place))))
    return Table(
        "compare-history", "The paper's bugs in old environments", COMMAND,
        ("environment", "found", "as it should be", "first red layer of the map, R of 1,000 at least", "refusing"),
        rows,
        (
            "TensorFlow 1.12, Theano 1.0.3 and CNTK 2.6 with Python 3.6. Keras 2.1.4: batch normalisation on CNTK and "
            "average pooling on Theano are wrong; 2.2.0: batch normalisation; 2.2.4, the control: neither.",
        ),
    )  # fmt: skip
