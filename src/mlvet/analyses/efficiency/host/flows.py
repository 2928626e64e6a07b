"""Where values go as logic atoms: which reads may see what a target has set, what functions return, what is stored.

A value that is set reaches a read if no other setting of the name stands on all ways between the two. A name that
another function reads may hold whatever is set to it anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.limits import check
from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Function, operands
from mlvet.ir.facts import Fact

SCHEMA = {
    "may_read/2": "target, name that may hold what the target has set",
    "begins/2": "name of a parameter, name that may hold what it is given",
    "returns/2": "function, expression that it returns or yields",
    "stores/2": "attribute or item that is set, expression that it is set to",
    "adds/2": "target of an augmented assignment, expression that is added to it",
    "unpacks/2": "target among several that one value is unpacked to, its position from 0",
    "deletes/2": "expression behind `del`, name or attribute that it deletes or empties",
    "compares/1": "expression that compares",
    "spreads/1": "call with arguments that are not spelled out, by `*` or `**`",
}
"""Every predicate of flows with its number of arguments, and what the arguments are."""

Given = tuple[str, str]
"""A setting: ("set", target) or ("given", name of a parameter)."""
State = dict[str, frozenset[Given]]
_NOTHING: frozenset[Given] = frozenset()


def flow_facts(program: HostProgram) -> Iterator[Fact]:
    """All facts about where values go."""
    of_node = program.outline.of_node
    for function in program.outline.functions:
        for kind, source, read in sorted(_Ways(program, function).reached()):
            yield Fact("may_read" if kind == "set" else "begins", (source, read))
        for value in _returned(function):
            yield Fact("returns", (function.name, of_node[value].name))
    yield from _elsewhere(program)
    for node, expression in of_node.items():
        if isinstance(node, ast.Compare):
            yield Fact("compares", (expression.name,))
        if isinstance(node, ast.Call) and (
            any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords)
        ):
            yield Fact("spreads", (expression.name,))
    for node in program.outline.nodes:
        yield from _stored(program, node)


def reached(program: HostProgram, function: Function) -> Iterator[tuple[str, str]]:
    """Which targets of a function are seen by which of its reads, by the names of the expressions."""
    for kind, source, read in _Ways(program, function).reached():
        if kind == "set":
            yield source, read


def _stored(program: HostProgram, statement: ast.AST) -> Iterator[Fact]:
    of_node = program.outline.of_node
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _unpacked(program, target)
                for each in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                    if isinstance(each, ast.Attribute | ast.Subscript):
                        yield Fact("stores", (of_node[each].name, of_node[value].name))
        case ast.For(target=target) | ast.comprehension(target=target):
            yield from _unpacked(program, target)
        case ast.AnnAssign(target=ast.Attribute() | ast.Subscript() as target, value=ast.expr() as value):
            yield Fact("stores", (of_node[target].name, of_node[value].name))
        case ast.AugAssign(target=target, value=value):
            yield Fact("adds", (of_node[target].name, of_node[value].name))
            if not isinstance(target, ast.Name):
                yield Fact("stores", (of_node[target].name, of_node[value].name))
        case ast.Delete(targets=targets):
            for target in targets:
                inner = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(inner, ast.Attribute):
                    yield Fact("deletes", (of_node[target].name, f".{inner.attr}"))
                elif isinstance(inner, ast.Name):
                    yield Fact("deletes", (of_node[target].name, program.name_at(inner)))


def _unpacked(program: HostProgram, target: ast.expr) -> Iterator[Fact]:
    several = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if not any(isinstance(each, ast.Starred) for each in several):
        for position, each in enumerate(several):
            yield Fact("unpacks", (program.outline.of_node[each].name, position))


def _returned(function: Function) -> Iterator[ast.expr]:
    node = function.node
    if isinstance(node, ast.Lambda):
        yield node.body
        return
    pending: list[ast.AST] = [] if isinstance(node, ast.Module) else list(node.body)
    while pending:
        each = pending.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(each, ast.Return | ast.Yield | ast.YieldFrom) and each.value is not None:
            yield each.value
        pending += ast.iter_child_nodes(each)


def _elsewhere(program: HostProgram) -> Iterator[Fact]:
    """Names that a function reads of one around it: they may hold whatever is set to them anywhere."""
    settings: dict[str, list[str]] = {}
    parameters = {name for each in program.outline.functions for name in _parameters(each)}
    for each in program.bindings.settings:
        settings.setdefault(each.name, []).append(each.target.name)
    for expression, name in program.bindings.reads:
        if name.partition(".")[0] != expression.function.name:
            for target in settings.get(name, ()):
                yield Fact("may_read", (target, expression.name))
            if name in parameters:
                yield Fact("begins", (name, expression.name))


def _parameters(function: Function) -> Iterator[str]:
    """The names that the arguments of a function are bound to."""
    if not isinstance(function.node, ast.Module):
        given = function.node.args
        for each in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
            if each is not None:
                yield f"{function.name}.{each.arg}"


class _Ways:
    """The ways through one function: which settings are seen by which reads.

    A state is changed in place by whoever is given it; where ways part, each gets a copy.
    """

    def __init__(self, program: HostProgram, function: Function) -> None:
        self._program = program
        self._function = function
        self._of_node = program.outline.of_node
        self._found: set[tuple[str, str, str]] = set()
        self._left: dict[ast.stmt, State] = {}
        self._breaks: list[list[State]] = []
        self._continues: list[list[State]] = []

    def reached(self) -> set[tuple[str, str, str]]:
        node = self._function.node
        state: State = {name: frozenset({("given", name)}) for name in _parameters(self._function)}
        if isinstance(node, ast.Lambda):
            self._read(node.body, state)
        else:
            self._block(node.body, state)
        return self._found

    def _block(self, body: list[ast.stmt], state: State | None) -> State | None:
        """Follow statements; None where no way leads on."""
        for each in body:
            if state is None:
                return None
            state = self._statement(each, state)
        return state

    def _statement(self, node: ast.stmt, state: State) -> State | None:
        check(len(self._found))
        match node:
            case ast.If():
                state = self._read(node.test, state)
                return _joined(self._block(node.body, dict(state)), self._block(node.orelse, dict(state)))
            case ast.For() | ast.AsyncFor():
                state = self._read(node.iter, state)
                return self._loop(node, state)
            case ast.While():
                return self._loop(node, state)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    state = self._read(item.context_expr, state)
                    if item.optional_vars is not None:
                        state = self._set(item.optional_vars, state)
                return self._block(node.body, state)
            case ast.Try():
                return self._try(node, state)
            case ast.Match():
                state = self._read(node.subject, state)
                ways = [self._block(case.body, dict(state)) for case in node.cases]
                return _joined(state, *ways)
            case ast.Return() | ast.Raise():
                self._parts(node, state)
                return None
            case ast.Break():
                if self._breaks:
                    self._breaks[-1].append(state)
                return None
            case ast.Continue():
                if self._continues:
                    self._continues[-1].append(state)
                return None
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for each in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    state = self._read(each, state)
                return state
            case ast.ClassDef():
                return self._block(node.body, self._parts(node, state))
            case ast.Assign(targets=targets, value=value):
                state = self._read(value, state)
                for target in targets:
                    state = self._set(target, state)
                return state
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._set(target, self._read(value, state))
            case ast.AugAssign():
                return self._set(node.target, self._read(node.value, state), changed=True)
        return self._parts(node, state)

    def _parts(self, node: ast.AST, state: State) -> State:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                state = self._read(part, state)
            elif isinstance(part, ast.keyword):
                state = self._read(part.value, state)
        return state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> State | None:
        """A loop: its second iteration begins with what the first has left.

        What an iteration leaves is the same whatever it begins with. So it is found out once, and loops in loops are
        not followed four times, eight times and so on.
        """
        if node not in self._left:
            after, _ = self._iteration(node, state)
            self._left[node] = {name: after[name] - state.get(name, _NOTHING) for name in after}
        after, left = self._iteration(node, _joined(state, self._left[node]) or state)
        way: State | None = after
        if isinstance(node, ast.While):
            way = self._read(node.test, after)
            if isinstance(node.test, ast.Constant) and node.test.value:
                way = None if left else way
        return _joined(self._block(node.orelse, way), *left)

    def _iteration(self, node: ast.For | ast.AsyncFor | ast.While, before: State) -> tuple[State, list[State]]:
        """What may be set before another iteration or the end, and where the loop is left from within."""
        self._breaks.append([])
        self._continues.append([])
        state = dict(before)
        state = self._read(node.test, state) if isinstance(node, ast.While) else self._set(node.target, state)
        end = self._block(node.body, state)
        return _joined(before, end, *self._continues.pop()) or before, self._breaks.pop()

    def _try(self, node: ast.Try, state: State) -> State | None:
        anywhere: State | None = state
        current: State | None = dict(state)
        for each in node.body:
            if current is not None:
                current = self._statement(each, current)
                anywhere = _joined(anywhere, current)
        ends = [self._block(node.orelse, current)]
        ends += [self._block(handler.body, dict(anywhere or {})) for handler in node.handlers]
        return self._block(node.finalbody, _joined(*ends)) if node.finalbody else _joined(*ends)

    def _set(self, target: ast.expr, state: State, *, changed: bool = False) -> State:
        """A target sets its name; one that only changes its value leaves what was there in part."""
        match target:
            case ast.Name():
                place = self._of_node[target]
                name = self._name(target)
                before = state.get(name, frozenset()) if changed else frozenset()
                state[name] = before | {("set", place.name)}
                return state
            case ast.Tuple() | ast.List():
                for each in target.elts:
                    state = self._set(each, state)
                return state
            case ast.Starred():
                return self._set(target.value, state)
        return self._parts(target, state)

    def _read(self, node: ast.expr, state: State) -> State:
        match node:
            case ast.Name(ctx=ast.Load()):
                if node in self._of_node:
                    for kind, source in state.get(self._name(node), ()):
                        self._found.add((kind, source, self._of_node[node].name))
                return state
            case ast.Lambda():
                for each in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    state = self._read(each, state)
                return state
            case ast.NamedExpr():
                return self._set(node.target, self._read(node.value, state))
        if isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                state = self._set(generator.target, self._read(generator.iter, state))
                for test in generator.ifs:
                    state = self._read(test, state)
            for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                state = self._read(part, state)
            return state
        for part in operands(node):
            state = self._read(part, state)
        return state

    def _name(self, node: ast.Name) -> str:
        """The name with its function: the one that reads it if it sets it too, else one around it."""
        return self._program.name_at(node)


def _joined(*states: State | None) -> State | None:
    """What holds after several ways; None if none of them leads on."""
    known: Iterable[State] = [each for each in states if each is not None]
    if not known:
        return None
    names = {name for each in known for name in each}
    return {name: frozenset().union(*(each.get(name, frozenset()) for each in known)) for name in names}
