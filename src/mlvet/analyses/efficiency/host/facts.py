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
from mlvet.analyses.efficiency.host.bindings import Bindings, Setting, bindings
from mlvet.analyses.efficiency.host.outline import (
    COMPREHENSIONS,
    Expression,
    Function,
    Outline,
    Place,
    operands,
    place_of,
)
from mlvet.analyses.text import Text
from mlvet.domains.tensors import Unranked
from mlvet.ir.facts import Fact
from mlvet.ir.graph import OPAQUE, Graph, HostLoop, Node
from mlvet.ir.host import CallSite, Host, Seen, Span

VERSION = 1
SCHEMA = {
    "host_schema/1": "version of this list",
    "function/1": "function, or the top level of the file as f0",
    "function_name/2": "function, its name",
    "function_of_name/2": "name that a `def` sets, function",
    "lambda_function/2": "lambda, function that it makes",
    "method_of/2": "function, name of the class that defines it",
    "function_inside/2": "function, function in which it is defined",
    "defined_inside/2": "function, a loop of the function around it in which it is defined",
    "loop/1": "loop",
    "loop_kind/2": "loop, for while or comprehension",
    "loop_function/2": "loop, function that it is in",
    "loop_inside/2": "loop, a loop around it",
    "trips/2": "loop, how often it runs where that is known",
    "once/1": "loop whose first iteration is its last",
    "expression/1": "expression",
    "kind/2": "expression, call operator name attribute index constant container comprehension lambda yield or other",
    "line/2": "expression, line",
    "run_line/2": "call, operator on tensors, or attribute that runs a function of the file, line",
    "inside/2": "expression, a loop of its function that contains it",
    "of_function/2": "expression, function",
    "only_if/2": "expression, test of an `if` around it in its function",
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
    "applies/2": "expression, canonical operator of a node that it makes",
    "under/2": "expression, dotted name of what a `with` around it calls",
    "untrained/1": "call where gradients are not recorded",
    "drops/1": "expression whose value its statement drops",
    "uncalled/1": "call in a function that nobody calls",
    "decorated/2": "function, dotted name of a decorator",
}
"""Every predicate of the host with its number of arguments, and what the arguments are."""

