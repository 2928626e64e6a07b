"""Activations, and softmax."""

from __future__ import annotations

from mlvet.domains import dtypes
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import RULES, Context, lowers
from mlvet.frontends.torch_export.tables.arithmetic import _unary
from mlvet.ir.graph import Value

PLAIN = {"relu": "relu", "selu": "selu", "mish": "mish", "silu": "silu", "hardswish": "hard_swish",
    "log_sigmoid": "log_sigmoid", "softsign": "softsign", "prelu_": "prelu"}  # fmt: skip

for _name, _op in PLAIN.items():
    RULES[_name] = _unary(_op)


@lowers("log_sigmoid_forward")
def log_sigmoid_forward(context: Context) -> list[Value | None]:
    return [context.result("log_sigmoid", context.value("self")), None]


@lowers("gelu")
def gelu(context: Context) -> Value:
    return context.result("gelu", context.value("self"), approximate=context.raw("approximate", default="none"))


@lowers("leaky_relu")
def leaky_relu(context: Context) -> Value:
    return context.result("leaky_relu", context.value("self"), alpha=float(context.raw("negative_slope", default=0.01)))


@lowers("elu")
def elu(context: Context) -> Value:
    """scale * (x where positive, else alpha * (exp(input_scale * x) - 1))."""
    value, alpha = context.value("self"), float(context.raw("alpha", default=1.0))
    scale, inner = float(context.raw("scale", default=1)), float(context.raw("input_scale", default=1))
    if inner == 1 and scale == 1:
        return context.result("elu", value, alpha=alpha)
    if inner == 1:
        return context.result(
            "mul", context.add("elu", value, alpha=alpha), context.number(scale, context.dtype(value))
        )
    if scale == 1 and abs(inner * alpha - 1) < 1e-12:
        return context.result("celu", value, alpha=alpha)
    raise Unlowered("elu with scales")


@lowers("celu")
def celu(context: Context) -> Value:
    return context.result("celu", context.value("self"), alpha=float(context.raw("alpha", default=1.0)))


@lowers("hardsigmoid")
def hard_sigmoid(context: Context) -> Value:
    return context.result("hard_sigmoid", context.value("self"), alpha=1 / 6, beta=0.5)


@lowers("logit", "special_logit")
def logit(context: Context) -> Value:
    """Of probabilities, which are first brought to between eps and 1 - eps if that is given."""
    x = context.cast(context.value("self"), context.out_dtype())
    eps, dtype = context.raw("eps"), context.out_dtype()
    if eps is not None:
        x = context.add("clip", x, context.number(float(eps), dtype), context.number(1 - float(eps), dtype))
    return context.result("logit", x)


@lowers("softplus")
def softplus(context: Context) -> Value:
    """log(1 + exp(beta * x)) / beta; beyond the threshold torch takes the line, which is the same in floats."""
    value, beta = context.value("self"), context.raw("beta", default=1)
    if beta == 1:
        return context.result("softplus", value)
    factor = context.number(float(beta), context.dtype(value))
    return context.result("div", context.add("softplus", context.add("mul", value, factor)), factor)


@lowers("softshrink", "hardshrink")
def shrink(context: Context) -> Value:
    lambd = float(context.raw("lambd", default=0.5))
    bias = lambd if context.key == "softshrink" else 0.0
    return context.result("shrink", context.value("self"), bias=bias, lambd=lambd)


@lowers("tanhshrink")
def tanhshrink(context: Context) -> Value:
    value = context.value("self")
    return context.result("sub", value, context.add("tanh", value))


@lowers("threshold")
def threshold(context: Context) -> Value:
    """x where it is above the threshold, else the value."""
    value = context.value("self")
    to = context.dtype(value)
    above = context.add("greater", value, context.number(context.raw("threshold"), to))
    return context.result("where", above, value, context.number(context.raw("value"), to))


@lowers("prelu", "_prelu_kernel")
def prelu(context: Context) -> Value:
    """The slope has one element per channel, the second axis of the operand."""
    value, weight = context.value("self"), context.value("weight")
    rank = context.rank(value)
    if context.rank(weight) == 1 and rank > 2 and context.dims(weight) != (1,):
        weight = context.add("unsqueeze", weight, context.vector(list(range(1, rank - 1))))
    return context.result("prelu", value, weight)


@lowers("rrelu", "rrelu_with_noise", "rrelu_with_noise_functional")
def rrelu(context: Context) -> list[Value]:
    if context.raw("training", default=False):
        raise Unlowered("random slopes")
    alpha = (float(context.raw("lower", default=1 / 8)) + float(context.raw("upper", default=1 / 3))) / 2
    return [context.result("leaky_relu", context.value("self"), alpha=alpha)]


@lowers("glu")
def glu(context: Context) -> Value:
    """The first half along an axis times the sigmoid of the second."""
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim", default=-1))
    first, second = context.several("split", 2, value, axis=axis, num_outputs=2)
    return context.result("mul", first, context.add("sigmoid", second))


@lowers("softmax", "log_softmax", "_softmax", "_log_softmax", "special_softmax", "special_log_softmax", "_safe_softmax")
def softmax(context: Context) -> Value:
    value = context.cast(context.value("self"), context.out_dtype())
    op = "log_softmax" if "log_softmax" in context.key else "softmax"
    if context.rank(value) == 0:
        raise Unlowered("softmax of a scalar")
    if context.key != "_safe_softmax":
        return context.result(op, value, axis=context.plain_int("dim"))
    axis = context.plain_int("dim")
    made = context.add("softmax", value, axis=axis)
    lowest = context.number(float("-inf"), context.dtype(value))
    hidden = context.add("cast", context.add("equal", value, lowest), to=dtypes.i32)
    empty = context.add("reduce_min", hidden, context.vector([axis]), keepdims=1)
    return context.result("where", context.cast(empty, dtypes.bool_), context.number(0, context.dtype(value)), made)


@lowers("softmin")
def softmin(context: Context) -> Value:
    return context.result("softmax", context.add("neg", context.value("self")), axis=context.plain_int("dim"))
