"""TensorFlow graphs, in the style of sessions, saved as GraphDefs in binary or text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf

from benchmarks.numerics.corpus.case import Case, Input, stated, twins

v1 = tf.compat.v1

Write: TypeAlias = Callable[..., Any]
"""Takes whether to write the sound form, and the placeholders by name, and adds to the default graph."""


def graph_file(
    write: Write, inputs: Mapping[str, Input], path: Path, *arguments: Any, text: bool, frames: bool
) -> Path:
    """Save the graph that a function writes; with `frames`, loops have the form of TensorFlow 1."""
    (v1.disable_control_flow_v2 if frames else v1.enable_control_flow_v2)()
    graph = tf.Graph()
    with graph.as_default():
        given = {name: v1.placeholder(item.dtype, item.shape, name=name) for name, item in inputs.items()}
        write(*arguments, **given)
    path = path.with_name(path.name + (".pbtxt" if text else ".pb"))
    tf.io.write_graph(graph.as_graph_def(), str(path.parent), path.name, as_text=text)
    return path


def pair(cases: list[Case], family: str, inputs: Mapping[str, Input], nodes: list[str], *, text: bool = False,
         frames: bool = False, **facts: Any) -> Callable[[Write], Write]:  # fmt: skip
    """Registers the two graphs that a function writes."""

    def register(write: Write) -> Write:
        def written(path: Path, sound: bool) -> Path:
            return graph_file(write, inputs, path, sound, text=text, frames=frames)

        cases.extend(twins(write.__name__, "tensorflow", family, written, inputs, nodes, **facts))
        return write

    return register


def sound(
    cases: list[Case], family: str, inputs: Mapping[str, Input], *, guarded: tuple[str, ...] = (), text: bool = False
) -> Callable[[Write], Write]:
    """Registers a graph that is safe."""

    def register(write: Write) -> Write:
        name = f"tensorflow-safe-{write.__name__.replace('_', '-')}"

        def build(folder: Path) -> Path:
            return graph_file(write, inputs, folder / name, text=text, frames=False)

        cases.append(Case(name, family, "tensorflow", False, None, build, stated(inputs), guarded=frozenset(guarded)))
        return write

    return register


def variable(name: str, *shape: int, start: Any = None) -> Any:
    """A trained variable with an initialiser, truncated normal of deviation 0.1 unless told."""
    start = start or v1.truncated_normal_initializer(stddev=0.1)
    return v1.get_variable(name, shape, initializer=start, use_resource=False)
