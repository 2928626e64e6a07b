"""Expressions that compute some of the same from the same values, each perhaps in functions that it runs.

The graph tells which nodes are equal. It lets one tensor stand for all that an iterator or a list yields, so that the
text has to agree: what the equal nodes take from outside must be written the same, with the parameters of functions in
the words of whoever calls them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from mlvet.analyses.efficiency.costs import is_heavy
from mlvet.analyses.efficiency.host.blocks import Blocks
from mlvet.analyses.efficiency.host.facts import HostProgram, bound, call_effect
from mlvet.analyses.efficiency.host.numbering import equal_nodes
from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Loop, place_of
from mlvet.analyses.text import last_name
from mlvet.ir.facts import Fact
from mlvet.ir.graph import Iteration, Node, Value

SCHEMA = {
    "computes_again/2": "expression, a later one of its function that computes some of the same from the same values",
    "computes_in_turn/2": "call, loop in whose iterations it computes some of the same from the same values",
    "shared_between/3": "two expressions of computes_again, expression that runs between them",
    "shared_runs/2": "such an expression, expression that it is, contains or runs in functions of the file",
    "shared_uses/2": "such an expression, name or attribute from outside that it reads, or that what it runs reads",
}
"""Every predicate of shared work with its number of arguments, and what the arguments are."""

_MOST_ALIKE = 12
_WEIGHTLESS = frozenset(("cast", "constant_of_shape", "sizes", "shape", "size", "reshape", "transpose", "zeros_like"))
"""Operators that do next to nothing."""
_COPYING = ("copy", "deepcopy", "replace", "clone_model", "load_model", "AveragedModel", "clone", "ModelEMA", "EMA")
_ITEM = "item"
_FLEETING = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, *COMPREHENSIONS)
"""What cannot be written elsewhere."""
_FRAMES = tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Nodes under an expression and the equal ones under a later one."""

    first: Node
    second: Node


@dataclass(frozen=True, slots=True)
class Work:
    """What an expression computes again: the `nodes`, and the largest expressions that do nothing else.

    `first` and `second` stand in the functions that the two expressions run, where there are such; `dearest` is of
    theirs.
    """

    later: Expression
    nodes: tuple[Shared, ...]
    first: Expression | None = None
    second: Expression | None = None
    dearest: Shared | None = None


