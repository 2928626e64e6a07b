"""Ranges of inputs from the operators that take them whole: indices, classes, distributions, states."""

from __future__ import annotations

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.analyses.shapes.inference import Inference
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Unranked
from mlvet.ir.graph import CALL, Graph, Node, Value
from mlvet.ir.walk import users

_SAME_ELEMENTS = frozenset({
    "broadcast_to", "cast", "cast_like", "expand", "flatten", "flip", "identity", "repeat_interleave", "reshape",
    "roll", "squeeze", "stop_gradient", "tile", "transpose", "unsqueeze",
})  # fmt: skip
_CLASS_AXIS = {
    "negative_log_likelihood_loss": 1,
    "softmax_cross_entropy_loss": 1,
    "sparse_softmax_cross_entropy_with_logits": -1,
}
_DISTRIBUTIONS = frozenset({
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "softmax_cross_entropy_with_logits",
})  # fmt: skip

_MOST_STEPS = 10_000


class Uses:
    """Which operators get all elements of an input, unchanged."""

    def __init__(self, graph: Graph, inference: Inference) -> None:
        self._graph = graph
        self._inference = inference
        self._users: dict[Value, list[Node]] | None = None

    def of(self, value: Value) -> Assumed | None:
        """The range that fits what an operator takes the input for."""
        dtype = self._inference.type_of(value).dtype
        if dtype is None or not (dtype.is_integer or dtype.is_float):
            return None
        found: Assumed | None = None
        for node, value_there in self._whole(value):
            limit = self._limit(node, value_there)
            if limit is not None and (found is None or found.interval.covers(limit.interval)):
                found = limit
        return found

    def _whole(self, value: Value) -> list[tuple[Node, Value]]:
        """The nodes that the elements reach, with the operand that holds them."""
        if self._users is None:
            self._users = users(self._graph)
        reached: list[tuple[Node, Value]] = []
        met = {value}
        pending = [value]
        while pending:
            current = pending.pop()
            for node in self._users.get(current, ()):
                reached.append((node, current))
                for following in _following(self._graph, node, current):
                    if following not in met:
                        met.add(following)
                        pending.append(following)
        return reached

    def _limit(self, node: Node, value: Value) -> Assumed | None:
        index = next((place for place, operand in enumerate(node.inputs) if operand is value), None)
        match node.op, index:
            case ("embedding", 1):
                return self._below(node, self._size(node.inputs[0], 0), "rows of the table", negative=False)
            case ("gather" | "gather_elements", 1):
                size = self._size(node.inputs[0], node.attributes.get("axis", 0))
                return self._below(node, size, "places of the axis", negative=self._graph.format == "onnx")
            case ("one_hot", 0) if len(node.inputs) > 1:
                return self._below(node, self._number(node.inputs[1]), "classes", negative=False)
            case (name, 1) if name in _CLASS_AXIS:
                limit = self._below(node, self._size(node.inputs[0], _CLASS_AXIS[name]), "classes", negative=False)
                ignored = node.attributes.get("ignore_index")
                if limit is None or not isinstance(ignored, int):
                    return limit
                return Assumed(limit.interval.join(Interval(ignored, ignored)), limit.origin, limit.why)
            case ("lstm" | "gru" | "rnn", 5) if _squashes(node):
                return Assumed(
                    Interval(-1, 1), Origin.MEANING, f"`{node.name}` takes it for a state that it made itself"
                )
            case ("lstm", 6) if _squashes(node):
                why = f"`{node.name}` takes it for a cell that it made itself, in at most {_MOST_STEPS:,} steps of 1"
                return Assumed(Interval(-_MOST_STEPS, _MOST_STEPS), Origin.MEANING, why)
            case (name, 1) if name in _DISTRIBUTIONS:
                return Assumed(Interval(0, 1), Origin.MEANING, f"`{node.name}` takes it for probabilities")
        return None

    def _below(self, node: Node, size: int | None, what: str, *, negative: bool) -> Assumed | None:
        if size is None or size < 1:
            return None
        why = f"`{node.name}` takes it for an index of {size:,} {what}"
        return Assumed(Interval(-size if negative else 0, size - 1), Origin.MEANING, why)

    def _size(self, value: Value | None, axis: object) -> int | None:
        shape = None if value is None else self._inference.type_of(value).shape
        if shape is None or isinstance(shape, Unranked) or not isinstance(axis, int):
            return None
        size = shape[axis] if -len(shape) <= axis < len(shape) else None
        return size if isinstance(size, int) else None

    def _number(self, value: Value | None) -> int | None:
        known = None if value is None else self._inference.type_of(value).value
        if known is None or known.size != 1:
            return None
        number = known.reshape(-1)[0]
        return int(number) if known.dtype.kind in "iuf" else None


def _squashes(node: Node) -> bool:
    """Whether the states of a recurrent layer are in [-1, 1]."""
    functions = node.attributes.get("activations") or ()
    return all(str(name).lower() in ("sigmoid", "tanh") for name in functions)


def _following(graph: Graph, node: Node, value: Value) -> list[Value]:
    """The values that hold the same elements after a node."""
    if node.op in _SAME_ELEMENTS and node.inputs[0] is value:
        return list(node.outputs)
    if node.op == CALL:
        called = graph.functions.get(str(node.attributes.get("function")))
        region = node.regions[0] if node.regions else called
        if region is not None and len(region.inputs) == len(node.inputs):
            return [inner for outer, inner in zip(node.inputs, region.inputs, strict=True) if outer is value]
    return []
