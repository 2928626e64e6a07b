"""Guards: what a condition says about the elements that a selection keeps.

`where(x > 0, log(x), 0)` keeps logarithms of positive numbers only. The kept branch is interpreted again with what the
condition says of the compared tensors; an operator on the way that is safe then is excused, if nothing else sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mlvet.analyses.numerics import checks, failures
from mlvet.analyses.numerics.values import layout
from mlvet.analyses.numerics.values.abstract import Abstract, regridded
from mlvet.analyses.numerics.values.refusals import REFUSED, NoRule
from mlvet.domains import boxes, dtypes, grids
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node, Value
from mlvet.ir.walk import users
from mlvet.ops import REGISTRY
from mlvet.ops.index_map import Elementwise

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

Facts: TypeAlias = dict[int, Interval]
"""What tensors, by number, are where a condition holds."""

_DEPTH = 12
_CASES = 8
SELECTIONS = {"where": (0, 1, 2), "select": (0, 1, 2), "masked_fill": (1, 2, 0)}
"""Of each selection the operands that are the condition, what is kept where it holds, and what where it does not."""


class Guards:
    """The selections of one interpretation."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._masked: dict[tuple[Node, int], set[Node]] = {}
        self._users: dict[Value, list[Node]] | None = None

    def selected(
        self, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]
    ) -> list[Abstract] | None:
        """The result of a selection whose condition narrows what it keeps; None for other nodes and for constants."""
        places = SELECTIONS.get(node.op)
        if places is None or not self.run.transfer.relational or len(node.inputs) < 3:
            return None
        if all(operand is not None and operand.exact is not None for operand in operands):
            return None
        condition, yes, no = (node.inputs[place] for place in places)
        if condition is None or yes is None or no is None:
            return None
        test = operands[places[0]]
        if test is None or (node.op == "select" and test.dims not in ((), self.run.value(yes).dims)):
            return None
        kept = []
        for place, holds in ((places[1], True), (places[2], False)):
            kept.append(self._narrowed_branch(node, place, self._cases(condition, holds, _DEPTH)))
            self._catch(node, place, failures.absent(self.run, condition, holds, _DEPTH))
        return [layout.chosen(self.run.transfer, test, kept[0], kept[1], outs[0])]

    def replaced(self, node: Node, plain: Abstract) -> Abstract:
        """The result of an operator that puts numbers in place of NaN and infinities."""
        value = node.inputs[0]
        if value is None:
            return plain
        self._mask(node, 0, set())
        self._catch(node, 0, {self.run.value(value).number: failures.ALL})
        return failures.with_replacements(self.run, node, value, plain)

    def _catch(self, selection: Node, place: int, absent: Mapping[int, frozenset[str]]) -> None:
        """What makes a branch fail is kept out of the result if the condition tests the branch itself for it."""
        branch = selection.inputs[place]
        node = None if branch is None else self.run.producers.get(branch)
        if branch is None or node is None or not self.run.recording:
            return
        made = failures.of(self.run, branch)
        if made and made <= absent.get(self.run.value(branch).number, frozenset()):
            self._masked.setdefault((selection, place), set()).add(node)

    def excuse(self, node: Node) -> bool:
        """Whether what goes wrong in a node is discarded by every selection that it reaches."""
        if not any(node in masked for masked in self._masked.values()):
            return False
        if self._users is None:
            self._users = users(self.run.graph)
        outputs = {value for region in self.run.graph.regions() for value in region.outputs}
        pending, seen = [node], {node}
        while pending:
            current = pending.pop()
            if any(value in outputs for value in current.outputs):
                return False
            following = [(value, user) for value in current.outputs for user in self._users.get(value, ())]
            for value, user in following:
                places = [place for place, each in enumerate(user.inputs) if each is value]
                if places and all(node in self._masked.get((user, place), ()) for place in places):
                    continue
                op = REGISTRY.get(user.op)
                if current is node and failures.is_test(self.run, user):
                    continue
                if op is None or not isinstance(op.index_map, Elementwise) or user.regions:
                    return False
                if user not in seen:
                    seen.add(user)
                    pending.append(user)
        return True

    def cases(self, condition: Value, holds: bool = True) -> list[Facts]:
        """What is known of tensors where a condition holds, or does not."""
        return self._cases(condition, holds, _DEPTH) if self.run.transfer.relational else [{}]

    def within(self, tensor: Abstract, fact: Interval) -> Abstract:
        """A tensor of which a condition says that it lies in an interval."""
        return _within(tensor, fact, self.run.transfer.fresh()) or tensor

    def _narrowed_branch(self, selection: Node, place: int, cases: list[Facts]) -> Abstract:
        """A branch where the condition has its value: the join over the cases in which that can be."""
        branch = selection.inputs[place]
        assert branch is not None
        plain = self.run.value(branch)
        if cases == [{}]:
            self._mask(selection, place, set())
            return plain
        found: Abstract | None = None
        safe: set[Node] | None = None
        never: set[Node] = set()
        for facts in cases:
            narrowing = Narrowing(self.run, facts)
            result = narrowing.of(branch, _DEPTH)
            if narrowing.impossible:
                never |= narrowing.seen
                continue
            safe = narrowing.safe if safe is None else safe & narrowing.safe
            found = result if found is None else _joined(found, result)
        self._mask(selection, place, never if safe is None else safe)
        if found is None:
            return plain
        same = found.dims == plain.dims and found.box.low.shape == plain.box.low.shape
        return found if same else plain

    def _mask(self, selection: Node, place: int, safe: set[Node]) -> None:
        """A branch keeps nothing that goes wrong in these nodes; in a loop that must be so in every round."""
        if self.run.recording:
            self._masked[selection, place] = safe & self._masked.get((selection, place), safe)

    def _cases(self, condition: Value, holds: bool, depth: int) -> list[Facts]:
        """What is known where a condition is true, or false: one of these."""
        node = self.run.producers.get(condition)
        if node is None or depth == 0:
            return [{}]
        sides = [value for value in node.inputs if value is not None]
        match node.op, holds:
            case "not", _:
                return self._cases(sides[0], not holds, depth - 1)
            case ("and", True) | ("or", False):
                both = [self._cases(side, holds, depth - 1) for side in sides]
                return _both(both[0], both[1])
            case ("or", True) | ("and", False):
                either = [case for side in sides for case in self._cases(side, holds, depth - 1)]
                return either if len(either) <= _CASES else [{}]
            case (("identity" | "cast" | "expand" | "broadcast_to" | "stop_gradient"), _):
                return self._cases(sides[0], holds, depth - 1)
        relation = node.op if holds else _NEGATED.get(node.op, "")
        if relation not in _NEGATED or len(sides) < 2:
            return [{}]
        return self._compared(relation, sides[0], sides[1])

    def _compared(self, relation: str, left: Value, right: Value) -> list[Facts]:
        x, y = self.run.value(left), self.run.value(right)
        if relation == "not_equal":
            for value, other in ((left, y), (right, x)):
                point = other.interval
                if point.low == point.high:
                    step = dtypes.i64 if self._is_whole(value) and point.low.is_integer() else other.dtype
                    return [
                        *self._about(value, Interval(-inf, _before(point.low, step))),
                        *self._about(value, Interval(_after(point.low, step), inf)),
                    ]
            return [{}]
        a, b = x.interval, y.interval
        step = dtypes.i64 if self._is_whole(left) and self._is_whole(right) else x.dtype
        match relation:
            case "equal":
                first, second = b, a
            case "less":
                first, second = Interval(-inf, _before(b.high, step)), Interval(_after(a.low, step), inf)
            case "less_or_equal":
                first, second = Interval(-inf, b.high), Interval(a.low, inf)
            case "greater":
                first, second = Interval(_after(b.low, step), inf), Interval(-inf, _before(a.high, step))
            case _:
                first, second = Interval(b.low, inf), Interval(-inf, a.high)
        return _both(self._about(left, first), self._about(right, second))

    def _is_whole(self, value: Value) -> bool:
        """Whether all elements are integers, as those of a cast count are."""
        tensor = self.run.value(value)
        interval = tensor.interval
        if not tensor.dtype.is_float or (interval.low == interval.high and interval.low.is_integer()):
            return True
        node = self.run.producers.get(value)
        source = node.inputs[0] if node is not None and node.op in ("cast", "cast_like") else None
        return source is not None and not self.run.value(source).dtype.is_float

    def _about(self, value: Value, interval: Interval) -> list[Facts]:
        """A tensor is within an interval, and so is what it is a magnitude of."""
        fact = {self.run.value(value).number: interval}
        node = self.run.producers.get(value)
        if node is None or node.op != "abs" or node.inputs[0] is None:
            return [fact]
        inner = self.run.value(node.inputs[0]).number
        if interval.low > 0:
            return [{**fact, inner: Interval(interval.low, inf)}, {**fact, inner: Interval(-inf, -interval.low)}]
        return [{**fact, inner: Interval(-interval.high, interval.high)}]


