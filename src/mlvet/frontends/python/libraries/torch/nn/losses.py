"""Losses and distances as layers."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.values.tensors import TensorValue


@model("torch.nn.modules.loss._Loss", "torch.nn.modules.loss._WeightedLoss")
class Loss(Module):
    """What all losses are. Their tensors are buffers."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, TensorValue):
            self.register_buffer(name, value)
        else:
            super().__setattr__(name, value)


@model("torch.nn.L1Loss")
class L1Loss(Loss):
    __slots__ = ()

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


@model("torch.nn.MSELoss")
class MSELoss(Loss):
    __slots__ = ()

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


@model("torch.nn.SmoothL1Loss")
class SmoothL1Loss(Loss):
    __slots__ = ()

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: Number = 1.0
    ) -> None:
        super().__init__()
        self.reduction, self.beta = reduction, beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


@model("torch.nn.HuberLoss")
class HuberLoss(Loss):
    __slots__ = ()

    def __init__(self, reduction: str = "mean", delta: Number = 1.0) -> None:
        super().__init__()
        self.reduction, self.delta = reduction, delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


@model("torch.nn.CrossEntropyLoss")
class CrossEntropyLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: Size = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: Number = 0.0,
    ) -> None:
        super().__init__()
        self.weight, self.ignore_index, self.reduction, self.label_smoothing = (
            weight,
            ignore_index,
            reduction,
            label_smoothing,
        )

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


@model("torch.nn.NLLLoss", "torch.nn.NLLLoss2d")
class NLLLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: Size = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


@model("torch.nn.BCELoss")
class BCELoss(Loss):
    __slots__ = ()

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.weight, self.reduction = weight, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


@model("torch.nn.BCEWithLogitsLoss")
class BCEWithLogitsLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.weight, self.reduction, self.pos_weight = weight, reduction, pos_weight

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


@model("torch.nn.KLDivLoss")
class KLDivLoss(Loss):
    __slots__ = ()

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


@model("torch.nn.PoissonNLLLoss")
class PoissonNLLLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: Number = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.log_input, self.full, self.eps, self.reduction = log_input, full, eps, reduction

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


@model("torch.nn.GaussianNLLLoss")
class GaussianNLLLoss(Loss):
    __slots__ = ()

    def __init__(self, *, full: bool = False, eps: Number = 1e-6, reduction: str = "mean") -> None:
        super().__init__()
        self.full, self.eps, self.reduction = full, eps, reduction

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


@model("torch.nn.SoftMarginLoss")
class SoftMarginLoss(Loss):
    __slots__ = ()

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


@model("torch.nn.HingeEmbeddingLoss")
class HingeEmbeddingLoss(Loss):
    __slots__ = ()

    def __init__(
        self, margin: Number = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.margin, self.reduction = margin, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


@model("torch.nn.MultiLabelMarginLoss")
class MultiLabelMarginLoss(Loss):
    __slots__ = ()

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


@model("torch.nn.MultiLabelSoftMarginLoss")
class MultiLabelSoftMarginLoss(Loss):
    __slots__ = ()

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.weight, self.reduction = weight, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


@model("torch.nn.MultiMarginLoss")
class MultiMarginLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        p: Size = 1,
        margin: Number = 1.0,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.p, self.margin, self.weight, self.reduction = p, margin, weight, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


@model("torch.nn.CosineEmbeddingLoss")
class CosineEmbeddingLoss(Loss):
    __slots__ = ()

    def __init__(
        self, margin: Number = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.margin, self.reduction = margin, reduction

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


@model("torch.nn.MarginRankingLoss")
class MarginRankingLoss(Loss):
    __slots__ = ()

    def __init__(
        self, margin: Number = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.margin, self.reduction = margin, reduction

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


@model("torch.nn.TripletMarginLoss")
class TripletMarginLoss(Loss):
    __slots__ = ()

    def __init__(
        self,
        margin: Number = 1.0,
        p: Number = 2.0,
        eps: Number = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.margin, self.p, self.eps, self.swap, self.reduction = margin, p, eps, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


@model("torch.nn.TripletMarginWithDistanceLoss")
class TripletMarginWithDistanceLoss(Loss):
    __slots__ = ()

    def __init__(
        self, *, distance_function: Any = None, margin: Number = 1.0, swap: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.distance_function, self.margin, self.swap, self.reduction = distance_function, margin, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


@model("torch.nn.CTCLoss")
class CTCLoss(Loss):
    __slots__ = ()

    def __init__(self, blank: Size = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


@model("torch.nn.CosineSimilarity")
class CosineSimilarity(Module):
    __slots__ = ()

    def __init__(self, dim: Size = 1, eps: Number = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


@model("torch.nn.PairwiseDistance")
class PairwiseDistance(Module):
    __slots__ = ()

    def __init__(self, p: Number = 2.0, eps: Number = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.p, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
