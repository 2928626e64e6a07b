"""Where values of a graph come from and go to, seen through operators that only move or retype elements."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cached_property

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Dims, Unranked
from mlvet.ir.graph import OPAQUE, Graph, Node, Value

MOVES = frozenset((
    "reshape", "squeeze", "unsqueeze", "flatten", "transpose", "cast", "identity", "stop_gradient",
))  # fmt: skip
"""Operators whose result has the elements of their first operand."""
_HANDED_ON = frozenset(("predict", "assumed rank"))
"""Opaque nodes that hand on their operand."""
_WEIGHTS = frozenset(("initial", "params"))
"""Opaque nodes that stand for the weights of a model that keeps them apart from itself."""
PRODUCTS = frozenset(("linear", "matmul", "gemm", "conv", "dot_general", "tensordot"))
_FILLED = frozenset(("constant_of_shape", "ones_like", "zeros_like", "full_like", "fill"))
_MOST = 20_000


class Lineage:
    """The values of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = graph.body.nodes
        self.constants = {constant.value for constant in graph.body.constants}
        self.parameters = {parameter.value: parameter for parameter in graph.parameters}
        self._makers = {value: node for node in self.nodes for value in node.outputs}
        self._trained: dict[Value, bool] = {}

    @cached_property
    def _users(self) -> dict[Value, list[Node]]:
        found: dict[Value, list[Node]] = {}
        for node in self.nodes:
            for value in dict.fromkeys(node.inputs):
                if value is not None:
                    found.setdefault(value, []).append(node)
        return found

    @property
    def used(self) -> Set[Value]:
        """The values that some operator takes."""
        return self._users.keys()

    def maker(self, value: Value) -> Node | None:
        return self._makers.get(value)

    def users(self, value: Value) -> list[Node]:
        return self._users.get(value, [])

    def bare(self, value: Value, through: frozenset[str] = MOVES) -> Value:
        """The value that this one is a moved, retyped or handed on form of."""
        for _ in range(_MOST):
            node = self._makers.get(value)
            if node is None or not node.inputs or node.inputs[0] is None:
                return value
            if node.op not in through and not (node.op == OPAQUE and node.source_op in _HANDED_ON):
                return value
            value = node.inputs[0]
        return value

    def is_weight(self, value: Value) -> bool:
        """Whether a value is a parameter of a model."""
        value = self.bare(value)
        node = self._makers.get(value)
        if node is not None and node.source_op == "loop-carried" and node.inputs and node.inputs[0] is not None:
            value = self.bare(node.inputs[0])
            node = self._makers.get(value)
        return value in self.parameters or (node is not None and node.op == OPAQUE and node.source_op in _WEIGHTS)

    def is_trained(self, value: Value) -> bool:
        """Whether a value hangs on parameters of a model."""
        pending, seen = [value], {value}
        while pending and len(seen) < _MOST:
            value = pending[-1]
            if value not in self._trained and self.is_weight(value):
                self._trained[value] = True
            if self._trained.get(value):
                self._trained.update(dict.fromkeys(pending[:1], True))
                return True
            pending.pop()
            node = self._makers.get(value)
            for each in node.inputs if node is not None else ():
                if each is not None and each not in seen:
                    seen.add(each)
                    pending.append(each)
        self._trained.update(dict.fromkeys(seen, False))
        return False

    def layer(self, value: Value, through: frozenset[str] = MOVES) -> Node | None:
        """The product with weights that makes a value, perhaps with a bias added, if nothing else was done to it."""
        for _ in range(2):
            value = self.bare(value, through)
            node = self._makers.get(value)
            if node is None:
                return None
            if node.op in PRODUCTS:
                return node if any(each is not None and self.is_weight(each) for each in node.inputs[1:]) else None
            if node.op != "add" or not any(each is not None and self.is_bias(each) for each in node.inputs):
                return None
            value = next((each for each in node.inputs if each is not None and not self.is_bias(each)), value)
        return None

    def is_bias(self, value: Value) -> bool:
        """Whether a value is a parameter of at most one dim, or what stands for one before training."""
        dims = dims_of(value)
        if dims is None or len(dims) > 1:
            return False
        node = self._makers.get(self.bare(value))
        return self.is_weight(value) or (node is not None and node.op == "constant_of_shape")

    def is_uniform(self, value: Value) -> bool:
        """Whether all elements are the same by the way the value is made."""
        node = self._makers.get(self.bare(value))
        while node is not None and node.op == "neg" and node.inputs[0] is not None:
            node = self._makers.get(self.bare(node.inputs[0]))
        return node is not None and node.op in _FILLED

    def origins(self, values: Iterable[Value]) -> set[Value]:
        """All values that some values are computed from, with themselves."""
        pending = list(values)
        seen = set(pending)
        while pending:
            node = self._makers.get(pending.pop())
            for each in node.inputs if node is not None else ():
                if each is not None and each not in seen:
                    seen.add(each)
                    pending.append(each)
        return seen


def dims_of(value: Value) -> Dims | None:
    shape = value.declared.shape
    return None if isinstance(shape, Unranked) else shape


def axis_size(value: Value, axis: object) -> Dim | None:
    """The size of one axis, None if it is not known which or how large."""
    dims = dims_of(value)
    if dims is None or not isinstance(axis, int) or not -len(dims) <= axis < len(dims):
        return None
    return dims[axis]