class Narrowing:
    """A second look at the operators before a selection, under what its condition says."""

    def __init__(self, run: Run, facts: Facts) -> None:
        self.run = run
        self.facts = facts
        self.safe: set[Node] = set()
        self.seen: set[Node] = set()
        self.impossible = False
        self._known: dict[Value, Abstract] = {}

    def of(self, value: Value, depth: int) -> Abstract:
        if value in self._known:
            return self._known[value]
        plain = self.run.value(value)
        found = self._found(value, plain, depth)
        self._known[value] = found
        return found

    def _found(self, value: Value, plain: Abstract, depth: int) -> Abstract:
        fact = self.facts.get(plain.number)
        if fact is not None:
            found = _within(plain, fact, self.run.transfer.fresh())
            self.impossible = self.impossible or found is None
            return plain if found is None else found
        node = self.run.producers.get(value)
        op = None if node is None else REGISTRY.get(node.op)
        if node is None or op is None or depth == 0 or node.regions or not isinstance(op.index_map, Elementwise):
            return plain
        self.seen.add(node)
        before = [None if each is None else self.run.value(each) for each in node.inputs]
        operands = [None if each is None else self.of(each, depth - 1) for each in node.inputs]
        if all(a is b for a, b in zip(before, operands, strict=True)):
            return plain
        outs = [self.run.type_of(each) for each in node.outputs]
        transfer = self.run.transfer
        transfer.unflushed = True
        try:
            raw = transfer.results(op, operands, node.attributes, outs)
        except (NoRule, *REFUSED):
            return plain
        finally:
            transfer.unflushed = False
        if not checks.forward(op, node, operands, raw):
            self.safe.add(node)
            return replace(raw[node.outputs.index(value)], number=transfer.fresh())
        return plain


