"""A tensor of the program: a value of the graph in an object that methods can be called on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mlvet.domains.dtypes import DType
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Dims, Tensor, Unranked
from mlvet.frontends.python.values.objects import Object
from mlvet.ir.graph import Value


class TensorValue(Object):
    """A tensor of any library. Each library has a subclass whose methods are those of its own tensors.

    In-place operators put another graph value into the cell `@value`.
    """

    __slots__ = ()
    framework: ClassVar[Framework] = Framework.NUMPY
    dotted: ClassVar[str] = "tensor"

    @classmethod
    def of(cls, value: Value, **cells: Any) -> TensorValue:
        """The tensor that a value of the graph is; `cells` are attributes such as requires_grad."""
        self = cls.__new__(cls)
        object.__getattribute__(self, "cells").update(cells)
        self.cells["@value"] = value
        assert isinstance(self, TensorValue)
        return self

    @classmethod
    def made_of(cls, op: str, operands: Sequence[Any], results: Sequence[TensorValue]) -> None:
        """What a library knows of the results of an operator beside their types; nothing unless it says so."""

    @property
    def graph_value(self) -> Value:
        value: Value = self.cells["@value"]
        return value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.graph_value.declared}>"


def tensor_of(x: TensorValue) -> Tensor:
    found: Tensor = x.cells["@value"].declared
    return found


def dtype_of(x: TensorValue) -> DType | None:
    return tensor_of(x).dtype


def dims_of(x: TensorValue) -> Dims | None:
    """The sizes of a tensor, None if its rank is not known."""
    shape = tensor_of(x).shape
    return None if isinstance(shape, Unranked) else shape


def rank_of(x: TensorValue) -> int | None:
    dims = dims_of(x)
    return None if dims is None else len(dims)
