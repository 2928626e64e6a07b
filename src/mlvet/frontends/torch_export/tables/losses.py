"""Losses. Torch numbers reductions: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from mlvet.domains.dtypes import DType
from mlvet.frontends.torch_export.context import Context, Unlowered, lowers
from mlvet.frontends.torch_export.tables.arithmetic import operand
from mlvet.ir.graph import Value

REDUCTION = ("none", "mean", "sum")


def _reduced(context: Context, op: str, *operands: Value | None) -> Value:
    """The last step of a loss, then its reduction."""
    kind = REDUCTION[context.plain_int("reduction", default=1)]
    if kind == "none":
        return context.result(op, *operands)
    return context.result(f"reduce_{kind}", context.add(op, *operands), keepdims=0)


@lowers("cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d", "nll_loss_forward", "nll_loss2d_forward")
def cross_entropy(context: Context) -> Value | list[Value | None]:
    scores, target = context.value("self"), context.value("target")
    if context.raw("label_smoothing", default=0.0) or context.dtype(target).is_float:
        return _soft_cross_entropy(context, scores, target)
    op = "softmax_cross_entropy_loss" if context.key == "cross_entropy_loss" else "negative_log_likelihood_loss"
    attributes = {
        "ignore_index": context.plain_int("ignore_index", default=-100),
        "reduction": REDUCTION[context.plain_int("reduction", default=1)],
    }
    weight = context.optional("weight")
    if context.rank(scores) == 1:
        row = context.vector([0])
        scores, target = context.add("unsqueeze", scores, row), context.add("unsqueeze", target, row)
        if attributes["reduction"] == "none":
            return context.result("squeeze", context.add(op, scores, target, weight, **attributes), row)
    made = context.result(op, scores, target, weight, **attributes)
    if len(context.call.outputs) == 1:
        return made
    if context.call.outputs[1] in context.used:
        raise Unlowered("the total weight")
    return [made, None]


def _soft_cross_entropy(context: Context, scores: Value, target: Value) -> Value:
    """-sum(target * log_softmax(scores)) over classes, for targets that are probabilities."""
    if context.raw("label_smoothing", default=0.0) or context.optional("weight") is not None:
        raise Unlowered("smoothed or weighted labels")
    axis = 0 if context.rank(scores) == 1 else 1
    logs = context.add("log_softmax", scores, axis=axis)
    each = context.add("reduce_sum", context.add("mul", logs, target), context.vector([axis]), keepdims=0)
    kind = REDUCTION[context.plain_int("reduction", default=1)]
    if kind == "none" or context.rank(scores) == 1:
        return context.result("neg", each)
    if kind == "mean" and context.rank(scores) > 2:
        raise Unlowered("a mean over the batch only")
    return context.result("neg", context.add(f"reduce_{kind}", each, keepdims=0))


def _gap(context: Context, dtype: DType) -> Value:
    return context.add("sub", operand(context, "self", dtype), operand(context, "target", dtype))


@lowers("mse_loss", "l1_loss")
def distance(context: Context) -> Value:
    gap = _gap(context, context.out_dtype())
    return _reduced(context, "mul", gap, gap) if context.key == "mse_loss" else _reduced(context, "abs", gap)


@lowers("smooth_l1_loss", "huber_loss")
def huber(context: Context) -> Value:
    """Quadratic within the bound, linear beyond; `smooth_l1` is huber over the bound."""
    dtype = context.out_dtype()
    bound = float(context.raw("beta", "delta", default=1.0))
    size = context.add("abs", _gap(context, dtype))
    smooth = context.key == "smooth_l1_loss"
    if smooth and bound == 0:
        return _reduced(context, "identity", size)
    limit, half = context.number(bound, dtype), context.number(0.5 / bound if smooth else 0.5, dtype)
    inner = context.add("mul", context.add("mul", size, size), half)
    outer = context.add("sub", size, context.number(0.5 * bound, dtype))
    if not smooth:
        outer = context.add("mul", outer, limit)
    return _reduced(context, "where", context.add("less", size, limit), inner, outer)


@lowers("binary_cross_entropy")
def binary_cross_entropy(context: Context) -> Value:
    """-(t * log(p) + (1 - t) * log(1 - p)), whose logarithms torch keeps from falling below -100."""
    dtype = context.out_dtype()
    p, t = context.value("self"), context.value("target")
    one, floor = context.number(1.0, dtype), context.number(3.8e-44, dtype)
    if dtype.bits < 32:
        raise Unlowered("the floor of the logarithm in half precision")
    hit = context.add("mul", t, context.add("log", context.add("max", p, floor)))
    rest = context.add("sub", one, p)
    miss = context.add("mul", context.add("sub", one, t), context.add("log", context.add("max", rest, floor)))
    return _weighted(context, context.add("neg", context.add("add", hit, miss)))


@lowers("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(context: Context) -> Value:
    """(1 - t) * x + w * (softplus(-|x|) + relu(-x)) with w = 1 + (pos_weight - 1) * t."""
    dtype = context.out_dtype()
    x, t = context.value("self"), context.value("target")
    one = context.number(1.0, dtype)
    tail = context.add("add", context.add("softplus", context.add("neg", context.add("abs", x))),
        context.add("relu", context.add("neg", x)))  # fmt: skip
    positive = context.optional("pos_weight")
    if positive is not None:
        extra = context.add("mul", context.add("sub", positive, one), t)
        tail = context.add("mul", context.add("add", extra, one), tail)
    line = context.add("mul", context.add("sub", one, t), x)
    return _weighted(context, context.add("add", line, tail))


def _weighted(context: Context, loss: Value) -> Value:
    weight = context.optional("weight")
    return _reduced(context, "identity", loss) if weight is None else _reduced(context, "mul", loss, weight)


@lowers("kl_div")
def kl_div(context: Context) -> Value:
    """t * (log t - x), 0 where t is 0; exp(t) * (t - x) for logarithmic targets."""
    dtype = context.out_dtype()
    x, t = context.value("self"), context.value("target")
    if context.raw("log_target", default=False):
        return _reduced(context, "mul", context.add("exp", t), context.add("sub", t, x))
    zero = context.number(0.0, dtype)
    present = context.add("greater", t, zero)
    safe = context.add("where", present, t, context.number(1.0, dtype))
    entropy = context.add("mul", t, context.add("log", safe))
    return _reduced(context, "sub", entropy, context.add("mul", t, x))


@lowers("hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss", "triplet_margin_loss", "ctc_loss",
    "_ctc_loss", "poisson_nll_loss", "multi_margin_loss", "multilabel_margin_loss_forward")  # fmt: skip
def other(context: Context) -> Value:
    raise Unlowered(context.key)


@lowers("soft_margin_loss")
def soft_margin(context: Context) -> Value:
    """log(1 + exp(-t * x))."""
    product = context.add("mul", context.value("self"), context.value("target"))
    return _reduced(context, "softplus", context.add("neg", product))
