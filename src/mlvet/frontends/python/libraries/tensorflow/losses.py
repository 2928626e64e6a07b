"""Losses of tf.nn: one number per row, or per element."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand_same
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import (
    axis_of,
    cast_to,
    chosen,
    dims_or_undecided,
    index_tensor,
    inexact,
)
from mlvet.frontends.python.libraries.tensorflow.structures import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, alongside, convert, like, matched, op_of, typed
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of


@model(
    "tensorflow.nn.softmax_cross_entropy_with_logits", "tensorflow.compat.v1.nn.softmax_cross_entropy_with_logits_v2"
)
def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, axis: Any = -1, name: Any = None, dim: Any = None, _sentinel: Any = None
) -> Tensor:
    del name, _sentinel
    scores = inexact(logits, "softmax_cross_entropy_with_logits")
    where = axis_of(chosen(dim, axis))
    wanted = cast_to(alongside(labels, scores), dtype_of(scores))
    return op_of("softmax_cross_entropy_with_logits", scores, wanted, axis=where)


@model("tensorflow.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: Any = None, _sentinel: Any = None
) -> Tensor:
    del name, _sentinel
    scores = inexact(logits, "sparse_softmax_cross_entropy_with_logits")
    return op_of("sparse_softmax_cross_entropy_with_logits", scores, index_tensor(labels))


@model("tensorflow.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: Any = None, _sentinel: Any = None
) -> Tensor:
    """Labels and scores have one shape; nothing is broadcast."""
    del name, _sentinel
    scores = inexact(logits, "sigmoid_cross_entropy_with_logits")
    targets = alongside(labels, scores)
    same_shape(scores, targets)
    return op_of("binary_cross_entropy_with_logits", scores, targets, reduction="none")


def same_shape(a: Tensor, b: Tensor) -> None:
    """Record that two shapes must agree."""
    left, right = dims_of(a), dims_of(b)
    if left is not None and right is not None:
        demand_same(left, right, f"shapes {list(left)} and {list(right)} must be the same")


@model("tensorflow.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Any = None, targets: Any = None
) -> Tensor:
    del pos_weight, name
    scores = inexact(logits, "weighted_cross_entropy_with_logits")
    wanted = convert(chosen(labels, targets), hint=dtype_of(scores))
    same_shape(scores, wanted)
    return like("weighted_cross_entropy_with_logits", scores, scores, wanted)


@model("tensorflow.nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: Any = False, name: Any = None) -> Tensor:
    del compute_full_loss, name
    wanted, given = matched(targets, log_input)
    return like("log_poisson_loss", given, wanted, given)


@model("tensorflow.nn.ctc_loss")
def ctc_loss(
    labels: Any = None,
    logits: Any = None,
    label_length: Any = None,
    logit_length: Any = None,
    *rest: Any,
    **keywords: Any,
) -> Tensor:
    """One number per sequence; time comes first unless told otherwise."""
    del labels, label_length, logit_length, rest
    scores = convert(chosen(logits, keywords.get("inputs")))
    known = tensor_of(scores)
    first = keywords.get("logits_time_major", keywords.get("time_major", True)) is False
    batch = known.dims[0 if first else 1] if known.ranked and known.rank == 3 else symbol(machine().fresh("batch"))
    return typed("ctc_loss", [scores], dtype_of(scores), batch)


@model("tensorflow.nn.ctc_greedy_decoder", "tensorflow.nn.ctc_beam_search_decoder")
def ctc_greedy_decoder(inputs: Any, sequence_length: Any = None, *rest: Any, **keywords: Any) -> Any:
    del sequence_length, rest, keywords
    x = convert(inputs)
    batch = dims_or_undecided(x)[1]
    decoded = typed("ctc_decoder", [x], dtypes.i64, batch, symbol(machine().fresh("decoded")))
    return ListValue([decoded]), typed("ctc_decoder", [x], dtype_of(x), batch, 1)


@model("tensorflow.nn.nce_loss", "tensorflow.nn.sampled_softmax_loss")
def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    x = convert(inputs)
    return typed(
        "sampled_loss", [convert(weights), convert(biases), convert(labels), x], dtype_of(x), dims_or_undecided(x)[0]
    )


@model("tensorflow.nn.compute_average_loss", "tensorflow.nn.scale_regularization_loss")
def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    del sample_weight, global_batch_size
    x = convert(per_example_loss)
    return op_of("reduce_mean", x, None, keepdims=False)


@model("tensorflow.nn.embedding_lookup_sparse", "tensorflow.nn.safe_embedding_lookup_sparse")
def embedding_lookup_sparse(params: Any, sp_ids: Any, *rest: Any, **keywords: Any) -> Tensor:
    del sp_ids, rest, keywords
    x = convert(params)
    return of_shape("embedding", dtype_of(x), (symbol(machine().fresh("batch")), *dims_or_undecided(x)[1:]))
