"""Conditionals found in the Switch and Merge operators of one frame.

Every step gets the branch outcomes under which it runs: a Switch adds one to what follows each of its results, a Merge
of both outcomes of a condition takes it away again. Merges of one condition become one conditional, whose sides hold
what only they need; a step that two conditionals need is in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mlvet.frontends.tensorflow.flow import Port, in_order
from mlvet.frontends.tensorflow.structure import DEEPEST, Block, Branch, Finder, Frame, Item

Outcome: TypeAlias = tuple[Port, bool]
Outcomes: TypeAlias = frozenset[Outcome]

_ALWAYS: Outcomes = frozenset()
_GROUPS = -(1 << 40)
_PATIENCE = 20_000_000


class _Unclear(Exception):
    """The operators are not put together as conditionals."""


def arrange_branches(finder: Finder, frame: Frame, ordered: Sequence[int]) -> Block:
    """The items of one frame, in order, as a block in which conditionals are rebuilt where they can be."""
    steps = finder.steps
    if not any(item >= 0 and steps[item].kind in ("Switch", "Merge") for item in ordered):
        return Block([_item(finder, item) for item in ordered])
    try:
        conditionals = _Conditionals(finder, frame, ordered)
        block = conditionals.build(_ALWAYS, ordered, 0)
    except _Unclear as reason:
        finder.notes.append(f"conditionals are left opaque: {reason}")
        return Block([_item(finder, item) for item in ordered])
    for item in ordered:
        if item >= 0 and steps[item].kind == "Switch":
            finder.same[item, 0] = finder.same[item, 1] = steps[item].inputs[0]
    return block


def _item(finder: Finder, item: int) -> Item:
    return item if item >= 0 else finder.loop(finder.frames[-item])


@dataclass(slots=True)
class _Group:
    """The Merges that become one conditional, and steps that run on one side without a Merge behind them."""

    predicate: Port
    merges: list[int] = field(default_factory=list)
    loose: list[int] = field(default_factory=list)


class _Conditionals:
    def __init__(self, finder: Finder, frame: Frame, ordered: Sequence[int]) -> None:
        self._finder = finder
        self._frame = frame
        self._state: dict[int, Outcomes] = {}
        self._decides: dict[int, Port] = {}
        self._work = 0
        for item in ordered:
            self._state[item] = self._outcomes(item)

    def _kind(self, item: int) -> str:
        return self._finder.steps[item].kind if item >= 0 else ""

    def _item_of(self, port: Port) -> int | None:
        if port[0] not in self._finder.home:
            return None
        item = self._finder.item(self._frame, port[0])
        return item if item in self._state else None

    def _at(self, port: Port) -> Outcomes:
        """The outcomes under which a tensor exists."""
        item = self._item_of(port)
        if item is None:
            return _ALWAYS
        if self._kind(item) == "Switch":
            return self._state[item] | {(self._condition(self._finder.steps[item].inputs[1]), port[1] == 1)}
        return self._state[item]

    def _condition(self, port: Port) -> Port:
        """Where a condition comes from: copies of it, and what a Switch lets through, are the same condition."""
        steps = self._finder.steps
        while port[0] in self._finder.home and self._finder.home[port[0]] is self._frame:
            step = steps[port[0]]
            if step.kind not in ("Identity", "Switch") or not step.inputs:
                break
            port = step.inputs[0]
        return port

    def _outcomes(self, item: int) -> Outcomes:
        if self._kind(item) == "Merge":
            return self._merged(item)
        if self._kind(item) == "ControlTrigger":
            return _ALWAYS
        if self._kind(item) == "Switch" and len(self._finder.steps[item].inputs) != 2:
            raise _Unclear(f"`{self._finder.name(item)}` is no switch of one value by one condition")
        state = _ALWAYS.union(*(self._at(port) for port in self._finder.ports(item)))
        for source in self._frame.sources.get(item, ()):
            state |= self._state.get(source, _ALWAYS)
        if any((condition, not holds) in state for condition, holds in state):
            raise _Unclear(f"`{self._finder.name(item)}` needs both outcomes of one condition")
        if len(state) > DEEPEST:
            raise _Unclear(f"conditionals are nested deeper than {DEEPEST}")
        return state

    def _merged(self, item: int) -> Outcomes:
        step = self._finder.steps[item]
        name = self._finder.name(item)
        if len(step.inputs) != 2:
            raise _Unclear(f"`{name}` merges {len(step.inputs)} values")
        left, right = self._at(step.inputs[0]), self._at(step.inputs[1])
        opposed = [outcome for outcome in left if (outcome[0], not outcome[1]) in right]
        if len(opposed) != 1:
            raise _Unclear(f"`{name}` does not merge the two outcomes of one condition")
        condition, holds = opposed[0]
        self._decides[item] = condition
        return (left - {(condition, holds)}) | (right - {(condition, not holds)})

    def build(self, context: Outcomes, items: Sequence[int], depth: int) -> Block:
        """What runs under these outcomes and no others, with conditionals for the rest of the items."""
        if depth > DEEPEST:
            raise _Unclear(f"conditionals are nested deeper than {DEEPEST}")
        self._work += len(items)
        if self._work > _PATIENCE:
            raise _Unclear("the same steps are needed in too many of them")
        here = [item for item in items if self._state[item] == context]
        merges = [item for item in here if item in self._decides]
        inner = {item for item in items if self._state[item] > context and self._kind(item) != "Switch"}
        if not merges and not inner:
            return Block([_item(self._finder, item) for item in here if self._kind(item) != "Switch"])
        for attempt in range(3):
            levels = (None, self._levels, self._singly)[attempt]
            groups = self._groups(context, items, merges, inner, levels(merges, items) if levels else None)
            ordered, rest = self._sorted(context, items, here, groups)
            if not rest:
                return Block(list(self._emit(context, items, ordered, groups, depth)))
        raise _Unclear("they depend on each other in a circle")

    def _singly(self, merges: Sequence[int], _items: Sequence[int]) -> dict[int, int]:
        return {merge: index for index, merge in enumerate(merges)}

    def _levels(self, merges: Sequence[int], items: Sequence[int]) -> dict[int, int]:
        """How many Merges of the same condition are on the way to each Merge."""
        levels: dict[int, int] = {}
        here = set(merges)
        for condition in dict.fromkeys(self._decides[merge] for merge in merges):
            self._work += len(items)
            if self._work > _PATIENCE:
                break
            height: dict[int, int] = {}
            for item in items:
                behind = max((height.get(source, 0) for source in self._frame.sources.get(item, ())), default=0)
                height[item] = behind
                if self._decides.get(item) == condition and item in here:
                    levels[item] = behind
                    height[item] = behind + 1
        return levels

    def _groups(
        self,
        context: Outcomes,
        items: Sequence[int],
        merges: Sequence[int],
        inner: set[int],
        levels: dict[int, int] | None,
    ) -> list[_Group]:
        groups: dict[tuple[Port, int], _Group] = {}
        covered: set[int] = set()
        for merge in merges:
            condition = self._decides[merge]
            key = condition, levels.get(merge, 0) if levels is not None else 0
            groups.setdefault(key, _Group(condition)).merges.append(merge)
        chosen = set(items)
        for group in groups.values():
            for holds in (True, False):
                covered |= self._side(context, group, holds, chosen)
        for item in items:
            if item in inner and item not in covered and not self._is_pivot(item):
                condition = self._outermost(context, self._state[item] - context)
                key = condition, 0 if levels is None else -1
                groups.setdefault(key, _Group(condition)).loose.append(item)
        return list(groups.values())

    def _is_pivot(self, item: int) -> bool:
        """Whether a step only marks a side for control edges that nothing needs."""
        return self._kind(item) == "Identity" and not self._finder.steps[item].used

    def _outermost(self, context: Outcomes, more: Outcomes) -> Port:
        for condition in sorted(condition for condition, _ in more):
            if self._at(condition) <= context:
                return condition
        raise _Unclear("a condition depends on its own outcome")

    def _side(self, context: Outcomes, group: _Group, holds: bool, chosen: set[int]) -> set[int]:
        """The items that one side of a conditional needs and that run only there."""
        outcome = (group.predicate, holds)
        within = context | {outcome}
        pending = [item for item in group.loose if outcome in self._state[item]]
        for merge in group.merges:
            step = self._finder.steps[merge]
            pending += [
                item for port in step.inputs if outcome in self._at(port) and (item := self._item_of(port)) is not None
            ]
        found: set[int] = set()
        while pending:
            item = pending.pop()
            if item in found or item not in chosen or not within <= self._state[item]:
                continue
            found.add(item)
            pending += self._frame.sources.get(item, ())
        self._work += len(found)
        return found

    def _sorted(
        self, context: Outcomes, items: Sequence[int], here: Sequence[int], groups: Sequence[_Group]
    ) -> tuple[list[int], list[int]]:
        """What stands directly in the block, each group as one item, in order."""
        chosen = set(items)
        rank = {item: position for position, item in enumerate(items)}
        owner = {merge: _GROUPS - index for index, group in enumerate(groups) for merge in group.merges}
        sources: dict[int, set[int]] = {}
        for item in here:
            if item not in owner:
                sources[item] = {owner.get(source, source) for source in self._frame.sources.get(item, ())}
        last: dict[int, list[int]] = {}
        for index, group in enumerate(groups):
            members = set(group.merges)
            for holds in (True, False):
                members |= self._side(context, group, holds, chosen)
            taken = {source for member in members for source in self._frame.sources.get(member, ())}
            condition = self._item_of(group.predicate)
            if condition is not None:
                taken.add(condition)
            name = _GROUPS - index
            sources[name] = {owner.get(source, source) for source in taken - members}
            if taken & set(group.merges):
                sources[name].add(name)
            last.setdefault(max(members, key=rank.__getitem__), []).append(name)
        listed: list[int] = []
        for item in items:
            if item in sources:
                listed.append(item)
            listed += last.get(item, ())
        return in_order(listed, sources)

    def _emit(
        self, context: Outcomes, items: Sequence[int], ordered: Sequence[int], groups: Sequence[_Group], depth: int
    ) -> Iterable[Item]:
        chosen = set(items)
        rank = {item: position for position, item in enumerate(items)}
        for item in ordered:
            if item > _GROUPS:
                if self._kind(item) != "Switch":
                    yield _item(self._finder, item)
                continue
            group = groups[_GROUPS - item]
            sides = []
            for holds in (True, False):
                needed = self._side(context, group, holds, chosen)
                within = context | {(group.predicate, holds)}
                sides.append(self.build(within, sorted(needed, key=rank.__getitem__), depth + 1))
            yield Branch(self._name(group), group.predicate, sides[0], sides[1], self._results(group))

    def _name(self, group: _Group) -> str:
        return self._finder.name((group.merges or group.loose)[0])

    def _results(self, group: _Group) -> list[tuple[int, Port, Port]]:
        results = []
        for merge in group.merges:
            left, right = self._finder.steps[merge].inputs
            holds = (group.predicate, True) in self._at(left)
            results.append((merge, left, right) if holds else (merge, right, left))
        return results
