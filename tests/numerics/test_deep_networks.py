"""Many layers: norms stay finite where intervals overflow, stored statistics act channel by channel."""

from __future__ import annotations

import numpy as np
from written import Said

from mlvet.analyses.numerics.analysis import analyse
from mlvet.analyses.numerics.assumptions.ranges import Given, assumed_ranges
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings
from mlvet.analyses.shapes.inference import infer
from mlvet.domains.dtypes import f32
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph

INTERVALS = Settings(numeric=NumericAbstraction.INTERVALS)
RANDOM = np.random.default_rng(0)


def of(graph: Graph, low: float, high: float, settings: Settings | None = None) -> Said:
    inference = infer(graph)
    ranges = assumed_ranges(graph, inference, Given({"x": (low, high)}))
    return Said(analyse(graph, inference, ranges, settings))


def rotation(size: int) -> np.ndarray:
    found, _ = np.linalg.qr(RANDOM.normal(size=(size, size)))
    return found.astype(np.float32)


def chain(layers: int, size: int = 64) -> Graph:
    """Rotations with an activation between: no vector grows, but sums of absolute weights do."""
    build = Builder()
    value = build.input("x", Tensor(f32, (1, size)))
    for index in range(layers):
        value = build.add("relu", build.add("matmul", value, build.constant(f"w{index}", rotation(size))))
    return build.graph([value])


def test_rotations_do_not_overflow_in_any_number() -> None:
    found = of(chain(80), -1, 1)
    assert found.forward == {}


def test_intervals_alone_do() -> None:
    assert "arithmetic-overflow" in of(chain(80), -1, 1, INTERVALS).forward.values()


def test_layers_that_double_do_overflow() -> None:
    build = Builder()
    value = build.input("x", Tensor(f32, (1, 8)))
    for index in range(140):
        value = build.add("matmul", value, build.constant(f"w{index}", 2 * rotation(8)))
    assert "arithmetic-overflow" in of(build.graph([value]), -1, 1).forward.values()


def test_a_layer_has_bounds_for_every_channel() -> None:
    build = Builder()
    x = build.input("x", Tensor(f32, (1, 2)))
    weights = np.array([[1.0, 0.0], [0.0, 100.0]], np.float32)
    both = build.add(
        "add", build.add("matmul", x, build.constant("w", weights)), build.constant("b", np.float32([2, 0]))
    )
    first, second = build.node("split", [both], 2, {"axis": 1, "num_outputs": 2}).outputs
    graph = build.graph([build.add("reciprocal", first), build.add("neg", second)])
    assert of(graph, -1, 1).forward == {}


def test_normalisation_by_stored_statistics_acts_on_each_channel() -> None:
    build = Builder()
    x = build.input("x", Tensor(f32, (1, 2, 3, 3)))
    stored = {"scale": [1.0, 1.0], "shift": [5.0, 0.0], "mean": [0.0, 0.0], "variance": [1.0, 1e-4]}
    statistics = [build.constant(name, np.float32(values)) for name, values in stored.items()]
    y = build.add("batch_normalization", x, *statistics)
    first, second = build.node("split", [y], 2, {"axis": 1, "num_outputs": 2}).outputs
    graph = build.graph([build.add("reciprocal", first), build.add("neg", second)])
    found = of(graph, -1, 1)
    assert found.forward == {}
    assert 90 < found["neg"].high < 110
