"""Arrays made of sizes, numbers and lists, and the names of element types."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr, ceil_div
from mlvet.domains.dims import symbol as size_named
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import full as filled
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Number, Size
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    ShapeLike,
    Tensor,
    as_jax,
    canonical,
    cast_to,
    common_of,
    marked,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

for _name in (
    "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "complex64", "complex128", "bool_", "float8_e4m3fn", "float8_e5m2",
):  # fmt: skip
    model(f"jax.numpy.{_name}")(canonical(dtype_named(_name)))
_OTHERS = {"float_": dtypes.f32, "int_": dtypes.i32, "complex_": dtypes.c64, "uint": dtypes.u32, "single":
    dtypes.f32, "double": dtypes.f32, "bool": dtypes.bool_, "csingle": dtypes.c64, "cdouble": dtypes.c64}  # fmt: skip
for _name, _type in _OTHERS.items():
    model(f"jax.numpy.{_name}")(_type)


@model("jax.numpy.dtype", "jax.dtypes.canonicalize_dtype")
def dtype(name: Any, *rest: Any, **options: Any) -> Any:
    found = canonical(dtype_named(name))
    if found is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an element type")
    return found


@model("jax.numpy.array")
def array(
    object: Any, dtype: DType | None = None, copy: bool = True, order: Any = "K", ndmin: int = 0, *, device: Any = None,
    out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    made = as_jax(object, dtype)
    found = rank_of(made)
    missing = 0 if found is None else ndmin - found
    return emit("unsqueeze", made, tuple(range(missing))) if missing > 0 else _fresh(made)


@model("jax.numpy.asarray", "jax.numpy.from_dlpack")
def asarray(
    a: Any, dtype: DType | None = None, order: Any = None, *, copy: Any = None, device: Any = None,
    out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    return as_jax(a, dtype)


@model("jax.numpy.copy")
def copy(a: ArrayLike, order: Any = None) -> Tensor:
    return _fresh(a)


def _fresh(x: TensorValue) -> Tensor:
    made: Tensor = Array.of(x.graph_value)
    return marked(made, x)


def sized(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


@model("jax.numpy.zeros", "jax.numpy.empty")
def zeros(shape: ShapeLike, dtype: DType | None = None, *, device: Any = None, out_sharding: Any = None) -> Tensor:
    return filled(sized(shape), 0, canonical(dtype) or dtypes.f32, Array)


@model("jax.numpy.ones")
def ones(shape: ShapeLike, dtype: DType | None = None, *, device: Any = None, out_sharding: Any = None) -> Tensor:
    return filled(sized(shape), 1, canonical(dtype) or dtypes.f32, Array)


@model("jax.numpy.full")
def full(
    shape: ShapeLike, fill_value: Any, dtype: DType | None = None, *, device: Any = None, out_sharding: Any = None
) -> Tensor:
    if isinstance(fill_value, bool | int | float):
        natural = dtypes.bool_ if isinstance(fill_value, bool) else dtypes.i32
        natural = dtypes.f32 if isinstance(fill_value, float) else natural
        made = filled(sized(shape), fill_value, canonical(dtype) or natural, Array)
        return made if dtype is not None else marked(made, fill_value)
    return emit("broadcast_to", as_jax(fill_value, dtype), sized(shape))


def _like(op: str, a: Any, dtype: Any, shape: Any) -> Tensor:
    to = canonical(dtype) or dtype_of(a)
    if shape is not None and to is not None:
        return filled(sized(shape), 0 if op == "zeros_like" else 1, to, Array)
    made: Tensor = cast_to(emit(op, a), dtype)
    return made if dtype is not None else marked(made, a)


@model("jax.numpy.zeros_like", "jax.numpy.empty_like")
def zeros_like(
    a: ArrayLike, dtype: DType | None = None, shape: ShapeLike | None = None, *, device: Any = None,
    out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    return _like("zeros_like", a, dtype, shape)


@model("jax.numpy.ones_like")
def ones_like(
    a: ArrayLike, dtype: DType | None = None, shape: ShapeLike | None = None, *, device: Any = None,
    out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    return _like("ones_like", a, dtype, shape)


@model("jax.numpy.full_like", "jax.lax.full_like")
def full_like(
    a: ArrayLike, fill_value: ArrayLike, dtype: DType | None = None, shape: ShapeLike | None = None, *,
    device: Any = None, sharding: Any = None,
) -> Tensor:  # fmt: skip
    to = canonical(dtype) or dtype_of(a)
    dims = dims_of(a) if shape is None else sized(shape)
    value = cast_to(fill_value, to)
    return emit("full_like", a, value) if dims is None else emit("broadcast_to", value, dims)


@model("jax.lax.full")
def lax_full(shape: ShapeLike, fill_value: ArrayLike, dtype: DType | None = None, *, sharding: Any = None) -> Tensor:
    return emit("broadcast_to", cast_to(fill_value, dtype), sized(shape))


@model("jax.numpy.arange")
def arange(
    start: Number, stop: Number | None = None, step: Number | None = None, dtype: DType | None = None, *,
    device: Any = None, out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    first, last = (0, start) if stop is None else (start, stop)
    by = 1 if step is None else step
    if not all(isinstance(each, bool | int | float | Expr) for each in (first, last, by)):
        to = canonical(dtype) or dtypes.i32
        return opaque("arange", [], Known(to, (size_named(machine().fresh("steps")),)), Array)
    whole = all(isinstance(each, int | Expr) for each in (first, last, by))
    to = canonical(dtype) or (dtypes.i32 if whole else dtypes.f32)
    if whole and by == 1 and (isinstance(last, Expr) or isinstance(first, Expr)):
        return opaque("arange", [], Known(to, (last - first,)), Array)
    if whole and isinstance(by, int) and by > 0 and not (isinstance(first, int) and isinstance(last, int)):
        return opaque("arange", [], Known(to, (ceil_div(last - first, by),)), Array)
    kinds = dtypes.i64 if whole else dtypes.f64
    ends = [emit("cast", each, to=kinds, kind=Array) for each in (first, last, by)]
    return emit("cast", emit("range", *ends, kind=Array), to=to)


@model("jax.numpy.linspace", "jax.numpy.geomspace", "jax.numpy.logspace")
def linspace(
    start: ArrayLike, stop: ArrayLike, num: Size = 50, endpoint: bool = True, retstep: bool = False,
    dtype: DType | None = None, axis: int = 0, **rest: Any,
) -> Any:  # fmt: skip
    common = common_of(start, stop)
    to = canonical(dtype) or (common if common is not None and common.is_float else dtypes.f32)
    ends = emit("add", cast_to(start, to), cast_to(stop, to), kind=Array)
    dims = dims_of(ends)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "ends of unknown rank")
    place = axis % (len(dims) + 1)
    made = opaque("linspace", [start, stop], Known(to, (*dims[:place], num, *dims[place:])), Array)
    return (made, cast_to(ends, to)) if retstep else made


@model("jax.numpy.eye")
def eye(
    N: Size,
    M: Size | None = None,
    k: Any = 0,
    dtype: DType | None = None,
    *,
    device: Any = None,
) -> Tensor:
    return opaque("eye", [], Known(canonical(dtype) or dtypes.f32, (N, N if M is None else M)), Array)


@model("jax.numpy.identity")
def identity(n: Size, dtype: DType | None = None) -> Tensor:
    return eye(n, dtype=dtype)


@model("jax.numpy.tri")
def tri(N: Size, M: Size | None = None, k: Any = 0, dtype: DType | None = None) -> Tensor:
    return opaque("tri", [], Known(canonical(dtype) or dtypes.f32, (N, N if M is None else M)), Array)


@model("jax.numpy.meshgrid")
def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    if sparse:
        count = len(xi)
        shaped = []
        for place, x in enumerate(xi):
            at = (1, 0)[place] if indexing == "xy" and place < 2 and count > 1 else place
            shaped.append(emit("reshape", x, tuple(-1 if n == at else 1 for n in range(count))))
        return list(shaped)
    return list(emit_all("meshgrid", *xi, count=len(xi), indexing=indexing))


@model("jax.numpy.fromfunction")
def fromfunction(function: Any, shape: ShapeLike, *, dtype: DType | None = None, **rest: Any) -> Any:
    dims = sized(shape)
    to = canonical(dtype) or dtypes.f32
    return machine().call(function, *(opaque("index", [], Known(to, dims), Array) for _ in dims), **rest)


@model("jax.numpy.fromfile")
def fromfile(*args: Any, **keywords: Any) -> Any:
    raise Raised(NotImplementedError("jnp.fromfile() is not implemented"))


@model("jax.numpy.frombuffer")
def frombuffer(buffer: Any, dtype: DType = dtypes.f32, count: Any = -1, offset: Any = 0) -> Tensor:
    size = count if isinstance(count, int) and count >= 0 else size_named(machine().fresh("elements"))
    return opaque("buffer", [], Known(canonical(dtype), (size,)), Array)


@model("jax.numpy.load")
def load(file: Any, *args: Any, **keywords: Any) -> Tensor:
    raise Undecided(Reason.EXTERNAL_DATA, "an array of a file")


@model("jax.numpy.iinfo", "jax.numpy.finfo")
def finfo(dtype: DType) -> Any:
    from mlvet.frontends.python.values.objects import Object

    made = Object()
    made.dtype, made.bits = dtype, dtype.bits
    for name in ("max", "min", "eps", "tiny", "smallest_normal", "resolution"):
        setattr(made, name, Scalar(int if dtype.is_integer else float, name))
    return made


@model("jax.numpy.result_type", "jax.numpy.promote_types", "jax.dtypes.result_type")
def result_type(*args: Any) -> Any:
    arrays = [opaque("x", [], Known(each, ()), Array) if dtype_named(each) else as_jax(each) for each in args]
    return common_of(*arrays) or dtypes.f32


@model("jax.numpy.issubdtype", "jax.dtypes.issubdtype", "jax.numpy.isdtype")
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Element types and the groups of them that programs ask about."""
    kind, group = dtype_named(arg1), dtype_named(arg2)
    if kind is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an element type")
    if group is not None:
        return kind is group
    match getattr(arg2, "group", arg2):
        case "generic":
            return True
        case "floating" | "real floating":
            return kind.is_float
        case "integer" | "integral":
            return kind.is_integer
        case "inexact":
            return kind.is_float or kind.name.startswith("c")
        case "complexfloating":
            return kind.name.startswith("c")
        case "number" | "numeric":
            return kind is not dtypes.bool_
        case "signedinteger":
            return kind.name.startswith("i")
        case "unsignedinteger":
            return kind.name.startswith("u")
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a group of element types")


for _name in ("floating", "integer", "inexact", "complexfloating", "number", "signedinteger", "unsignedinteger",
    "generic"):  # fmt: skip
    model(f"jax.numpy.{_name}")(_name)
