"""Tensors made of sizes and numbers."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div, maximum, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import full as filled
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.ops.pointwise import names
from mlvet.frontends.python.libraries.keras.ops.shaping import sizes
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of


@model(*names("zeros"), *names("empty"))
def zeros(shape: Any, dtype: DType | None = None) -> Tensor:
    return filled(sizes(shape), 0, dtype or floats(), KerasTensor)


@model(*names("ones"))
def ones(shape: Any, dtype: DType | None = None) -> Tensor:
    return filled(sizes(shape), 1, dtype or floats(), KerasTensor)


@model(*names("full"))
def full(shape: Any, fill_value: Any, dtype: DType | None = None) -> Tensor:
    wanted = dtype or (floats() if isinstance(fill_value, float) else dtype_of(array(fill_value)) or floats())
    return filled(sizes(shape), fill_value, wanted, KerasTensor)


@model(*names("zeros_like"), *names("empty_like"))
def zeros_like(x: ArrayLike, dtype: DType | None = None) -> Tensor:
    return emit("zeros_like", array(x), dtype=dtype)


@model(*names("ones_like"))
def ones_like(x: ArrayLike, dtype: DType | None = None) -> Tensor:
    return emit("ones_like", array(x), dtype=dtype)


@model(*names("full_like"))
def full_like(x: ArrayLike, fill_value: Any, dtype: DType | None = None) -> Tensor:
    made = array(x)
    wanted = dtype or dtype_of(made) or floats()
    return filled(ranked_dims(made), fill_value, wanted, KerasTensor)


@model(*names("eye"))
def eye(N: Any, M: Any = None, k: Any = 0, dtype: DType | None = None) -> Tensor:
    rows = as_size(N, "n")
    columns = rows if M is None else as_size(M, "m")
    return emit(
        "eye_like", filled((rows, columns), 0, dtype or floats(), KerasTensor), k=k if isinstance(k, int) else 0
    )


@model(*names("identity"))
def identity(n: Any, dtype: DType | None = None) -> Tensor:
    return eye(n, None, 0, dtype)


@model(*names("tri"))
def tri(N: Any, M: Any = None, k: int = 0, dtype: DType | None = None) -> Tensor:
    rows = as_size(N, "n")
    columns = rows if M is None else as_size(M, "m")
    return opaque("ops.tri", [], Known(dtype or floats(), (rows, columns)), KerasTensor)


@model(*names("arange"))
def arange(start: Any, stop: Any = None, step: Any = None, dtype: DType | None = None) -> Tensor:
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    parts = (start, stop, step)
    wanted = dtype or (floats() if any(isinstance(each, float) for each in parts) else _integers(parts))
    if all(isinstance(each, int | float) for each in parts):
        from math import ceil

        count: Dim = max(0, ceil((stop - start) / step)) if step else 0
    else:
        count = _between(*parts)
    if wanted.is_integer and all(isinstance(each, int) for each in parts) and isinstance(count, int):
        return cast(emit("range", *parts, kind=KerasTensor), wanted)
    return opaque("ops.arange", [], Known(wanted, (count,)), KerasTensor)


def _between(start: Any, stop: Any, step: Any) -> Dim:
    """How many numbers there are from start to stop, a symbol where that cannot be told."""
    ends = [as_size(each, "n") if isinstance(each, TensorValue) else each for each in (start, stop)]
    if not all(isinstance(each, int | Expr) for each in ends) or not isinstance(step, int) or step <= 0:
        return symbol(machine().fresh("n"))
    count = ceil_div(ends[1] - ends[0], step)
    return count if ends[0] == 0 else maximum(count, 0)


def _integers(parts: tuple[Any, ...]) -> DType:
    kinds = [dtype_of(each) for each in parts if isinstance(each, TensorValue)]
    found = next((kind for kind in kinds if kind is not None), None)
    return found or dtypes.i32


@model(*names("linspace"))
def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: bool = False, dtype: DType | None = None,
    axis: int = 0,
) -> Any:  # fmt: skip
    ends = [ranked_dims(array(each)) for each in (start, stop)]
    rest = max(ends, key=len)
    made = list(rest)
    made.insert(axis if axis >= 0 else len(rest) + 1 + axis, as_size(num, "num"))
    result = opaque("ops.linspace", [], Known(dtype or floats(), tuple(made)), KerasTensor)
    return (result, opaque("ops.linspace", [], Known(dtype or floats(), rest), KerasTensor)) if retstep else result


@model(*names("logspace"))
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    base: Any = 10,
    dtype: DType | None = None,
    axis: int = 0,
) -> Tensor:
    return linspace(start, stop, num, endpoint, False, dtype, axis)


@model(*names("geomspace"))
def geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: DType | None = None, axis: int = 0
) -> Tensor:
    return linspace(start, stop, num, endpoint, False, dtype, axis)


@model(*names("meshgrid"))
def meshgrid(*x: ArrayLike, indexing: str = "xy") -> Any:
    parts = [array(each) for each in x]
    return list(emit_all("meshgrid", *parts, count=len(parts), indexing=indexing))


@model(*names("bartlett"), *names("blackman"), *names("hamming"), *names("hanning"))
def window(x: Any) -> Tensor:
    return opaque("ops.window", [], Known(floats(), (as_size(x, "n"),)), KerasTensor)


@model(*names("kaiser"))
def kaiser(x: Any, beta: Any) -> Tensor:
    return window(x)


@model(*names("vander"))
def vander(x: ArrayLike, N: Any = None, increasing: Any = False) -> Tensor:
    made = array(x)
    dims = ranked_dims(made)
    return opaque(
        "ops.vander", [made], Known(dtype_of(made), (dims[0], dims[0] if N is None else as_size(N))), type(made)
    )


@model("keras.ops.one_hot", "keras.ops.nn.one_hot")
def one_hot(x: ArrayLike, num_classes: Any, axis: Any = -1, dtype: DType | None = None, sparse: Any = False) -> Tensor:
    made = array(x)
    depth = as_size(num_classes, "classes")
    place = axis if isinstance(axis, int) else -1
    dims = dims_of(made)
    if dims is None:
        values = (emit("cast", each, to=dtype or floats(), kind=KerasTensor) for each in (0, 1))
        return emit("one_hot", made, depth, emit("stack", *values, axis=0), axis=place, kind=type(made))
    result = list(dims)
    result.insert(place if place >= 0 else len(dims) + 1 + place, depth)
    return opaque("ops.one_hot", [made], Known(dtype or floats(), tuple(result)), type(made))


@model("keras.ops.multi_hot", "keras.ops.nn.multi_hot")
def multi_hot(
    inputs: ArrayLike,
    num_classes: Any = None,
    axis: Any = -1,
    dtype: DType | None = None,
    sparse: Any = False,
    **kwargs: Any,
) -> Tensor:
    made = array(inputs)
    count = as_size(num_classes if num_classes is not None else kwargs.get("num_tokens"), "classes")
    dims = ranked_dims(made)
    rest = dims[:-1] if len(dims) > 1 else ()
    return opaque("ops.multi_hot", [made], Known(dtype or floats(), (*rest, count)), type(made))
