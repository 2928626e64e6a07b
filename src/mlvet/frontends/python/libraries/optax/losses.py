"""Losses, one number per example."""

from __future__ import annotations

from typing import Any

from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    cast_to,
    inexact,
    together,
)  # fmt: skip
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.program import Act


def _floats(x: Any) -> None:
    """Predictions must be floats."""
    known = dtype_of(x)
    demand(known is None or known.is_float, f"floats are wanted, not {known}", "dtype-differs")


@model("optax.softmax_cross_entropy")
def softmax_cross_entropy(logits: ArrayLike, labels: ArrayLike, axis: Any = -1, where: Any = None) -> Tensor:
    _floats(logits)
    scores, targets = together(logits, labels)
    terms = emit("mul", targets, emit("log_softmax", scores, axis=axis if isinstance(axis, int) else -1))
    return emit("neg", reduced("reduce_sum", terms, axes_named(axis), False))


@model("optax.safe_softmax_cross_entropy")
def safe_softmax_cross_entropy(logits: ArrayLike, labels: ArrayLike) -> Tensor:
    return softmax_cross_entropy(logits, labels)


@model("optax.softmax_cross_entropy_with_integer_labels")
def softmax_cross_entropy_with_integer_labels(
    logits: ArrayLike, labels: ArrayLike, axis: Any = -1, where: Any = None
) -> Tensor:
    """Labels are as many as the rows of logits; sizes of 1 stretch."""
    _floats(logits)
    known = dtype_of(labels)
    demand(known is None or known.is_integer, f"labels are integers, not {known}", "dtype-differs")
    batch, own = dims_of(logits), dims_of(labels)
    last = batch is not None and isinstance(axis, int) and axis % len(batch) == len(batch) - 1
    if batch is None or own is None or not last:
        spread = reduced("reduce_log_sum_exp", logits, axes_named(axis), False)
        return emit("sub", spread, cast_to(labels, dtype_of(spread)))
    if len(own) == len(batch) - 1 and any(a != b and 1 in (a, b) for a, b in zip(own, batch, strict=False)):
        spread = reduced("reduce_log_sum_exp", logits, (-1,), False)
        return emit("sub", spread, cast_to(labels, dtype_of(spread)))
    return emit("sparse_softmax_cross_entropy_with_logits", logits, labels)


@model("optax.sigmoid_binary_cross_entropy", "optax.sigmoid_focal_loss")
def sigmoid_binary_cross_entropy(logits: ArrayLike, labels: ArrayLike, **options: Any) -> Tensor:
    _floats(logits)
    scores, targets = together(logits, labels)
    machine().event(Act.SCORED, scores, (scores.graph_value,))
    both = emit("sub", emit("relu", scores), emit("mul", scores, targets))
    return emit("add", both, emit("softplus", emit("neg", emit("abs", scores))))


def _errors(predictions: Any, targets: Any) -> Any:
    _floats(predictions)
    if targets is None:
        return predictions
    first, second = tensor_of(predictions), tensor_of(as_jax(targets))
    if first.ranked and second.ranked:
        pairs = zip(first.dims, second.dims, strict=False)
        unequal = any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
        same = first.rank == second.rank and not unequal
        demand(same, f"predictions {first} and targets {second} differ in shape", "dims-differ")
    left, right = together(predictions, as_jax(targets))
    return emit("sub", left, right)


@model("optax.squared_error", "optax.l2_loss")
def squared_error(predictions: ArrayLike, targets: Any = None) -> Tensor:
    return emit("square", _errors(predictions, targets))


@model("optax.huber_loss")
def huber_loss(predictions: ArrayLike, targets: Any = None, *, delta: Any = 1.0) -> Tensor:
    errors = _errors(predictions, targets)
    return opaque("huber_loss", [errors], tensor_of(errors).without_value(), Array)


@model("optax.log_cosh")
def log_cosh(predictions: ArrayLike, targets: Any = None) -> Tensor:
    errors = _errors(predictions, targets)
    return opaque("log_cosh", [errors], tensor_of(errors).without_value(), Array)


@model("optax.hinge_loss")
def hinge_loss(predictor_outputs: ArrayLike, targets: ArrayLike) -> Tensor:
    made = emit("mul", *together(inexact(predictor_outputs), targets))
    return opaque("hinge_loss", [made], tensor_of(made).without_value(), Array)


@model("optax.cosine_similarity", "optax.cosine_distance")
def cosine_similarity(
    predictions: ArrayLike, targets: ArrayLike, *, epsilon: Any = 0.0, axis: Any = -1, where: Any = None
) -> Tensor:
    _floats(predictions)
    product = emit("mul", *together(predictions, targets))
    made = reduced("reduce_sum", product, axes_named(axis), False)
    return opaque("cosine_similarity", [product], tensor_of(made).without_value(), Array)


@model("optax.kl_divergence", "optax.convex_kl_divergence")
def kl_divergence(log_predictions: ArrayLike, targets: ArrayLike, axis: Any = -1, where: Any = None) -> Tensor:
    product = emit("mul", *together(inexact(log_predictions), targets))
    made = reduced("reduce_sum", product, axes_named(axis), False)
    return opaque("kl_divergence", [product], tensor_of(made).without_value(), Array)


@model("optax.smooth_labels")
def smooth_labels(labels: ArrayLike, alpha: Any, *, axis: Any = -1, where: Any = None) -> Tensor:
    _floats(labels)
    return opaque("smooth_labels", [labels], tensor_of(labels).without_value(), Array)


@model("optax.ctc_loss")
def ctc_loss(
    logits: ArrayLike, logit_paddings: ArrayLike, labels: ArrayLike, label_paddings: ArrayLike, *, blank_id: int = 0,
    log_epsilon: Any = -1e5,
) -> Tensor:  # fmt: skip
    dims = dims_of(logits)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "logits of unknown rank")
    return opaque("ctc_loss", [logits, labels], Known(dtype_of(logits), dims[:1]), Array)


@model("optax.ntxent")
def ntxent(embeddings: ArrayLike, labels: ArrayLike, temperature: Any = 0.07) -> Tensor:
    return opaque("ntxent", [embeddings, labels], Known(dtype_of(inexact(embeddings)), ()), Array)
