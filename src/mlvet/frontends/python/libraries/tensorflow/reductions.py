"""Elements along axes combined: sums, means, extremes, their places, running sums, norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.emission import demand, emit_all
from mlvet.frontends.python.libraries.binding import ArrayLike, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axes_of, axis_of, cast_to, chosen, inexact
from mlvet.frontends.python.libraries.tensorflow.records import Record
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, matched, op_of, quotient, typed
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


def reduced(op: str, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    axes = axes_of(axis)
    return op_of(op, x, axes, keepdims=keepdims, noop_with_empty_axes=axes is not None)


def _reduction(op: str, accepts: str) -> Callable[..., Any]:
    def function(
        input_tensor: ArrayLike,
        axis: Any = None,
        keepdims: bool = False,
        name: Any = None,
        keep_dims: bool = False,
        reduction_indices: Any = None,
    ) -> Tensor:
        del name
        x = inexact(input_tensor, op) if accepts == "floats" else convert(input_tensor)
        known = dtype_of(x)
        if known is not None and accepts in ("numbers", "truth"):
            fits = (known.kind is Kind.BOOL) == (accepts == "truth") and known.kind is not Kind.TEXT
            demand(fits, f"{op} does not take {known}", "dtype-differs")
        return reduced(op, x, chosen(axis, reduction_indices), keepdims or keep_dims)

    function.__name__ = op
    return function


for _op, _accepts in (
    ("reduce_sum", "numbers"), ("reduce_mean", "numbers"), ("reduce_max", "numbers"), ("reduce_min", "numbers"),
    ("reduce_prod", "numbers"), ("reduce_all", "truth"), ("reduce_any", "truth"),
):  # fmt: skip
    model(f"tensorflow.{_op}", f"tensorflow.math.{_op}")(_reduction(_op, _accepts))
model("tensorflow.math.reduce_std")(_reduction("reduce_std", "floats"))
model("tensorflow.math.reduce_variance")(_reduction("reduce_variance", "floats"))
model("tensorflow.math.reduce_euclidean_norm")(_reduction("reduce_l2", "numbers"))
model("tensorflow.math.reduce_logsumexp", "tensorflow.reduce_logsumexp")(_reduction("reduce_log_sum_exp", "floats"))


def _extreme(op: str) -> Callable[..., Any]:
    def function(
        input: ArrayLike,
        axis: Any = None,
        output_type: DType | None = dtypes.i64,
        name: Any = None,
        dimension: Any = None,
    ) -> Tensor:
        del name
        where = axis_of(chosen(axis, dimension, 0))
        return cast_to(op_of(op, convert(input), axis=where, keepdims=False), output_type or dtypes.i64)

    return function


model("tensorflow.argmax", "tensorflow.math.argmax", "tensorflow.compat.v1.arg_max")(_extreme("arg_max"))
model("tensorflow.argmin", "tensorflow.math.argmin", "tensorflow.compat.v1.arg_min")(_extreme("arg_min"))


def _running(op: str) -> Callable[..., Any]:
    def function(
        x: ArrayLike, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
    ) -> Tensor:
        del name
        return op_of(op, convert(x), axis_of(axis), exclusive=exclusive, reverse=reverse)

    return function


model("tensorflow.cumsum", "tensorflow.math.cumsum")(_running("cum_sum"))
model("tensorflow.math.cumprod", "tensorflow.compat.v1.cumprod")(_running("cum_prod"))
model("tensorflow.math.cumulative_logsumexp")(_running("log_cum_sum_exp"))


@model("tensorflow.math.count_nonzero", "tensorflow.compat.v1.count_nonzero")
def count_nonzero(
    input: ArrayLike, axis: Any = None, keepdims: bool = False, dtype: DType | None = dtypes.i64, name: Any = None
) -> Tensor:
    del name
    x = convert(input)
    return cast_to(op_of("count_nonzero", x, axes_of(axis), keepdims=keepdims), dtype or dtypes.i64)


@model("tensorflow.norm", "tensorflow.linalg.norm")
def norm(
    tensor: ArrayLike,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool = False,
    name: Any = None,
    keep_dims: bool = False,
) -> Tensor:
    del name
    x, keep = inexact(tensor, "norm"), keepdims or keep_dims
    if ord in ("euclidean", 2) and isinstance(ord, str | int):
        return reduced("reduce_l2", x, axis, keep)
    if isinstance(ord, int | float) and not isinstance(ord, bool):
        return op_of("vector_norm", x, axes_of(axis), order=float(ord), keepdims=keep)
    return reduced("reduce_l2", x, axis, keep)


@model("tensorflow.math.l2_normalize", "tensorflow.nn.l2_normalize", "tensorflow.linalg.l2_normalize")
def l2_normalize(x: ArrayLike, axis: Any = None, epsilon: Any = 1e-12, name: Any = None, dim: Any = None) -> Tensor:
    del name
    made = inexact(x, "l2_normalize")
    squares = reduced("reduce_sum", op_of("square", made), chosen(axis, dim), True)
    floor = op_of("max", *matched(squares, epsilon))
    return op_of("mul", made, op_of("rsqrt", floor))


@model("tensorflow.linalg.normalize")
def normalize(tensor: ArrayLike, ord: Any = "euclidean", axis: Any = None, name: Any = None) -> Any:
    length = norm(tensor, ord, axis, True, name)
    return quotient(tensor, length), length


@model("tensorflow.nn.softmax", "tensorflow.math.softmax")
def softmax(logits: ArrayLike, axis: Any = None, name: Any = None, dim: Any = None) -> Tensor:
    del name
    return op_of("softmax", inexact(logits, "softmax"), axis=axis_of(chosen(axis, dim, -1)))


@model("tensorflow.nn.log_softmax", "tensorflow.math.log_softmax")
def log_softmax(logits: ArrayLike, axis: Any = None, name: Any = None, dim: Any = None) -> Tensor:
    del name
    return op_of("log_softmax", inexact(logits, "log_softmax"), axis=axis_of(chosen(axis, dim, -1)))


@model("tensorflow.nn.moments")
def moments(
    x: ArrayLike, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None, keep_dims: bool = False
) -> Any:
    del shift, name
    made, keep = convert(x), keepdims or keep_dims
    return reduced("reduce_mean", made, axes, keep), reduced("reduce_variance", made, axes, keep)


@model("tensorflow.nn.zero_fraction", "tensorflow.math.zero_fraction")
def zero_fraction(value: ArrayLike, name: Any = None) -> Tensor:
    del name
    return typed("zero_fraction", [convert(value)], dtypes.f32)


@model("tensorflow.math.top_k", "tensorflow.nn.top_k")
def top_k(
    input: ArrayLike, k: Any = 1, sorted: bool = True, index_type: DType | None = dtypes.i32, name: Any = None
) -> Any:
    del name
    count = (as_size(k, "k"),)
    values, places = emit_all(
        "top_k", convert(input), count, count=2, kind=Tensor, axis=-1, largest=True, sorted=sorted
    )
    return Record(("values", values), ("indices", cast_to(places, index_type or dtypes.i32)))


@model("tensorflow.math.in_top_k", "tensorflow.nn.in_top_k")
def in_top_k(targets: Any = None, predictions: Any = None, k: Any = 1, name: Any = None) -> Tensor:
    """Older programs give the predictions first; the targets are those with one dim."""
    del k, name
    first, second = convert(targets), convert(predictions)
    rows = first if len(dims_of(first) or ()) == 1 else second
    return typed("in_top_k", [first, second], dtypes.bool_, *(dims_of(rows) or ())[:1])


@model("tensorflow.sort")
def sort(values: ArrayLike, axis: Any = -1, direction: str = "ASCENDING", name: Any = None) -> Tensor:
    del name
    return op_of("sort", convert(values), axis=axis_of(axis), descending=direction == "DESCENDING")


@model("tensorflow.argsort")
def argsort(
    values: ArrayLike, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: Any = None
) -> Tensor:
    del name, stable
    places = op_of("argsort", convert(values), axis=axis_of(axis), descending=direction == "DESCENDING")
    return cast_to(places, dtypes.i32)


@model("tensorflow.linalg.global_norm", "tensorflow.compat.v1.global_norm")
def global_norm(t_list: Any, name: Any = None) -> Tensor:
    del t_list, name
    return typed("global_norm", [], dtypes.f32)
