"""Losses of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast, common_dtype
from mlvet.frontends.python.emission import demand, demand_equal, demand_same, opaque
from mlvet.frontends.python.libraries.binding import Number
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import is_integral, same_types, wants_floats
from mlvet.frontends.python.libraries.torch.functional.normalisation import cosine_similarity, pairwise_distance
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of


def how(reduction: str, reduce: Any = None, size_average: Any = None) -> str:
    """The reduction by its name, also as older programs tell it."""
    if reduce is False:
        return "none"
    if reduce is None and size_average is None:
        demand(reduction in ("none", "mean", "sum"), f"{reduction} is no reduction")
        return "mean" if reduction not in ("none", "sum") else reduction
    return "sum" if size_average is False else "mean"


def reduced(x: Tensor, reduction: str) -> Tensor:
    return x if reduction == "none" else made(f"reduce_{reduction}", x, keepdims=0)


@model("torch.nn.functional.cross_entropy")
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: Any = -100,
    reduce: Any = None, reduction: str = "mean", label_smoothing: Number = 0.0,
) -> Tensor:  # fmt: skip
    kind = how(reduction, reduce, size_average)
    wants_floats(input, "cross_entropy")
    scores, labels = dims_of(input), dims_of(target)
    same = scores is not None and labels is not None and len(scores) == len(labels)
    if not is_integral(target) and (same or (dtype_of(target) is not None and (labels is None or scores is None))):
        return _soft(input, target, kind)
    wants_labels(target)
    return _classified("softmax_cross_entropy_loss", input, target, weight, ignore_index, kind)


def wants_labels(target: TensorValue) -> None:
    known = dtype_of(target)
    small = known is dtypes.u8 and rank_of(target) in (None, 0, 1)
    demand(small or known in (None, dtypes.i64), f"labels must be of i64, but are of {known}", "dtype-differs")


def _classified(
    op: str, scores: TensorValue, target: TensorValue, weight: TensorValue | None, ignore: Any, reduction: str
) -> Tensor:
    if dtype_of(target) is dtypes.u8:
        target = made("cast", target, to=dtypes.i64)
    attributes = {"ignore_index": ignore if isinstance(ignore, int) else -100, "reduction": reduction}
    if rank_of(scores) == 1:
        demand(rank_of(target) in (None, 0), "scores of one example need one label", "rank-differs")
        scores = made("unsqueeze", scores, (0,))
        target = made("reshape", target, (1,))
        found = made(op, scores, target, weight, **attributes)
        return made("reshape", found, ()) if reduction == "none" else found
    demand(rank_of(scores) != 0, "scores need at least 1 dim", "rank-differs")
    given, wanted = dims_of(scores), None if weight is None else dims_of(weight)
    if given is not None and wanted is not None and len(given) > 1:
        demand_same(wanted, given[1:2], "there is one weight per class, dim 1 of the scores")
    return made(op, scores, target, weight, **attributes)


def _soft(scores: TensorValue, target: TensorValue, reduction: str) -> Tensor:
    """-sum(target * log_softmax(scores)) over classes, for targets that are probabilities."""
    left, right = dims_of(scores), dims_of(target)
    if left is not None and right is not None:
        fits = len(left) == len(right) and not any(equal(a, b) is False for a, b in zip(left, right, strict=True))
        demand(fits, f"probabilities {right} must have the shape of the scores {left}", "dims-differ")
    axis = 0 if rank_of(scores) == 1 else 1
    product = combined("mul", made("log_softmax", scores, axis=axis), target)
    each = made("neg", made("reduce_sum", product, (axis,), keepdims=0))
    return reduced(each, reduction)


@model("torch.nn.functional.nll_loss")
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: Any = -100,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    wants_floats(input, "nll_loss")
    wants_labels(target)
    kind = how(reduction, reduce, size_average)
    return _classified("negative_log_likelihood_loss", input, target, weight, ignore_index, kind)


def _elementwise(
    op: str, x: TensorValue, target: TensorValue, reduction: str, weight: TensorValue | None = None, **figures: Any
) -> Tensor:
    common = common_dtype(x, target, Framework.TORCH)
    x, target = cast(x, common), cast(target, common)
    left, right = dims_of(x), dims_of(target)
    if left is not None and right is not None and left != right:
        both = ranked_dims(combined("add", x, target))
        x, target = made("broadcast_to", x, both), made("broadcast_to", target, both)
    return made(op, x, target, *(() if weight is None else (weight,)), reduction=reduction, **figures)


@model("torch.nn.functional.mse_loss")
def mse_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    kind = how(reduction, reduce, size_average)
    if kind == "mean":
        demand(not (is_integral(input) and is_integral(target)), "mse_loss needs floats", "dtype-differs")
    return _elementwise("mse_loss", input, target, kind)


@model("torch.nn.functional.l1_loss")
def l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    kind = how(reduction, reduce, size_average)
    if kind == "mean":
        demand(not (is_integral(input) and is_integral(target)), "l1_loss needs floats", "dtype-differs")
    return _elementwise("l1_loss", input, target, kind)


@model("torch.nn.functional.smooth_l1_loss")
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    beta: Number = 1.0,
) -> Tensor:  # fmt: skip
    figure = float(beta) if isinstance(beta, int | float) else 1.0
    return _elementwise("smooth_l1_loss", input, target, how(reduction, reduce, size_average), beta=figure)


@model("torch.nn.functional.huber_loss")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: Number = 1.0, weight: Tensor | None = None
) -> Tensor:
    figure = float(delta) if isinstance(delta, int | float) else 1.0
    same = cast(target, dtype_of(input)) if not is_integral(input) else target
    return _elementwise("huber_loss", input, same, how(reduction), delta=figure)


@model("torch.nn.functional.kl_div")
def kl_div(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:  # fmt: skip
    kind = "sum" if reduction == "batchmean" else how(reduction, reduce, size_average)
    found = _elementwise("kl_div", input, target, kind, log_target=log_target)
    dims = dims_of(input)
    if reduction == "batchmean" and dims and isinstance(dims[0], int) and dims[0]:
        return combined("div", found, dims[0])
    return found


def _same_shape(what: str, x: TensorValue, target: TensorValue) -> None:
    left, right = dims_of(x), dims_of(target)
    if left is not None and right is not None:
        fits = len(left) == len(right) and not any(equal(a, b) is False for a, b in zip(left, right, strict=True))
        demand(fits, f"{what} needs a target of the shape {left}, but gets {right}", "dims-differ")


@model("torch.nn.functional.binary_cross_entropy")
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    _same_shape("binary_cross_entropy", input, target)
    same_types("binary_cross_entropy", input, target)
    return made("binary_cross_entropy", input, cast(target, dtype_of(input)), *([] if weight is None else [weight]),
        reduction=how(reduction, reduce, size_average))  # fmt: skip


@model("torch.nn.functional.binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """With p as weight of the positive class: (1 - t) * x + (1 + (p - 1) * t) * softplus(-x)."""
    _same_shape("binary_cross_entropy_with_logits", input, target)
    whole = is_integral(target) and not is_integral(input)
    demand(not whole, f"targets must be floats, but are of {dtype_of(target)}", "dtype-differs")
    kind = how(reduction, reduce, size_average)
    x, t = input, cast(target, dtype_of(combined("sub", input, target)))
    if pos_weight is None:
        wants_floats(target, "binary_cross_entropy_with_logits")
        return made("binary_cross_entropy_with_logits", x, t, *([] if weight is None else [weight]), reduction=kind)
    factor = combined("add", combined("mul", combined("sub", pos_weight, 1), t), 1)
    tail = combined("mul", factor, made("softplus", made("neg", x)))
    loss = combined("add", combined("mul", combined("sub", 1, t), x), tail)
    return reduced(loss if weight is None else combined("mul", loss, weight), kind)


@model("torch.nn.functional.soft_margin_loss")
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    _same_shape("soft_margin_loss", input, target)
    loss = made("softplus", made("neg", combined("mul", input, target)))
    return reduced(loss, how(reduction, reduce, size_average))


@model("torch.nn.functional.hinge_embedding_loss")
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: Number = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    return _unnamed("hinge_embedding_loss", combined("max", input, target), how(reduction, reduce, size_average))


def _unnamed(name: str, each: Tensor, reduction: str) -> Tensor:
    """A loss that has no operator here, of the shape of its terms or reduced to one number."""
    known = tensor_of(each)
    return opaque(name, [each], Type(known.dtype, known.shape if reduction == "none" else ()), Tensor)


@model("torch.nn.functional.margin_ranking_loss")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: Number = 0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    gap = combined("mul", made("neg", target), combined("sub", input1, input2))
    return reduced(made("relu", combined("add", gap, margin)), how(reduction, reduce, size_average))


@model("torch.nn.functional.cosine_embedding_loss")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: Number = 0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    similarity = cosine_similarity(input1, input2, 1 if rank_of(input1) != 1 else 0)
    wanted = {None: None, 1: 0, 2: 1}.get(rank_of(input1))
    if wanted is not None and rank_of(target) is not None:
        fits = rank_of(target) == wanted
        demand(fits, f"cosine_embedding_loss of such inputs needs a target of {wanted} dims", "rank-differs")
    each = combined("max", similarity, target)
    return _unnamed("cosine_embedding_loss", each, how(reduction, reduce, size_average))


@model("torch.nn.functional.triplet_margin_loss")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: Number = 1.0, p: Number = 2, eps: Number = 1e-6,
    swap: bool = False, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    gap = combined("sub", pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps))
    return reduced(made("relu", combined("add", gap, margin)), how(reduction, reduce, size_average))


@model("torch.nn.functional.triplet_margin_with_distance_loss")
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: Number = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    return triplet_margin_loss(anchor, positive, negative, margin, reduction=reduction)


@model("torch.nn.functional.multi_margin_loss", "torch.nn.functional.multilabel_margin_loss")
def multi_margin_loss(
    input: Tensor, target: Tensor, p: Any = 1, margin: Number = 1.0, weight: Tensor | None = None,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    kind = how(reduction, reduce, size_average)
    dims = ranked_dims(input)
    shape = dims[:-1] if kind == "none" else ()
    return opaque("multi_margin_loss", [input, target], Type(dtype_of(input), shape), Tensor)


@model("torch.nn.functional.multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    _same_shape("multilabel_soft_margin_loss", input, target)
    each = made("reduce_max", combined("max", input, target), (-1,), keepdims=0)
    return _unnamed("multilabel_soft_margin_loss", each, how(reduction, reduce, size_average))


@model("torch.nn.functional.poisson_nll_loss")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: Any = None,
    eps: Number = 1e-8, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    if log_input:
        loss = combined("sub", made("exp", input), combined("mul", target, input))
    else:
        loss = combined("sub", input, combined("mul", target, made("log", combined("add", input, eps))))
    return reduced(loss, how(reduction, reduce, size_average))


@model("torch.nn.functional.gaussian_nll_loss")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: Number = 1e-6, reduction: str = "mean"
) -> Tensor:
    each = combined("max", combined("max", input, target), var)
    return _unnamed("gaussian_nll_loss", each, how(reduction))


@model("torch.nn.functional.ctc_loss")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: Any = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    kind = how(reduction)
    dims = dims_of(log_probs)
    if dims is not None:
        demand(len(dims) in (2, 3), "log_probs are [steps, batch, classes] or [steps, classes]", "rank-differs")
    if dims is not None and len(dims) == 3:
        for what, lengths in (("input", input_lengths), ("target", target_lengths)):
            _one_each(what, lengths, dims[1])
        labels = dims_of(targets)
        if labels is not None and len(labels) == 2:
            demand_equal(
                labels[0], dims[1], "there is a row of targets for each member of the batch, dim 1 of log_probs"
            )
    shape = () if kind != "none" or dims is None else dims[1:2]
    return opaque("ctc_loss", [log_probs, targets], Type(dtype_of(log_probs), shape), Tensor)


def _one_each(what: str, lengths: Any, batch: Dim) -> None:
    """The lengths of ctc_loss must be one for each member of the batch."""
    items = lengths.items if isinstance(lengths, ListValue) else lengths
    found = (dims_of(items) or ()) if isinstance(items, TensorValue) else ()
    count: Dim | None = len(items) if isinstance(items, tuple) else found[0] if len(found) == 1 else None
    if count is not None:
        demand_equal(count, batch, f"there is one {what} length for each member of the batch, dim 1 of log_probs")
