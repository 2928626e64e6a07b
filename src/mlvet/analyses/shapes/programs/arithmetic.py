"""Where a size comes from: 9216 is 64*12*12 because a tensor of these sizes was flattened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from mlvet.domains.dims import Dim
from mlvet.ir.graph import Node, Value
from mlvet.ir.program import Demand

_MOST = 30
"""The most nodes that are followed back."""
_FLATTENING = frozenset(("flatten", "reshape"))


class Arithmetic:
    """The products that tensors of one program were flattened to."""

    def __init__(self, makers: Mapping[Value, Node]) -> None:
        self._makers = makers

    def of(self, demand: Demand, size: Dim) -> str:
        """The product that a size of the operands is, as the program's tensors have it; empty if it is none."""
        if not isinstance(size, int):
            return ""
        for value in demand.node.inputs:
            if value is not None and (found := self._product(value, size)):
                return found
        return ""

    def _product(self, value: Value, size: int) -> str:
        for _ in range(_MOST):
            node = self._makers.get(value)
            if node is None or not node.inputs or node.inputs[0] is None:
                return ""
            before = node.inputs[0]
            if not before.declared.ranked or not value.declared.ranked:
                return ""
            if node.op in _FLATTENING:
                return _factors(before.declared.dims, size)
            if before.declared.dims != value.declared.dims:
                return ""
            value = before
        return ""


def _factors(dims: Sequence[Dim], size: int) -> str:
    """Neighbouring sizes whose product is a size, written as a product."""
    for start in range(len(dims)):
        for end in range(len(dims), start + 1, -1):
            part = [dim for dim in dims[start:end] if isinstance(dim, int)]
            if len(part) == end - start and prod(part) == size and sum(dim != 1 for dim in part) > 1:
                return "*".join(map(str, part))
    return ""
