"""Defects that are live in the versions at hand: found, localised, blamed, and reproduced by a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.table import Table

COMMAND = "python -m benchmarks.compare --only live"
KERAS = """
import sys
import keras
from keras import layers
keras.utils.set_random_seed(7)
image = keras.Input((16, 16, 3), name="image")
x = layers.Conv2D(6, 3, padding="same", activation="relu", name="conv1")(image)
x = layers.BatchNormalization(name="norm")(x)
x = layers.POOLING(name="pool")(x)
x = layers.Conv2D(8, 3, padding="same", activation="relu", name="conv2")(x)
x = layers.GlobalAveragePooling2D(name="mean")(x)
keras.Model(image, layers.Dense(5, activation="softmax", name="classes")(x)).save(sys.argv[1])
"""
WRONG = "AveragePooling2D(3, strides=2, padding='same'"
RIGHT = "AveragePooling2D(2, strides=2, padding='valid'"


@dataclass(frozen=True, slots=True)
class Live:
    """A defect: the file of a model that has it, the backends, the guilty one and its layer."""

    title: str
    model: str
    backends: str
    guilty: str
    layer: str


CASES = (
    Live("Keras AveragePooling2D(3, strides=2, padding='same')", "pooled.keras", "tensorflow,jax,torch,numpy", "torch",
         "pool"),
    Live("ONNX MaxPool with storage_order=1", "places.onnx", "onnxruntime,openvino,onnx-reference", "openvino", "pool"),
)  # fmt: skip


def keras_model(path: Path, pooling: str) -> None:
    environment = {**os.environ, "KERAS_BACKEND": "jax", "TF_CPP_MIN_LOG_LEVEL": "3"}
    text = KERAS.replace("POOLING(", f"{pooling}, ")
    subprocess.run([sys.executable, "-c", text, str(path)], env=environment, check=True, capture_output=True)


def onnx_model(path: Path) -> None:
    random = np.random.default_rng(0)
    stored = {"kernel": random.normal(size=(4, 3, 3, 3)), "weights": random.normal(size=(100, 5)) / 10}
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="relu"),
        helper.make_node(
            "MaxPool", ["b"], ["c", "places"], name="pool", kernel_shape=[2, 2], strides=[2, 2], storage_order=1
        ),
        helper.make_node("Flatten", ["c"], ["d"], name="flat"),
        helper.make_node("MatMul", ["d", "weights"], ["e"], name="dense"),
        helper.make_node("Softmax", ["e"], ["classes"], name="softmax", axis=-1),
    ]
    outputs = [("classes", TensorProto.FLOAT, ["n", 5]), ("places", TensorProto.INT64, ["n", 4, 5, 5])]
    graph = helper.make_graph(
        nodes, "model", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 10, 10])],
        [helper.make_tensor_value_info(*each) for each in outputs],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in stored.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


def told(folder: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    """The report of `mlvet compare`, and its complaint if there is none."""
    command = [sys.executable, "-m", "mlvet", "compare", *arguments, "--output-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout else {}), done.stderr.strip()


def has_option(option: str) -> bool:
    """Whether `mlvet compare` knows an option."""
    done = subprocess.run([sys.executable, "-m", "mlvet", "compare", "--help"], capture_output=True, text=True)
    return option in done.stdout


def script_shows_it(folder: Path) -> str:
    """Whether the scripts that were written run and tell of a difference."""
    scripts = sorted(folder.rglob("*.py"))
    if not scripts:
        return "none written"
    lines = len(scripts[0].read_text(encoding="utf-8").splitlines())
    done = subprocess.run([sys.executable, scripts[0].name], cwd=scripts[0].parent, capture_output=True, text=True)
    said = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return f"{lines} lines, code {done.returncode}: {said[-1] if said else ''}"


def _row(case: Live, folder: Path, reproduces: bool) -> list[Any]:
    extra: Sequence[str] = ("--reproduce", "scripts") if reproduces else ()
    report, complaint = told(folder, case.model, "--backends", case.backends, *extra)
    found = report.get("findings", [])
    first = found[0] if found else {}
    blamed, layer = first.get("evidence", {}).get("blamed"), first.get("location", {}).get("node")
    script = script_shows_it(folder / "scripts") if reproduces else "no --reproduce in this version"
    return [
        case.title, len(found) or complaint, f"{layer} ({'right' if layer == case.layer else 'wrong'})",
        f"{blamed} ({'right' if blamed == case.guilty else 'wrong'})", script,
    ]  # fmt: skip


def main(folder: Path, minutes: float = 20.0) -> Table:
    rows = []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        here = Path(place)
        keras_model(here / "pooled.keras", WRONG)
        onnx_model(here / "places.onnx")
        reproduces = has_option("--reproduce")
        rows += [_row(case, here, reproduces) for case in CASES]
        if minutes and has_option("--mutate"):
            rows.append(_mutated(here, minutes))
    return Table(
        "compare-live", "Defects that are live", COMMAND,
        ("defect", "findings", "layer", "blamed", "minimal script"), rows,
    )  # fmt: skip


def _mutated(folder: Path, minutes: float) -> list[Any]:
    """Mutation from a model whose pooling is right: is the wrong configuration reached?"""
    keras_model(folder / "sound.keras", RIGHT)
    report, complaint = told(folder, "sound.keras", "--backends", "tensorflow,torch", "--mutate", f"{minutes:g}")
    of_pooling = [
        each for each in report.get("findings", [])
        if each.get("evidence", {}).get("kind") == "AveragePooling2D" and each["evidence"].get("blamed") == "torch"
    ]  # fmt: skip
    first = of_pooling[0] if of_pooling else {}
    config = first.get("evidence", {}).get("config", {})
    shown = ", ".join(f"{key}={config[key]}" for key in ("pool_size", "strides", "padding") if key in config)
    return [
        f"the pooling, by {minutes:g} minutes of mutation from a model without it",
        len(report.get("findings", [])) or complaint, "found" if of_pooling else "not found",
        "torch (right)" if of_pooling else "-", shown or "-",
    ]  # fmt: skip
