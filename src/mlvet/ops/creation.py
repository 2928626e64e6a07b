"""Operators that make tensors of sizes and numbers, and those that read a shape."""

from __future__ import annotations

from functools import partial
from math import ceil, isfinite, prod
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div, maximum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import SMALL, Tensor, UnknownValue, Unranked, of_dims
from mlvet.ops.derivative import SameMap, Zero
from mlvet.ops.enclosures_counting import DIM, LINSPACE, RANGE, RANK, SHAPE, SIZE, SIZES
from mlvet.ops.index_map import Moves
from mlvet.ops.layout import Array, ints_of, length_of, proper
from mlvet.ops.numeric import Bounded, ByMode, Range, Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Tensors, integers

ANY = Tensors()

_creation = partial(pure, family="creation", derivative=Zero())


def _of_shape(require: Require, shape: Tensor, dtype: DType | None, value: Any = None) -> Tensor:
    """A tensor of the shape that an operand holds, of one value if that is known."""
    dims = require.ints(shape)
    if dims is None:
        return require.unknown_tensor(dtype, length_of(shape))
    negative = [dim for dim in dims if isinstance(dim, int) and dim < 0]
    if not require.holds(not negative, f"a tensor cannot have the size {negative}", "size-out-of-range"):
        return require.unknown_tensor(dtype, len(dims))
    known = [dim for dim in dims if isinstance(dim, int)]
    small = len(known) == len(dims) and prod(known) <= SMALL
    elements = np.full(known, value, dtype=dtype.numpy) if value is not None and dtype and small else None
    return Tensor(dtype, tuple(dims), elements)


def infer_constant_of_shape(shape: Tensor, *, require: Require, value: Any = 0.0, dtype: DType = dtypes.f32) -> Tensor:
    """One value in the shape that the operand holds."""
    return _of_shape(require, shape, dtype, value)


def _constant_of_shape(shape: Array, *, value: Any = 0.0, dtype: DType = dtypes.f32) -> Array:
    return np.full(ints_of(shape), value, dtype=dtype.numpy)


def _sample_constant_of_shape(draw: Draw) -> Sample:
    dtype = draw.choice((dtypes.f32, dtypes.i64, dtypes.f16))
    return Sample((integers(draw.shape()),), {"value": draw.choice((0, 1, 5)), "dtype": dtype})


constant_of_shape = _creation(
    "constant_of_shape",
    infer_constant_of_shape,
    _constant_of_shape,
    _sample_constant_of_shape,
    numeric=ByMode(lambda value=0.0, **_: Selection((), float(value))),
)


def infer_fill(shape: Tensor, value: Tensor, *, require: Require) -> Tensor:
    """The value in the shape that the first operand holds."""
    if value.ranked:
        require.equal(value.size, 1, "fill takes one value")
    known = value.value if value.value is not None and value.value.dtype != object and value.value.size == 1 else None
    return _of_shape(require, shape, value.dtype, None if known is None else known.reshape(()))


def _fill(shape: Array, value: Array) -> Array:
    return np.full(ints_of(shape), np.reshape(value, ()), dtype=value.dtype)


def _sample_fill(draw: Draw) -> Sample:
    return Sample((integers(draw.shape()), draw.array(())))


fill = _creation(
    "fill", infer_fill, _fill, _sample_fill, numeric=Selection((1,)), derivative=SameMap((1,)), index_map=Moves((1,))
)


def _span(start: float, limit: float, delta: float) -> float:
    """How many steps lead from start to limit, infinite where floats cannot tell."""
    with np.errstate(all="ignore"):
        return float((np.float64(limit) - np.float64(start)) / np.float64(delta))


