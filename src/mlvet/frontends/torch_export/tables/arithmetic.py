"""Element by element: arithmetic, comparison, logic, casts. Scalars become constants as torch promotes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import RULES, Context, category, lowers
from mlvet.ir.graph import Value

UNARY = {
    "neg": "neg", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt", "square": "square", "sin": "sin",
    "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "sign": "sign", "sgn": "sign", "reciprocal": "reciprocal", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv",
    "special_erf": "erf", "special_erfc": "erfc", "special_log1p": "log1p", "special_expm1": "expm1",
    "lgamma": "lgamma", "digamma": "digamma", "tanh": "tanh", "sigmoid": "sigmoid", "special_expit": "sigmoid",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "negative": "neg", "fix": "trunc",
    "conj": "conj", "_conj": "conj", "conj_physical": "conj",
}  # fmt: skip
"""One tensor in, one tensor out; integers are first cast to the dtype of the result."""

SAME = ("clone", "contiguous", "alias", "lift_fresh_copy", "lift_fresh", "lift", "positive",
    "resolve_conj", "resolve_neg", "view_as_real_copy", "detach_copy", "alias_copy", "requires_grad")  # fmt: skip

BINARY = {"mul": "mul", "multiply": "mul", "pow": "pow", "maximum": "max", "minimum": "min", "fmax": "max",
    "fmin": "min", "atan2": "atan2", "arctan2": "atan2", "hypot": "hypot", "float_power": "pow"}  # fmt: skip

COMPARISONS = {"eq": "equal", "ne": "not_equal", "not_equal": "not_equal", "lt": "less", "le": "less_or_equal",
    "gt": "greater", "ge": "greater_or_equal", "less": "less", "less_equal": "less_or_equal", "greater": "greater",
    "greater_equal": "greater_or_equal"}  # fmt: skip

LOGIC = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
BITWISE = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}


def _unary(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        return context.result(op, context.cast(context.value("self", "input"), context.out_dtype()))

    return rule


for _name, _op in UNARY.items():
    RULES[_name] = _unary(_op)


@lowers("abs", "absolute")
def absolute(context: Context) -> Value:
    x = context.value("self", "input")
    dtype = context.dtype(x)
    if dtype is not None and dtype.kind is Kind.COMPLEX:
        return context.result("complex_abs", x)
    return context.result("abs", context.cast(x, context.out_dtype()))


@lowers(*SAME)
def same(context: Context) -> Value:
    return context.result("identity", context.value("self", "input"))


@lowers("detach")
def detach(context: Context) -> Value:
    return context.result("stop_gradient", context.value("self"))


def operand(context: Context, name: str, to: DType | None) -> Value:
    """A tensor cast to a dtype, or a number as a constant of it."""
    found = context.raw(name)
    if isinstance(found, bool | int | float):
        return context.number(found, to)
    if not isinstance(found, Value):
        raise Unlowered(f"argument {name} is missing")
    return context.cast(found, to)


def _binary(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        to = context.out_dtype()
        other = "exponent" if "exponent" in context.call.args else "other"
        return context.result(op, operand(context, "self", to), operand(context, other, to))

    return rule


for _name, _op in BINARY.items():
    RULES[_name] = _binary(_op)


def _scaled(context: Context, value: Value, factor: Any, to: DType) -> Value:
    if factor is None or factor == 1:
        return value
    amount = context.cast(factor, to) if isinstance(factor, Value) else context.number(factor, to)
    return context.add("mul", value, amount, like=value.declared.without_value())


@lowers("add", "sub", "subtract", "rsub")
def addition(context: Context) -> Value:
    to = context.out_dtype()
    left, right = operand(context, "self", to), operand(context, "other", to)
    alpha = context.raw("alpha")
    if context.key == "rsub":
        return context.result("sub", right, _scaled(context, left, alpha, to))
    right = _scaled(context, right, alpha, to)
    if context.key == "add" and to is dtypes.bool_:
        return context.result("or", left, right)
    return context.result("add" if context.key == "add" else "sub", left, right)


@lowers("div", "divide", "true_divide", "floor_divide")
def division(context: Context) -> Value:
    to = context.out_dtype()
    left, right = operand(context, "self", to), operand(context, "other", to)
    mode = "floor" if context.key == "floor_divide" else context.raw("rounding_mode")
    if mode == "floor":
        return context.result("floor_div", left, right)
    if mode == "trunc" and not to.is_integer:
        return context.result("trunc", context.add("div", left, right))
    return context.result("div", left, right)


@lowers("fmod", "remainder")
def modulus(context: Context) -> Value:
    """`fmod` has the sign of the dividend; `remainder` that of the divisor."""
    to = context.out_dtype()
    left, right = operand(context, "self", to), operand(context, "other", to)
    if context.key == "fmod":
        return context.result("mod", left, right, fmod=1)
    return context.result("remainder", left, right)


def common_dtype(context: Context, *names: str) -> DType:
    """The dtype in which torch compares: by category first; within one, tensors with dims come before those without."""
    tensors: list[tuple[DType, bool]] = []
    numbers: list[int] = []
    for name in names:
        found = context.raw(name)
        if isinstance(found, Value):
            tensors.append((context.dtype(found), context.rank(found) > 0))
        elif isinstance(found, bool | int | float):
            numbers.append(0 if isinstance(found, bool) else 1 if isinstance(found, int) else 2)
    if not tensors:
        raise Unlowered("no tensor to take the dtype from")
    groups = [[dtype for dtype, dimmed in tensors if dimmed is with_dims] for with_dims in (True, False)]
    ranked = [reduce(_wider, group) for group in groups if group]
    chosen = ranked[0]
    if len(ranked) > 1 and category(ranked[1]) > category(chosen):
        chosen = ranked[1]
    for level in numbers:
        if level > category(chosen):
            chosen = dtypes.f32 if level == 2 else dtypes.i64
    return chosen


def _wider(left: DType, right: DType) -> DType:
    if left is right:
        return right
    if category(left) != category(right):
        return left if category(left) > category(right) else right
    if {left, right} == {dtypes.f16, dtypes.bf16}:
        return dtypes.f32
    if left.is_integer and left.kind is not right.kind and left.bits == right.bits:
        return {8: dtypes.i16, 16: dtypes.i32}.get(left.bits, dtypes.i64)
    return left if left.bits > right.bits else right


def _compare(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        to = common_dtype(context, "self", "other")
        return context.result(op, operand(context, "self", to), operand(context, "other", to))

    return rule


for _name, _op in COMPARISONS.items():
    RULES[_name] = _compare(_op)


def truth(context: Context, value: Value) -> Value:
    return context.cast(value, dtypes.bool_)


def _logic(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        return context.result(op, truth(context, context.value("self")), truth(context, context.value("other")))

    return rule


for _name, _op in LOGIC.items():
    RULES[_name] = _logic(_op)


@lowers("logical_not")
def logical_not(context: Context) -> Value:
    return context.result("not", truth(context, context.value("self")))


@lowers("bitwise_not")
def bitwise_not(context: Context) -> Value:
    value = context.value("self")
    return context.result("not" if context.dtype(value) is dtypes.bool_ else "bitwise_not", value)


def _bitwise(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        to = context.out_dtype()
        name = op if to is dtypes.bool_ else f"bitwise_{op}"
        return context.result(name, operand(context, "self", to), operand(context, "other", to))

    return rule


for _name, _op in BITWISE.items():
    RULES[_name] = _bitwise(_op)
for _name, _op in (("__and__", "and"), ("__or__", "or"), ("__xor__", "xor")):
    RULES[_name] = _bitwise(_op)


@lowers("bitwise_left_shift", "bitwise_right_shift", "__lshift__", "__rshift__")
def shift(context: Context) -> Value:
    to = context.out_dtype()
    direction = "LEFT" if "left" in context.key or "lshift" in context.key else "RIGHT"
    return context.result("bit_shift", operand(context, "self", to), operand(context, "other", to), direction=direction)


@lowers("isnan", "isinf", "isfinite")
def special_values(context: Context) -> Value:
    op = {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}[context.key]
    return context.result(op, context.value("self"))


@lowers("round")
def rounding(context: Context) -> Value:
    value = context.value("self")
    decimals = context.plain_int("decimals", default=0)
    if decimals == 0:
        return context.result("round", value)
    scale = context.number(float(10**decimals) if decimals > 0 else 10.0**decimals, context.dtype(value))
    return context.result("div", context.add("round", context.add("mul", value, scale)), scale)


@lowers("clamp", "clip", "clamp_min", "clamp_max", "hardtanh", "relu6")
def clamp(context: Context) -> Value:
    to = context.out_dtype()
    value = context.cast(context.value("self"), to)
    if context.key == "relu6":
        return context.result("clip", value, context.number(0, to), context.number(6, to))
    low, high = context.raw("min", "min_val"), context.raw("max", "max_val")
    if context.key == "hardtanh":
        low, high = (-1 if low is None else low), (1 if high is None else high)
    if isinstance(low, Value) or isinstance(high, Value):
        if low is not None:
            low = context.cast(low, to) if isinstance(low, Value) else context.number(low, to)
            value = context.result("max", value, low) if high is None else context.add("max", value, low)
        if high is not None:
            high = context.cast(high, to) if isinstance(high, Value) else context.number(high, to)
            value = context.result("min", value, high)
        return value
    bounds = [None if bound is None else context.number(bound, to) for bound in (low, high)]
    return context.result("clip", value, *bounds)


@lowers("addcmul", "addcdiv")
def add_product(context: Context) -> Value:
    to = context.out_dtype()
    first, second = operand(context, "tensor1", to), operand(context, "tensor2", to)
    combined = context.add("mul" if context.key == "addcmul" else "div", first, second)
    return context.result("add", operand(context, "self", to), _scaled(context, combined, context.raw("value"), to))


@lowers("lerp")
def lerp(context: Context) -> Value:
    to = context.out_dtype()
    start = operand(context, "self", to)
    span = context.add("sub", operand(context, "end", to), start)
    return context.result("add", start, context.add("mul", operand(context, "weight", to), span))


CASTS = ("to", "_to_copy", "type_as", "convert_element_type", "prims.convert_element_type", "to_dense", "cpu",
    "_autocast_to_reduced_precision", "_autocast_to_full_precision")  # fmt: skip


@lowers(*CASTS)
def cast(context: Context) -> Value:
    value = context.value("self", "a")
    to = context.out_dtype()
    return context.result("identity", value) if context.dtype(value) is to else context.result("cast", value, to=to)


@lowers("copy")
def copy(context: Context) -> Value:
    """The contents of another tensor in the shape and dtype of this one."""
    value = context.value("self")
    source = operand(context, "src", context.dtype(value))
    return context.result("expand", source, context.shape(value))


@lowers("where")
def where(context: Context) -> Value | list[Value]:
    condition = truth(context, context.value("condition"))
    if context.raw("self") is None:
        found = context.add("nonzero", condition)
        return context.results("unstack", found, indices=range(len(context.call.outputs)), axis=0)
    to = context.out_dtype()
    return context.result("where", condition, operand(context, "self", to), operand(context, "other", to))


@lowers("masked_fill")
def masked_fill(context: Context) -> Value:
    to = context.out_dtype()
    mask = truth(context, context.value("mask"))
    return context.result("where", mask, operand(context, "value", to), operand(context, "self", to))


@lowers("nan_to_num")
def nan_to_num(context: Context) -> Value:
    given = {name: context.raw(name) for name in ("nan", "posinf", "neginf")}
    attributes: dict[str, Any] = {
        name: float(number) for name, number in given.items() if isinstance(number, int | float)
    }
    return context.result("nan_to_num", context.value("self"), **attributes)


@lowers("logaddexp")
def log_add_exp(context: Context) -> Value:
    """max(a, b) + log1p(exp(-|a - b|))."""
    to = context.out_dtype()
    left, right = operand(context, "self", to), operand(context, "other", to)
    gap = context.add("neg", context.add("abs", context.add("sub", left, right)))
    return context.result("add", context.add("max", left, right), context.add("softplus", gap))


def _times_logarithm(function: str) -> Callable[[Context], Value]:
    """x * log(y), or x * log1p(y), in which a factor of 0 yields 0."""

    def rule(context: Context) -> Value:
        to = context.out_dtype()
        x, y = operand(context, "self", to), operand(context, "other", to)
        zero = context.add("zeros_like", x)
        product = context.add("mul", x, context.add(function, y))
        return context.result("where", context.add("equal", x, zero), zero, product)

    return rule


for _name, _log in (("xlogy", "log"), ("special_xlogy", "log"), ("special_xlog1py", "log1p")):
    lowers(_name)(_times_logarithm(_log))
