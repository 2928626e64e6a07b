"""Reductions, cumulative sums, arg-max, sorting."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.domains import dtypes
from mlvet.domains.dims import product
from mlvet.domains.dtypes import Kind
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import RULES, Context, lowers
from mlvet.ir.graph import Value

REDUCTIONS = {"sum": "reduce_sum", "mean": "reduce_mean", "amax": "reduce_max", "amin": "reduce_min",
    "prod": "reduce_prod", "logsumexp": "reduce_log_sum_exp"}  # fmt: skip


def axes_of(context: Context, value: Value) -> list[int]:
    """The axes that a call reduces; none written means all."""
    found = context.raw("dim")
    if found is None or found == []:
        return list(range(context.rank(value)))
    found = [found] if isinstance(found, int) else found
    return sorted(context.axis(value, axis) for axis in found) if context.rank(value) else []


def _reduce(context: Context, op: str, value: Value) -> Value:
    axes = axes_of(context, value)
    if not axes:
        return context.result("identity", value)
    keep = int(bool(context.raw("keepdim", default=False)))
    return context.result(op, value, context.vector(axes), keepdims=keep)


def _reduction(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        return _reduce(context, op, context.cast(context.value("self"), context.out_dtype()))

    return rule


for _name, _op in REDUCTIONS.items():
    RULES[_name] = _reduction(_op)


@lowers("any", "all")
def truth(context: Context) -> Value:
    value = context.cast(context.value("self"), dtypes.bool_)
    return _reduce(context, f"reduce_{context.key}", value)


@lowers("nansum", "nanmean")
def without_nan(context: Context) -> Value:
    value = context.cast(context.value("self"), context.out_dtype())
    if context.key == "nanmean":
        raise Unlowered("the count of numbers")
    zero = context.number(0, context.dtype(value))
    return _reduce(context, "reduce_sum", context.add("where", context.add("is_nan", value), zero, value))


@lowers("var", "std", "var_mean", "std_mean")
def variance(context: Context) -> Value | list[Value]:
    value = context.value("self")
    axes = context.vector(axes_of(context, value))
    correction = context.raw("correction")
    if correction is None:
        correction = 1 if context.raw("unbiased", default=True) else 0
    keep = int(bool(context.raw("keepdim", default=False)))
    op = "reduce_variance" if context.key.startswith("var") else "reduce_std"
    made = context.result(op, value, axes, keepdims=keep, correction=float(correction))
    if context.key.endswith("_mean"):
        return [made, context.result("reduce_mean", value, axes, keepdims=keep, index=1)]
    return made


@lowers("dist")
def distance(context: Context) -> Value:
    gap = context.add("sub", context.value("self"), context.value("other"))
    return context.result("vector_norm", gap, None, keepdims=0, order=float(context.raw("p", default=2)))


@lowers("norm", "linalg_vector_norm")
def norm(context: Context) -> Value:
    value, order = context.value("self", "x"), context.raw("p", "ord", default=2)
    if not isinstance(order, int | float):
        raise Unlowered(f"norm of order {order}")
    dtype = context.dtype(value)
    if dtype is not None and dtype.kind is Kind.COMPLEX:
        value = context.add("complex_abs", value, like=value.declared.without_value().with_dtype(context.out_dtype()))
    value = context.cast(value, context.out_dtype())
    axes = axes_of(context, value)
    if not axes:
        return context.result("abs", value)
    keep = int(bool(context.raw("keepdim", default=False)))
    return context.result("vector_norm", value, context.vector(axes), keepdims=keep, order=float(order))


@lowers("argmax", "argmin")
def arg_extreme(context: Context) -> Value:
    value = context.value("self")
    op = "arg_max" if context.key == "argmax" else "arg_min"
    axis = context.raw("dim")
    keep = int(bool(context.raw("keepdim", default=False)))
    if context.rank(value) == 0:
        raise Unlowered("arg-max of a scalar")
    if axis is None:
        flat = context.add("reshape", value, context.vector([-1]))
        found = context.add(op, flat, axis=0, keepdims=0)
        return context.result("expand", found, context.vector([1] * context.rank(value) if keep else []))
    return context.result(op, value, axis=axis, keepdims=keep)


@lowers("max", "min")
def extreme(context: Context) -> Value | list[Value]:
    """Over everything, along an axis with the positions, or of two tensors."""
    value = context.value("self")
    if context.raw("other") is not None:
        to = context.out_dtype()
        return context.result(context.key, context.cast(value, to), context.cast(context.value("other"), to))
    if context.raw("dim") is None:
        return _reduce(context, f"reduce_{context.key}", value)
    if context.rank(value) == 0:
        raise Unlowered("extreme of a scalar")
    axis, keep = context.plain_int("dim"), int(bool(context.raw("keepdim", default=False)))
    return [
        context.result(f"reduce_{context.key}", value, context.vector([axis]), keepdims=keep),
        context.result(f"arg_{context.key}", value, axis=axis, keepdims=keep, index=1),
    ]


@lowers("cumsum", "cumprod")
def cumulative(context: Context) -> Value:
    value = context.cast(context.value("self"), context.out_dtype())
    if context.rank(value) == 0:
        return context.result("identity", value)
    op = "cum_sum" if context.key == "cumsum" else "cum_prod"
    return context.result(op, value, context.number(context.plain_int("dim")))


@lowers("topk")
def top_k(context: Context) -> list[Value]:
    count = context.raw("k")
    k = context.sizes([count])
    axis = context.plain_int("dim", default=-1)
    largest, ordered = context.raw("largest", default=True), context.raw("sorted", default=True)
    return context.results(
        "top_k", context.value("self"), k, indices=(0, 1), axis=axis, largest=int(largest), sorted=int(ordered)
    )


@lowers("sort", "argsort")
def sort(context: Context) -> Value | list[Value]:
    value = context.value("self")
    if context.rank(value) == 0:
        raise Unlowered("sort of a scalar")
    axis = context.plain_int("dim", default=-1)
    descending = bool(context.raw("descending", default=False))
    if context.key == "argsort":
        return context.result("argsort", value, axis=axis, descending=descending)
    values = context.result("sort", value, axis=axis, descending=descending)
    return [values, context.result("argsort", value, axis=axis, descending=descending, index=1)]


@lowers("median")
def median(context: Context) -> Value | list[Value]:
    """The lower of the two middle elements of what is sorted, of everything or along an axis with the positions."""
    value = context.value("self")
    if context.rank(value) == 0:
        raise Unlowered("median of a scalar")
    along = context.raw("dim")
    axis = 0 if along is None else context.axis(value, context.plain_int("dim"))
    size = product(context.dims(value)) if along is None else context.dims(value)[axis]
    if along is None:
        value = context.add("reshape", value, context.vector([-1]))
    if not isinstance(size, int) or size < 1:
        raise Unlowered("the number of elements is not known")
    keep = bool(context.raw("keepdim", default=False))
    middle = context.vector([(size - 1) // 2]) if keep else context.number((size - 1) // 2)
    found = context.result("gather", context.add("sort", value, axis=axis), middle, axis=axis)
    if along is None:
        return found
    return [found, context.result("gather", context.add("argsort", value, axis=axis), middle, axis=axis, index=1)]


@lowers("bucketize", "searchsorted")
def search(context: Context) -> Value:
    right = bool(context.raw("right", default=False)) or context.raw("side") == "right"
    if context.key == "bucketize":
        found = ("bucketize", context.value("self"), context.value("boundaries"))
    else:
        found = ("searchsorted", context.value("sorted_sequence"), context.value("self"))
    if context.raw("sorter") is not None:
        raise Unlowered("a sorter")
    if context.out_dtype() is dtypes.i64:
        return context.result(*found, right=right)
    return context.result("cast", context.add(*found, right=right), to=context.out_dtype())
