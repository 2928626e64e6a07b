"""Random numbers and dropout."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value


def _template(context: Context) -> Value:
    """A tensor of the shape of the result, for the operators that draw like another tensor."""
    dtype, size = context.out_dtype(), context.raw("size")
    shape = context.sizes(size) if isinstance(size, list) else context.shape(context.value("self"))
    declared = context.declared()
    return context.add("expand", context.number(0, dtype), shape, like=declared)


@lowers("rand", "rand_like", "uniform")
def uniform(context: Context) -> Value:
    low, high = float(context.raw("from", default=0)), float(context.raw("to", default=1))
    return context.result("random_uniform_like", _template(context), low=low, high=high)


@lowers("randn", "randn_like", "normal_functional", "normal")
def normal(context: Context) -> Value:
    mean, scale = context.raw("mean", default=0), context.raw("std", default=1)
    if isinstance(mean, Value) or isinstance(scale, Value):
        raise Unlowered("computed mean or deviation")
    return context.result("random_normal_like", _template(context), mean=float(mean), scale=float(scale))


@lowers("randint", "randint_like")
def integers(context: Context) -> Value:
    """floor of uniform numbers."""
    low, high, to = context.plain_int("low", default=0), context.plain_int("high"), context.out_dtype()
    shape = _template(context)
    template = context.cast(shape, dtypes.f64)
    drawn = context.add("random_uniform_like", template, low=float(low), high=float(high), dtype=dtypes.f64)
    return context.result("cast", context.add("floor", drawn), to=to)


@lowers("bernoulli")
def bernoulli(context: Context) -> Value:
    value, p = context.value("self"), context.raw("p")
    if isinstance(p, float | int):
        value = context.add("expand", context.number(float(p), context.dtype(value)), context.shape(value),
            like=Tensor(context.dtype(value), context.dims(value)))  # fmt: skip
    elif p is not None:
        value = context.cast(p, context.dtype(value))
    return context.result("bernoulli", value)


@lowers("dropout", "native_dropout", "feature_dropout", "alpha_dropout")
def dropout(context: Context) -> Value | list[Value]:
    value, ratio = context.value("input"), context.number(float(context.raw("p", default=0.5)))
    train: Any = context.raw("train", default=True)
    if context.key in ("feature_dropout", "alpha_dropout") and train:
        raise Unlowered(context.key)
    operands = (value, ratio, context.number(bool(train)))
    if context.key == "native_dropout":
        return context.results("dropout", *operands, indices=(0, 1))
    return context.result("dropout", *operands)
