"""Element by element."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.domains import dtypes
from mlvet.domains.dtypes import Kind
from mlvet.frontends.jaxpr.context import RULES, Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value

PLAIN = {
    "neg": "neg", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "sin": "sin",
    "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "tanh": "tanh", "logistic": "sigmoid", "sqrt": "sqrt",
    "rsqrt": "rsqrt", "cbrt": "cube_root", "floor": "floor", "ceil": "ceil", "sign": "sign", "erf": "erf",
    "erfc": "erfc", "erf_inv": "erfinv", "lgamma": "lgamma", "digamma": "digamma", "is_finite": "is_finite",
    "square": "square", "conj": "conj", "stop_gradient": "stop_gradient", "copy": "identity", "copy_p": "identity",
    "device_put": "identity", "optimization_barrier": "identity", "pvary": "identity", "name": "identity",
    "sharding_constraint": "identity", "add": "add", "add_any": "add", "sub": "sub", "mul": "mul", "div": "div",
    "pow": "pow", "max": "max", "min": "min", "atan2": "atan2", "eq": "equal", "ne": "not_equal", "lt": "less",
    "le": "less_or_equal", "gt": "greater", "ge": "greater_or_equal",
}  # fmt: skip
"""Primitives that are canonical operators under another name; `div` of integers truncates in both."""


def _plain(op: str) -> Callable[[Context], Value | list[Value]]:
    def rule(context: Context) -> Value | list[Value]:
        operands = context.operands
        if op == "identity":
            return [context.result(op, operand, index=index) for index, operand in enumerate(operands)]
        return context.result(op, *_equalised(context, operands))

    return rule


def _equalised(context: Context, operands: list[Value]) -> list[Value]:
    """Operands of one dtype: `pow` takes integers as exponents of floats."""
    if context.name == "pow" and len({operand.declared.dtype for operand in operands}) > 1:
        return [operands[0], context.cast(operands[1], context.dtype(operands[0]))]
    return operands


for _name, _op in PLAIN.items():
    RULES[_name] = _plain(_op)


@lowers("abs")
def absolute(context: Context) -> Value:
    (x,) = context.operands
    dtype = context.dtype(x)
    return context.result("complex_abs" if dtype is not None and dtype.kind is Kind.COMPLEX else "abs", x)


@lowers("rem")
def remainder(context: Context) -> Value:
    """The sign is that of the dividend."""
    return context.result("mod", *context.operands, fmod=1)


@lowers("and", "or", "xor", "not")
def logic(context: Context) -> Value:
    operands = context.operands
    truth = context.dtype(operands[0]) is dtypes.bool_
    return context.result(context.name if truth else f"bitwise_{context.name}", *operands)


@lowers("shift_left", "shift_right_logical", "shift_right_arithmetic")
def shift(context: Context) -> Value:
    operands = context.operands
    signed = context.dtype(operands[0]).kind is Kind.SIGNED
    if signed:
        raise Unlowered("shifts of signed integers")
    return context.result("bit_shift", *operands, direction="LEFT" if context.name == "shift_left" else "RIGHT")


@lowers("integer_pow")
def integer_pow(context: Context) -> Value:
    (x,) = context.operands
    exponent = int(context.param("y"))
    if exponent == 2:
        return context.result("square", x)
    return context.result("pow", x, context.number(exponent, context.dtype(x)))


@lowers("round")
def rounding(context: Context) -> Value:
    """Half goes to the even neighbour, or away from zero as sign(x) * floor(|x| + 1/2)."""
    (x,) = context.operands
    if int(context.param("rounding_method")) == 1:
        return context.result("round", x)
    half = context.number(0.5, context.dtype(x))
    return context.result(
        "mul", context.add("sign", x), context.add("floor", context.add("add", context.add("abs", x), half))
    )


@lowers("clamp")
def clamp(context: Context) -> Value:
    low, x, high = context.operands
    if context.rank(low) == 0 and context.rank(high) == 0:
        return context.result("clip", x, low, high)
    return context.result("min", context.add("max", x, low), high)


@lowers("select_n")
def select(context: Context) -> Value:
    """The case that the first operand numbers, element by element."""
    which, *cases = context.operands
    if context.dtype(which) is dtypes.bool_ and len(cases) == 2:
        return context.result("where", which, cases[1], cases[0])
    if len(cases) == 1:
        return context.result("identity", cases[0])
    chosen = cases[-1]
    for number in range(len(cases) - 2, -1, -1):
        here = context.add("equal", which, context.number(number, context.dtype(which)))
        make = context.result if number == 0 else context.add
        chosen = make("where", here, cases[number], chosen)
    return chosen


@lowers("convert_element_type")
def convert(context: Context) -> Value:
    (x,) = context.operands
    to = context.declared().dtype
    if to is None or x.declared.dtype is None:
        raise Unlowered("an element type that mlvet lacks")
    return context.result("identity", x) if x.declared.dtype is to else context.result("cast", x, to=to)


@lowers("bitcast_convert_type")
def bit_cast(context: Context) -> Value:
    (x,) = context.operands
    to = context.declared().dtype
    if to is None or context.dtype(x).bits != to.bits:
        raise Unlowered("another width")
    return context.result("bit_cast", x, to=to)


@lowers("dim_as_value")
def dim_as_value(context: Context) -> Value:
    size = context.size(context.dim(context.param("dim")))
    return context.result("cast", size, to=context.declared().dtype)
