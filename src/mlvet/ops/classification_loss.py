"""Losses of scores or log-probabilities of classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mlvet.domains.dtypes import i32, i64
from mlvet.domains.tensors import Dims, Tensor, Unranked
from mlvet.ops.danger import OVERFLOW, Overflow
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_losses import ALIGNMENT, CROSS_ENTROPY, DENSE, LIKELIHOOD, SPARSE
from mlvet.ops.op import pure
from mlvet.ops.pointwise import Array, is_narrow
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.softmax import log_softmax_along, log_softmax_of

_loss = partial(pure, family="loss", danger=(OVERFLOW,))


def _labelled_shape(
    scores: Tensor, labels: Tensor, weights: Tensor | None, require: Require, reduction: str
) -> Dims | Unranked:
    """That of the labels, one per row of scores; none after a reduction."""
    require.dtype(labels, [i32, i64], what="labels")
    if scores.ranked and require.rank_at_least(scores, 2, "scores"):
        dims = (scores.dims[0], *scores.dims[2:])
        if labels.ranked and require.rank(labels, len(dims), "labels"):
            for mine, other in zip(dims, labels.dims, strict=True):
                require.equal(other, mine, "there is one label per row of scores", rule="dims-differ")
        if weights is not None:
            require.rank(weights, 1, "weights")
        return dims if reduction == "none" else ()
    return labels.shape if reduction == "none" else ()


def infer_negative_log_likelihood_loss(
    scores: Tensor,
    labels: Tensor,
    weights: Tensor | None = None,
    *,
    require: Require,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Tensor:
    """One loss per label, or none of the dims after a reduction; the classes are dim 1 of the scores."""
    del ignore_index
    return Tensor(scores.dtype, _labelled_shape(scores, labels, weights, require, reduction))


def infer_softmax_cross_entropy_loss(
    scores: Tensor,
    labels: Tensor,
    weights: Tensor | None = None,
    *,
    require: Require,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> tuple[Tensor, Tensor]:
    """The loss, and the log-probabilities in the shape of the scores."""
    loss = infer_negative_log_likelihood_loss(
        scores, labels, weights, require=require, ignore_index=ignore_index, reduction=reduction
    )
    return loss, scores.without_value()


def _picked(log_p: Array, labels: Array, weights: Array | None, ignore_index: int | None) -> tuple[Any, Any]:
    """Of each row the element of its label, and how much the row counts."""
    ignored = np.zeros(labels.shape, bool) if ignore_index is None else labels == ignore_index
    safe = np.where(ignored, 0, labels)
    picked = np.squeeze(np.take_along_axis(log_p, np.expand_dims(safe, 1).astype(np.int64), 1), 1)
    counts = np.ones(labels.shape, log_p.dtype) if weights is None else weights.astype(log_p.dtype)[safe]
    return picked, np.where(ignored, 0, counts)


def _combined(rows: Any, counts: Any, reduction: str) -> Any:
    weighted = np.where(counts == 0, 0, -rows * counts)
    if reduction == "none":
        return weighted
    return np.sum(weighted) if reduction == "sum" else np.sum(weighted) / np.sum(counts)


def _likelihood(
    log_p: Array,
    labels: Array,
    weights: Array | None = None,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Array:
    wide = log_p.astype(np.float32) if is_narrow(log_p) else log_p
    with np.errstate(all="ignore"):
        return np.asarray(_combined(*_picked(wide, labels, weights, ignore_index), reduction)).astype(log_p.dtype)


def _cross_entropy(scores: Array, labels: Array, weights: Array | None = None, **options: Any) -> tuple[Array, Array]:
    wide = scores.astype(np.float32) if is_narrow(scores) else scores
    log_p = np.asarray(log_softmax_of(wide, 1))
    return _likelihood(log_p, labels, weights, **options).astype(scores.dtype), log_p.astype(scores.dtype)


def _likelihood_jvp(
    operands: Sequence[Any],
    directions: Sequence[Any],
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Any:
    log_p, labels, weights = operands
    rows, counts = _picked(log_p, labels, weights, ignore_index)
    along = np.zeros_like(log_p) if directions[0] is None else directions[0]
    change = _combined(_picked(along, labels, weights, ignore_index)[0], counts, reduction)
    if directions[2] is None:
        return change
    count_changes = np.where(counts == 0, 0, _picked(log_p, labels, directions[2], ignore_index)[1])
    if reduction != "mean":
        return change - (rows * count_changes if reduction == "none" else np.sum(rows * count_changes))
    loss = _combined(rows, counts, "mean")
    return change - (np.sum(rows * count_changes) + loss * np.sum(count_changes)) / np.sum(counts)


def _cross_entropy_jvp(operands: Sequence[Any], directions: Sequence[Any], **options: Any) -> Any:
    scores = operands[0]
    along = np.zeros_like(scores) if directions[0] is None else directions[0]
    change = log_softmax_along(scores, along, 1)
    loss = _likelihood_jvp((log_softmax_of(scores, 1), *operands[1:]), (change, *directions[1:]), **options)
    return loss, change


def _labelled(draw: Draw) -> Sample:
    batch, classes, *space = draw.shape(2, 4)
    scores = draw.array((batch, classes, *space), low=-4, high=0)
    labels = draw.array((batch, *space), low=0, high=classes - 1, dtype=draw.choice([i32, i64]))
    labels.flat[0] = 0
    weights = draw.array((classes,), low=0.5, high=2) if draw.integer(0, 1) else None
    attributes: dict[str, Any] = {"reduction": draw.choice(["none", "mean", "sum"])}
    if draw.integer(0, 1):
        attributes["ignore_index"] = draw.choice([-1, classes - 1 if classes > 1 else -1])
    return Sample((scores, labels, weights), attributes)


negative_log_likelihood_loss = _loss(
    "negative_log_likelihood_loss",
    infer_negative_log_likelihood_loss,
    _likelihood,
    _labelled,
    numeric=LIKELIHOOD,
    derivative=Jvp(_likelihood_jvp),
)
softmax_cross_entropy_loss = _loss(
    "softmax_cross_entropy_loss",
    infer_softmax_cross_entropy_loss,
    _cross_entropy,
    _labelled,
    numeric=CROSS_ENTROPY,
    derivative=Jvp(_cross_entropy_jvp),
)


def infer_dense_cross_entropy(scores: Tensor, targets: Tensor, *, require: Require, axis: int = -1) -> Tensor:
    """One loss per row of scores; the targets are distributions of the same shape."""
    dtype = require.same_dtype(scores, targets)
    if not scores.ranked and targets.ranked:
        scores, targets = targets, scores
    at = require.axis(axis, scores.rank)
    dims = require.broadcast(scores.dims, targets.dims) if targets.ranked else scores.dims
    return Tensor(dtype, dims[:at] + dims[at + 1 :])


def infer_sparse_cross_entropy(scores: Tensor, labels: Tensor, *, require: Require) -> Tensor:
    """One loss per label; the classes are the last dim of the scores."""
    require.holds(labels.dtype is None or labels.dtype.is_integer, f"labels must be integers, but are {labels.dtype}")
    if labels.ranked and require.rank(labels, scores.rank - 1, "labels"):
        for mine, other in zip(scores.dims, labels.dims, strict=False):
            require.equal(other, mine, "there is one label per row of scores", rule="dims-differ")
    return Tensor(scores.dtype, scores.dims[:-1])


def _dense(scores: Array, targets: Array, axis: int = -1) -> Array:
    wide = scores.astype(np.float32) if is_narrow(scores) else scores
    rows = np.sum(-targets * log_softmax_of(wide, axis), axis=axis)
    return np.asarray(rows).astype(scores.dtype)


def _dense_jvp(operands: Sequence[Any], directions: Sequence[Any], axis: int = -1) -> Any:
    scores, targets = operands
    total: Any = 0.0
    if directions[0] is not None:
        total = total - np.sum(targets * log_softmax_along(scores, directions[0], axis), axis=axis)
    if directions[1] is not None:
        total = total - np.sum(directions[1] * log_softmax_of(scores, axis), axis=axis)
    return total


def _sparse(scores: Array, labels: Array) -> Array:
    wide = scores.astype(np.float32) if is_narrow(scores) else scores
    return np.asarray(-_at_labels(log_softmax_of(wide, -1), labels)).astype(scores.dtype)


def _at_labels(rows: Any, labels: Array) -> Any:
    return np.squeeze(np.take_along_axis(rows, np.expand_dims(labels, -1).astype(np.int64), -1), -1)


def _sparse_jvp(operands: Sequence[Any], directions: Sequence[Any]) -> Any:
    scores, labels = operands
    return -_at_labels(log_softmax_along(scores, directions[0], -1), labels)


def _dense_samples(draw: Draw) -> Sample:
    shape = draw.shape(1)
    attributes = {"axis": draw.integer(-len(shape), len(shape) - 1)}
    return Sample((draw.array(shape), draw.array(shape, low=0, high=1)), attributes)


def _sparse_samples(draw: Draw) -> Sample:
    shape = draw.shape(1)
    return Sample((draw.array(shape), draw.array(shape[:-1], low=0, high=shape[-1] - 1, dtype=i64)))


softmax_cross_entropy_with_logits = _loss(
    "softmax_cross_entropy_with_logits",
    infer_dense_cross_entropy,
    _dense,
    _dense_samples,
    numeric=DENSE,
    derivative=Jvp(_dense_jvp),
)
sparse_softmax_cross_entropy_with_logits = _loss(
    "sparse_softmax_cross_entropy_with_logits",
    infer_sparse_cross_entropy,
    _sparse,
    _sparse_samples,
    numeric=SPARSE,
    derivative=Jvp(_sparse_jvp),
)


def infer_ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    *,
    require: Require,
    reduction: str = "mean",
    **_: Any,
) -> Tensor:
    """Log-probabilities are [time, batch, classes]; there is one loss per member of the batch."""
    del targets
    if not require.rank(log_probs, 3, "log_probs"):
        return require.unknown_tensor(log_probs.dtype, 1) if reduction == "none" else Tensor(log_probs.dtype, ())
    batch = log_probs.dims[1]
    for what, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if lengths.ranked and require.rank(lengths, 1, what):
            require.equal(lengths.dim(0), batch, f"{what} has one element per member of the batch", "dims-differ")
    return Tensor(log_probs.dtype, (batch,) if reduction == "none" else ())


ctc_loss = pure("ctc_loss", infer_ctc_loss, family="loss", numeric=ALIGNMENT, danger=(Overflow("log-of-nonpositive"),))