@dataclass
class Sharing:
    """The work that expressions of a program share."""

    program: HostProgram
    blocks: Blocks

    @cached_property
    def pairs(self) -> dict[tuple[Expression, Expression], list[Shared]]:
        """Pairs of expressions of one function, and what the second of them computes again."""
        return {pair: sure for pair, found in self._equal[0].items() if (sure := self._sure(found, pair[0], pair[1]))}

    @cached_property
    def turns(self) -> dict[tuple[Expression, Loop], list[Shared]]:
        """Calls with a loop around them, and what an iteration computes again."""
        return {
            (call, loop): sure
            for (call, loop), found in self._equal[1].items()
            if (sure := self._sure(found, call, call))
        }

    @cached_property
    def frames(self) -> dict[Node, _FRAMES]:
        """The expressions of the file that lead to each node, outermost first, the one that makes it last."""
        return {node: tuple(self._leading(node)) for node in self.program.graph.nodes()}

    def outermost(self, node: Node, shared: set[Node], inside: Expression) -> Expression | None:
        """The largest expression within another that leads to a node and computes nothing that is not shared."""
        for way in self.ways(node, inside):
            beside = [each for each in self._under[way] if each.loops[: len(node.loops)] == node.loops]
            if all(each in shared for each in beside if each.op not in _WEIGHTLESS):
                return way[-1]
        return None

    def ways(self, node: Node, inside: Expression) -> Iterator[_FRAMES]:
        """The calls that lead from the top of the program to a node, from an expression or a part of it onwards."""
        leading = self.frames[node]
        start = next(index for index, each in enumerate(leading) if each.function is inside.function)
        yield from (leading[: depth + 1] for depth in range(start, len(leading)))

    def written(self, expression: Expression, node: Node, within: Expression) -> ast.expr | None:
        """An expression that leads to a node, in the words of the function in which another stands."""
        way = next(each for each in self.ways(node, within) if each[-1] is expression)
        start = next(index for index, each in enumerate(way) if each.function is within.function)
        return _Writer(self.program, way[start:-1]).written(expression.node)

    @cached_property
    def _under(self) -> dict[_FRAMES, list[Node]]:
        found: dict[_FRAMES, list[Node]] = {}
        for node, leading in self.frames.items():
            for depth in range(len(leading)):
                found.setdefault(leading[: depth + 1], []).append(node)
        return found

    @cached_property
    def _loops(self) -> dict[str, Loop]:
        """The loops of the file by their names in the graph."""
        places = {}
        for each in self.program.outline.loops:
            begins = each.node.generators[0].iter if isinstance(each.node, COMPREHENSIONS) else each.node
            places[begins.lineno, begins.col_offset + 1] = each
        found = {}
        for (line, column), loops in self.program.loops_at.items():
            if line is not None and column is not None and (line, column) in places:
                found.update({each.name: places[line, column] for each in loops})
        return found

    def _leading(self, node: Node) -> Iterator[Expression]:
        entered: tuple[Function | None, ...] | None = None
        path, at = self.program.outline.source.path, self.program.outline.at
        for place in (*(each.location for each in node.stack), node.location):
            found = at.get(place_of(place)) if place is not None and place.path == path else None
            if found is None or (entered is not None and found.function not in entered):
                return
            yield found
            site = self.program.site(found) if isinstance(found.node, ast.Call) else None
            entered = tuple(map(self.program.outline.function_at.get, site.enters)) if site is not None else ()

    @cached_property
    def _equal(
        self,
    ) -> tuple[dict[tuple[Expression, Expression], list[Shared]], dict[tuple[Expression, Loop], list[Shared]]]:
        pairs: dict[tuple[Expression, Expression], list[Shared]] = {}
        turns: dict[tuple[Expression, Loop], list[Shared]] = {}
        for nodes in equal_nodes(self.program.graph):
            for one, other in combinations(nodes[:_MOST_ALIKE], 2):
                if not set(one.guards) <= set(other.guards):
                    continue
                parted = _parted(one.loops, other.loops)
                if parted is None:
                    continue
                leading = self.frames[one], self.frames[other]
                if parted:
                    turn = self._turn(*leading, parted)
                    if turn is not None:
                        turns.setdefault(turn, []).append(Shared(one, other))
                else:
                    pair = self._pair(*leading)
                    if pair is not None:
                        pairs.setdefault(pair, []).append(Shared(one, other))
        return pairs, turns

    def _pair(self, one: _FRAMES, other: _FRAMES) -> tuple[Expression, Expression] | None:
        """Where the ways to two nodes part: two expressions of one function."""
        for first, second in zip(one, other, strict=False):
            if first is not second:
                return (first, second) if first.function is second.function else None
        return None

    def _turn(self, one: _FRAMES, other: _FRAMES, name: str) -> tuple[Expression, Loop] | None:
        loop = self._loops.get(name)
        if one != other or loop is None:
            return None
        call = next((each for each in one if loop in each.loops), None)
        return None if call is None or not isinstance(call.node, ast.Call) else (call, loop)

    def _sure(self, found: list[Shared], first: Expression, second: Expression) -> list[Shared]:
        """Those of some equal nodes of which the text agrees that what they are computed from is the same."""
        made = {value: each for each in found for value in each.second.outputs}
        doubtful: set[Shared] = set()
        for each in found:
            taken = [made[value] for value in each.second.inputs if value in made]
            outside = any(value is not None and value not in made for value in each.second.inputs)
            if any(one in doubtful for one in taken) or (outside and not self._agree(each, made, first, second)):
                doubtful.add(each)
        sure = [each for each in found if each not in doubtful]
        return sure if any(is_heavy(each.second) for each in sure) else []

    def _agree(self, shared: Shared, made: dict[Value, Shared], first: Expression, second: Expression) -> bool:
        one, other = self.frames[shared.first], self.frames[shared.second]
        start = one.index(first), other.index(second)
        writers = (
            _Writer(self.program, one[start[0] : -1]),
            _Writer(self.program, other[start[1] : -1]),
        )
        data = any(
            value is not None and value not in made and value not in self._steady for value in shared.second.inputs
        )
        texts = [writer.parts(each[-1].node, data) for writer, each in zip(writers, (one, other), strict=True)]
        if texts[0] is None or texts[1] is None:
            return False
        (one_called, one_given), (other_called, other_given) = texts[0], texts[1]
        if one_called == other_called != _ITEM:
            return one_given == other_given
        apart = _is_plain(one_called) and _is_plain(other_called) and not self._copies
        return apart and one_given == other_given

    @cached_property
    def _copies(self) -> bool:
        """Whether the file copies objects: the graph does not tell the parameters of a copy from those of the first."""
        calls = (each.node for each in self.program.outline.expressions if isinstance(each.node, ast.Call))
        return any(last_name(each) in _COPYING for each in calls)

    @cached_property
    def _steady(self) -> set[Value]:
        graph = self.program.graph
        return {each.value for each in graph.parameters} | {
            each.value for region in graph.regions() for each in region.constants
        }


