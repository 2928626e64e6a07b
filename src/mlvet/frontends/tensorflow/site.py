"""One step being turned into canonical operators: its operands, attributes, and ways to add nodes for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.core.location import Location
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import SMALL, Tensor
from mlvet.frontends.tensorflow.attributes import Attributes
from mlvet.frontends.tensorflow.flow import Step
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Data, Frame, Node, Region, Value


@dataclass(slots=True)
class Site:
    """Where a step is being emitted. `known` maps values to the constants that they are.

    `written` says whether anything in the graph writes variables.
    """

    builder: Builder
    step: Step
    inputs: list[Value]
    attributes: Attributes
    declared: list[Tensor]
    known: dict[Value, Data]
    path: str
    stack: tuple[Frame, ...] = ()
    control: tuple[Node, ...] = ()
    written: bool = True
    nodes: list[Node] = field(default_factory=list)

    @property
    def location(self) -> Location:
        return Location(self.path, node=self.step.name)

    def emit(
        self,
        op: str,
        inputs: Sequence[Value | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
        *,
        regions: Sequence[Region] = (),
        outputs: int | None = None,
    ) -> list[Value]:
        """Add the node that yields the results of the step, with what the file declares of them."""
        name = self.step.name
        count = len(self.declared) if outputs is None else outputs
        values = []
        for index in range(count):
            wanted = name if index == 0 else f"{name}:{index}"
            values.append(self.builder.value(wanted, self.declared[index] if index < len(self.declared) else None))
        self._add(op, self.inputs if inputs is None else inputs, values, attributes or {}, name, regions)
        return values

    def extra(self, op: str, *inputs: Value | None, **attributes: Any) -> Value:
        """Add a node of one result on the way, which the file does not have."""
        value = self.builder.value(f"{self.step.name}/{op}")
        self._add(op, inputs, [value], attributes, f"{self.step.name}/{op}", ())
        return value

    def opaque(self) -> list[Value]:
        """Add the step as an operator that no table knows."""
        return self.emit(OPAQUE)

    def add(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[Value],
        attributes: Mapping[str, Any],
    ) -> None:
        """Add a node with values of the caller's making."""
        self._add(op, inputs, outputs, attributes, f"{self.step.name}/{op}", ())

    def narrowed(self, value: Value, dtype: DType | None) -> list[Value]:
        """The value in a narrower element type, as the second result of the step."""
        result = self.builder.value(f"{self.step.name}:1", self.declared[1] if len(self.declared) > 1 else None)
        self._add("cast", [value], [result], {"to": dtype}, f"{self.step.name}/cast", ())
        return [result]

    def _add(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[Value],
        attributes: Mapping[str, Any],
        name: str,
        regions: Sequence[Region],
    ) -> None:
        node = self.builder.node(
            op,
            inputs,
            outputs,
            attributes,
            name=name,
            regions=regions,
            source_op=self.step.op,
            location=self.location,
            stack=self.stack,
            module=self.step.name.rpartition("/")[0],
            device=self.step.device,
            control=self.control,
        )
        self.nodes.append(node)

    def constant(self, data: NDArray[Any] | Sequence[int] | int | float, name: str = "constant") -> Value:
        """A constant that the file does not have; ints become i64."""
        value = self.builder.constant(f"{self.step.name}/{name}", data)
        array = np.asarray(data)
        dtype = value.declared.dtype
        assert dtype is not None
        self.known[value] = Data(dtype, array.shape, lambda: array)
        return value

    def array(self, value: Value | None) -> NDArray[Any] | None:
        """The elements of a small constant operand."""
        data = self.known.get(value) if value is not None else None
        return np.asarray(data.load()) if data is not None and data.size <= SMALL else None

    def ints(self, value: Value | None) -> tuple[int, ...] | None:
        """The elements of a small constant operand of integers, in one row."""
        array = self.array(value)
        return tuple(int(item) for item in array.ravel()) if array is not None and array.dtype.kind in "iu" else None

    def number(self, value: Value | None) -> Any:
        """The one element of a constant operand of integers, or None."""
        numbers = self.ints(value)
        return numbers[0] if numbers is not None and len(numbers) == 1 else None

    def input(self, index: Any) -> Value | None:
        """An operand, None where there are not so many."""
        return self.inputs[index] if -len(self.inputs) <= index < len(self.inputs) else None

    def rank(self, value: Value | None) -> Any:
        """The declared number of dims of an operand, or None."""
        return value.declared.rank if value is not None and value.declared.ranked else None

    def rank_of_result(self) -> Any:
        """The declared number of dims of the first result, or None."""
        return self.declared[0].rank if self.declared and self.declared[0].ranked else None

    def dtype(self, index: Any = 0) -> DType | None:
        """The declared element type of a result."""
        return self.declared[index].dtype if index < len(self.declared) else None


Lowering: TypeAlias = Callable[[Site], "Sequence[Value] | None"]
"""Adds nodes for a step and returns its results; None if this application has no canonical form."""
