"""Runs the real ONNX models within their ranges and tells what the nodes with alarms really yield.

What is seen at corners and random points proves nothing, but tells an interval that grew from layer to layer from a
number that does: where the largest result seen is far below the limits of its type, the alarm is one of growth.

    python -m benchmarks.numerics.executed [--propose] [part of a NAME ...]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.numerics.models import MODELS, Model, real_subjects
from benchmarks.numerics.real_models import judgements, key
from benchmarks.numerics.subjects import Subject
from mlvet.analyses.numerics.analysis import analyse
from mlvet.analyses.numerics.hazard import Hazard
from mlvet.ir.graph import Value

WAYS = ("low", "high", "zero", "corners", "corners", "stripes", "uniform", "uniform", "short")
MODERATE = 1e6
GROWTH = "growth: the bounds widen from layer to layer; the largest magnitude at corners and random inputs is"
LINE, SIDE, SAMPLES = 48, 320, 4000
"""The height of a line of text for recognisers, the side of other images, the length of sounds."""


def main(wanted: Sequence[str] = (), *, propose: bool = False) -> None:
    """A line for each alarm: the largest magnitude at its node, and whether it was NaN or infinite.

    With `propose` it is judgements that are printed, of overflows not judged yet at nodes whose results are moderate.
    """
    models = {model.name: model for model in MODELS}
    judged = judgements()
    proposed: dict[str, dict[str, dict[str, str]]] = {}
    for subject in real_subjects():
        if subject.path.suffix != ".onnx" or (wanted and not any(word in subject.name for word in wanted)):
            continue
        hazards = analyse(subject.graph, subject.inference, subject.ranges).hazards
        for hazard, (most, broken) in seen(subject, models[subject.name], hazards).items() if hazards else ():
            if not propose:
                print(f"{subject.name} `{key(hazard)}`: largest magnitude {most:.3g}{broken}")
                continue
            is_open = key(hazard) not in judged.get(subject.name, {})
            if is_open and hazard.rule.endswith("-overflow") and not broken and most < MODERATE:
                why = f"{GROWTH} {most:.3g}"
                proposed.setdefault(subject.name, {})[key(hazard)] = {"verdict": "false", "why": why}
    if propose:
        print(json.dumps(proposed, indent=2))


def seen(subject: Subject, model: Model, hazards: Sequence[Hazard]) -> dict[Hazard, tuple[float, str]]:
    """What onnxruntime yields at the nodes of some alarms over all points: the largest magnitude, where it fails."""
    import onnx
    import onnxruntime

    names = list(dict.fromkeys(value.name for hazard in hazards for value in hazard.node.outputs))
    proto = onnx.load(subject.path)
    known = {output.name for output in proto.graph.output}
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    most, broken = dict.fromkeys(names, 0.0), dict.fromkeys(names, "")
    for way, point in _points(subject, model.ranges):
        for name, array in zip(names, session.run(names, point), strict=True):
            finite = np.abs(array[np.isfinite(array)].astype(np.float64))
            most[name] = max(most[name], float(finite.max()) if finite.size else 0.0)
            if not np.isfinite(array).all() and not broken[name]:
                broken[name] = f", NaN or infinite at the point `{way}`"
    return {hazard: (most[name], broken[name]) for hazard in hazards for name in [hazard.node.outputs[0].name]}


def _points(subject: Subject, ranges: Mapping[str, tuple[float, float]]) -> Iterator[tuple[str, dict[str, Any]]]:
    rng = np.random.default_rng(0)
    sizes = (1, SAMPLES, LINE if "_rec_" in subject.name else SIDE, SIDE)
    for way in WAYS:
        yield way, {value.name: _array(value, *ranges[value.name], way, sizes, rng) for value in subject.graph.inputs}


def _array(
    value: Value, low: float, high: float, way: str, sizes: tuple[int, ...], rng: np.random.Generator
) -> Any:  # fmt: skip
    shape = [dim if isinstance(dim, int) else sizes[axis] for axis, dim in enumerate(value.declared.dims)]
    dtype = value.declared.dtype
    assert dtype is not None
    if not dtype.is_float:
        return np.full(shape, 200 if way == "short" else SAMPLES).clip(low, high).astype(dtype.numpy)
    match way:
        case "low" | "high" | "zero":
            array = np.full(shape, {"low": low, "high": high, "zero": min(max(0.0, low), high)}[way])
        case "corners":
            array = np.where(rng.uniform(size=shape) < 0.5, low, high)
        case "stripes":
            array = np.broadcast_to(np.where(np.arange(shape[-1]) // 4 % 2, low, high), shape)
        case _:
            array = rng.uniform(low, high, shape)
    return np.ascontiguousarray(array.astype(dtype.numpy))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--propose", action="store_true", help="print judgements of what is not judged yet")
    parser.add_argument("wanted", nargs="*")
    options = parser.parse_args()
    main(options.wanted, propose=options.propose)
