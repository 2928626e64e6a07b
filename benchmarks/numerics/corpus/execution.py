"""Where NaN, infinity or a meaningless integer arises when a graph runs, and where a gradient is infinite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.ir.graph import Graph, Node, Value
from mlvet.ir.slice import backward as needed
from mlvet.ops import REGISTRY
from mlvet.ops.derivative import Jvp, Partials, Zero
from mlvet.runtime.reference import evaluate


@dataclass(frozen=True, slots=True)
class Failures:
    """Names of nodes: those that broke finite operands, those that passed the breakage on, those of bad gradient."""

    fresh: frozenset[str]
    passed: frozenset[str]
    gradient: frozenset[str]


def runnable(graph: Graph) -> Graph:
    """What the outputs need: initialisers of variables cannot be run, and need not."""
    return needed(graph, graph.outputs)


def failures(graph: Graph, inputs: Mapping[str, NDArray[Any]]) -> Failures:
    """Run a graph and see what fails. In loops, the last iteration counts."""
    values = evaluate(graph, inputs, values=True)
    tainted = {value.name for region in graph.regions() if region.kind != "graph" for value in region.inputs
               if _broken(values.get(value.name))}  # fmt: skip
    fresh: set[str] = set()
    passed: set[str] = set()
    for node in graph.nodes():
        operands = [None if value is None else values.get(value.name) for value in node.inputs]
        results = [values.get(value.name) for value in node.outputs]
        if not any(map(_broken, results)) and not _wraps(node, operands, results):
            continue
        inherited = any(value is not None and value.name in tainted for value in node.inputs) or bool(node.regions)
        if not inherited and not _arises(operands, results):
            continue
        tainted.update(value.name for value in node.outputs)
        (passed if inherited else fresh).add(node.name)
    return Failures(frozenset(fresh), frozenset(passed), frozenset(_gradients(graph, values, tainted)))


def _floats(array: Any) -> NDArray[Any] | None:
    if not isinstance(array, np.ndarray | np.generic) or array.dtype.kind in "iubOSU":
        return None
    return np.asarray(array, np.float64)


def _broken(array: Any) -> bool:
    floats = _floats(array)
    return floats is not None and not bool(np.isfinite(floats).all())


def _arises(operands: list[Any], results: list[Any]) -> bool:
    """NaN where no operand is NaN, infinity where no operand is infinite, or an integer that means nothing."""
    taken = [floats for floats in map(_floats, operands) if floats is not None]
    made = [floats for floats in map(_floats, results) if floats is not None]
    if not made:
        return True
    new_nan = any(np.isnan(a).any() for a in made) and not any(np.isnan(a).any() for a in taken)
    return bool(new_nan or (any(np.isinf(a).any() for a in made) and not any(np.isinf(a).any() for a in taken)))


def _wraps(node: Node, operands: list[Any], results: list[Any]) -> bool:
    """Whether a number was cast to an integer type that cannot hold it."""
    floats = _floats(operands[0]) if node.op == "cast" and operands else None
    if floats is None or results[0] is None or results[0].dtype.kind not in "iu":
        return False
    limits = np.iinfo(results[0].dtype)
    return not bool(((floats > limits.min - 1.0) & (floats < limits.max + 1.0)).all())


def _gradients(graph: Graph, values: Mapping[str, Any], tainted: set[str]) -> set[str]:
    """Nodes of the body on the way from a trained parameter whose derivative is not finite at sound operands."""
    moving = {parameter.value for parameter in graph.parameters if parameter.trainable}
    failing = set()
    for node in graph.body.nodes:
        op = REGISTRY.get(node.op)
        flows = [value is not None and value in moving for value in node.inputs]
        if not any(flows) or op is None or isinstance(op.derivative, Zero) or node.op == "stop_gradient":
            continue
        moving.update(value for value in node.outputs if _floats(values.get(value.name)) is not None)
        if any(value is not None and value.name in tainted for value in node.inputs):
            continue
        if not _differentiable(node, values, flows):
            failing.add(node.name)
    return failing


def _differentiable(node: Node, values: Mapping[str, Any], flows: list[bool]) -> bool:
    """Whether the derivative is finite, subnormal operands taken for zero as fast kernels do."""
    derivative = REGISTRY[node.op].derivative
    operands = [None if value is None else _flushed(_value(values, value)) for value in node.inputs]
    slopes: list[Any] = []
    with np.errstate(all="ignore"):
        if isinstance(derivative, Partials):
            partials = derivative.of(*operands, **node.attributes)
            slopes = [slope for slope, flow in zip(partials, flows, strict=False) if flow and slope is not None]
        elif isinstance(derivative, Jvp):
            ways = [np.ones_like(x) if flow else None for x, flow in zip(operands, flows, strict=True)]
            slope = derivative.of(operands, ways, **node.attributes)
            slopes = list(slope) if isinstance(slope, tuple) else [slope]
    return not any(_broken(np.asarray(slope)) for slope in slopes if slope is not None)


def _value(values: Mapping[str, Any], value: Value) -> Any:
    return values[value.name]


def _flushed(array: Any) -> Any:
    floats = _floats(array)
    if floats is None or array.dtype.itemsize < 4:
        return array
    return np.where(np.abs(array) < np.finfo(array.dtype).tiny, np.zeros_like(array), array)