class _Unwritable(Exception):
    """A name that only the function itself can read, or a call that yields something else each time."""


class _Writer(ast.NodeTransformer):
    """Writes what a function computes in the words of the function at the beginning of a chain of calls."""

    def __init__(self, program: HostProgram, calls: _FRAMES) -> None:
        self._program = program
        self._calls = calls

    def parts(self, node: ast.expr, data: bool) -> tuple[str, tuple[str, ...]] | None:
        """What is called, and what it is given where it takes `data` from outside; None if it cannot be written."""
        try:
            if not isinstance(node, ast.Call):
                return "", (self._text(node),)
            if isinstance(node.func, ast.Attribute) and self._is_data(node.func.value):
                called = f".{node.func.attr}()"
                given = [node.func.value, *node.args]
            else:
                called = self._called(node.func)
                given = list(node.args)
            texts = [self._text(each) for each in given] if data else []
            texts += [f"{each.arg}={self._text(each.value)}" for each in node.keywords] if data else []
            return called, tuple(texts)
        except _Unwritable:
            return None

    def _called(self, node: ast.expr) -> str:
        """What is called; items of a short container and what an iteration goes over are objects of their own."""
        if isinstance(node, ast.Subscript):
            held = self._program.host.seen.get(self._program.outline.span(node.value))
            if held is not None and held.length is not None and held.length <= _MOST_ALIKE:
                return _ITEM
        if isinstance(node, ast.Name):
            name = self._program.names_read.get(self._program.outline.of_node[node], "")
            if any(each.loop is not None for each in self._program.settings.get(name, ())):
                return _ITEM
        return self._text(node)

    def written(self, node: ast.expr) -> ast.expr | None:
        try:
            return self._visited(node)
        except _Unwritable:
            return None

    def _is_data(self, node: ast.expr) -> bool:
        seen = self._program.host.seen.get(self._program.outline.span(node))
        return seen is not None and seen.kind == "tensor"

    def _text(self, node: ast.expr) -> str:
        return ast.unparse(self._visited(node))

    def _visited(self, node: ast.expr) -> ast.expr:
        copied = deepcopy(node)
        self._originals = dict(zip(ast.walk(copied), ast.walk(node), strict=True))
        return self.visit(copied)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        original = self._originals[node]
        found = self._program.outline.of_node.get(original)
        if found is None:
            raise _Unwritable
        owner, _, name = self._program.names_read.get(found, "").partition(".")
        if not self._calls:
            return node
        if owner in ("f0", ""):
            if node.id in self._program.locals_of(self._calls[0].function):
                raise _Unwritable
            return node
        if owner != found.function.name:
            raise _Unwritable
        call = self._calls[-1].node
        assert isinstance(call, ast.Call)
        given = [value for parameter, value in bound(call, found.function) if parameter == name]
        settings = self._program.settings.get(f"{owner}.{name}", [])
        if len(given) == 1 and not settings:
            return _Writer(self._program, self._calls[:-1])._visited(given[0])
        if not given and not settings:
            return _default(found.function, name)
        if given or len(settings) != 1 or settings[0].loop is not None or settings[0].conditions:
            raise _Unwritable
        value = settings[0].value
        statement = settings[0].target.statement
        if value is None or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            raise _Unwritable
        return _Writer(self._program, self._calls)._visited(value.node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        original = self._originals[node]
        found = self._program.outline.of_node.get(original)
        if found is None:
            raise _Unwritable
        if any(
            isinstance(each.node, ast.Call) and call_effect(self._program, each) != "pure"
            for each in run_by(self._program, found)
        ):
            raise _Unwritable
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit(self, node: ast.AST) -> ast.expr:
        if isinstance(node, _FLEETING):
            raise _Unwritable
        return super().visit(node)  # type: ignore[no-any-return]


def _default(function: Function, name: str) -> ast.expr:
    """What a parameter is if it is not given."""
    if isinstance(function.node, ast.Module):
        raise _Unwritable
    arguments = function.node.args
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip((each.arg for each in placed[::-1]), arguments.defaults[::-1], strict=False))
    defaults |= {
        each.arg: value
        for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if value is not None
    }
    value = defaults.get(name)
    if not isinstance(value, ast.Constant):
        raise _Unwritable
    return value


