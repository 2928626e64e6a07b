"""Cross-entropies as the backends of Keras compute them, from probabilities or from logits."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.keras.agreement import demand_same, fits
from mlvet.frontends.python.libraries.keras.tensor import combined
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.ir.program import Act


def clipped(probability: Any) -> Any:
    """Probabilities kept away from 0 and 1."""
    low, high = (
        emit("cast", bound, to=dtype_of(probability) or dtypes.f32, kind=type(probability))
        for bound in (1e-7, 1 - 1e-7)
    )
    return emit("clip", probability, low, high)


def taken(predicted: Any, from_logits: bool) -> None:
    """Note for what a loss takes predictions."""
    machine().event(Act.SCORED if from_logits else Act.WEIGHED, predicted, (predicted.graph_value,))


def binary_entropy(true: Any, predicted: Any, from_logits: bool) -> Any:
    """The cross-entropy of each element."""
    if not demand_same(true, predicted, "binary_crossentropy"):
        return opaque("binary_crossentropy", [true, predicted], tensor_of(predicted).without_value(), type(predicted))
    taken(predicted, from_logits)
    if from_logits:
        negative = combined("mul", predicted, true)
        grown = emit("log1p", emit("exp", -abs(predicted)))
        return emit("relu", predicted) - negative + grown
    probability = clipped(predicted)
    one = combined("mul", true, emit("log", probability))
    other = combined("mul", 1.0 - true, emit("log", 1.0 - probability))
    return -(one + other)


def categorical_entropy(true: Any, predicted: Any, from_logits: bool, axis: Any) -> Any:
    """The cross-entropy of each row, labels being distributions."""
    place = axis if isinstance(axis, int) else -1
    if not demand_same(true, predicted, "categorical_crossentropy"):
        dims = dims_of(predicted) or ()
        return opaque(
            "categorical_crossentropy", [true, predicted], Known(dtype_of(predicted), dims[:-1]), type(predicted)
        )
    taken(predicted, from_logits)
    if from_logits:
        return emit("softmax_cross_entropy_with_logits", predicted, true, axis=place)
    total = reduced("reduce_sum", predicted, (place,), keepdims=True)
    share = clipped(combined("div", predicted, total))
    return -reduced("reduce_sum", combined("mul", true, emit("log", share)), (place,))


def sparse_entropy(true: Any, predicted: Any, from_logits: bool, axis: Any) -> Any:
    """The cross-entropy of each row, labels being numbers of classes."""
    labels, scores = dims_of(true), dims_of(predicted)
    if labels is not None and scores is not None and len(labels) == len(scores) and labels[-1] == 1:
        true = emit("squeeze", true, (-1,))
        labels = dims_of(true)
    rest = None if scores is None else scores[:-1]
    good = fits(labels, rest)
    demand(
        good, f"sparse_categorical_crossentropy needs one label per row of predictions, but gets {tensor_of(true)} "
        f"for {tensor_of(predicted)}", "dims-differ",
    )  # fmt: skip
    if rest is None:
        if labels is not None:
            return opaque(
                "sparse_categorical_crossentropy",
                [true, predicted],
                Known(dtype_of(predicted), labels),
                type(predicted),
            )
    elif not good or labels is None or axis not in (-1, len(rest)):
        return opaque(
            "sparse_categorical_crossentropy", [true, predicted], Known(dtype_of(predicted), rest), type(predicted)
        )
    taken(predicted, from_logits)
    logits = predicted if from_logits else emit("log", clipped(predicted))
    return emit("sparse_softmax_cross_entropy_with_logits", logits, cast(true, dtypes.i64))
