"""Tables of rules that lower the operators of a framework, and the ways of adding operators that such rules share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from mlvet.core.location import Location
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Frame, Region, Value

R = TypeVar("R")


class Unlowered(Exception):
    """A rule met a form of its operator that it has no canonical form for; the operator stays opaque."""


def registering(rules: dict[str, R]) -> Callable[..., Callable[[R], R]]:
    """A decorator that enters a rule into a table under the names of the operators it lowers, which must be new."""

    def lowers(*names: str) -> Callable[[R], R]:
        def register(rule: R) -> R:
            for name in names:
                if name in rules:
                    raise ValueError(f"{name} is lowered twice")
                rules[name] = rule
            return rule

        return register

    return lowers


@dataclass(frozen=True, slots=True)
class Source:
    """An operator of the program: what the framework calls it, and where it was written."""

    op: str
    location: Location | None
    stack: tuple[Frame, ...]
    module: str


class Emitter(ABC):
    """Adds canonical operators for the operator at hand, after which the values on the way are named."""

    __slots__ = ()
    builder: Builder

    @property
    @abstractmethod
    def name(self) -> str:
        """What the operator at hand is called in names of values."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """Where the operator at hand stands in the program."""

    @abstractmethod
    def out(self, index: int = 0) -> Value:
        """A new value for a result of the operator at hand, with what the program says of it."""

    @abstractmethod
    def dims(self, value: Value) -> Dims:
        """The sizes of a value of known rank."""

    def rank(self, value: Value) -> int:
        return len(self.dims(value))

    def dtype(self, value: Value) -> DType:
        if value.declared.dtype is None:
            raise Unlowered(f"the dtype of {value.name} is not known")
        return value.declared.dtype

    def node(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[Value],
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        """Add an operator for values that are there already."""
        source = self.source
        self.builder.node(
            op, inputs, outputs, attributes, name=self.name, regions=regions, source_op=source.op,
            location=source.location, stack=source.stack, module=source.module,
        )  # fmt: skip

    def result(self, op: str, *inputs: Value | None, index: int = 0, **attributes: Any) -> Value:
        """The operator that yields a result of the operator at hand."""
        output = self.out(index)
        self.node(op, inputs, [output], attributes)
        return output

    def add(self, op: str, *inputs: Value | None, like: Tensor | None = None, **attributes: Any) -> Value:
        """An operator on the way to the result; `like` is what is known of what it yields."""
        output = self.builder.value(f"{self.name}.{op}", like)
        self.node(op, inputs, [output], attributes)
        return output

    def several(self, op: str, count: int, *inputs: Value | None, **attributes: Any) -> list[Value]:
        """An operator on the way that yields several values."""
        outputs = [self.builder.value(f"{self.name}.{op}") for _ in range(count)]
        self.node(op, inputs, outputs, attributes)
        return outputs

    def vector(self, numbers: Sequence[int]) -> Value:
        """A constant list of ints."""
        text = ",".join(map(str, numbers))
        return self.builder.constant(f"{self.name}.[{text}]", np.asarray(numbers, np.int64).reshape(-1))

    def cast(self, value: Value, to: DType | None) -> Value:
        """The value in another element type, itself if it has that already or none is asked for."""
        if to is None or value.declared.dtype is to:
            return value
        return self.add("cast", value, to=to, like=value.declared.with_dtype(to))

    def transposed(self, value: Value, perm: Sequence[int]) -> Value:
        if list(perm) == sorted(perm):
            return value
        like = Tensor(value.declared.dtype, tuple(self.dims(value)[axis] for axis in perm))
        return self.add("transpose", value, perm=tuple(perm), like=like)
