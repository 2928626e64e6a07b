"""A node of an ONNX file with its names resolved, and the words that rewriting it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlvet.core.location import Location
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Region, Value


@dataclass(frozen=True, slots=True)
class Source:
    """A node as the file has it. `declared` holds what the file says of values, by name."""

    name: str
    domain: str
    op_type: str
    opset: int
    operands: tuple[Value | None, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    regions: Mapping[str, Region] = field(default_factory=dict)
    declared: Mapping[str, Tensor] = field(default_factory=dict)
    location: Location | None = None
    is_call: bool = False
    source_op: str = ""

    def operand(self, index: int) -> Value | None:
        """An operand, or None where it is left out or the list is too short."""
        return self.operands[index] if index < len(self.operands) else None

    def without(self, *names: str) -> Source:
        """The node without some attributes."""
        return replace(self, attributes={name: v for name, v in self.attributes.items() if name not in names})

    def having(self, **attributes: Any) -> Source:
        """The node with some attributes more, or changed."""
        return replace(self, attributes={**self.attributes, **attributes})

    def taking(self, *operands: Value | None) -> Source:
        """The node with other operands."""
        return replace(self, operands=operands)

    def as_op(self, op_type: str, domain: str = "") -> Source:
        """The node as another operator."""
        return replace(self, op_type=op_type, domain=domain)

    def step(self, builder: Builder, op: str, *operands: Value | None, **attributes: Any) -> Value:
        """Add a canonical operator that computes a part of this node."""
        value = builder.value(f"{self.name}.{op}")
        self.add(builder, op, operands, [value], attributes, name=f"{self.name}.{op}")
        return value

    def results(self, builder: Builder, op: str, *operands: Value | None, **attributes: Any) -> Sequence[Value]:
        """Add the canonical operator that yields the results of this node, and return them."""
        return self.add(builder, op, operands, self.values(builder), attributes)

    def opaque(self, builder: Builder) -> Sequence[Value]:
        """Results of which nothing but what the file declares is known."""
        return self.add(builder, OPAQUE, self.operands, self.values(builder), {}, regions=tuple(self.regions.values()))

    def values(self, builder: Builder) -> list[Value]:
        """New values for the results, with what the file says of them."""
        return [self.result(builder, name) for name in self.outputs]

    def result(self, builder: Builder, name: str) -> Value:
        """A new value for one result; one that the file leaves unnamed is named after the node."""
        return builder.value(name or f"{self.name}.unused", self.declared.get(name))

    def add(
        self,
        builder: Builder,
        op: str,
        operands: Sequence[Value | None],
        outputs: Sequence[Value],
        attributes: Mapping[str, Any],
        *,
        name: str = "",
        regions: Sequence[Region] = (),
    ) -> Sequence[Value]:
        """Add a canonical operator in the name of this node."""
        builder.node(
            op,
            operands,
            outputs,
            attributes,
            name=name or self.name,
            regions=regions,
            source_op=self.source_op,
            location=self.location,
        )
        return outputs

    def constant(self, builder: Builder, name: str, data: Any) -> Value:
        """A constant that belongs to this node; ints become i64, floats f32."""
        return builder.constant(f"{self.name}.{name}", data)

    def number_like(self, builder: Builder, name: str, number: float, other: Value) -> Value:
        """A single number in the element type of another value."""
        dtype = other.declared.dtype
        if dtype is not None:
            return self.constant(builder, name, np.asarray(number).astype(dtype.numpy))
        return self.step(builder, "cast_like", self.constant(builder, name, float(number)), other)
