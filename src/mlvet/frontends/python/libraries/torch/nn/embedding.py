"""Layers that look rows up in a table."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import store
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import Parameter, normal, parameter
from mlvet.frontends.python.values.tensors import TensorValue, dims_of


class Table(Module):
    """A weight of one row per index."""

    __slots__ = ()

    def reset_parameters(self) -> None:
        pass

    def _table(self, rows: Any, width: Any, weight: Any, dtype: DType | None) -> None:
        self.num_embeddings, self.embedding_dim = rows, width
        name = f"{type(self).__name__}.weight"
        made = parameter(name, (rows, width), dtype, normal(0.0, 1.0)) if weight is None else _as_parameter(weight)
        self.weight = made


@model("torch.nn.Embedding")
class Embedding(Table):
    __slots__ = ()

    def __init__(
        self, num_embeddings: Size, embedding_dim: Size, padding_idx: Size | None = None,
        max_norm: Number | None = None, norm_type: Number = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
        _weight: Tensor | None = None, _freeze: bool = False, device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.padding_idx, self.max_norm = padding_idx, max_norm
        if isinstance(padding_idx, int) and isinstance(num_embeddings, int):
            inside = -num_embeddings <= padding_idx < num_embeddings
            demand(inside, f"padding_idx {padding_idx} is not among {num_embeddings} embeddings", "size-out-of-range")
        self._table(num_embeddings, embedding_dim, _weight, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: Size | None = None, max_norm: Number | None = None,
        norm_type: Number = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Any:  # fmt: skip
        made = cls(*_extent(embeddings), padding_idx, max_norm, _weight=embeddings)
        store(made.weight.cells, "requires_grad", not freeze)
        return made


@model("torch.nn.EmbeddingBag")
class EmbeddingBag(Table):
    __slots__ = ()

    def __init__(
        self, num_embeddings: Size, embedding_dim: Size, max_norm: Number | None = None, norm_type: Number = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None,
        include_last_offset: bool = False, padding_idx: Size | None = None, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode, self.include_last_offset, self.padding_idx = mode, include_last_offset, padding_idx
        self._table(num_embeddings, embedding_dim, _weight, dtype)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input, self.weight, offsets, mode=self.mode, per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset, padding_idx=self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: Number | None = None, norm_type: Number = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: Size | None = None,
    ) -> Any:  # fmt: skip
        made = cls(*_extent(embeddings), mode=mode, _weight=embeddings, include_last_offset=include_last_offset)
        store(made.weight.cells, "requires_grad", not freeze)
        return made


def _extent(embeddings: TensorValue) -> tuple[Any, Any]:
    from mlvet.frontends.python.arrays.operators import assumed

    dims = dims_of(assumed(embeddings, 2, "vocabulary", "features")) or ()
    rows, width = dims if len(dims) == 2 else (1, 1)
    return rows, width


def _as_parameter(weight: TensorValue) -> Any:
    return weight if isinstance(weight, Parameter) else Parameter(weight)
