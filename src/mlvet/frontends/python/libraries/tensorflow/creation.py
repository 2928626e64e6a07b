"""Tensors made of sizes and numbers, and random ones."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.arrays.creation import drawn, full
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import ArrayLike, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import cast_to, chosen, sizes_of
from mlvet.frontends.python.libraries.tensorflow.static import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, matched, op_of, typed
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

for _names, _dtype in (
    ("float16 half", dtypes.f16), ("bfloat16", dtypes.bf16), ("float32", dtypes.f32), ("float64 double", dtypes.f64),
    ("int8 qint8", dtypes.i8), ("int16", dtypes.i16), ("int32 qint32", dtypes.i32), ("int64", dtypes.i64),
    ("uint8 quint8", dtypes.u8), ("uint16", dtypes.u16), ("uint32", dtypes.u32), ("uint64", dtypes.u64),
    ("bool", dtypes.bool_), ("complex64", dtypes.c64), ("complex128", dtypes.c128), ("string", dtypes.text),
):  # fmt: skip
    for _name in _names.split():
        model(f"tensorflow.{_name}", f"tensorflow.dtypes.{_name}")(_dtype)


@model("tensorflow.DType", "tensorflow.dtypes.DType", "tensorflow.as_dtype", "tensorflow.dtypes.as_dtype")
def as_dtype(type_value: DType) -> DType:
    return type_value


@model("tensorflow.constant")
def constant(
    value: Any, dtype: DType | None = None, shape: Any = None, name: Any = "Const", verify_shape: Any = False
) -> Tensor:
    del name, verify_shape
    made = convert(value, hint=dtype) if isinstance(value, TensorValue) else convert(value, dtype)
    if shape is None:
        return made
    wanted = sizes_of(shape)
    return op_of("broadcast_to", made, wanted) if dims_of(made) == () else op_of("reshape", made, wanted)


@model("tensorflow.convert_to_tensor", "tensorflow.compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor(
    value: Any, dtype: DType | None = None, dtype_hint: Any = None, name: Any = None, preferred_dtype: Any = None
) -> Tensor:
    del name, preferred_dtype
    hint = dtype_hint if isinstance(dtype_hint, DType) else None
    return convert(value, dtype, hint)


@model("tensorflow.zeros")
def zeros(shape: Any, dtype: DType | None = dtypes.f32, name: Any = None, layout: Any = None) -> Tensor:
    del name, layout
    return _of_shape(full(sizes_of(shape), 0, dtype or dtypes.f32, Tensor), shape)


@model("tensorflow.ones")
def ones(shape: Any, dtype: DType | None = dtypes.f32, name: Any = None, layout: Any = None) -> Tensor:
    del name, layout
    return _of_shape(full(sizes_of(shape), 1, dtype or dtypes.f32, Tensor), shape)


@model("tensorflow.fill")
def fill(dims: Any, value: ArrayLike, name: Any = None, layout: Any = None) -> Tensor:
    del name, layout
    return _of_shape(op_of("fill", sizes_of(dims), convert(value)), dims)


@model("tensorflow.zeros_like")
def zeros_like(
    input: Any = None, dtype: DType | None = None, name: Any = None, tensor: Any = None, **rest: Any
) -> Tensor:
    del name, rest
    x = convert(chosen(input, tensor))
    return op_of("zeros_like", x, dtype=dtype or dtype_of(x))


@model("tensorflow.ones_like")
def ones_like(
    input: Any = None, dtype: DType | None = None, name: Any = None, tensor: Any = None, **rest: Any
) -> Tensor:
    del name, rest
    x = convert(chosen(input, tensor))
    return op_of("ones_like", x, dtype=dtype or dtype_of(x))


@model("tensorflow.range")
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: DType | None = None, name: Any = "range") -> Tensor:
    del name
    first, last = (0, start) if limit is None else (start, limit)
    parts = [convert(part, hint=dtype) for part in (first, last, delta)]
    kinds = [dtype_of(part) for part in parts]
    wide = dtype or max((kind for kind in kinds if kind is not None), key=_width, default=dtypes.i32)
    return op_of("range", *(cast_to(part, wide) for part in parts))


def _width(dtype: DType) -> tuple[bool, int]:
    return (dtype.is_float, dtype.bits)


@model("tensorflow.linspace", "tensorflow.compat.v1.lin_space")
def linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: int = 0) -> Tensor:
    del name, axis
    first, last = matched(start, stop)
    known = dtype_of(first)
    if known is not None and not known.is_float:
        first, last = cast_to(first, dtypes.f64), cast_to(last, dtypes.f64)
    ends = dims_of(first)
    if ends:
        return typed("linspace", [first, last], dtype_of(first), as_size(num, "num"), *ends)
    return op_of("linspace", first, last, as_size(num, "num"))


@model("tensorflow.eye", "tensorflow.linalg.eye")
def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: DType | None = dtypes.f32, name: Any = None
) -> Tensor:
    del name
    rows = as_size(num_rows, "rows")
    columns = rows if num_columns is None else as_size(num_columns, "columns")
    before = () if batch_shape is None else sizes_of(batch_shape)
    wanted = dtype or dtypes.f32
    if before:
        return typed("eye", [], wanted, *before, rows, columns)
    return op_of("eye_like", full((rows, columns), 0, wanted, Tensor))


@model("tensorflow.meshgrid")
def meshgrid(*args: Any, indexing: Any = "xy", name: Any = None) -> Any:
    from mlvet.frontends.python.emission import emit_all

    del name
    given = matched(*args)
    return ListValue(emit_all("meshgrid", *given, count=len(given), kind=Tensor, indexing=indexing))


def _of_shape(made: Tensor, shape: Any) -> Tensor:
    of_shape(made, shape)
    return made


def _shape_argument(shape: Any) -> tuple[Any, ...]:
    return sizes_of(shape)


def _inexact(dtype: DType | None, *numbers: Any) -> DType:
    del numbers
    return dtype or dtypes.f32


@model("tensorflow.random.normal", "tensorflow.compat.v1.random_normal")
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: DType | None = dtypes.f32, seed: Any = None, name: Any = None
) -> Tensor:
    del seed, name
    made = drawn("random_normal", _shape_argument(shape), _inexact(dtype), Tensor, **_figures(mean=mean, scale=stddev))
    return _beside(_of_shape(made, shape), mean, stddev)


@model("tensorflow.random.truncated_normal", "tensorflow.compat.v1.truncated_normal")
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: DType | None = dtypes.f32, seed: Any = None, name: Any = None
) -> Tensor:
    return normal(shape, mean, stddev, dtype, seed, name)


@model("tensorflow.random.stateless_normal", "tensorflow.random.stateless_truncated_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DType | None = dtypes.f32,
    name: Any = None,
    **rest: Any,
) -> Tensor:
    del rest
    return normal(shape, mean, stddev, dtype, seed, name)


@model("tensorflow.random.uniform", "tensorflow.compat.v1.random_uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DType | None = dtypes.f32,
    seed: Any = None,
    name: Any = None,
) -> Tensor:
    del seed, name
    wanted = dtype or dtypes.f32
    demand(maxval is not None or wanted.is_float, "random integers need an upper bound", "illegal-argument")
    figures = _figures(low=minval, high=1 if maxval is None else maxval)
    made = drawn("random_uniform", _shape_argument(shape), wanted if wanted.is_float else dtypes.f32, Tensor, **figures)
    return _beside(_of_shape(made if wanted.is_float else cast_to(made, wanted), shape), minval, maxval)


@model("tensorflow.random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DType | None = dtypes.f32,
    name: Any = None,
    alg: Any = None,
) -> Tensor:
    del alg
    if minval is None and maxval is None and dtype is not None and dtype.is_integer:
        return uniform(shape, -(2**31), 2**31 - 1, dtype, seed, name)  # Any integer at all.
    return uniform(shape, minval, maxval, dtype, seed, name)


def _figures(**figures: Any) -> dict[str, float]:
    return {name: float(value) for name, value in figures.items() if isinstance(value, int | float)}


def _beside(made: Tensor, *figures: Any) -> Tensor:
    """Bounds that are tensors broadcast with the shape."""
    for figure in figures:
        if isinstance(figure, TensorValue) and dims_of(figure) != ():
            made = op_of("add", made, cast_to(convert(figure), dtype_of(made)))
    return made


@model("tensorflow.random.gamma", "tensorflow.compat.v1.random_gamma")
def gamma(
    shape: Any,
    alpha: ArrayLike,
    beta: Any = None,
    dtype: DType | None = dtypes.f32,
    seed: Any = None,
    name: Any = None,
) -> Tensor:
    del beta, seed, name
    after = dims_of(convert(alpha))
    if after is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a parameter of unknown rank")
    return typed("random.gamma", [], dtype or dtypes.f32, *sizes_of(shape), *after)


@model("tensorflow.random.poisson", "tensorflow.compat.v1.random_poisson")
def poisson(shape: Any, lam: ArrayLike, dtype: DType | None = dtypes.f32, seed: Any = None, name: Any = None) -> Tensor:
    return gamma(shape, lam, None, dtype, seed, name)


@model("tensorflow.random.categorical", "tensorflow.compat.v1.multinomial", "tensorflow.compat.v1.random.multinomial")
def categorical(
    logits: ArrayLike, num_samples: Any, dtype: DType | None = None, seed: Any = None, name: Any = None, **rest: Any
) -> Tensor:
    del seed, name, rest
    x = convert(logits)
    dims = dims_of(x)
    demand(dims is None or len(dims) == 2, "logits have two dims", "rank-differs")
    rows = tensor_of(assumed(x, 2, "batch", "classes")).dim(0)
    return typed("random.categorical", [x], dtype or dtypes.i64, rows, as_size(num_samples, "samples"))


@model("tensorflow.random.shuffle", "tensorflow.compat.v1.random_shuffle")
def shuffle(value: ArrayLike, seed: Any = None, name: Any = None) -> Tensor:
    del seed, name
    x = convert(value)
    dims = dims_of(x)
    return typed("random.shuffle", [x], dtype_of(x), *dims) if dims is not None else op_of("identity", x)


@model(
    "tensorflow.random.set_seed", "tensorflow.compat.v1.set_random_seed", "tensorflow.compat.v1.random.set_random_seed"
)
def set_seed(seed: Any) -> None:
    """Nothing that shapes hang on."""


@model("tensorflow.sequence_mask")
def sequence_mask(
    lengths: ArrayLike, maxlen: Any = None, dtype: DType | None = dtypes.bool_, name: Any = None
) -> Tensor:
    del name
    x = convert(lengths)
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "lengths of unknown rank")
    longest = as_size(maxlen if maxlen is not None else op_of("reduce_max", x, None, keepdims=False), "longest")
    return typed("sequence_mask", [x], dtype or dtypes.bool_, *dims, longest)
