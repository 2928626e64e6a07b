"""Arithmetic on sizes, which export keeps apart from tensors: scalars of i64 here."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import RULES, Context, lowers
from mlvet.ir.graph import Value

PAIRS = {
    "operator.add": "add", "operator.sub": "sub", "operator.mul": "mul", "operator.floordiv": "floor_div",
    "operator.mod": "mod", "operator.pow": "pow", "operator.eq": "equal", "operator.lt": "less", "operator.and_": "and",
    "operator.le": "less_or_equal", "operator.gt": "greater", "operator.ge": "greater_or_equal", "operator.or_": "or",
    "torch.sym_max": "max", "torch.sym_min": "min", "math.pow": "pow",
}  # fmt: skip
SINGLE = {"operator.neg": "neg", "torch.sym_not": "not", "operator.not_": "not", "operator.abs": "abs"}


def _operand(context: Context, place: str, other: str | None = None) -> Value:
    """An operand; a number takes the element type of its neighbour."""
    found = context.raw(place)
    neighbour = context.raw(other) if other else None
    if isinstance(found, int | float) and isinstance(neighbour, Value):
        return context.number(found, dtypes.f64 if isinstance(found, float) else neighbour.declared.dtype)
    return context.value(place)


def _pair(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        left, right = _operand(context, "0", "1"), _operand(context, "1", "0")
        if left.declared.dtype is not right.declared.dtype:
            left, right = context.cast(left, dtypes.f64), context.cast(right, dtypes.f64)
        return context.result(op, left, right)

    return rule


def _single(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        return context.result(op, context.value("0"))

    return rule


for _name, _op in PAIRS.items():
    RULES[_name] = _pair(_op)
for _name, _op in SINGLE.items():
    RULES[_name] = _single(_op)


@lowers("operator.ne")
def differs(context: Context) -> Value:
    return context.result("not_equal", _operand(context, "0", "1"), _operand(context, "1", "0"))


@lowers("operator.truediv", "torch._sym_sqrt", "math.sqrt")
def real(context: Context) -> Value:
    left = context.cast(context.value("0"), dtypes.f64)
    if context.key == "operator.truediv":
        return context.result("div", left, context.cast(context.value("1"), dtypes.f64))
    return context.result("sqrt", left)


@lowers("torch.sym_float")
def to_float(context: Context) -> Value:
    return context.result("cast", context.value("0"), to=dtypes.f64)


@lowers("torch.sym_int", "math.trunc", "math.floor", "math.ceil", "builtins.round")
def to_int(context: Context) -> Value:
    name = context.key.rpartition(".")[2]
    value = context.value("0")
    if name in ("floor", "ceil", "round") and value.declared.dtype is not dtypes.i64:
        value = context.add(name, value)
    return context.result("cast", value, to=dtypes.i64)


@lowers("torch.sym_ite")
def choice(context: Context) -> Value:
    return context.result("where", context.value("0"), _operand(context, "1", "2"), _operand(context, "2", "1"))


@lowers("sym_size")
def sym_size(context: Context) -> Value:
    value = context.value("self")
    if context.raw("dim") is None:
        raise Unlowered("all sizes at once")
    return context.result("dim", value, axis=context.axis(value, context.plain_int("dim")))


@lowers("sym_numel", "numel")
def sym_numel(context: Context) -> Value:
    return context.result("size", context.value("self"))


@lowers("item", "_local_scalar_dense")
def item(context: Context) -> Value:
    value = context.value("self")
    declared = context.declared()
    if context.dims(value) != ():
        value = context.add("reshape", value, context.vector([]), like=Tensor(value.declared.dtype, ()))
    value = context.cast(value, declared.dtype if declared is not None else None)
    return context.result("identity", value)
