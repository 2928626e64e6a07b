"""Runs of a graph that need what they are not fed, and feeds that a program writes twice [ShapeTracer III-B].

Only what surely belongs to a run counts: nodes made on its own path, and none that a run itself has made of its feeds
or its results, because what the program makes of a result needs no feed any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlvet.analyses.shapes.programs.grading import choices
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import OPAQUE, Graph, Node, Value
from mlvet.ir.program import Demands, Run

NOT_FED = "placeholder-not-fed"
FED_TWICE = "placeholder-fed-twice"
_SHAPES_ONLY = frozenset(("shape", "size", "rank", "zeros_like", "ones_like", "sizes"))
"""Operators that need no elements of operands whose shape is known."""
_STATED = "set_shape"


class Feeding:
    """What the runs of one graph are fed and need."""

    def __init__(self, graph: Graph, demands: Demands, rules: Catalogue) -> None:
        self._path = graph.path
        self._rules = rules
        self._demands = demands
        self._placeholders = demands.placeholders
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._runs = {run.execution.location for run in demands.runs}

    def findings(self, runs: Iterable[Run]) -> Iterator[Finding]:
        """The findings of all runs; each placeholder is told once as not fed, and once per place as fed twice."""
        told: set[object] = set()
        runs = list(runs)
        elsewhere = self._used_elsewhere(runs)
        for run in runs:
            for value in run.repeated:
                key = (value, run.execution.location)
                if value in self._placeholders and key not in told:
                    told.add(key)
                    yield self._twice(run, value)
            for value, wanted in self._needed(run) if run.complete else ():
                if value not in told and value not in elsewhere:
                    told.add(value)
                    yield self._not_fed(run, value, wanted)

    def _used_elsewhere(self, runs: Iterable[Run]) -> set[Value]:
        """The placeholders that a run is fed, or may be fed, for a purpose that is not known.

        The initialiser of an iterator is fed the data, and later runs take it from the iterator.
        """
        found: set[Value] = set()
        for run in runs:
            if run.complete and run.followed:
                continue
            reached = {value for value, _ in self._needed(run, ())}
            fed = set(self._fed(run)) if run.complete else set(self._placeholders)
            found |= fed.difference(reached)
        return found

    def _needed(self, run: Run, given: Iterable[Value] | None = None) -> Iterator[tuple[Value, str]]:
        """The placeholders that a run needs beside what it is given, or fed, each with what needs it."""
        fed = set(self._fed(run) if given is None else given)
        guards = set(run.guards)
        seen: set[Value] = set()
        starts = [(value, [value]) for value in run.execution.fetches]
        starts += [(node.outputs[0], list(node.outputs)) for node in run.execution.targets if node.outputs]
        for wanted, pending in starts:
            while pending:
                value = pending.pop()
                if value in seen or value in fed:
                    continue
                seen.add(value)
                if value in self._placeholders:
                    yield value, wanted.name
                node = self._makers.get(value)
                if node is not None and guards.issuperset(node.guards) and node.location not in self._runs:
                    pending.extend(_operands(node))

    def _fed(self, run: Run) -> Iterator[Value]:
        """What is fed, and what the same tensor was before the program stated its shape."""
        for value in run.execution.feeds:
            yield value
            node = self._makers.get(value)
            while node is not None and node.op == OPAQUE and node.source_op.endswith(_STATED) and node.inputs[0]:
                yield node.inputs[0]
                node = self._makers.get(node.inputs[0])

    def _not_fed(self, run: Run, value: Value, wanted: str) -> Finding:
        fed = [f"`{each.name}`" for each in run.execution.feeds]
        rule = self._rules[NOT_FED]
        return Finding(
            rule=rule.name,
            code=rule.code,
            severity=rule.severity,
            certainty=self._certainty(run),
            message=f"this run needs `{value.name}` {value.declared}"
            + (f" for `{wanted}`" if wanted != value.name else "")
            + f", but feeds {', '.join(fed) if fed else 'nothing'}, so it cannot run",
            location=run.execution.location or Location(self._path),
            related=tuple(self._birth(value)),
            evidence=Evidence("feeds", {"needed": value.name, "fed": [each.name for each in run.execution.feeds]}),
        )

    def _twice(self, run: Run, value: Value) -> Finding:
        rule = self._rules[FED_TWICE]
        return Finding(
            rule=rule.name,
            code=rule.code,
            severity=rule.severity,
            certainty=self._certainty(run),
            message=f"`{value.name}` is written twice among the feeds of this run, so its first value is lost",
            location=run.execution.location or Location(self._path),
            related=tuple(self._birth(value)),
            evidence=Evidence("feeds", {"repeated": value.name}),
        )

    def _certainty(self, run: Run) -> Certainty:
        """`proved` unless the run is on a path that hangs on something of which nothing is known."""
        doubtful = any(condition.opaque for condition, _ in choices(run.guards, self._demands))
        return Certainty.POSSIBLE if doubtful else Certainty.PROVED

    def _birth(self, value: Value) -> Iterator[Related]:
        where = self._placeholders.get(value)
        if where is not None:
            yield Related(f"`{value.name}` is made here", where)


def _operands(node: Node) -> Iterator[Value]:
    """The operands whose elements a node needs; of operands that it takes the shape of only, none."""
    for value in node.inputs:
        if value is None:
            continue
        known = value.declared.ranked and all(isinstance(dim, int) for dim in value.declared.dims)
        if not (known and node.op in _SHAPES_ONLY):
            yield value