def _steps(start: Any, limit: Any, delta: Any) -> int:
    if isinstance(start, int) and isinstance(limit, int) and isinstance(delta, int):
        return max(-((start - limit) // delta), 0)
    return max(ceil((float(limit) - float(start)) / float(delta)), 0)


def infer_range(start: Tensor, limit: Tensor, delta: Tensor, *, require: Require, **_: Any) -> Tensor:
    """From start by delta up to, not including, limit."""
    dtype = require.same_dtype(start, limit, delta)
    values = [each.value for each in (start, limit, delta) if each.value is not None and each.value.size == 1]
    if len(values) != 3:
        return Tensor(dtype, (require.counted(),))
    symbolic = any(value.dtype == object for value in values)
    if symbolic and not all(_whole(np.ravel(value)[0]) for value in values):
        return Tensor(dtype, (require.counted(),))
    if dtype is not None and not dtype.is_integer and not symbolic:
        first, last, step = (float(np.ravel(value)[0]) for value in values)
        if not require.holds(step != 0, "the step of a range cannot be 0"):
            return Tensor(dtype, (require.unknown(),))
        if not require.holds(isfinite(_span(first, last, step)), "a range has finite ends"):
            return Tensor(dtype, (require.unknown(),))
        return Tensor(dtype, (_steps(first, last, step),))
    ends = [operand[0] for operand in map(require.ints, (start, limit, delta)) if operand is not None]
    low, high, stride = ends
    if not isinstance(stride, int) or not require.holds(stride != 0, "the step of a range cannot be 0"):
        return Tensor(dtype, (require.counted(),))
    count = maximum(ceil_div(high - low if stride > 0 else low - high, abs(stride)), 0)
    if isinstance(count, int) and count <= SMALL and dtype is not None:
        return of_dims([low + number * stride for number in range(count)], dtype)
    return Tensor(dtype, (count,))


def _whole(element: Any) -> bool:
    return isinstance(element, Expr) or float(element).is_integer()


def _range(start: Array, limit: Array, delta: Array, *, stash_type: DType = dtypes.f32) -> Array:
    """Floats of 16 bits are computed in `stash_type`."""
    first, last, step = (np.ravel(operand)[0].item() for operand in (start, limit, delta))
    result = np.asarray(first + np.arange(_steps(first, last, step)) * step)
    if dtypes.of(start.dtype) in (dtypes.f16, dtypes.bf16):
        result = result.astype(stash_type.numpy)
    return result.astype(start.dtype)


def _sample_range(draw: Draw) -> Sample:
    dtype = draw.choice((dtypes.i64, dtypes.i32, dtypes.f32))
    ends = [draw.integer(-5, 8), draw.integer(-5, 8), draw.choice((1, 2, -1, -3))]
    return Sample(tuple(np.asarray(end, dtype=dtype.numpy) for end in ends))


range_ = pure("range", infer_range, _range, _sample_range, family="creation", numeric=RANGE)


def infer_eye_like(x: Tensor, *, require: Require, dtype: DType | None = None, k: int = 0) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""
    del k
    if x.ranked:
        require.rank(x, 2)
    return x.with_dtype(dtype or x.dtype)


def _eye_like(x: Array, *, dtype: DType | None = None, k: int = 0) -> Array:
    return np.eye(x.shape[0], x.shape[1], k=k, dtype=dtype.numpy if dtype else x.dtype)


def _sample_eye_like(draw: Draw) -> Sample:
    attributes: dict[str, Any] = {"k": draw.integer(-3, 3)}
    if draw.choice((True, False)):
        attributes["dtype"] = dtypes.i32
    return Sample((draw.array(draw.shape(2, 2)),), attributes)


eye_like = _creation("eye_like", infer_eye_like, _eye_like, _sample_eye_like, numeric=Bounded(Range(0, 1)))


def infer_like(x: Tensor, *, dtype: DType | None = None, **_: Any) -> Tensor:
    """The operand's shape, and its dtype unless another is given."""
    return x.with_dtype(dtype or x.dtype)


def _sample_like(draw: Draw) -> Sample:
    return Sample((draw.array(draw.shape()),), draw.choice(({}, {"dtype": dtypes.i64})))


def _zeros_like(x: Array, *, dtype: DType | None = None) -> Array:
    return np.zeros(x.shape, dtype=dtype.numpy if dtype else x.dtype)


def _ones_like(x: Array, *, dtype: DType | None = None) -> Array:
    return np.ones(x.shape, dtype=dtype.numpy if dtype else x.dtype)


zeros_like = _creation("zeros_like", infer_like, _zeros_like, _sample_like, numeric=Selection((), 0.0))
ones_like = _creation("ones_like", infer_like, _ones_like, _sample_like, numeric=Selection((), 1.0))


def infer_full_like(x: Tensor, value: Tensor, *, require: Require) -> Tensor:
    """The value, and its dtype, in the shape of the first operand."""
    if value.ranked:
        require.equal(value.size, 1, "full_like takes one value")
    return x.with_dtype(value.dtype)


def _full_like(x: Array, value: Array) -> Array:
    return np.full(x.shape, np.reshape(value, ()), dtype=value.dtype)


def _sample_full_like(draw: Draw) -> Sample:
    return Sample((draw.array(draw.shape()), draw.array(())))


full_like = _creation(
    "full_like",
    infer_full_like,
    _full_like,
    _sample_full_like,
    numeric=Selection((1,)),
    derivative=SameMap((1,)),
    index_map=Moves((1,)),
)


def infer_shape(x: Tensor, *, require: Require, start: int = 0, end: int | None = None) -> Tensor:
    """The sizes of the dims from start to end."""
    if isinstance(x.shape, Unranked):
        whole = start == 0 and end is None
        return Tensor(dtypes.i64, (x.shape.rank if whole else require.unknown(),))
    return of_dims(x.dims[start:end], dtypes.i64)


def _shape(x: Array, *, start: int = 0, end: int | None = None) -> Array:
    return np.asarray(x.shape[start:end], dtype=np.int64)


def _sample_shape(draw: Draw) -> Sample:
    end = draw.choice((None, draw.integer(-5, 5)))
    attributes = {"start": draw.integer(-5, 5)}
    return Sample((draw.array(draw.shape()),), attributes if end is None else {**attributes, "end": end})


shape = _creation("shape", infer_shape, _shape, _sample_shape, numeric=SHAPE)


def _scalar(dim: Dim) -> Tensor:
    row = of_dims([dim], dtypes.i64)
    return Tensor(dtypes.i64, (), row.value.reshape(()) if row.value is not None else None)


def infer_size(x: Tensor, **_: Any) -> Tensor:
    """The number of elements."""
    return _scalar(x.size)


def infer_rank(x: Tensor, **_: Any) -> Tensor:
    """The number of dims."""
    return _scalar(x.shape.rank if isinstance(x.shape, Unranked) else x.rank)


def infer_dim(x: Tensor, *, require: Require, axis: int) -> Tensor:
    """The size of one dim."""
    if isinstance(x.shape, Unranked):
        return _scalar(x.dim(axis))
    place = require.axis(axis, x.rank)
    return _scalar(x.dims[place] if place < x.rank else require.unknown())


def _sample_dim(draw: Draw) -> Sample:
    dims = draw.shape(1)
    return Sample((draw.array(dims),), {"axis": draw.integer(-len(dims), len(dims) - 1)})


size = _creation("size", infer_size, lambda x: np.asarray(x.size, dtype=np.int64), ANY, numeric=SIZE)
rank = _creation("rank", infer_rank, lambda x: np.asarray(x.ndim, dtype=np.int64), ANY, numeric=RANK)
dim = _creation(
    "dim", infer_dim, lambda x, *, axis: np.asarray(x.shape[axis], dtype=np.int64), _sample_dim, numeric=DIM
)


def infer_sizes(*, require: Require, dims: tuple[Dim, ...], scalar: bool = False) -> Tensor:
    """Sizes that the program around the graph computes."""
    del require
    return _scalar(dims[0]) if scalar else of_dims(dims, dtypes.i64)


def _sizes(*, dims: tuple[Dim, ...], scalar: bool = False) -> Array:
    if any(isinstance(dim, Expr) for dim in dims):
        raise UnknownValue("sizes that hang on symbols")
    found = np.asarray(dims, dtype=np.int64)
    return found.reshape(()) if scalar else found


def _sample_sizes(draw: Draw) -> Sample:
    scalar = draw.choice((True, False))
    return Sample((), {"dims": tuple(draw.integer(-2, 9) for _ in range(1 if scalar else 3)), "scalar": scalar})


sizes = _creation("sizes", infer_sizes, _sizes, _sample_sizes, numeric=SIZES)


def infer_linspace(start: Tensor, stop: Tensor, num: Tensor, *, require: Require) -> Tensor:
    """Numbers at equal distances from start to stop, both included."""
    dtype = require.same_dtype(start, stop)
    counts = require.ints(num)
    size = counts[0] if counts is not None and len(counts) == 1 else require.unknown()
    return Tensor(dtype, proper(require, [size]))


def _linspace(start: Array, stop: Array, num: Array) -> Array:
    ends = [np.ravel(end)[0] for end in (start, stop)]
    return np.linspace(float(ends[0]), float(ends[1]), ints_of(num)[0]).astype(start.dtype)


def _sample_linspace(draw: Draw) -> Sample:
    return Sample((draw.array(()), draw.array(()), np.asarray(draw.integer(1, 6), dtype=np.int64)))


linspace = _creation(
    "linspace", infer_linspace, _linspace, _sample_linspace, numeric=LINSPACE, derivative=SameMap((0, 1))
)


def infer_tri(rows: Tensor, columns: Tensor, *, require: Require, k: int = 0, dtype: DType = dtypes.f32) -> Tensor:
    """Ones at and below a diagonal, zeros above."""
    del k
    known = [require.ints(operand) for operand in (rows, columns)]
    return Tensor(dtype, proper(require, [sizes[0] if sizes else require.unknown() for sizes in known]))


def _tri(rows: Array, columns: Array, *, k: int = 0, dtype: DType = dtypes.f32) -> Array:
    return np.tri(ints_of(rows)[0], ints_of(columns)[0], k, dtype=dtype.numpy)


def _sample_tri(draw: Draw) -> Sample:
    sizes = [np.asarray(draw.integer(1, 5), dtype=np.int64) for _ in range(2)]
    return Sample(tuple(sizes), {"k": draw.integer(-3, 3), "dtype": draw.choice((dtypes.f32, dtypes.i64))})


tri = _creation("tri", infer_tri, _tri, _sample_tri, numeric=Bounded(Range(0, 1)))