_LEAVES = (ast.Return, ast.Break, ast.Raise)
_KINDS: dict[type[ast.expr], str] = {
    ast.Call: "call", ast.Name: "name", ast.Attribute: "attribute", ast.Subscript: "index", ast.Constant: "constant",
    ast.Lambda: "lambda", **dict.fromkeys((ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare), "operator"),
    **dict.fromkeys((ast.Yield, ast.YieldFrom, ast.Await), "yield"), **dict.fromkeys(COMPREHENSIONS, "comprehension"),
    **dict.fromkeys((ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Starred), "container"),
    ast.FormattedValue: "container",
}  # fmt: skip
_LARGEST = 2**31 - 1
_DRAWING_LAYERS = ("Random", "Noise", "AutoAugment", "AugMix", "MixUp", "CutMix", "ColorJitter")
"""Words in the names of layers and transforms that draw."""
_NEVER_CHANGED = ("optax.", "jax.")
"""Libraries whose objects no method changes, whatever its name."""


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
    def settings(self) -> dict[str, list[Setting]]:
        """Where each name is set."""
        found: dict[str, list[Setting]] = {}
        for each in self.bindings.settings:
            found.setdefault(each.name, []).append(each)
        return found

    @cached_property
    def names_read(self) -> dict[Expression, str]:
        return dict(self.bindings.reads)

    @cached_property
    def expressions_of(self) -> dict[Function, list[Expression]]:
        found: dict[Function, list[Expression]] = {}
        for each in self.outline.expressions:
            found.setdefault(each.function, []).append(each)
        return found

    def locals_of(self, function: Function) -> set[str]:
        """The names that belong to a function, its parameters among them; none for the top level of the file."""
        if isinstance(function.node, ast.Module):
            return set()
        taken = {each.arg for each in ast.walk(function.node.args) if isinstance(each, ast.arg)}
        prefix = f"{function.name}."
        return taken | {
            each.name.removeprefix(prefix) for each in self.bindings.settings if each.name.startswith(prefix)
        }

    @cached_property
    def _names(self) -> dict[ast.AST, str]:
        settings = ((each.target.node, each.name) for each in self.bindings.settings)
        return {**dict(settings), **{each.node: name for each, name in self.bindings.reads}}

    def name_at(self, node: ast.Name) -> str:
        """A name that is read or set, with the function that it belongs to."""
        return self._names.get(node, f".{node.id}")

    @cached_property
    def nodes_at(self) -> dict[Place, list[Node]]:
        """The nodes of the graph by the place that made them."""
        found: dict[Place, list[Node]] = {}
        path = self.outline.source.path
        for node in self.graph.nodes():
            place = node.location
            if place is not None and place.path == path and node.source_op != "loop-carried":
                found.setdefault(place_of(place), []).append(node)
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
        return self.nodes_at.get(self.outline.places[expression.node], [])

    def span(self, expression: Expression) -> Span:
        return self.outline.span(expression.node)

    def seen(self, expression: Expression) -> Seen | None:
        return self.host.seen.get(self.span(expression))

    def site(self, expression: Expression) -> CallSite | None:
        return self.host.calls.get(self.span(expression))

    @cached_property
    def text(self) -> Text:
        return Text(self.outline.source.path, self.outline.source.text, self.outline.tree)

    def dotted(self, node: ast.expr) -> str:
        """The name of something in its library, as far as imports tell; empty if they do not."""
        return self.text.name_of(node)

    def callees(self, call: Expression) -> tuple[str, ...]:
        """What a call calls in libraries: the name that the program spells, if what was seen goes by that name."""
        site = self.site(call)
        assert isinstance(call.node, ast.Call)
        spelled = self.dotted(call.node.func)
        if site is None:
            return ()
        plain = tuple(each.removeprefix("builtins.") for each in site.names)
        return (spelled,) if spelled and (spelled in plain or site.dark) else plain

    @cached_property
    def methods(self) -> dict[ast.AST, str]:
        """The statements of classes with the names of the classes."""
        classes = (each for each in self.outline.nodes if isinstance(each, ast.ClassDef))
        return {part: each.name for each in classes for part in each.body}

    def is_method(self, function: Function) -> bool:
        return function.node in self.methods

    def trips(self, node: ast.AST) -> int | None:
        """How often a loop runs, where that is one number."""
        place = (getattr(node, "lineno", None), getattr(node, "col_offset", -1) + 1)
        found = {each.trips for each in self.loops_at.get(place, [])}
        counts = [each for each in found if isinstance(each, int)]
        if not found and isinstance(node, COMPREHENSIONS) and len(node.generators) == 1 and not node.generators[0].ifs:
            return _length(self.host.seen.get(self.outline.span(node.generators[0].iter)))
        return max(counts) if counts and len(counts) == len(found) else None

    def may_act(self, expression: Expression) -> bool:
        """Whether an expression can do more than compute: a call, a target, an attribute that runs a function."""
        node = expression.node
        if isinstance(node, ast.Call) or isinstance(getattr(node, "ctx", None), ast.Store):
            return True
        return isinstance(node, ast.Attribute) and node.attr in self.properties

    @cached_property
    def properties(self) -> dict[str, list[Function]]:
        """The functions of the file that are read as attributes."""
        found: dict[str, list[Function]] = {}
        for each in self.outline.functions:
            decorators = getattr(each.node, "decorator_list", [])
            if any(ast.unparse(one).rpartition(".")[2] in ("property", "cached_property") for one in decorators):
                found.setdefault(each.title, []).append(each)
        return found


def _length(items: Seen | None) -> int | None:
    """How many items a list has, or rows a tensor."""
    if items is None or items.length is not None or items.tensor is None:
        return None if items is None else items.length
    shape = items.tensor.shape
    return None if isinstance(shape, Unranked) or not shape or not isinstance(shape[0], int) else shape[0]


