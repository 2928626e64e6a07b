"""One operator of a TFLite file being turned into canonical ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains.dtypes import DType
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value

_ACTIVATIONS = {0: "", 1: "relu", 3: "relu6", 4: "tanh"}


@dataclass(frozen=True, slots=True)
class Call:
    """An operator with its operands. `options` holds what the file says of it, `known` the elements of constants."""

    kind: str
    builder: Builder
    inputs: tuple[Value | None, ...]
    options: Any
    known: dict[Value, NDArray[Any]]
    ranks: dict[Value, int]
    types: tuple[DType, ...]

    def add(self, op: str, *inputs: Value | None, **attributes: Any) -> Value:
        return self.builder.add(op, *inputs, **attributes)

    def input(self, index: int) -> Value:
        """An operand that has to be there."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise UnsupportedInput(f"{self.kind} without its operand {index}")
        return value

    def optional(self, index: int) -> Value | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def option(self, name: str, default: Any = 0) -> Any:
        return getattr(self.options, name, default)

    def constant(self, array: Sequence[int] | int | float | NDArray[Any]) -> Value:
        value = self.builder.constant(f"{self.kind}/constant", array)
        self.known[value] = np.asarray(array)
        return value

    def ints(self, index: int) -> tuple[int, ...]:
        """The elements of an operand that is constant, in one row."""
        array = self.known.get(self.input(index))
        if array is None:
            raise UnsupportedInput(f"{self.kind} with an operand {index} that is computed")
        return tuple(int(each) for each in array.ravel())

    def rank(self, index: int) -> int:
        return self.ranks[self.input(index)]

    def activated(self, value: Value) -> Value:
        """The value behind the activation that the operator ends with."""
        number = self.option("fusedActivationFunction")
        if number == 2:
            return self.add("max", self.add("min", value, self.constant(1.0)), self.constant(-1.0))
        if number not in _ACTIVATIONS:
            raise UnsupportedInput(f"{self.kind} with the activation {number}")
        return self.add(_ACTIVATIONS[number], value) if number else value


Lowering: TypeAlias = Callable[[Call], Value | Sequence[Value]]
"""Adds nodes for an operator and returns its results."""
