"""What the telling of a suggestion can look at: the program, what its parts cost, and how often they run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from mlvet.analyses.efficiency.costs import Cost, Sizes, cost
from mlvet.analyses.efficiency.host.annotations import effect
from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.speculation import Speculation
from mlvet.analyses.text import Text
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Node
from mlvet.ir.program import Demands

_TRIPS = 10
"""How often a loop is taken to run if nobody knows."""
_BACKWARD = 3
"""How much more a computation costs with its gradients."""


@dataclass
class Context:
    """A program with everything that suggestions about it are told from."""

    program: HostProgram
    demanded: Demands
    rules: Catalogue

    @cached_property
    def expressions(self) -> dict[str, Expression]:
        return {each.name: each for each in self.program.outline.expressions}

    @cached_property
    def loops(self) -> dict[str, Loop]:
        return {each.name: each for each in self.program.outline.loops}

    @cached_property
    def edits(self) -> Text:
        """The text of the file beside a tree of its own, for edits; `editable` tells the node of an expression."""
        return self.program.text

    def editable(self, node: ast.expr | ast.stmt) -> ast.AST | None:
        """The node of `edits` that stands where a node of the outline does."""
        return self.edits.at(self.program.outline.location(node))

    @cached_property
    def sizes(self) -> Sizes:
        defaults = {name: each.default for name, each in self.demanded.settings.items() if each.default is not None}
        return Sizes({**defaults, **self.demanded.full})

    def text(self, node: ast.expr | ast.stmt, most: int = 60) -> str:
        """A piece of the program to quote."""
        found = self.program.outline.text(node)
        return found if len(found) <= most else f"{found[: most - 4]} ..."

    def trips(self, loop: Loop) -> int | None:
        return self.program.trips(loop.node)

    def cost(self, expression: Expression) -> Cost:
        """What one evaluation of an expression costs, with its operands and the functions that it runs."""
        return cost(self._nodes(self._below(expression.node)), self.sizes)

    def own_cost(self, expression: Expression) -> Cost:
        """What an expression costs itself, its operands not counted."""
        return cost(self._nodes([expression]), self.sizes)

    def understood(self, loop: Loop) -> bool:
        """Whether all calls of a loop are known and none reads or writes, so that nothing large hides in it."""
        for each in self.program.outline.expressions:
            if isinstance(each.node, ast.Call) and loop in each.loops:
                site = self.program.site(each)
                if site is None or site.dark or any(effect(name) == "io" for name in self.program.callees(each)):
                    return False
        return True

    def cost_of_iteration(self, loop: Loop) -> Cost:
        """What one iteration of a loop costs; loops inside count as often as they run."""
        return self._body(loop, set())

    def _body(self, loop: Loop, entered: set[Function]) -> Cost:
        inside = [each for each in self.program.outline.expressions if each.loops[-1:] == (loop,)]
        total = cost(self._nodes(inside), self.sizes) + self._functions(inside, entered)
        for inner in self.program.outline.loops:
            if inner.around[-1:] == (loop,):
                trips = self.trips(inner)
                total = total + self._body(inner, entered).times(_TRIPS if trips is None else trips)
        return total.times(_BACKWARD) if self._trains(inside) else total

    def _functions(self, inside: list[Expression], entered: set[Function]) -> Cost:
        """What the functions cost that some expressions run."""
        total = Cost()
        for function in self._entered(inside):
            if function in entered:
                continue
            entered.add(function)
            body = [each for each in self.program.outline.expressions if each.function is function and not each.loops]
            total = total + cost(self._nodes(body), self.sizes) + self._functions(body, entered)
            for loop in self.program.outline.loops:
                if loop.function is function and not loop.around:
                    trips = self.trips(loop)
                    total = total + self._body(loop, entered).times(_TRIPS if trips is None else trips)
        return total

    def _entered(self, inside: Iterable[Expression]) -> Iterator[Function]:
        for each in inside:
            site = self.program.site(each) if isinstance(each.node, ast.Call) else None
            for span in site.enters if site is not None else ():
                if (function := self.program.outline.function_at.get(span)) is not None:
                    yield function

    def _below(self, node: ast.expr) -> list[Expression]:
        of_node = self.program.outline.of_node
        found = [of_node[each] for each in ast.walk(node) if isinstance(each, ast.expr) and each in of_node]
        entered = set(self._entered(found))
        return found + [each for each in self.program.outline.expressions if each.function in entered]

    def _nodes(self, expressions: Iterable[Expression]) -> list[Node]:
        """What expressions add to the graph in one evaluation."""
        found: list[Node] = []
        for each in expressions:
            made = self.program.nodes(each)
            first = made[0].loops if made else ()
            found += (node for node in made if node.loops == first)
        return found

    def _trains(self, inside: list[Expression]) -> bool:
        return any(isinstance(each.node, ast.Attribute) and each.node.attr == "backward" for each in inside)

    def finding(
        self,
        suggested: Suggested,
        message: str,
        location: Location,
        *,
        related: Iterable[Related] = (),
        conditions: Iterable[str] = (),
        fix: Fix | None = None,
        data: Mapping[str, object] | None = None,
    ) -> Finding:
        """A suggestion as a finding: what it takes for granted and on what condition it pays are its assumptions."""
        rule = self.rules[suggested.pattern]
        granted = tuple(Assumption(text) for text in conditions) + tuple(map(self._assumption, suggested.granted))
        return Finding(
            rule.name, rule.code, rule.severity, Certainty.LIKELY, message, location, tuple(related),
            Evidence("efficiency", {"pattern": suggested.pattern, **(data or {})}), granted, fix,
        )  # fmt: skip

    def _assumption(self, case: tuple[str, str]) -> Assumption:
        kind, name = case
        place = self.expressions[name]
        words = Speculation(kind).about(self.text(place.node))
        return Assumption(words, self.program.outline.location(place.node))
