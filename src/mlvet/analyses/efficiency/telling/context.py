"""What the telling of a suggestion can look at: the program, what its parts cost, and how often they run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from mlvet.analyses.efficiency.costs import Cost, Sizes, cost
from mlvet.analyses.efficiency.host.annotations import effect
from mlvet.analyses.efficiency.host.bindings import Setting
from mlvet.analyses.efficiency.host.executions import Executions
from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.host.sharing import Sharing
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
_HOST_CALL = 2e-7
"""What a call of Python takes at least."""
BACKWARD = 3
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

_COMPUTING = ("torch.", "tensorflow.", "keras.", "jax.", "flax.", "numpy.", "scipy.")
_SHOWN = ("torch.Tensor.", "tensorflow.Tensor.", "numpy.ndarray.", "jax.Array.")
"""Classes whose methods show in the graph if they compute."""


@dataclass
class Context:
    """A program with everything that suggestions about it are told from."""

    program: HostProgram
    demanded: Demands
    rules: Catalogue
    suggested: list[Suggested] = field(default_factory=list)
    _iterations: dict[Loop, Cost] = field(default_factory=dict)
    _functions_cost: dict[Function, Cost] = field(default_factory=dict)
    _understood: dict[Loop, bool] = field(default_factory=dict)
    _unseen: dict[Loop, bool] = field(default_factory=dict)
    _run: dict[Loop, list[Expression]] = field(default_factory=dict)

    @cached_property
    def runs(self) -> Executions:
        followed = {id(run.execution) for run in self.demanded.runs if run.followed}
        made = enumerate(self.program.graph.executions)
        return Executions(self.program, frozenset(number for number, each in made if id(each) not in followed))

    @cached_property
    def sharing(self) -> Sharing:
        return Sharing(self.program, self.runs.blocks)

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

    @property
    def settings(self) -> dict[str, list[Setting]]:
        """Where each name is set."""
        return self.program.settings

    @cached_property
    def on_gpu(self) -> bool:
        """Whether the file names a GPU."""
        return re.search(r"""["']cuda|\.cuda\(|["']gpu["':]|["']/gpu:""", self.program.outline.source.text) is not None

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

    def times(self, loop: Loop) -> int | None:
        """How many iterations of a loop a run of the program makes; None if that hangs on what is not known."""
        if loop.function in self._entered_in_loops:
            return None
        counts = [self.trips(each) for each in (*loop.around, loop)]
        return None if None in counts else prod(each for each in counts if each is not None)

    @cached_property
    def _entered_in_loops(self) -> frozenset[Function]:
        """The functions that run in loops, and those that nobody is seen to call."""
        called = [each for each in self.program.outline.expressions if isinstance(each.node, ast.Call)]
        entered = set(self._entered(called))
        repeated = self._reached([each for each in called if each.loops])
        unseen = (each for each in self.program.outline.functions[1:] if each not in entered)
        return frozenset((*repeated, *unseen))

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
        found = self._written_in(expression.node)
        return cost(self._nodes(found), self.sizes) + self._functions(found, set())

    def cost_of_one(self, expression: Expression) -> Cost:
        """What one evaluation costs, also where a `while` was followed through, which `cost` counts as one."""
        counted = max((_repeats(self._nodes([each])) for each in self._below(expression.node)), default=1)
        return self.cost(expression).times(1 / counted)

    def host_seconds(self, node: ast.expr) -> float:
        """What Python takes for the comprehensions of an expression that run functions of the program, at least."""
        total = 0.0
        for each in ast.walk(node):
            seen = self.program.seen(self.program.outline.of_node[each]) if isinstance(each, ast.ListComp) else None
            if isinstance(each, ast.ListComp) and seen is not None and seen.length is not None:
                below = self._below(each.elt)
                calls = sum(isinstance(one.node, ast.Call) for one in below)
                total += _HOST_CALL * calls * seen.length if any(self._entered(below)) else 0.0
        return total

    def own_cost(self, expression: Expression) -> Cost:
        """What an expression costs itself, its operands not counted."""
        return cost(self._nodes([expression]), self.sizes)

    def understood(self, loop: Loop) -> bool:
        """Whether all calls of a loop are known and none reads or writes, so that nothing large hides in it."""
        if loop not in self._understood:
            self._understood[loop] = not any(map(self._is_unclear, self.program.outline.within(loop)))
        return self._understood[loop]

    def _is_unclear(self, expression: Expression) -> bool:
        if not isinstance(expression.node, ast.Call):
            return False
        site = self.program.site(expression)
        return (
            site is None or site.dark or any(effect(name) == "io" for name in self.program.callees(expression))
        )  # fmt: skip

    def cost_of_iteration(self, loop: Loop) -> Cost:
        """What one iteration of a loop costs; loops inside count as often as they run."""
        if loop not in self._iterations:
            self._iterations[loop] = self._body(loop, set())
        return self._iterations[loop]

    def nodes_below(self, expression: Expression) -> list[Node]:
        """What one evaluation of an expression adds to the graph, with its operands and the functions it runs."""
        return self._nodes(self._below(expression.node))

    def nodes_of_one(self, expression: Expression) -> list[Node]:
        """What one evaluation of an expression computes, with its operands and the functions that it runs for it."""
        inside = {each for each in ast.walk(expression.node) if isinstance(each, ast.expr)}
        found: dict[tuple[Expression, ...], list[Node]] = {}
        for node, way in self.sharing.frames.items():
            depth = next((index for index, each in enumerate(way) if each.node in inside), None)
            if depth is not None:
                found.setdefault(way[:depth], []).append(node)
        nodes = next(iter(found.values()), [])
        shortest = min((node.loops for node in nodes), key=len, default=())
        return [node for node in nodes if node.loops[: len(shortest)] == shortest]

    def evaluations(self, expression: Expression, loop: Loop) -> float:
        """How often one iteration of a loop evaluates an expression, by loops inside and functions that they run."""
        return self._evaluations(expression, loop, set()) or 1.0

    def _evaluations(self, expression: Expression, part: Loop | Function, entered: set[Function]) -> float:
        inside = self.program.outline.directly_in[part]
        if expression in inside:
            return 1.0
        for function in self._entered(inside):
            if function not in entered:
                entered.add(function)
                if often := self._evaluations(expression, function, entered):
                    return often
        for inner in self.program.outline.loops_in[part]:
            if often := self._evaluations(expression, inner, entered):
                return often * self._trips_or_usual(inner)
        return 0.0

    def _trips_or_usual(self, loop: Loop) -> int:
        trips = self.trips(loop)
        return _TRIPS if trips is None else trips

    def trains(self, loop: Loop) -> bool:
        """Whether gradients are computed in an iteration of a loop, by PyTorch's `backward`."""
        return self._trains(self._run_by(loop))

    def works_unseen(self, loop: Loop) -> bool:
        """Whether an iteration calls what nobody knows, what hides its work from the graph, or is in another file."""
        if loop not in self._unseen:
            self._unseen[loop] = any(map(self._is_hidden, self._run_by(loop)))
        return self._unseen[loop]

    def _is_hidden(self, expression: Expression) -> bool:
        if not isinstance(expression.node, ast.Call):
            return False
        site = self.program.site(expression)
        if site is None or site.dark or any(name.endswith(_HIDDEN) for name in site.names):
            return True
        return not all(self.program.outline.function_at.get(span) for span in site.enters)

    def is_unseen(self, expression: Expression) -> bool:
        """Whether nobody knows what a call does, or it does something to tensors that the graph does not show."""
        if not isinstance(expression.node, ast.Call):
            return False
        site = self.program.site(expression)
        if site is None or site.dark:
            return True
        given = [*expression.node.args, *(each.value for each in expression.node.keywords)]
        seen = (self.program.host.seen.get(self.program.outline.span(each)) for each in given)
        takes = any(each is not None and each.kind == "tensor" for each in seen)
        libraries = any(each.startswith(_COMPUTING) and not each.startswith(_SHOWN) for each in site.names)
        return takes and libraries and not site.enters and not self.program.nodes(expression)

    def run_by(self, function: Function) -> list[Expression]:
        """What a run of a function evaluates, in the functions that it runs too."""
        inside = self._body_of(function)
        return inside + [each for other in self._reached(inside) if other != function for each in self._body_of(other)]

    def _run_by(self, loop: Loop) -> list[Expression]:
        """What an iteration of a loop evaluates, in the functions that it runs too."""
        if loop not in self._run:
            inside = list(self.program.outline.within(loop))
            self._run[loop] = inside + [each for function in self._reached(inside) for each in self._body_of(function)]
        return self._run[loop]

    def _reached(self, inside: list[Expression]) -> dict[Function, None]:
        """The functions that some expressions run, and those that these run."""
        found: dict[Function, None] = {}
        pending = list(self._entered(inside))
        while pending:
            function = pending.pop()
            if function not in found:
                found[function] = None
                pending += self._entered(self._body_of(function))
        return found

    def _body_of(self, function: Function) -> list[Expression]:
        return self.program.outline.of_function[function]

    def cost_of_function(self, function: Function) -> Cost:
        """What one run of a function costs, with its loops and the functions that it runs."""
        if function not in self._functions_cost:
            self._functions_cost[function] = self._inside(function, {function})
        return self._functions_cost[function]

    def _body(self, loop: Loop, entered: set[Function]) -> Cost:
        total = self._inside(loop, entered)
        return total.times(BACKWARD) if self._trains(self.program.outline.directly_in[loop]) else total

    def _inside(self, part: Loop | Function, entered: set[Function]) -> Cost:
        """What a run of a loop's body or of a function costs, with the loops inside and the functions that it runs."""
        inside = self.program.outline.directly_in[part]
        total = cost(self._nodes(inside), self.sizes) + self._fitting(inside) + self._functions(inside, entered)
        for inner in self.program.outline.loops_in[part]:
            total = total + self._body(inner, entered).times(self._trips_or_usual(inner))
        return total

    def _fitting(self, inside: list[Expression]) -> Cost:
        """What the calls of `fit` among some expressions cost beyond one pass: gradients, and further epochs."""
        total = Cost()
        for each in inside:
            if isinstance(each.node, ast.Call) and any(name.endswith(".fit") for name in self.program.callees(each)):
                passes = next((_count(word.value) for word in each.node.keywords if word.arg == "epochs"), 1)
                total = total + cost(self._nodes([each]), self.sizes).times(max(0, BACKWARD * passes - 1))
        return total

    def _functions(self, inside: list[Expression], entered: set[Function]) -> Cost:
        """What the functions cost that some expressions run."""
        total = Cost()
        for function in self._entered(inside):
            if function not in entered:
                entered.add(function)
                total = total + self._inside(function, entered)
        return total

    def _entered(self, inside: Iterable[Expression]) -> Iterator[Function]:
        for each in inside:
            site = self.program.site(each) if isinstance(each.node, ast.Call) else None
            for span in site.enters if site is not None else ():
                if (function := self.program.outline.function_at.get(span)) is not None:
                    yield function

    def _written_in(self, node: ast.expr) -> list[Expression]:
        of_node = self.program.outline.of_node
        return [of_node[each] for each in ast.walk(node) if isinstance(each, ast.expr) and each in of_node]

    def _below(self, node: ast.expr) -> list[Expression]:
        found = self._written_in(node)
        entered = dict.fromkeys(self._entered(found))
        return found + [each for function in entered for each in self._body_of(function)]

    def _nodes(self, expressions: Iterable[Expression]) -> list[Node]:
        """What expressions add to the graph in one evaluation."""
        found: list[Node] = []
        for each in expressions:
            made = self.program.nodes(each)
            first = made[0].loops if made else ()
            once = [node for node in made if node.loops == first]
            found += once if first or not each.loops else _until_again(once)
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


def _until_again(nodes: list[Node]) -> list[Node]:
    """The nodes of the first evaluation, where a `while` was followed through and its iterations are not told apart."""
    again = (index for index, node in enumerate(nodes) if index and node.op == nodes[0].op)
    return nodes[: next(again, len(nodes))]


def _repeats(nodes: list[Node]) -> int:
    """How often the operators of an expression, by one way of calls, repeat what they begin with."""
    made = [(each.op, each.module) for each in nodes if each.stack == nodes[0].stack]
    lengths = (each for each in range(1, len(made)) if len(made) % each == 0)
    return next((len(made) // each for each in lengths if made[each:] == made[:-each]), 1)


def _asks(call: ast.Call) -> bool:
    """Whether a call makes a tensor that asks for gradients."""
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    told = (each.value for each in call.keywords if each.arg == "requires_grad")
    return named == "Parameter" or any(not (isinstance(each, ast.Constant) and each.value is False) for each in told)


def _count(node: ast.expr) -> int:
    """The number that is written there, else how often loops are taken to run."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else _TRIPS