def host_facts(program: HostProgram, whole: bool = True) -> Iterator[Fact]:
    """All facts of the host side of a program, or without those that no shipped rule can use.

    What a call looks up to call it, as `torch.relu`, is computed with by nobody; of the target of an assignment the
    value tells more. Expressions have a condition in common if they have the outermost one, and one in a loop if the
    innermost is; an `elif` is in all conditions before it.
    """
    yield Fact("host_schema", (VERSION,))
    for function in program.outline.functions:
        yield Fact("function", (function.name,))
        yield Fact("function_name", (function.name, function.title))
        yield from _defined(program, function)
    for loop in program.outline.loops:
        kind = "comprehension" if isinstance(loop.node, COMPREHENSIONS) else type(loop.node).__name__.lower()
        yield Fact("loop", (loop.name,))
        yield Fact("loop_kind", (loop.name, kind.removeprefix("async")))
        yield Fact("loop_function", (loop.name, loop.function.name))
        for around in loop.around:
            yield Fact("loop_inside", (loop.name, around.name))
        if (trips := program.trips(loop.node)) is not None:
            yield Fact("trips", (loop.name, trips))
        if isinstance(body := getattr(loop.node, "body", None), list) and isinstance(body[-1], _LEAVES):
            yield Fact("once", (loop.name,))
    for expression in program.outline.expressions:
        if whole or not _is_called(expression):
            yield from _described(program, expression, whole)
        yield from _placed(program, expression)
    yield from _bindings(program)


def _defined(program: HostProgram, function: Function) -> Iterator[Fact]:
    """How a function comes about: its decorators, the loops around it, and what it is called."""
    for each in getattr(function.node, "decorator_list", []):
        called = each.func if isinstance(each, ast.Call) else each
        name = program.dotted(called) or ast.unparse(called)
        if name == "functools.partial" and isinstance(each, ast.Call) and each.args:
            name = program.dotted(each.args[0]) or ast.unparse(each.args[0])
        yield Fact("decorated", (function.name, name))
    if program.is_method(function):
        yield Fact("method_of", (function.name, program.methods[function.node]))
    if function.outer is not None and not isinstance(function.outer.node, ast.Module):
        yield Fact("function_inside", (function.name, function.outer.name))
    for loop in function.loops:
        yield Fact("defined_inside", (function.name, loop.name))
    if isinstance(function.node, ast.Lambda):
        yield Fact("lambda_function", (program.outline.of_node[function.node].name, function.name))
    elif function.outer is not None and function.title and not program.is_method(function):
        yield Fact("function_of_name", (f"{function.outer.name}.{function.title}", function.name))


def _is_called(found: Expression) -> bool:
    """Whether an expression is the attribute that a call calls."""
    around = None if found.parent is None else found.parent.node
    return isinstance(found.node, ast.Attribute) and isinstance(around, ast.Call) and around.func is found.node


def _placed(program: HostProgram, found: Expression) -> Iterator[Fact]:
    """Where an expression stands, and what it runs and makes there."""
    name, node = found.name, found.node
    yield Fact("of_function", (name, found.function.name))
    for loop in found.loops:
        yield Fact("inside", (name, loop.name))
    made = program.nodes(found)
    for one in made:
        yield Fact("makes", (name, one.name))
    for op in dict.fromkeys(one.op for one in made):
        yield Fact("applies", (name, op))
    if isinstance(node, ast.Call):
        yield Fact("run_line", (name, node.lineno))
        yield from _call(program, found, node)
    elif isinstance(node, ast.Attribute):
        for getter in program.properties.get(node.attr, []):
            yield Fact("run_line", (name, node.lineno))
            yield Fact("enters", (name, getter.name))
    elif made:
        yield Fact("run_line", (name, node.lineno))


