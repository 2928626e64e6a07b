"""Demands that are not met by the sizes that a program usually has: defaults of options, batches that are full.

Each demand is looked at alone, so that it can be one on sizes of which every batch has its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mlvet.analyses.shapes.programs.contradictions import Contradiction, mentioned
from mlvet.domains.atoms import Symbol
from mlvet.domains.claims import decide
from mlvet.domains.dims import Dim, inhabited, substitute, symbols
from mlvet.ir.program import Demand, Setting

_MOST = 5
"""The most steps from a batch to the option that sets its size, and from there to its default."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What sizes are by default, and how many rows a full batch has, and the last one where it has fewer."""

    settings: Mapping[str, Setting]
    full: Mapping[str, Dim]
    last: Mapping[str, int] = field(default_factory=dict)

    def contradictions(self, demands: Iterable[Demand]) -> Iterator[Contradiction]:
        """The demands that fail where no tensor is empty, or where options and batches are as usual."""
        present: dict[tuple[Dim, Dim, frozenset[Dim]], tuple[Dim, Dim]] = {}
        for demand in demands:
            constraint = demand.constraint
            if constraint.decided is not None or constraint.relation is None or constraint.assumed:
                continue
            sizes = {dim for each in demand.operands if each is not None and each.ranked for dim in each.dims}
            sides = constraint.left, constraint.right, frozenset(sizes)
            if sides not in present:
                present[sides] = _present(constraint.left, sizes), _present(constraint.right, sizes)
            left, right = present[sides]
            if decide(constraint.relation, left, right) is False:
                yield Contradiction(demand)
                continue
            known = self._known(demand)
            if known and decide(constraint.relation, substitute(left, known), substitute(right, known)) is False:
                settings = [self.settings[name] for name in known if name in self.settings]
                rows = [f"`{name}` is {known[name]}, a full batch" for name in known if name in self.full]
                yield Contradiction(demand, (), tuple(settings), tuple(rows))
            elif rows := self._refuses_last(demand, left, right):
                yield Contradiction(demand, (), (), tuple(rows))

    def _refuses_last(self, demand: Demand, left: Dim, right: Dim) -> list[str]:
        """The batches whose last one fails; where the program branches it may have seen to that."""
        names = [each.name for each in mentioned(demand)]
        known = {name: self.last[name] for name in names if name in self.last}
        relation = demand.constraint.relation
        if relation is None or not known or len(known) < len(names) or demand.node.guards:
            return []
        fails = decide(relation, substitute(left, known), substitute(right, known)) is False
        return [f"`{name}` is {rows}, the last batch" for name, rows in known.items()] if fails else []

    def _known(self, demand: Demand) -> dict[str, Dim]:
        """The usual sizes of the symbols that a demand hangs on; empty if not all of them have one."""
        known: dict[str, Dim] = {}
        for each in mentioned(demand):
            size = self._size(each.name, known)
            if size is None:
                return {}
        return known

    def _size(self, name: str, known: dict[str, Dim], depth: int = 0) -> int | None:
        setting = self.settings.get(name)
        found: Dim | None = setting.default if setting is not None else self.full.get(name)
        if found is None or depth > _MOST:
            return None
        parts = {each.name: self._size(each.name, known, depth + 1) for each in symbols(found)}
        numbers = {each: size for each, size in parts.items() if size is not None}
        if len(numbers) < len(parts):
            return None
        size = substitute(found, numbers)
        if not isinstance(size, int):
            return None
        known[name] = size
        return size


def _present(side: Dim, sizes: Collection[Dim]) -> Dim:
    """A side of a demand where no operand, which have these sizes, is empty, so that what they are made of is not 0.

    A number that is only added to a size, as the width of a padding is, may be 0.
    """
    perhaps = {name for size in sizes for name in _added(size)}
    surely = {name for size in sizes for name in _factors(size)}
    return inhabited(side, {each.name for each in symbols(side)} - (perhaps - surely))


def _added(size: Dim) -> set[str]:
    """The symbols that a sum has among its terms."""
    if isinstance(size, int) or len(size.terms) == 1:
        return set()
    return {
        atom.name for monomial, _ in size.terms if len(monomial) == 1 for atom in monomial if isinstance(atom, Symbol)
    }


def _factors(size: Dim) -> set[str]:
    """The symbols without which a size would be 0."""
    if isinstance(size, int):
        return set()
    return set.intersection(
        *({atom.name for atom in monomial if isinstance(atom, Symbol)} for monomial, _ in size.terms)
    )