_NEGATED = {
    "less": "greater_or_equal",
    "greater_or_equal": "less",
    "greater": "less_or_equal",
    "less_or_equal": "greater",
    "equal": "not_equal",
    "not_equal": "equal",
}


def _within(tensor: Abstract, fact: Interval, number: int) -> Abstract | None:
    """The elements that are in an interval; None if there are none."""
    low, high = np.maximum(tensor.box.low, fact.low), np.minimum(tensor.box.high, fact.high)
    crossed = low > high
    if crossed.all():
        return None
    low, high = np.where(crossed, tensor.box.low, low), np.where(crossed, tensor.box.high, high)
    return replace(tensor, box=boxes.Box(low, high, tensor.box.nan), number=number, form=None, exact=None)


def _joined(x: Abstract, y: Abstract) -> Abstract:
    cuts = tuple(grids.union(mine, theirs) for mine, theirs in zip(x.cuts, y.cuts, strict=True))
    box = boxes.join(regridded(x, cuts), regridded(y, cuts))
    return Abstract(x.dtype, x.dims, cuts, box, x.number, away=min(layout.distance(x), layout.distance(y)))


def _both(left: list[Facts], right: list[Facts]) -> list[Facts]:
    """One of the left and one of the right hold; of too many pairs the shorter side is kept, which holds as well."""
    if len(left) * len(right) > _CASES:
        return min(left, right, key=len)
    return [_merged(a, b) for a in left for b in right]


def _merged(left: Facts, right: Facts) -> Facts:
    found = dict(left)
    for number, interval in right.items():
        found[number] = found[number].meet(interval) if number in found else interval
    return found


@np.errstate(over="ignore")
def _after(value: float, dtype: DType) -> float:
    if not dtype.is_float:
        return value + 1
    with np.errstate(over="ignore"):
        return float(np.nextafter(np.float64(value).astype(dtype.numpy), dtype.numpy.type(inf)))


def _before(value: float, dtype: DType) -> float:
    return -_after(-value, dtype)
