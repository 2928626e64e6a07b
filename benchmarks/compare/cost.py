"""What a comparison costs beyond its backends: a pass over 1,000 digits, the hidden states of 100 layers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compare.subjects import models
from benchmarks.table import Table
from mlvet.analyses.compare.comparison import compare
from mlvet.analyses.compare.distances import Thresholds
from mlvet.analyses.compare.pairs import pairs, truth_of
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.runs import Crew, Limits, Run, stored
from mlvet.runtime.backends.catalogue import KERAS, backends

COMMAND = "python -m benchmarks.compare --only cost"
PICTURES = 1000
LAYERS = 100
DEEP = """
import sys
import keras
from keras import layers
image = x = keras.Input((112, 112, 32), name="image")
for number in range(25):
    y = layers.BatchNormalization(name=f"norm{number}")(x)
    y = layers.ReLU(name=f"relu{number}")(y)
    y = layers.DepthwiseConv2D(3, padding="same", name=f"conv{number}")(y)
    x = layers.Add(name=f"sum{number}")([x, y])
keras.Model(image, x).save(sys.argv[1])
"""


def digits(count: int) -> tuple[Any, Any]:
    from sklearn.datasets import load_digits

    pictures, labels = load_digits(return_X_y=True)
    pictures = np.kron(pictures.reshape(-1, 8, 8), np.ones((3, 3)))[..., None].astype(np.float32) / 16
    return pictures[:count], labels[:count]


def passed(model: Path, folder: Path) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Seconds to open and to run on each backend, of a warm pass by the clock, and of opening by the clock."""
    pictures, labels = digits(PICTURES)
    with Crew(folder, Limits()) as crew:
        began = time.monotonic()
        opened = crew.open(backends((), "keras", {}), {"model": str(model.absolute())})
        runs = [run for run in opened.values() if isinstance(run, Run)]
        name = runs[0].opened["inputs"][0]["name"]
        few, all_of_them = stored(folder, "few", {name: pictures[:64]}), stored(folder, "all", {name: pictures})
        for run in runs:
            run.whole(few, 32)
            run.whole(all_of_them, 32)
        opening = time.monotonic() - began
        warm = {str(run): run.seconds for run in runs}
        began = time.monotonic()
        outputs = {str(run): run.whole(stored(folder, "pass", {name: pictures}), 32) for run in runs}
        truth = truth_of(labels, None, next(iter(outputs.values())))
        pairs(outputs, truth, Thresholds())
        clock = time.monotonic() - began
        own = {str(run): (float(run.opened["seconds"]), run.seconds - warm[str(run)]) for run in runs}
    return own, clock, opening


class _Watch:
    """The greatest resident size of this process and size of a folder, looked at often."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.before = _resident()
        self.resident = self.files = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.05):
            self.resident = max(self.resident, _resident() - self.before)
            self.files = max(self.files, _size(self.folder))


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def states(folder: Path) -> tuple[int, int, int, int]:
    """Layers, bytes of the states of all of them on one backend, then what was held: in files, in memory."""
    model = folder / "deep.keras"
    environment = {**os.environ, "KERAS_BACKEND": "numpy", "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, "-c", DEEP, str(model)], env=environment, check=True, capture_output=True)
    held = folder / "held"
    held.mkdir()
    usual = tempfile.tempdir
    tempfile.tempdir = str(held)
    try:
        with _Watch(held) as watch:
            found = compare(CompareRequest(model, model.name, backends=("jax", "torch"), count=4))
    finally:
        tempfile.tempdir = usual
    return len(found.subject.layers), 4 * 112 * 112 * 32 * 4 * LAYERS, watch.files, watch.resident


def main(folder: Path, seed: int) -> Table:
    model = models(folder, seed) / "digits.keras"
    with tempfile.TemporaryDirectory(dir=folder) as place:
        own, clock, opening = passed(model, Path(place))
    total = sum(seconds for _, seconds in own.values())
    with tempfile.TemporaryDirectory(dir=folder) as place:
        layers, everything, files, memory = states(Path(place))
    rows: list[list[Any]] = [[name, f"{load:.1f} s", f"{run:.3f} s", ""] for name, (load, run) in own.items()]
    rows.append(
        [f"all {len(own)} of {len(KERAS)}, by the clock", f"{opening:.1f} s with compiling", f"{clock:.3f} s",
         f"{clock / total:.2f} times their sum; at most 1.5 wanted"]
    )  # fmt: skip
    rows.append(
        [f"states of {layers} layers", "", "",
         f"{(files + memory) / 1e6:.0f} MB held at most ({files / 1e6:.0f} in files, {memory / 1e6:.0f} in memory), "
         f"where all states of one backend are {everything / 1e6:.0f} MB; at most 500 wanted"]
    )  # fmt: skip
    return Table(
        "compare-cost", f"Time of a pass over {PICTURES:,} digits, memory of hidden states", COMMAND,
        ("backend", "opening", "its own inference", "beyond"), rows,
        ("Real digits of scikit-learn, enlarged to 24 x 24. The pass is made with workers that have run it once.",),
    )  # fmt: skip