def _described(program: HostProgram, found: Expression, whole: bool) -> Iterator[Fact]:
    """What an expression is and what it is computed from."""
    name, node = found.name, found.node
    yield Fact("expression", (name,))
    yield Fact("kind", (name, _KINDS.get(type(node), "other")))
    yield Fact("line", (name, node.lineno))
    if isinstance(found.statement, ast.Expr) and found.statement.value is node:
        yield Fact("drops", (name,))
    of_node = program.outline.of_node
    for test in found.conditions if whole else dict.fromkeys((*found.conditions[:1], *found.conditions[-1:])):
        yield Fact("only_if", (name, of_node[test].name))
    for position, part in enumerate(sources(node)):
        if part in of_node:
            yield Fact("operand", (name, position, of_node[part].name))
    for context in found.contexts:
        site = program.host.calls.get(program.outline.span(context))
        for each in site.names if site is not None else ():
            yield Fact("under", (name, each))
    if (seen := program.seen(found)) is not None:
        yield Fact("seen", (name, seen.kind))
        if whole or not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            yield from _seen(name, seen)
    if isinstance(node, ast.Constant):
        yield from _constant(name, node.value)


def sources(node: ast.expr) -> list[ast.expr]:
    """The expressions that the value of an expression is computed from."""
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else [node.func]
        return [*receiver, *node.args, *(each.value for each in node.keywords)]
    if isinstance(node, ast.Lambda):
        return []
    return list(operands(node))


def _seen(name: str, seen: Seen) -> Iterator[Fact]:
    """What more is known of the values of an expression than their kind."""
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
    for callee in program.callees(found):
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
    yield Fact("effect", (name, call_effect(program, found)))


def call_effect(program: HostProgram, found: Expression) -> str:
    """What a call does itself; what the functions do that it enters is told of their own expressions."""
    site = program.site(found)
    if site is None or site.dark or not all(program.outline.function_at.get(span) for span in site.enters):
        return "unknown"
    names = program.callees(found)
    effects = [effect(each) for each in names[:1]] or (["pure"] if site.enters else ["unknown"])
    made = program.nodes(found)
    if not all(map(steady_node, made)):
        return "random"
    if names[:1] and names[0].endswith(".__call__"):
        if any(word in name for name in names for word in _DRAWING_LAYERS):
            return "random"
        return "pure" if (made and all(node.op != OPAQUE for node in made)) or site.enters else "state"
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
    for parameter, value in bound(node, function):
        yield Fact("binds", (name, f"{function.name}.{parameter}", program.outline.of_node[value].name))


def bound(node: ast.Call, function: Function) -> list[tuple[str, ast.expr]]:
    """Which parameter of a function gets which argument, where that can be read from the call."""
    if isinstance(function.node, ast.Module):
        return []
    arguments = function.node.args
    parameters = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found: list[tuple[str, ast.expr]] = []
    if parameters and parameters[0] in ("self", "cls"):
        found.append((parameters.pop(0), _receiver(node, function)))
    given = list(parameters)
    rest = [] if arguments.vararg is None else [arguments.vararg.arg]
    for value in node.args:
        if isinstance(value, ast.Starred):
            found += ((each, value.value) for each in (*given, *rest))
        else:
            found += ((each, value) for each in ([given.pop(0)] if given else rest))
    named = {*parameters, *(each.arg for each in arguments.kwonlyargs)}
    others = [] if arguments.kwarg is None else [arguments.kwarg.arg]
    for keyword in node.keywords:
        if keyword.arg is None:
            found += ((each, keyword.value) for each in (*sorted(named), *others))
        else:
            found += ((each, keyword.value) for each in ([keyword.arg] if keyword.arg in named else others))
    return found


def _receiver(node: ast.Call, function: Function) -> ast.expr:
    """What the first parameter of a method is: what it is called on, the object that is called, or the one made."""
    if function.title == "__init__" and not (isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"):
        return node
    if isinstance(node.func, ast.Attribute) and node.func.attr == function.title:
        return node.func.value
    return node.func


def _bindings(program: HostProgram) -> Iterator[Fact]:
    found = program.bindings
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
        called = program.callees(expression) if isinstance(expression.node, ast.Call) else ()
        if not any(each.startswith(_NEVER_CHANGED) for each in called):
            yield Fact("mutates", (expression.name, name))
    for name, loop in found.carried:
        yield Fact("carried", (name, loop.name))
