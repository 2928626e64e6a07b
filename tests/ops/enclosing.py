"""The law of operators that enclose their own results: whatever operands an interval holds, it holds the results."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from drawing import HypothesisDraw
from numpy.typing import NDArray
from running import Operands, inferred, is_real, replaced, results

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.intervals import Interval, of_array
from mlvet.domains.intervals import point as at
from mlvet.domains.tensors import Tensor, Unranked, constant
from mlvet.ops import Op
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import Enclosure
from mlvet.ops.require import Require
from mlvet.ops.samples import Sample

Array = NDArray[Any]

WIDTHS = (0.0, 1e-3, 0.5, 10.0, 1e4, 1e30)
SPECIAL = (None, None, None, None, np.inf, -np.inf, np.nan)
NARROW = (np.float32, np.float32, np.float16, ml_dtypes.bfloat16)


def enclosure_holds(op: Op, kind: Enclosure, sample: Sample, draw: HypothesisDraw) -> None:
    """Assert it at the sample, at corners and in the interior of random boxes around the sample."""
    operands = _in_some_dtype(sample.operands, draw)
    boxes = [None if array is None else _box(op, array, draw) for array in operands]
    tensors = [None if array is None else _described(n, array, op, draw) for n, array in enumerate(operands)]
    held = [None if box is None else _interval(*box) for box in boxes]
    points = [operands, *(_points(boxes, draw, how) for how in ("low", "high", "corner", "corner", "inside", "inside"))]
    special = draw.choice(SPECIAL)
    if special is not None and operands:
        where = draw.choice(range(len(operands)))
        chosen = held[where]
        if chosen is not None and is_real(operands[where]):
            held[where] = chosen.join(at(special))
            points += [replaced(each, {where: _strewn(each[where], special, draw)}) for each in points]
    told = kind.of(held, tensors, **sample.attributes)
    sized = _shapes(op, operands, sample)
    for point in points:
        if _shapes(op, point, sample) != sized:
            continue
        try:
            found = results(op, point, sample.attributes)
        except (ValueError, IndexError, OverflowError, MemoryError, np.linalg.LinAlgError):
            continue
        assert len(found) == len(told), f"{op} tells of {len(told)} results and yields {len(found)}"
        for result, interval in zip(found, told, strict=True):
            outside = [x for x in _numbers(result) if x not in interval]
            assert not outside, f"{op} yields {outside[:4]}, not in {interval}, of {point} with {sample.attributes}"


def _strewn(array: Array | None, special: float, draw: HypothesisDraw) -> Array:
    """An array some or all of whose elements are infinite or NaN."""
    assert array is not None
    share = draw.like(np.zeros(array.shape)) < draw.choice([0.3, 1.1])
    return np.where(share, np.asarray(special).astype(array.dtype), array)


def _shapes(op: Op, operands: Operands, sample: Sample) -> list[Any] | None:
    """The shapes of the results, which the elements of operands may decide; None if there are none."""
    require = Require("t")
    tensors = [None if array is None else constant(array) for array in operands]
    try:
        shapes = [str(tensor.shape) for tensor in inferred(op, tensors, sample.attributes, require)]
    except (OverflowError, ValueError):
        return None
    return None if require.violated else shapes


def _in_some_dtype(operands: Operands, draw: HypothesisDraw) -> list[Array | None]:
    dtype = draw.choice(NARROW)
    return [array.astype(dtype) if array is not None and array.dtype == np.float32 else array for array in operands]


def _box(op: Op, array: Array, draw: HypothesisDraw) -> tuple[Array, Array, Array]:
    """The array, and the least and greatest array of its elements' box; sizes and indices stay as they are."""
    dtype = dtypes.of(array.dtype)
    free = dtype.is_float or dtype.kind is dtypes.Kind.COMPLEX or _counts(op, dtype)
    if not free or not array.size:
        return array, array, array
    width = draw.choice(WIDTHS)
    with np.errstate(all="ignore"):
        if dtype.is_integer:
            low, high = array.min() - np.float64(min(width, 9)), array.max() + np.float64(min(width, 9))
            ends = [np.clip(np.rint(end), dtype.least, dtype.largest) for end in (low, high)]
        elif dtype.is_float:
            wide = array.astype(np.float64)
            ends = [np.clip(end, dtype.least, dtype.largest) for end in (wide.min() - width, wide.max() + width)]
        else:
            parts = np.stack([array.real, array.imag])
            ends = [e * (1 + 1j) for e in (parts.min() - min(width, 1e4), parts.max() + min(width, 1e4))]
        low, high = (np.full(array.shape, end).astype(array.dtype) for end in ends)
    return array, low, high


def _counts(op: Op, dtype: dtypes.DType) -> bool:
    """Whether integers are data of the operator."""
    return dtype.is_integer and (isinstance(op.index_map, Elementwise) or op.family == "quantisation")


def _interval(array: Array, low: Array, high: Array) -> Interval:
    if array.dtype.kind == "O":
        return Interval(np.inf, -np.inf)
    return of_array(np.concatenate([np.ravel(_parts(each)) for each in (array, low, high)]))


def _parts(array: Array) -> Array:
    return np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array


def _points(boxes: list[Any], draw: HypothesisDraw, how: str) -> list[Array | None]:
    return [None if box is None else _point(*box, draw, how) for box in boxes]


def _point(array: Array, low: Array, high: Array, draw: HypothesisDraw, how: str) -> Array:
    if low is array:
        return array
    if how in ("low", "high"):
        return low if how == "low" else high
    if array.dtype.kind == "c":
        return np.where(draw.like(np.zeros(array.shape)) < 0.5, low, high)
    share = draw.like(np.zeros(array.shape))
    if how == "corner":
        return np.where(share < 0.5, low, high)
    first, last = low.astype(np.float64), high.astype(np.float64)
    inside = np.clip(first + share * (last - first), first, last)
    return (inside if is_real(array) else np.rint(inside)).astype(array.dtype)


def _described(n: int, array: Array, op: Op, draw: HypothesisDraw) -> Tensor:
    """The operand as an analysis may know it: with its elements if they stay, its shape, symbols, or no rank."""
    dtype = dtypes.of(array.dtype)
    match draw.choice(["shape", "shape", "shape", "value", "symbols", "unranked"]):
        case "value" if dtype.is_integer and not _counts(op, dtype):
            return constant(array)
        case "symbols":
            return Tensor(dtype, tuple(symbol(f"x{n}_{axis}") for axis in range(array.ndim)))
        case "unranked":
            return Tensor(dtype, Unranked(f"x{n}"))
        case _:
            return Tensor(dtype, array.shape)


def _numbers(result: Array) -> list[float]:
    if result.dtype.kind in "OUS":
        return []
    exact = result if result.dtype.kind in "iub" else _parts(result).astype(np.float64)
    elements: list[float] = np.ravel(exact).tolist()
    return elements
