"""Reductions, cumulative sums, arg-max, sorting."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.torch_export.context import RULES, Context, Unlowered, lowers
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
    """mean((x - mean)^2), scaled by n / (n - correction)."""
    value = context.value("self")
    axes = axes_of(context, value)
    correction = context.raw("correction")
    if correction is None:
        correction = 1 if context.raw("unbiased", default=True) else 0
    sizes = [context.dims(value)[axis] for axis in axes]
    keep = int(bool(context.raw("keepdim", default=False)))
    mean = context.add("reduce_mean", value, context.vector(axes), keepdims=1)
    gap = context.add("sub", value, mean, like=value.declared.without_value())
    squares = context.add("mul", gap, gap, like=value.declared.without_value())
    deviation = context.key.startswith("std")
    dtype = context.dtype(value)
    if correction == 0:
        total = ("reduce_mean", squares, context.vector(axes))
        made = context.add(*total, keepdims=keep) if deviation else context.result(*total, keepdims=keep)
    else:
        count: Value
        if all(isinstance(size, int) for size in sizes):
            known = 1
            for size in sizes:
                known *= size if isinstance(size, int) else 1
            count = context.number(float(max(known - correction, 0)), dtype)
        else:
            number = context.add("reduce_prod", context.add("gather", context.shape(value), context.vector(axes), axis=0),
                keepdims=0, like=Tensor(dtypes.i64, ()))  # fmt: skip
            count = context.add("sub", context.cast(number, dtype), context.number(float(correction), dtype))
        total_value = context.add("reduce_sum", squares, context.vector(axes), keepdims=keep)
        made = context.add("div", total_value, count) if deviation else context.result("div", total_value, count)
    if deviation:
        made = context.result("sqrt", made)
    if context.key.endswith("_mean"):
        return [made, context.result("reduce_mean", value, context.vector(axes), keepdims=keep, index=1)]
    return made


@lowers("norm", "linalg_vector_norm")
def norm(context: Context) -> Value:
    value = context.cast(context.value("self", "x"), context.out_dtype())
    order = context.raw("p", "ord", default=2)
    if order in (1, 2):
        return _reduce(context, f"reduce_l{int(order)}", value)
    size = context.add("abs", value, like=value.declared.without_value())
    if order in (float("inf"), float("-inf")):
        return _reduce(context, "reduce_max" if order > 0 else "reduce_min", size)
    axes = axes_of(context, value)
    if not isinstance(order, int | float) or order == 0:
        raise Unlowered(f"norm of order {order}")
    dtype = context.dtype(value)
    keep = int(bool(context.raw("keepdim", default=False)))
    powers = context.add("pow", size, context.number(float(order), dtype), like=value.declared.without_value())
    total = context.add("reduce_sum", powers, context.vector(axes), keepdims=keep)
    return context.result("pow", total, context.number(1 / order, dtype))


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
    """The top k of all elements along the axis."""
    value = context.value("self")
    if context.rank(value) == 0:
        raise Unlowered("sort of a scalar")
    axis = context.axis(value, context.plain_int("dim", default=-1))
    k = context.sizes([context.size(value, axis)])
    attributes = {"axis": axis, "largest": int(bool(context.raw("descending", default=False))), "sorted": 1}
    if context.key == "sort":
        return context.results("top_k", value, k, indices=(0, 1), **attributes)
    positions = context.several("top_k", 2, value, k, **attributes)[1]
    return context.result("identity", positions)


@lowers("median", "kthvalue", "mode")
def order_statistic(context: Context) -> Value:
    raise Unlowered(context.key)
