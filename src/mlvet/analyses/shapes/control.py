"""Shapes through regions: branches are joined, loops are repeated until their carried values no longer change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, maximum, symbol
from mlvet.domains.tensors import Tensor, Unranked, unknown
from mlvet.ir.graph import Node, Region
from mlvet.ops.require import Require

if TYPE_CHECKING:
    from mlvet.analyses.shapes.inference import Run

Rule: TypeAlias = Callable[["Run", Node, Sequence[Tensor | None], Require], Sequence[Tensor]]

_ROUNDS = 4


def join(left: Tensor, right: Tensor, name: str) -> Tensor:
    """What is known of a tensor that is one or the other; sizes that differ get names derived from `name`."""
    dtype = left.dtype if left.dtype == right.dtype else None
    if isinstance(left.shape, Unranked) or isinstance(right.shape, Unranked) or len(left.shape) != len(right.shape):
        return unknown(name, dtype)
    dims = tuple(
        a if equal(a, b) else symbol(f"{name}.{axis}")
        for axis, (a, b) in enumerate(zip(left.shape, right.shape, strict=True))
    )
    same = left.value is not None and right.value is not None and np.array_equal(left.value, right.value)
    return Tensor(dtype, dims, left.value if same and left.shape == right.shape else None)


def _truth(tensor: Tensor | None) -> bool | None:
    """The value of a condition, if it is known."""
    if tensor is None or tensor.value is None or tensor.value.size != 1 or tensor.value.dtype == object:
        return None
    return bool(tensor.value.reshape(-1)[0])


def _if(run: Run, node: Node, operands: Sequence[Tensor | None], require: Require) -> Sequence[Tensor]:
    taken = _truth(operands[0] if operands else None)
    outcomes = []
    for branch, region in zip((True, False), node.regions, strict=False):
        outcomes.append(run.region(region) if taken in (None, branch) else run.rehearse(region))
    if len(outcomes) < 2:
        return outcomes[0] if outcomes and taken else ()
    require.holds(
        len(outcomes[0]) == len(outcomes[1]), f"branches yield {len(outcomes[0])} and {len(outcomes[1])} results"
    )
    if taken is not None:
        return outcomes[0 if taken else 1]
    return [join(a, b, f"{node.name}.{i}") for i, (a, b) in enumerate(zip(*outcomes, strict=False))]


def _settle(run: Run, region: Region, start: Sequence[Tensor], name: str, step: Callable[[], Sequence[Tensor]]) -> None:
    """Find what a loop's carried values are whatever the number of rounds, and bind them to the region's inputs."""
    inputs = region.inputs[len(region.inputs) - len(start) :]
    carried = list(start)
    for rounds in range(_ROUNDS + 1):
        for value, tensor in zip(inputs, carried, strict=True):
            run.bind(value, tensor)
        after = step()
        if rounds == _ROUNDS:
            joined = [unknown(f"{name}.{i}", tensor.dtype) for i, tensor in enumerate(carried)]
        else:
            joined = [join(a, after[i], f"{name}.{i}") if i < len(after) else a for i, a in enumerate(carried)]
        if all(_same(a, b) for a, b in zip(carried, joined, strict=True)):
            return
        carried = joined
    for value, tensor in zip(inputs, carried, strict=True):
        run.bind(value, tensor)


def _same(left: Tensor, right: Tensor) -> bool:
    values = (left.value is None) == (right.value is None)
    return left.dtype == right.dtype and left.shape == right.shape and values


def _loop(run: Run, node: Node, operands: Sequence[Tensor | None], require: Require) -> Sequence[Tensor]:
    """ONNX Loop: trip count, condition, carried values; the body yields condition, carried values, scanned values."""
    body = node.regions[0]
    start = [tensor for tensor in operands[2:] if tensor is not None]
    if not require.holds(
        len(body.inputs) == 2 + len(start) and len(body.outputs) >= 1 + len(start),
        f"the loop carries {len(start)} values, but its body takes {len(body.inputs) - 2}",
    ):
        return ()
    run.bind(body.inputs[0], Tensor(dtypes.i64, ()))
    run.bind(body.inputs[1], Tensor(dtypes.bool_, ()))
    _settle(run, body, start, node.name, lambda: run.rehearse(body)[1 : 1 + len(start)])
    after = run.region(body)
    goes_on = _truth(after[0]) is True or body.outputs[0] is body.inputs[1]
    rounds = _trips(operands, require) if goes_on else require.counted()
    carried = [join(a, b, f"{node.name}.{i}") for i, (a, b) in enumerate(zip(start, after[1:], strict=False))]
    scanned = [_stacked(tensor, rounds, 0, f"{node.name}.{i}") for i, tensor in enumerate(after[1 + len(start) :])]
    return [*(tensor.without_value() for tensor in carried), *scanned]


def _trips(operands: Sequence[Tensor | None], require: Require) -> Dim:
    """How often a loop runs whose condition stays true."""
    first = _truth(operands[1]) if len(operands) > 1 and operands[1] is not None else True
    count = require.ints(operands[0] if operands else None)
    if first is False:
        return 0
    return maximum(count[0], 0) if count and first else require.counted()


def _stacked(tensor: Tensor, count: Dim, axis: int, name: str) -> Tensor:
    if isinstance(tensor.shape, Unranked):
        return unknown(name, tensor.dtype)
    axis = axis if axis >= 0 else axis + len(tensor.shape) + 1
    return Tensor(tensor.dtype, (*tensor.shape[:axis], count, *tensor.shape[axis:]))


def _while(run: Run, node: Node, operands: Sequence[Tensor | None], require: Require) -> Sequence[Tensor]:
    """Carried values pass through the condition and the body until the condition is false."""
    condition, body = node.regions[:2]
    start = [tensor if tensor is not None else require.unknown_tensor() for tensor in operands]
    if not require.holds(
        len(condition.inputs) == len(body.inputs) == len(start) == len(body.outputs),
        f"the loop carries {len(start)} values, but its body takes {len(body.inputs)} and yields {len(body.outputs)}",
    ):
        return ()
    _settle(run, body, start, node.name, lambda: run.rehearse(body))
    for value, inner in zip(condition.inputs, body.inputs, strict=True):
        run.bind(value, run.result.types[inner])
    run.region(condition)
    after = run.region(body)
    return [join(a, b, f"{node.name}.{i}").without_value() for i, (a, b) in enumerate(zip(start, after, strict=True))]


def _scan(run: Run, node: Node, operands: Sequence[Tensor | None], require: Require) -> Sequence[Tensor]:
    """ONNX Scan: states, then inputs that are cut along an axis; the body yields states, then slices to be stacked."""
    body = node.regions[0]
    scans = int(node.attributes.get("num_scan_inputs", 0))
    present = [tensor if tensor is not None else require.unknown_tensor() for tensor in operands]
    if not require.holds(
        0 <= scans <= len(present) == len(body.inputs), f"the body takes {len(body.inputs)} values, not {len(present)}"
    ):
        return ()
    states = len(present) - scans
    axes = node.attributes.get("scan_input_axes") or (0,) * scans
    length: Dim | None = node.attributes.get("length")
    for index, tensor in enumerate(present[states:]):
        value = body.inputs[states + index]
        if isinstance(tensor.shape, Unranked):
            run.bind(value, unknown(value.name, tensor.dtype))
            continue
        axis = require.axis(axes[index], len(tensor.shape), "scan axis")
        if not tensor.shape:
            return ()
        dim = tensor.shape[axis]
        length = dim if length is None else require.equal(length, dim, "scanned inputs have one length")
        run.bind(value, Tensor(tensor.dtype, (*tensor.shape[:axis], *tensor.shape[axis + 1 :])))
    count = length if length is not None else require.unknown()
    carried = Region(body.kind, body.inputs[:states], body.nodes, body.outputs)
    _settle(run, carried, present[:states], node.name, lambda: run.rehearse(body)[:states])
    after = run.region(body)
    out_axes = node.attributes.get("scan_output_axes") or (0,) * (len(after) - states)
    joined = [
        join(a, b, f"{node.name}.{i}").without_value()
        for i, (a, b) in enumerate(zip(present[:states], after, strict=False))
    ]
    stacked = [
        _stacked(tensor, count, out_axes[i] if i < len(out_axes) else 0, f"{node.name}.{i}")
        for i, tensor in enumerate(after[states:])
    ]
    return [*joined, *stacked]


def _call(run: Run, node: Node, operands: Sequence[Tensor | None], require: Require) -> Sequence[Tensor]:
    region = node.regions[0]
    present = [tensor for tensor in operands if tensor is not None]
    if not require.holds(
        len(region.inputs) == len(present),
        f"the function takes {len(region.inputs)} operands, but is given {len(present)}",
    ):
        return ()
    for value, tensor in zip(region.inputs, present, strict=True):
        run.bind(value, tensor)
    return run.region(region)


RULES: dict[str, Rule] = {"if": _if, "loop": _loop, "while": _while, "scan": _scan, "call": _call}
