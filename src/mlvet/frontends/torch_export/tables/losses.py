"""Losses. Torch numbers reductions: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
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
    attributes: dict[str, Any] = {
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


@lowers("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "kl_div")
def elementwise(context: Context) -> Value:
    dtype = context.out_dtype()
    prediction, target = operand(context, "self", dtype), operand(context, "target", dtype)
    options: dict[str, Any] = {"reduction": REDUCTION[context.plain_int("reduction", default=1)]}
    match context.key:
        case "smooth_l1_loss":
            options["beta"] = float(context.raw("beta", default=1.0))
        case "huber_loss":
            options["delta"] = float(context.raw("delta", default=1.0))
        case "kl_div":
            options["log_target"] = bool(context.raw("log_target", default=False))
    weight = context.optional("weight")
    operands = (prediction, target) if weight is None else (prediction, target, weight)
    return context.result(context.key, *operands, **options)


@lowers("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(context: Context) -> Value:
    """With p as weight of the positive class: (1 - t) * x + (1 + (p - 1) * t) * (softplus(-|x|) + relu(-x))."""
    dtype = context.out_dtype()
    x, t = operand(context, "self", dtype), operand(context, "target", dtype)
    positive, weight = context.optional("pos_weight"), context.optional("weight")
    if positive is None:
        operands = (x, t) if weight is None else (x, t, weight)
        return context.result(context.key, *operands, reduction=REDUCTION[context.plain_int("reduction", default=1)])
    one = context.number(1.0, dtype)
    near = context.add("softplus", context.add("neg", context.add("abs", x)))
    tail = context.add("add", near, context.add("relu", context.add("neg", x)))
    extra = context.add("mul", context.add("sub", positive, one), t)
    tail = context.add("mul", context.add("add", extra, one), tail)
    line = context.add("mul", context.add("sub", one, t), x)
    loss = context.add("add", line, tail)
    return _reduced(context, "identity", loss) if weight is None else _reduced(context, "mul", loss, weight)


@lowers("soft_margin_loss")
def soft_margin(context: Context) -> Value:
    """log(1 + exp(-t * x))."""
    product = context.add("mul", context.value("self"), context.value("target"))
    return _reduced(context, "softplus", context.add("neg", product))
