"""How sure a hazard of a program is, whose data nobody has seen.

What a program reads can be anything, so that a hazard whose operand is data, or data merely moved, scaled or summed
up, is `possible`. One that the program makes itself is `likely`: an operand that a computation of the program takes to
the very end of the safe numbers, as a softmax or a count does to 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.telling.causes import CANCELLED, LOST, Cause, Sources
from mlvet.core.grade import Certainty
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.danger import AllAt, GradientAt, Near, Outside

_MOST = 600
"""The most nodes that are followed back from an operand."""
_MOVES = frozenset(
    "identity cast cast_like reshape flatten squeeze unsqueeze transpose expand broadcast_to slice strided_slice "
    "dynamic_slice gather gather_elements gather_nd index concat stack unstack split tile repeat_interleave flip roll "
    "diagonal stop_gradient read_variable masked_select pad where select".split()
)
_CARRIERS = _MOVES | frozenset(
    "neg add sub mul div sqrt rsqrt reciprocal square max min sum mean reduce_sum reduce_mean reduce_max reduce_min "
    "reduce_prod cum_sum matmul batch_matmul einsum segment_sum sort top_k dropout average_pool max_pool "
    "global_average_pool global_max_pool floor ceil round log log1p".split()
)
"""What keeps an end of a range where its operands have one."""
_MAKERS = frozenset(
    "relu relu6 softmax hardmax sigmoid hard_sigmoid tanh sin cos clip equal not_equal less less_or_equal greater "
    "greater_or_equal and or xor not is_nan is_finite is_inf is_close one_hot count_nonzero bincount".split()
)
"""What takes operands to the ends of a range of its own."""
_RANDOM = frozenset(("random_uniform", "random_uniform_like"))
_STATISTICS = frozenset(
    "abs square squared_difference reduce_std reduce_variance reduce_l1 reduce_l2 reduce_sum_square vector_norm "
    "mse_loss l1_loss huber_loss smooth_l1_loss".split()
)
"""What is 0 where its operands are equal, or 0."""
_LAYERS = frozenset(
    "linear matmul batch_matmul gemm conv conv_transpose einsum dot_general tensordot bilinear embedding gather lstm "
    "gru rnn lstm_cell gru_cell rnn_cell batch_normalization layer_normalization group_normalization "
    "instance_normalization rms_normalization prelu mul add".split()
)
"""What makes the outputs of a network, if a parameter takes part."""
_GROWING = frozenset("square exp reduce_sum reduce_prod cum_sum reduce_sum_square pow mul".split())
_OPEN = frozenset(("log-of-nonpositive", "sqrt-of-negative", "rsqrt-of-nonpositive", "outside-domain"))
_AT_AN_END = _OPEN | {"division-by-zero", "infinite-gradient", "gradient-through-where"}
_KEPT_AWAY = frozenset(("lp_normalization",))
"""What libraries keep away from 0 themselves, in the gradient too."""
_WITHOUT_GRADIENTS = ("np", "numpy")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Standing:
    """The hazards of the graph of one program."""

    def __init__(self, graph: Graph, sources: Sources, causes: Mapping[Hazard, Cause]) -> None:
        self._sources = sources
        self._causes = causes
        self._parameters = {parameter.value for parameter in graph.parameters}
        self._users: dict[Value, list[Node]] = {}
        for node in graph.nodes():
            for value in node.inputs:
                if value is not None:
                    self._users.setdefault(value, []).append(node)

    def chosen(self, hazards: Iterable[Hazard]) -> dict[Hazard, Certainty]:
        """The hazards, one for each place and rule of the program and the surest of them, with how sure they are."""
        best: dict[object, tuple[Hazard, Certainty]] = {}
        for hazard in hazards:
            grade = self.of(hazard)
            where = hazard.node.location
            key = (self._causes[hazard].rule, where) if where is not None else hazard
            if key not in best or grade.rank > best[key][1].rank:
                best[key] = (hazard, grade)
        return dict(best.values())

    def of(self, hazard: Hazard) -> Certainty:
        """How sure a hazard is without a witness."""
        return Certainty.LIKELY if self._stands(hazard) else Certainty.POSSIBLE

    def provable(self, hazard: Hazard) -> bool:
        """Whether a witness shows more than that data can be anything."""
        if self._stands(hazard):
            return True
        value = self._guilty(hazard)
        return (
            self._causes[hazard].rule in _OPEN
            and value is not None
            and self._is_output(value)
            and not self._checked(hazard)
            and not self._is_of_library(hazard)
        )

    def _stands(self, hazard: Hazard) -> bool:
        rule = self._causes[hazard].rule
        node = hazard.node
        value = self._guilty(hazard)
        if rule == "half-precision-overflow":
            return self._grows(node) and self._internal(node.inputs)
        if self._checked(hazard) or self._is_of_library(hazard):
            return False
        if hazard.backward and (node.op in _KEPT_AWAY or not _is_differentiated(node)):
            return False
        if rule == "exp-overflow":
            return self._internal(node.inputs) and self._returns(node)
        if value is None:
            return False
        if rule in (CANCELLED, LOST):
            return self._internal([value])
        return rule in _AT_AN_END and self._at_an_end(hazard) and self._reaches_end(value)

    def _guilty(self, hazard: Hazard) -> Value | None:
        return None if hazard.operand is None else hazard.node.inputs[hazard.operand]

    def _grows(self, node: Node) -> bool:
        """Whether an operator of half precision is one that programs can do in a wider type; layers are as they are."""
        return node.op in _GROWING and (node.op != "mul" or node.inputs[0] is node.inputs[1])

    def _checked(self, hazard: Hazard) -> bool:
        """Whether a condition of the program on the way to the hazard asks about its operand."""
        words = {word for each in hazard.node.guards for word in _WORD.findall(each.condition)}
        value = self._guilty(hazard)
        if not words or value is None:
            return False
        names = {re.sub(r"[_#]\d+$", "", each.name) for each in self._back([value], _CARRIERS | _STATISTICS)}
        return bool(names & words)

    def _is_of_library(self, hazard: Hazard) -> bool:
        """Whether the operand is made by the very call that fails: how a library does its work is its own affair."""
        value = self._guilty(hazard)
        maker = self._sources.maker(value if value is not None else next(iter(hazard.node.inputs), None))
        here = hazard.node.location
        return maker is not None and here is not None and maker.location == here

    def _at_an_end(self, hazard: Hazard) -> bool:
        """Whether the danger is at an end of what the operand can be, not amid of it."""
        interval = hazard.interval
        dtype = self._sources.dtype(hazard.node.inputs[hazard.operand or 0] or hazard.node.outputs[0])
        gap = dtype.smallest if dtype.is_float else 0.0
        for point in _points(hazard):
            near = gap if point == 0 else 1e-4 * abs(point)
            if abs(interval.low - point) <= near or abs(interval.high - point) <= near:
                return True
        return False

    def _reaches_end(self, value: Value) -> bool:
        """Whether a computation of the program takes a value to an end of its range."""
        for each in self._back([value], _CARRIERS):
            maker = self._sources.maker(each)
            if maker is None:
                continue
            if each is value and self._is_difference(maker):
                return False
            if self._makes_ends(maker):
                return True
            if maker.op in _RANDOM and each in self._back([value], _MOVES):
                return True
            if (maker.op in _STATISTICS or self._squares(maker)) and self._internal(maker.inputs):
                return True
        return False

    def _is_difference(self, node: Node) -> bool:
        """Whether a node takes the difference of two values, which is at an end only where they are equal."""
        return node.op == "sub" and all(self._sources.constant(each) is None for each in node.inputs)

    def _squares(self, node: Node) -> bool:
        if node.op == "mul":
            return node.inputs[0] is node.inputs[1]
        return node.op == "pow" and (self._sources.constant(node.inputs[1]) or 1) % 2 == 0

    def _makes_ends(self, node: Node) -> bool:
        """Whether a node takes what it gets to the ends of a range; 1 / (1 + exp(x)) is a sigmoid by hand."""
        if node.op in _MAKERS:
            return True
        if node.op in ("max", "min"):
            return any(self._sources.constant(each) is not None for each in node.inputs)
        if node.op not in ("div", "reciprocal"):
            return False
        below = self._sources.maker(node.inputs[-1])
        return (
            below is not None
            and below.op == "add"
            and any(maker is not None and maker.op == "exp" for maker in map(self._sources.maker, below.inputs))
        )

    def _is_output(self, value: Value) -> bool:
        """Whether a value is what a layer or an activation yields, perhaps moved."""
        for each in self._back([value], _MOVES):
            maker = self._sources.maker(each)
            if maker is not None and maker.op in _LAYERS - {"mul", "add", "gather"} and self._internal([each]):
                return True
        return False

    def _internal(self, values: Iterable[Value | None]) -> bool:
        """Whether the program computes values, with its parameters or with functions that have ends of their own."""
        layers = parameters = False
        for each in self._back(values, None):
            maker = self._sources.maker(each)
            if maker is not None and self._makes_ends(maker):
                return True
            layers = layers or (maker is not None and maker.op in _LAYERS)
            parameters = parameters or each in self._parameters
            if layers and parameters:
                return True
        return False

    def _returns(self, node: Node) -> bool:
        """Whether an exponential is summed up and then divided by or its logarithm taken, which has safe forms."""
        differentiated = _is_differentiated(node)
        seen: set[tuple[Value, bool]] = set()
        waiting: list[tuple[Value, bool]] = [(value, False) for value in node.outputs]
        while waiting and len(seen) < _MOST:
            value, summed = waiting.pop()
            if (value, summed) in seen:
                continue
            seen.add((value, summed))
            for user in self._users.get(value, ()):
                if user.op in ("log", "log1p") and (summed or user.op == "log1p"):
                    return True
                if summed and self._divides(user, value, differentiated):
                    return True
                if user.op == "add":
                    constants = [self._sources.constant(each) for each in user.inputs]
                    added = any(each is not None and abs(each) >= 0.1 for each in constants)
                    waiting += [(each, summed or added) for each in user.outputs]
                elif user.op in ("reduce_sum", "sum"):
                    waiting += [(each, True) for each in user.outputs]
                elif user.op in _MOVES:
                    waiting += [(each, summed) for each in user.outputs]
        return False

    def _divides(self, node: Node, by: Value, differentiated: bool) -> bool:
        """Whether dividing by infinity does harm: a constant becomes 0, which is right, but its gradient is not."""
        if node.op == "reciprocal":
            return differentiated
        if node.op != "div" or node.inputs[1] is not by:
            return False
        return differentiated or self._sources.constant(node.inputs[0]) is None

    def _back(self, values: Iterable[Value | None], through: frozenset[str] | None) -> Iterator[Value]:
        """The values that some are made of by these operators, by any if none are named."""
        waiting = [value for value in values if value is not None]
        seen: set[Value] = set()
        while waiting and len(seen) < _MOST:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            yield value
            maker = self._sources.maker(value)
            if maker is not None and (through is None or maker.op in through):
                used = maker.inputs[1:] if maker.op in ("where", "select") else maker.inputs
                waiting += [each for each in used if each is not None]


def _is_differentiated(node: Node) -> bool:
    """Whether the library that computes a node has gradients."""
    return node.source_op.partition(".")[0] not in _WITHOUT_GRADIENTS


def _points(hazard: Hazard) -> Iterator[float]:
    """Where the operator is in danger."""
    op = REGISTRY.get(hazard.node.op)
    for danger in (op.danger or ()) if op is not None else ():
        if danger.operand != hazard.operand:
            continue
        match danger:
            case Outside(safe=safe):
                yield from (each for each in (safe.low, safe.high) if isfinite(each))
            case Near(point=point) | GradientAt(point=point) | AllAt(point=point):
                yield point
            case _:
                pass