def _is_plain(text: str) -> bool:
    """Whether something is called by names and attributes alone, which hold one object each."""
    return text.replace(".", "").isidentifier()


def _parted(one: tuple[Iteration, ...], other: tuple[Iteration, ...]) -> str | None:
    """The loop in which two nodes are of different iterations; empty if there is none, None if nobody can tell."""
    common = 0
    while common < min(len(one), len(other)) and one[common] == other[common]:
        common += 1
    rest = one[common:], other[common:]
    if any(each.index is None for part in rest for each in part):
        return None
    if rest[0] and rest[1] and rest[0][0].loop == rest[1][0].loop:
        return rest[0][0].loop
    return ""


def sharing_facts(sharing: Sharing, whole: bool = True) -> Iterator[Fact]:
    """All facts of shared work, or without those that no shipped rule can use."""
    acts = sharing.program.may_act
    told: dict[Expression, None] = {}
    for first, second in sharing.pairs:
        between = sharing.blocks.between(first, second)
        if between is None:
            continue
        yield Fact("computes_again", (first.name, second.name))
        told |= {first: None, second: None}
        for each in between if whole else filter(acts, between):
            yield Fact("shared_between", (first.name, second.name, each.name))
    for call, loop in sharing.turns:
        yield Fact("computes_in_turn", (call.name, loop.name))
        told[call] = None
    for expression in told:
        inside = list(run_by(sharing.program, expression))
        for each in inside if whole else filter(acts, inside):
            yield Fact("shared_runs", (expression.name, each.name))
        for name in sorted(set(_used(sharing.program, inside))):
            yield Fact("shared_uses", (expression.name, name))


def run_by(program: HostProgram, expression: Expression) -> Iterator[Expression]:
    """An expression, its operands, and what the functions of the file evaluate that it runs."""
    of_node = program.outline.of_node
    pending = [of_node[each] for each in ast.walk(expression.node) if each in of_node]
    entered: set[Function] = set()
    while pending:
        found = pending.pop()
        yield found
        site = program.site(found) if isinstance(found.node, ast.Call) else None
        for span in site.enters if site is not None else ():
            function = program.outline.function_at.get(span)
            if function is not None and function not in entered:
                entered.add(function)
                pending += program.expressions_of.get(function, ())


def _used(program: HostProgram, inside: list[Expression]) -> Iterator[str]:
    for each in inside:
        if each in program.names_read:
            yield program.names_read[each]
        if isinstance(each.node, ast.Attribute):
            yield f".{each.node.attr}"
