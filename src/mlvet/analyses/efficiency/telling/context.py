"""What the telling of a suggestion can look at: the program, what its parts cost, and how often they run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mlvet.analyses.efficiency.costs import Cost, Sizes, cost
from mlvet.analyses.efficiency.host.annotations import effect
from mlvet.analyses.efficiency.host.bindings import Setting
from mlvet.analyses.efficiency.host.executions import Executions
from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.host.training import compiled_functions
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.speculation import Speculation
from mlvet.analyses.text import Text
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Node, Value
from mlvet.ir.program import Demands

_TRIPS = 10
"""How often a loop is taken to run if nobody knows."""
_BACKWARD = 3
"""How much more a computation costs with its gradients."""

_HIDDEN = (
    "Session.run",
    ".fit",
    ".predict",
    ".evaluate",
    ".train_on_batch",
    ".fit_generator",
    ".eval",
    ".savefig",
    ".imshow",
)


@dataclass
class Context:
    """A program with everything that suggestions about it are told from."""

    program: HostProgram
    demanded: Demands
    rules: Catalogue
    suggested: list[Suggested] = field(default_factory=list)

    @cached_property
    def runs(self) -> Executions:
        return Executions(self.program)

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

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """What each node of the outline is part of."""
        tree = self.program.outline.tree
        return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def settings(self) -> dict[str, list[Setting]]:
        """Where each name is set."""
        found: dict[str, list[Setting]] = {}
        for each in self.program.bindings.settings:
            found.setdefault(each.name, []).append(each)
        return found

    @cached_property
    def used_names(self) -> frozenset[str]:
        """Every word that the file uses as a name."""
        return frozenset(re.findall(r"[^\W\d]\w*", self.program.outline.source.text))

    @cached_property
    def compiled(self) -> frozenset[Function]:
        """The functions that a compiler takes as a whole, so that small operators of them are joined."""
        return frozenset(compiled_functions(self.program))

    @cached_property
    def producers(self) -> dict[Value, Node]:
        """The node that makes each value."""
        return {value: node for node in self.program.graph.nodes() for value in node.outputs}

    @cached_property
    def asking(self) -> frozenset[tuple[int | None, int | None]]:
        """Where the calls stand that make tensors which ask for gradients, by line and column."""
        found = set()
        for each in self.program.outline.expressions:
            if isinstance(each.node, ast.Call) and _asks(each.node):
                place = self.program.outline.location(each.node)
                found.add((place.line, place.column))
        return frozenset(found)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of tensors that are made to ask for gradients where they stand."""
        found = set()
        for each in self.program.outline.expressions:
            match each.node:
                case ast.Attribute(attr="requires_grad_" | "requires_grad", value=ast.Name(id=name)):
                    found.add(name)
        return frozenset(found)

    def comment(self, statement: ast.stmt) -> str | None:
        """What stands behind a statement on its last line; None if something other than a comment shares its lines."""
        line, end = self.edits.end(statement)
        rest = self.edits.line(line)[end - 1 :].rstrip()
        alone = self.edits.begins_line(statement) and rest.lstrip()[:1] in ("", "#")
        return rest if alone else None

    def header(self, node: ast.With | ast.AsyncWith) -> str:
        """The first line of a `with` statement without its colon and names."""
        return "with " + ", ".join(self.edits.of(each.context_expr) for each in node.items)

    def text(self, node: ast.expr | ast.stmt, most: int = 60) -> str:
        """A piece of the program to quote."""
        found = self.program.outline.text(node)
        return found if len(found) <= most else f"{found[: most - 4]} ..."

    def trips(self, loop: Loop) -> int | None:
        return self.program.trips(loop.node)

    def usual_trips(self, loop: Loop) -> int | None:
        """How often a loop runs, with what the user can set as it is by default."""
        known = self.trips(loop)
        node = loop.node
        if known is None:
            found = [each.trips for each in self.program.loops_at.get((node.lineno, node.col_offset + 1), [])]
            sizes = [self.sizes.dim(each) for each in found if each is not None]
            known = max((size for size, _ in sizes), default=None) if sizes and len(sizes) == len(found) else None
            return None if any(guess for _, guess in sizes) else known
        return known

    def cost(self, expression: Expression) -> Cost:
        """What one evaluation of an expression costs, with its operands and the functions that it runs."""
        return cost(self.nodes_below(expression), self.sizes)

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

    def nodes_below(self, expression: Expression) -> list[Node]:
        """What one evaluation of an expression adds to the graph, with its operands and the functions it runs."""
        return self._nodes(self._below(expression.node))

    def trains(self, loop: Loop) -> bool:
        """Whether gradients are computed in an iteration of a loop, by PyTorch's `backward`."""
        return self._trains(self._run_by(loop))

    def works_unseen(self, loop: Loop) -> bool:
        """Whether an iteration calls what nobody knows, or what hides its work from the graph."""
        for each in self._run_by(loop):
            if isinstance(each.node, ast.Call):
                site = self.program.site(each)
                if site is None or site.dark or any(name.endswith(_HIDDEN) for name in site.names):
                    return True
        return False

    def _run_by(self, loop: Loop) -> list[Expression]:
        """What an iteration of a loop evaluates, in the functions that it runs too."""
        inside = [each for each in self.program.outline.expressions if loop in each.loops]
        pending, entered = list(self._entered(inside)), set[Function]()
        while pending:
            function = pending.pop()
            if function not in entered:
                entered.add(function)
                body = [each for each in self.program.outline.expressions if each.function is function]
                inside += body
                pending += self._entered(body)
        return inside

    def cost_of_function(self, function: Function) -> Cost:
        """What one run of a function costs, with its loops and the functions that it runs."""
        inside = [each for each in self.program.outline.expressions if each.function is function and not each.loops]
        total = cost(self._nodes(inside), self.sizes) + self._functions(inside, {function})
        for loop in self.program.outline.loops:
            if loop.function is function and not loop.around:
                trips = self.trips(loop)
                total = total + self._body(loop, {function}).times(_TRIPS if trips is None else trips)
        return total

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


def _asks(call: ast.Call) -> bool:
    """Whether a call makes a tensor that asks for gradients."""
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    told = (each.value for each in call.keywords if each.arg == "requires_grad")
    return named == "Parameter" or any(not (isinstance(each, ast.Constant) and each.value is False) for each in told)
