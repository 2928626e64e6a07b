"""Six epochs of forty of a network that reads names of colours, whose batches are as long as their longest name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, printed, repaired

trial = Trial(
    "dragen1860/TensorFlow-2.x-Tutorials", "10-ColorBot/main.py", 44, "eager-train-step", tolerance=1e-3
)  # fmt: skip
_ROWS = 1500


def prepare(folder: Path) -> Any:
    here = (folder / trial.path).parent
    repaired(here / "utils.py", "tf.string_split(", "tf.strings.split(")
    repaired(here / "model.py", 'name=""', 'name="colorbot"')
    repaired(here / "model.py", "if training:", "if False:")
    repaired(here / "main.py", "epochs = 40", "epochs = 6")
    module = loaded(folder / trial.path)
    for name in ("train.csv", "test.csv"):
        _write(folder / "data" / name)
    module.keras.losses.mean_squared_error = module.keras.losses.MeanSquaredError(reduction=None)
    module.six.moves.input = lambda _: ""
    module.keras.utils.set_random_seed(22)
    return module


def _write(file: Path) -> None:
    import numpy as np

    draw = np.random.default_rng(0)
    lengths = draw.integers(4, 24, _ROWS)
    names = ("".join(map(chr, draw.integers(97, 123, length))) for length in lengths)
    colours = draw.integers(0, 256, (_ROWS, 3))
    rows = (",".join((name, *map(str, colour))) for name, colour in zip(names, colours, strict=True))
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(("name,red,green,blue", *rows)) + "\n", encoding="ascii")


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return [printed(module.main)]
