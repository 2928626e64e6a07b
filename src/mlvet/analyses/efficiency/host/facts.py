"""The host program as logic atoms, one attribute a fact, beside those of the graph (`mlvet.ir.facts`).

Functions, loops and expressions are named "f0", "l0", "e0" in the order of the text. A name of the program is written
with its function, "f1.x"; an attribute is written ".x".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mlvet.analyses.efficiency.host.annotations import effect, reads
from mlvet.analyses.efficiency.host.bindings import Bindings, bindings
from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Outline
from mlvet.domains.tensors import Unranked
from mlvet.ir.facts import Fact
from mlvet.ir.graph import Graph, HostLoop, Node
from mlvet.ir.host import CallSite, Host, Seen, Span

VERSION = 1
SCHEMA = {
    "host_schema/1": "version of this list",
    "function/1": "function, or the top level of the file as f0",
    "function_name/2": "function, its name",
    "loop/1": "loop",
    "loop_kind/2": "loop, for while or comprehension",
    "loop_function/2": "loop, function that it is in",
    "loop_inside/2": "loop, a loop around it",
    "trips/2": "loop, how often it runs where that is known",
    "expression/1": "expression",
    "kind/2": "expression, call operator name attribute index constant container comprehension lambda or other",
    "line/2": "expression, line",
    "inside/2": "expression, a loop of its function that contains it",
    "of_function/2": "expression, function",
    "operand/3": "expression, position, expression that it is computed from",
    "argument/3": "call, position from 0, expression",
    "keyword/3": "call, name, expression",
    "receiver/2": "call of a method, expression that it is called on",
    "method/2": "call of a method, its name",
    "callee/2": "call, dotted name of what it calls in a library",
    "dark/1": "call of which nobody knows what it calls",
    "enters/2": "call or property, function of the file that it runs",
    "binds/3": "call, name of a parameter, expression that it is bound to",
    "effect/2": "call, pure random io state or unknown",
    "reads_outside/1": "call that reads a file or folder",
    "name_of/2": "name, function that it belongs to",
    "reads/2": "expression, name that it reads",
    "reads_attribute/2": "expression, attribute that it reads",
    "sets/2": "target, name that it sets",
    "set_to/2": "target, expression of which the name holds the value or a part",
    "set_if/2": "target, expression that decides whether it is set",
    "set_each/2": "target, loop in each iteration of which it holds another item",
    "writes_attribute/2": "expression, attribute that it writes or changes",
    "mutates/2": "expression, name of which it changes the value",
    "carried/2": "name, loop in which an iteration may read what the one before has set",
    "passes/2": "call, name that is among its arguments",
    "seen/2": "expression, tensor number text list tuple dict function object module none or unknown",
    "type/2": "expression, dotted name of its class",
    "tensor_rank/2": "expression, number of dims",
    "tensor_dim/3": "expression, position, size where it is known",
    "number/2": "expression, whole number that it always is",
    "text/2": "expression, text that it always is",
    "makes/2": "expression, node of the graph",
    "under/2": "expression, dotted name of what a `with` around it calls",
    "untrained/1": "call where gradients are not recorded",
    "uncalled/1": "call in a function that nobody calls",
    "decorated/2": "function, dotted name of a decorator",
}
"""Every predicate of the host with its number of arguments, and what the arguments are."""

_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare)
_CONTAINERS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Starred, ast.FormattedValue)
_LARGEST = 2**31 - 1


@dataclass
class HostProgram:
    """A file with what was seen of it while the program was followed."""

    outline: Outline
    host: Host
    graph: Graph

    @cached_property
    def bindings(self) -> Bindings:
        return bindings(self.outline)

    @cached_property
    def names_read(self) -> dict[Expression, str]:
        return dict(self.bindings.reads)

    @cached_property
    def nodes_at(self) -> dict[tuple[int | None, ...], list[Node]]:
        """The nodes of the graph by the place that made them."""
        found: dict[tuple[int | None, ...], list[Node]] = {}
        path = self.outline.source.path
        for node in self.graph.nodes():
            place = node.location
            if place is not None and place.path == path:
                found.setdefault((place.cell, place.line, place.column, place.end_line, place.end_column), []).append(
                    node
                )
        return found

    @cached_property
    def loops_at(self) -> dict[tuple[int | None, int | None], list[HostLoop]]:
        found: dict[tuple[int | None, int | None], list[HostLoop]] = {}
        for loop in self.graph.loops:
            place = loop.location
            if place is not None and place.path == self.outline.source.path:
                found.setdefault((place.line, place.column), []).append(loop)
        return found

    def nodes(self, expression: Expression) -> list[Node]:
        """What an expression itself adds to the graph, its operands not counted."""
        place = self.outline.location(expression.node)
        return self.nodes_at.get((place.cell, place.line, place.column, place.end_line, place.end_column), [])

    def span(self, expression: Expression) -> Span:
        return self.outline.span(expression.node)

    def seen(self, expression: Expression) -> Seen | None:
        return self.host.seen.get(self.span(expression))

    def site(self, expression: Expression) -> CallSite | None:
        return self.host.calls.get(self.span(expression))

    def trips(self, node: ast.AST) -> int | None:
        """How often a loop runs, where that is one number."""
        place = (getattr(node, "lineno", None), getattr(node, "col_offset", -1) + 1)
        found = {each.trips for each in self.loops_at.get(place, [])}
        counts = [each for each in found if isinstance(each, int)]
        if not found and isinstance(node, COMPREHENSIONS) and len(node.generators) == 1 and not node.generators[0].ifs:
            items = self.host.seen.get(self.outline.span(node.generators[0].iter))
            return None if items is None else items.length
        return max(counts) if counts and len(counts) == len(found) else None

    @cached_property
    def properties(self) -> dict[str, list[Function]]:
        """The functions of the file that are read as attributes."""
        found: dict[str, list[Function]] = {}
        for each in self.outline.functions:
            decorators = getattr(each.node, "decorator_list", [])
            if any(ast.unparse(one).rpartition(".")[2] in ("property", "cached_property") for one in decorators):
                found.setdefault(each.title, []).append(each)
        return found


def host_facts(program: HostProgram) -> Iterator[Fact]:
    """All facts of the host side of a program."""
    yield Fact("host_schema", (VERSION,))
    for function in program.outline.functions:
        yield Fact("function", (function.name,))
        yield Fact("function_name", (function.name, function.title))
        yield from _decorators(program, function)
    for loop in program.outline.loops:
        kind = "comprehension" if isinstance(loop.node, COMPREHENSIONS) else type(loop.node).__name__.lower()
        yield Fact("loop", (loop.name,))
        yield Fact("loop_kind", (loop.name, kind.removeprefix("async")))
        yield Fact("loop_function", (loop.name, loop.function.name))
        for around in loop.around:
            yield Fact("loop_inside", (loop.name, around.name))
        if (trips := program.trips(loop.node)) is not None:
            yield Fact("trips", (loop.name, trips))
    for expression in program.outline.expressions:
        yield from _expression(program, expression)
    yield from _bindings(program.bindings)


def _decorators(program: HostProgram, function: Function) -> Iterator[Fact]:
    for each in getattr(function.node, "decorator_list", []):
        called = each.func if isinstance(each, ast.Call) else each
        seen = program.host.seen.get(program.outline.span(called))
        name = seen.type if seen is not None and seen.type else ast.unparse(called)
        yield Fact("decorated", (function.name, name))
        if isinstance(each, ast.Call) and each.args and name.rpartition(".")[2] == "partial":
            yield Fact("decorated", (function.name, ast.unparse(each.args[0])))


def _expression(program: HostProgram, found: Expression) -> Iterator[Fact]:
    name, node = found.name, found.node
    kind = _kind(node)
    yield Fact("expression", (name,))
    yield Fact("kind", (name, kind))
    yield Fact("line", (name, node.lineno))
    yield Fact("of_function", (name, found.function.name))
    for loop in found.loops:
        yield Fact("inside", (name, loop.name))
    of_node = program.outline.of_node
    for position, part in enumerate(_sources(node)):
        if part in of_node:
            yield Fact("operand", (name, position, of_node[part].name))
    for context in found.contexts:
        site = program.host.calls.get(program.outline.span(context))
        for each in site.names if site is not None else ():
            yield Fact("under", (name, each))
    for made in program.nodes(found):
        yield Fact("makes", (name, made.name))
    if (seen := program.seen(found)) is not None:
        yield from _seen(name, seen)
    if isinstance(node, ast.Constant):
        yield from _constant(name, node.value)
    if isinstance(node, ast.Call):
        yield from _call(program, found, node)
    if isinstance(node, ast.Attribute):
        for getter in program.properties.get(node.attr, []):
            yield Fact("enters", (name, getter.name))


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return "call"
    if isinstance(node, _OPERATORS):
        return "operator"
    if isinstance(node, COMPREHENSIONS):
        return "comprehension"
    if isinstance(node, _CONTAINERS):
        return "container"
    names = {
        ast.Name: "name", ast.Attribute: "attribute", ast.Subscript: "index", ast.Constant: "constant",
        ast.Lambda: "lambda",
    }  # fmt: skip
    return names.get(type(node), "other")


def _sources(node: ast.expr) -> list[ast.expr]:
    """The expressions that the value of an expression is computed from."""
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else [node.func]
        return [*receiver, *node.args, *(each.value for each in node.keywords)]
    if isinstance(node, ast.Lambda):
        return []
    found: list[ast.expr] = []
    pending: list[ast.AST] = list(ast.iter_child_nodes(node))
    while pending:
        each = pending.pop(0)
        if isinstance(each, ast.expr):
            found.append(each)
        else:
            pending = [*ast.iter_child_nodes(each), *pending]
    return found


def _seen(name: str, seen: Seen) -> Iterator[Fact]:
    yield Fact("seen", (name, seen.kind))
    if seen.type:
        yield Fact("type", (name, seen.type))
    if isinstance(seen.number, int) and abs(seen.number) <= _LARGEST:
        yield Fact("number", (name, int(seen.number)))
    if seen.text is not None and len(seen.text) < 200:
        yield Fact("text", (name, seen.text))
    if seen.tensor is not None and not isinstance(seen.tensor.shape, Unranked):
        yield Fact("tensor_rank", (name, len(seen.tensor.shape)))
        for position, dim in enumerate(seen.tensor.shape):
            if isinstance(dim, int) and dim <= _LARGEST:
                yield Fact("tensor_dim", (name, position, dim))


def _constant(name: str, value: object) -> Iterator[Fact]:
    if isinstance(value, bool | int) and abs(value) <= _LARGEST:
        yield Fact("number", (name, int(value)))
    elif isinstance(value, str) and len(value) < 200:
        yield Fact("text", (name, value))


def _call(program: HostProgram, found: Expression, node: ast.Call) -> Iterator[Fact]:
    name = found.name
    of_node = program.outline.of_node
    if isinstance(node.func, ast.Attribute):
        yield Fact("receiver", (name, of_node[node.func.value].name))
        yield Fact("method", (name, node.func.attr))
    for position, each in enumerate(node.args):
        yield Fact("argument", (name, position, of_node[each].name))
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield Fact("keyword", (name, keyword.arg, of_node[keyword.value].name))
    for passed in _passed(node):
        yield Fact("passes", (name, _spelled(program, found, passed)))
    site = program.site(found)
    if site is None:
        yield Fact("dark", (name,))
        yield Fact("effect", (name, "unknown"))
        return
    for callee in site.names:
        yield Fact("callee", (name, callee))
        if reads(callee):
            yield Fact("reads_outside", (name,))
    if site.dark:
        yield Fact("dark", (name,))
    if not site.trains:
        yield Fact("untrained", (name,))
    if site.uncalled:
        yield Fact("uncalled", (name,))
    entered = [program.outline.function_at.get(span) for span in site.enters]
    for function in entered:
        if function is not None:
            yield Fact("enters", (name, function.name))
            yield from _arguments(program, name, node, function)
    yield Fact("effect", (name, _effect(program, found, site, all(entered))))


def _effect(program: HostProgram, found: Expression, site: CallSite, known: bool) -> str:
    """What a call does itself; what the functions do that it enters is told of their own expressions."""
    if site.dark or not known:
        return "unknown"
    effects = [effect(each) for each in site.names[:1]] or (["pure"] if site.enters else ["unknown"])
    made = program.nodes(found)
    if not all(map(steady_node, made)):
        return "random"
    if site.names[:1] and site.names[0].endswith(".__call__"):
        return "pure" if made or site.enters else "state"
    return effects[0]


def steady_node(node: Node) -> bool:
    """Whether an operator yields the same for the same operands: it draws nothing and keeps no running mean."""
    if "dropout" in node.op:
        return any(each is not None and each.name == "False" for each in node.inputs[2:])
    return not node.op.startswith(("random", "multinomial", "bernoulli")) and not node.attributes.get("training_mode")


def _passed(node: ast.Call) -> list[ast.Name]:
    values = [*node.args, *(each.value for each in node.keywords)]
    if isinstance(node.func, ast.Attribute):
        values.append(node.func.value)
    inner = [each.value if isinstance(each, ast.Starred) else each for each in values]
    return [each for each in inner if isinstance(each, ast.Name)]


def _spelled(program: HostProgram, found: Expression, node: ast.Name) -> str:
    return program.names_read.get(program.outline.of_node[node], f"{found.function.name}.{node.id}")


def _arguments(program: HostProgram, name: str, node: ast.Call, function: Function) -> Iterator[Fact]:
    """Which parameter of a function gets which argument, where that can be read from the call."""
    if isinstance(function.node, ast.Module):
        return
    of_node = program.outline.of_node
    parameters = [each.arg for each in (*function.node.args.posonlyargs, *function.node.args.args)]
    if parameters and parameters[0] in ("self", "cls"):
        if isinstance(node.func, ast.Attribute):
            yield Fact("binds", (name, f"{function.name}.{parameters[0]}", of_node[node.func.value].name))
        parameters = parameters[1:]
    for parameter, value in zip(parameters, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield Fact("binds", (name, f"{function.name}.{parameter}", of_node[value].name))
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield Fact("binds", (name, f"{function.name}.{keyword.arg}", of_node[keyword.value].name))


def _bindings(found: Bindings) -> Iterator[Fact]:
    names = {name for _, name in found.reads} | {each.name for each in found.settings}
    for name in sorted(names):
        yield Fact("name_of", (name, name.partition(".")[0]))
    for setting in found.settings:
        yield Fact("sets", (setting.target.name, setting.name))
        if setting.value is not None:
            yield Fact("set_to", (setting.target.name, setting.value.name))
        for test in setting.conditions:
            yield Fact("set_if", (setting.target.name, test.name))
        if setting.loop is not None:
            yield Fact("set_each", (setting.target.name, setting.loop.name))
    for expression, name in found.reads:
        yield Fact("reads", (expression.name, name))
    for expression, name in found.attributes:
        yield Fact("reads_attribute", (expression.name, name))
    for expression, name in found.written:
        yield Fact("writes_attribute", (expression.name, name))
    for expression, name in found.mutations:
        yield Fact("mutates", (expression.name, name))
    for name, loop in found.carried:
        yield Fact("carried", (name, loop.name))
