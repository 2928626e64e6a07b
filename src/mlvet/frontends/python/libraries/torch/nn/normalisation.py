"""Normalising layers."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import store
from mlvet.frontends.python.emission import demand, demand_divisible
from mlvet.frontends.python.libraries.binding import Number, Size, SizeOrSizes, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.convolutions import SPACE
from mlvet.frontends.python.libraries.torch.nn.expectations import expected
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import ONES, ZEROS, buffer, parameter
from mlvet.frontends.python.values.tensors import dims_of, rank_of


@model("torch.nn.modules.batchnorm._NormBase")
class ChannelNorm(Module):
    """What batch and instance norms share: `ranks` are the numbers of dims that they take."""

    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (4,)

    def _prepare(
        self, num_features: Any, eps: Any, momentum: Any, affine: bool, track: bool, dtype: DType | None, bias: bool
    ) -> None:
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track
        name = type(self).__name__
        self.weight = parameter(f"{name}.weight", (num_features,), dtype, ONES) if affine else None
        self.bias = parameter(f"{name}.bias", (num_features,), dtype, ZEROS) if affine and bias else None
        self.running_mean = buffer(f"{name}.running_mean", (num_features,), dtype, ZEROS) if track else None
        self.running_var = buffer(f"{name}.running_var", (num_features,), dtype, ONES) if track else None
        self.num_batches_tracked = buffer(f"{name}.num_batches_tracked", (), dtypes.i64, ZEROS) if track else None

    def _ranked(self, input: Tensor) -> Tensor:
        if min(self.ranks) > 2:
            space = SPACE[5 - max(self.ranks) :]
            input = expected(input, "batch", self.cells.get("num_features", "channels"), *space)
        rank = rank_of(input)
        wanted = " or ".join(map(str, self.ranks))
        demand(
            rank is None or rank in self.ranks,
            f"{type(self).__name__} takes {wanted} dims, but got {rank}",
            "rank-differs",
        )
        return input

    def reset_parameters(self) -> None:
        pass

    def reset_running_stats(self) -> None:
        pass


@model("torch.nn.modules.batchnorm._BatchNorm")
class BatchNorm(ChannelNorm):
    __slots__ = ()

    def __init__(
        self, num_features: Size, eps: Number = 1e-5, momentum: Number | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: DType | None = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def changes_in_training(self) -> bool:
        return self.cells.get("track_running_stats") is True

    def forward(self, input: Tensor) -> Tensor:
        input = self._ranked(input)
        momentum = self.momentum if isinstance(self.momentum, int | float) else 0.1
        statistics = self.training if self.track_running_stats else True
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, statistics is not False, momentum,
            self.eps,
        )  # fmt: skip


@model("torch.nn.modules.instancenorm._InstanceNorm")
class InstanceNorm(ChannelNorm):
    __slots__ = ()

    def __init__(
        self, num_features: Size, eps: Number = 1e-5, momentum: Number = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: DType | None = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        input = self._ranked(input)
        statistics = self.training is not False or not self.track_running_stats
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, statistics, self.momentum, self.eps
        )


@model("torch.nn.BatchNorm1d")
class BatchNorm1d(BatchNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (2, 3)


@model("torch.nn.BatchNorm2d")
class BatchNorm2d(BatchNorm):
    __slots__ = ()


@model("torch.nn.BatchNorm3d")
class BatchNorm3d(BatchNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (5,)


@model("torch.nn.SyncBatchNorm")
class SyncBatchNorm(BatchNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)

    def __init__(
        self, num_features: Size, eps: Number = 1e-5, momentum: Number | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: DType | None = None,
        *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _ranked(self, input: Tensor) -> Tensor:
        return input

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        return module


@model("torch.nn.InstanceNorm1d")
class InstanceNorm1d(InstanceNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (2, 3)


@model("torch.nn.InstanceNorm2d")
class InstanceNorm2d(InstanceNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (3, 4)


@model("torch.nn.InstanceNorm3d")
class InstanceNorm3d(InstanceNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (4, 5)


class LazyBatchNorm(BatchNorm):
    """A batch norm of as many channels as it is given first."""

    __slots__ = ()

    def __init__(
        self, eps: Number = 1e-5, momentum: Number | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: DType | None = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        store(self.cells, "@settings", (eps, momentum, affine, track_running_stats, dtype, bias))

    def forward(self, input: Tensor) -> Tensor:
        input = self._ranked(input)
        given = dims_of(input) or ()
        if "weight" not in self.cells and len(given) > 1:
            self._prepare(given[1], *self.cells["@settings"])
        return super().forward(input)


@model("torch.nn.LazyBatchNorm1d")
class LazyBatchNorm1d(LazyBatchNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (2, 3)


@model("torch.nn.LazyBatchNorm2d")
class LazyBatchNorm2d(LazyBatchNorm):
    __slots__ = ()


@model("torch.nn.LazyBatchNorm3d")
class LazyBatchNorm3d(LazyBatchNorm):
    __slots__ = ()
    ranks: ClassVar[tuple[int, ...]] = (5,)


@model("torch.nn.LayerNorm")
class LayerNorm(Module):
    __slots__ = ()

    def __init__(
        self, normalized_shape: SizeOrSizes, eps: Number = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = normalized_shape if isinstance(normalized_shape, tuple) else (normalized_shape,)
        self.normalized_shape, self.eps, self.elementwise_affine = sizes, eps, elementwise_affine
        self.weight = parameter("LayerNorm.weight", sizes, dtype, ONES) if elementwise_affine else None
        self.bias = parameter("LayerNorm.bias", sizes, dtype, ZEROS) if elementwise_affine and bias else None

    def reset_parameters(self) -> None:
        pass

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@model("torch.nn.RMSNorm")
class RMSNorm(Module):
    __slots__ = ()

    def __init__(
        self, normalized_shape: SizeOrSizes, eps: Number | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = normalized_shape if isinstance(normalized_shape, tuple) else (normalized_shape,)
        self.normalized_shape, self.eps, self.elementwise_affine = sizes, eps, elementwise_affine
        self.weight = parameter("RMSNorm.weight", sizes, dtype, ONES) if elementwise_affine else None

    def reset_parameters(self) -> None:
        pass

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


@model("torch.nn.GroupNorm")
class GroupNorm(Module):
    __slots__ = ()

    def __init__(
        self, num_groups: Size, num_channels: Size, eps: Number = 1e-5, affine: bool = True, device: Any = None,
        dtype: DType | None = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        demand_divisible(num_channels, num_groups, f"{num_channels} channels fall into {num_groups} groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.weight = parameter("GroupNorm.weight", (num_channels,), dtype, ONES) if affine else None
        self.bias = parameter("GroupNorm.bias", (num_channels,), dtype, ZEROS) if affine and bias else None

    def reset_parameters(self) -> None:
        pass

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


@model("torch.nn.LocalResponseNorm", "torch.nn.CrossMapLRN2d")
class LocalResponseNorm(Module):
    __slots__ = ()

    def __init__(self, size: Size, alpha: Number = 1e-4, beta: Number = 0.75, k: Number = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)
