"""Statements. Each tells whether anything gets past it: False after `return`, `raise` and their kin."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation import operators
from mlvet.frontends.python.interpretation.assignments import assign, delete
from mlvet.frontends.python.interpretation.attributes import attribute, lookup
from mlvet.frontends.python.interpretation.branches import merge_states
from mlvet.frontends.python.interpretation.classes import define
from mlvet.frontends.python.interpretation.expected import goes_on
from mlvet.frontends.python.interpretation.expressions import condition, evaluate, function_value, separated
from mlvet.frontends.python.interpretation.imports import import_from, import_names
from mlvet.frontends.python.interpretation.loops import for_loop, while_loop
from mlvet.frontends.python.interpretation.loops import forget as _forget
from mlvet.frontends.python.interpretation.loops import kept as _kept
from mlvet.frontends.python.interpretation.patterns import match_statement
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.interpretation.truth import literal
from mlvet.frontends.python.trail import MISSING, Delta
from mlvet.frontends.python.values.choices import Choice, Guard, NeedsChoice, conjoined, settling
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.graph import Literal

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


def run(machine: Machine, body: Sequence[ast.stmt]) -> bool:
    """Run statements in order; whether anything gets past the last."""
    for statement in body:
        machine.step()
        machine.at = statement
        machine.file.reached.add(id(statement))
        if not _statement(machine, statement):
            return False
    return True


def _statement(machine: Machine, statement: ast.stmt) -> bool:
    """Run a statement; once for each alternative of a value that it needs and that differs from path to path."""
    mark, kept = machine.trail.mark(), _kept(machine)
    path = machine.path
    try:
        return RUN[type(statement)](machine, statement)
    except NeedsChoice as needs:
        machine.trail.undo(mark)
        _forget(machine, kept)
        machine.path = path
        here = frozenset(path)
        ways = [(guard, value) for guard, value in needs.choice.alternatives if conjoined(here, guard) is not None]
        machine.at = statement
        choice = needs.choice
        return branches(
            machine,
            [(guard, partial(_settled, machine, statement, choice, value)) for guard, value in ways],
        )


def _settled(machine: Machine, statement: ast.stmt, choice: Choice, value: Any) -> bool:
    with settling(machine, choice, value):
        return _statement(machine, statement)


def _expression(machine: Machine, node: ast.Expr) -> bool:
    evaluate(machine, node.value)
    return True


def _assign(machine: Machine, node: ast.Assign) -> bool:
    value = evaluate(machine, node.value)
    for target in node.targets:
        assign(machine, target, value)
    return True


def _annotated(machine: Machine, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        assign(machine, node.target, evaluate(machine, node.value))
    return True


def _augmented(machine: Machine, node: ast.AugAssign) -> bool:
    target = node.target
    if isinstance(target, ast.Name):
        old = machine.scopes[-1].find(target.id)
        if old is MISSING:
            old = machine.unknown(Reason.MISSING_NAME, target.id, target.id)
    else:
        load = ast.copy_location(
            ast.Attribute(target.value, target.attr, ast.Load()) if isinstance(target, ast.Attribute)
            else ast.Subscript(target.value, target.slice, ast.Load()), target,
        )  # fmt: skip
        old = evaluate(machine, load)
    right = evaluate(machine, node.value)
    machine.at = node
    assign(machine, target, operators.in_place(machine, type(node.op), old, right))
    return True


def _if(machine: Machine, node: ast.If) -> bool:
    test = separated(machine, node.test)
    if isinstance(test, bool):
        return run(machine, node.body if test else node.orelse)
    holds = literal(machine, test)
    return branched(machine, holds, lambda: run(machine, node.body), lambda: run(machine, node.orelse))


def branched(machine: Machine, holds: Literal, body: Callable[[], bool], orelse: Callable[[], bool]) -> bool:
    """Two branches of which one is taken."""
    fails = Literal(holds.condition, not holds.holds)
    return branches(machine, [(frozenset((holds,)), body), (frozenset((fails,)), orelse)])


def branches(machine: Machine, alternatives: Sequence[tuple[Guard, Callable[[], bool]]]) -> bool:
    """Branches of which one is taken; where several get past their end their states are merged."""
    machine.forks += 1
    taken = [_taken(machine, guard, body) for guard, body in alternatives]
    ways = [way for way in taken if way.alive]
    if not ways:
        if taken and all(way.raises for way in taken):
            base = len(machine.path)
            merge_states(machine, [(frozenset(way.path[base:]), way.delta) for way in taken])
            raise PythonRaise(machine.last_raised)
        return False
    base = len(machine.path)
    if len(ways) == 1:
        machine.trail.redo(ways[0].delta)
        machine.path = ways[0].path
        if all(way.raises for way in taken if not way.alive):
            machine.settle(machine.path[base:])
        return True
    shared = tuple(each for each in ways[0].path[base:] if all(each in way.path for way in ways[1:]))
    machine.path = machine.path + shared
    merge_states(machine, [(frozenset(way.path[base:]), way.delta) for way in ways])
    return True


@dataclass(frozen=True, slots=True)
class _Way:
    """A branch that was run and taken back: whether it gets past its end or raises, its path and its changes."""

    alive: bool
    path: tuple[Literal, ...]
    delta: Delta
    raises: bool = False


def _taken(machine: Machine, guard: Guard, body: Callable[[], bool]) -> _Way:
    mark, path = machine.trail.mark(), machine.path
    machine.path = path + tuple(sorted(guard - set(path), key=str))
    try:
        alive = body()
        return _Way(alive, machine.path, machine.trail.since(mark))
    except PythonRaise as signal:
        machine.last_raised = signal.value
        return _Way(False, machine.path, machine.trail.since(mark), raises=True)
    finally:
        machine.trail.undo(mark)
        machine.path = path


def _return(machine: Machine, node: ast.Return) -> bool:
    value = None if node.value is None else evaluate(machine, node.value)
    boundary = _function_boundary(machine)
    if boundary is not None:
        boundary.leave(value)
    return False


def _function_boundary(machine: Machine) -> Any:
    loops = {id(each) for each in (*machine.breaks, *machine.continues)}
    return next((each for each in reversed(machine.boundaries) if id(each) not in loops), None)


def _break(machine: Machine, node: ast.Break) -> bool:
    del node
    if machine.breaks:
        machine.breaks[-1].leave()
    return False


def _continue(machine: Machine, node: ast.Continue) -> bool:
    del node
    if machine.continues:
        machine.continues[-1].leave()
    return False


def _raise(machine: Machine, node: ast.Raise) -> bool:
    value = machine.last_raised if node.exc is None else evaluate(machine, node.exc)
    machine.last_raised = value
    raise PythonRaise(value)


def _assert(machine: Machine, node: ast.Assert) -> bool:
    test = condition(machine, node.test)
    if test is False:
        if machine.trying or isinstance(node.test, ast.Constant):
            raise PythonRaise(AssertionError())
        machine.note(
            f"line {node.lineno}: an assertion fails whatever the inputs; what follows is analysed all the same"
        )
    elif not isinstance(test, bool):
        machine.path = (*machine.path, literal(machine, test))
        machine.settle(machine.path[-1:])
    return True


def _try(machine: Machine, node: ast.Try) -> bool:
    """The body is taken to succeed unless it surely raises; handlers are looked at on a path of their own."""
    mark = machine.trail.mark()
    path = machine.path
    machine.trying += bool(node.handlers)
    expected = len(machine.expecting)
    if any(map(goes_on, node.handlers)):
        machine.expecting += ((machine.file, statement) for statement in node.body)
    try:
        alive = run(machine, node.body)
        raised: PythonRaise | None = None
    except PythonRaise as signal:
        alive, raised = False, signal
        machine.path = path
    finally:
        machine.trying -= bool(node.handlers)
        del machine.expecting[expected:]
    if raised is not None:
        alive = _handled(machine, node, raised)
    else:
        _glance(machine, node, mark)
        if alive and node.orelse:
            alive = run(machine, node.orelse)
    if node.finalbody:
        alive = run(machine, node.finalbody) and alive
    return alive


def _handled(machine: Machine, node: ast.Try, raised: PythonRaise) -> bool:
    for handler in node.handlers:
        if _catches(machine, handler, raised.value):
            return _handler(machine, handler, raised.value)
    if node.finalbody:
        run(machine, node.finalbody)
    raise raised


def _catches(machine: Machine, handler: ast.ExceptHandler, value: Any) -> bool:
    """Whether a handler is for an exception; where there is no telling it is taken to be."""
    if handler.type is None:
        return True
    kinds = evaluate(machine, handler.type)
    listed = kinds if isinstance(kinds, tuple) else (kinds,)
    for kind in listed:
        if isinstance(kind, type) and issubclass(kind, BaseException):
            found = value if isinstance(value, type) else type(value)
            if isinstance(value, Object) and value.kind is not None:
                if any(isinstance(base, type) and issubclass(base, kind) for base in value.kind.order):
                    return True
            elif isinstance(found, type) and issubclass(found, BaseException):
                if issubclass(found, kind):
                    return True
            else:
                return True
        elif isinstance(kind, ClassValue):
            if isinstance(value, Object) and value.kind is not None and kind in value.kind.order:
                return True
        else:
            return True
    return False


def _handler(machine: Machine, handler: ast.ExceptHandler, value: Any) -> bool:
    if handler.name is not None:
        caught = value if value is not None else machine.unknown(Reason.EXCEPTION, "the exception", handler.name)
        machine.scopes[-1].assign(handler.name, caught)
    machine.file.reached.add(id(handler))
    return run(machine, handler.body)


def _glance(machine: Machine, node: ast.Try, mark: int) -> None:
    """Look at the handlers for what they contain; nothing they change is kept, for the body is taken to succeed."""
    del mark
    for handler in node.handlers:
        start, path = machine.trail.mark(), machine.path
        kept = _kept(machine)
        machine.path = (*path, Literal(machine.fresh(f"exception in line {node.lineno}")))
        try:
            unknown = machine.unknown(Reason.EXCEPTION, "the exception", handler.name or "")
            _handler(machine, handler, unknown)
        except PythonRaise:
            pass
        finally:
            machine.trail.undo(start)
            machine.path = path
            _forget(machine, kept)


def _with(machine: Machine, node: ast.With | ast.AsyncWith) -> bool:
    entered: list[Any] = []
    for item in node.items:
        manager = evaluate(machine, item.context_expr)
        machine.at = item.context_expr
        value = _enter(machine, manager)
        entered.append(manager)
        if item.optional_vars is not None:
            assign(machine, item.optional_vars, value)
    quiet = any(hasattr(type(manager), "swallows") for manager in entered)
    machine.trying += quiet
    expected = len(machine.expecting)
    if quiet:
        machine.expecting += ((machine.file, statement) for statement in node.body)
    try:
        return run(machine, node.body)
    except PythonRaise as signal:
        if not any(_swallows(manager, signal.value) for manager in entered):
            raise
        return True
    finally:
        machine.trying -= quiet
        del machine.expecting[expected:]
        machine.at = node
        for manager in reversed(entered):
            _leave(machine, manager)


def _swallows(manager: Any, error: Any) -> bool:
    """Whether a library's context manager ends its block quietly when such an exception is raised in it."""
    swallows = getattr(type(manager), "swallows", None)
    return swallows is not None and bool(swallows(manager, error))


def _enter(machine: Machine, manager: Any) -> Any:
    if isinstance(manager, Object):
        method = lookup(machine, manager, "__enter__")
        method = lookup(machine, manager, "__aenter__") if method is MISSING else method
        if method is not MISSING:
            return machine.call(method)
        return machine.unknown(Reason.UNKNOWN_DISPATCH, f"entering {manager!r}")
    if isinstance(manager, Unknown):
        return Unknown(manager.reason, manager.detail, manager.name)
    return manager


def _leave(machine: Machine, manager: Any) -> None:
    if isinstance(manager, Object):
        method = lookup(machine, manager, "__exit__")
        if method is not MISSING:
            machine.call(method, None, None, None)


def _define(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    value: Any = function_value(machine, node, node.name)
    made = value
    for decorator in reversed(node.decorator_list):
        wrapper = _decorator(machine, decorator)
        machine.at = decorator
        value = machine.call(wrapper, value)
        if isinstance(value, Unknown):
            machine.unknowns[Reason.HIGHER_ORDER] += 1
            value = made
    machine.scopes[-1].assign(node.name, value)
    return True


def _decorator(machine: Machine, node: ast.expr) -> Any:
    """A decorator; `x.setter` of a property is one that knows the property."""
    if (
        isinstance(node, ast.Attribute)
        and node.attr in ("setter", "getter", "deleter")
        and isinstance(node.value, ast.Name)
    ):
        from mlvet.frontends.python.values.objects import Property

        old = machine.scopes[-1].find(node.value.id)
        if isinstance(old, Property):
            if node.attr == "setter":
                return lambda function: Property(old.getter, function)
            return lambda _: old
    return evaluate(machine, node)


def _class(machine: Machine, node: ast.ClassDef) -> bool:
    machine.scopes[-1].assign(node.name, define(machine, node))
    return True


def _global(machine: Machine, node: ast.Global) -> bool:
    machine.scopes[-1].globals.update(node.names)
    return True


def _nonlocal(machine: Machine, node: ast.Nonlocal) -> bool:
    machine.scopes[-1].nonlocals.update(node.names)
    return True


def _delete(machine: Machine, node: ast.Delete) -> bool:
    for target in node.targets:
        delete(machine, target)
    return True


def _pass(machine: Machine, node: ast.stmt) -> bool:
    del machine, node
    return True


def _unsupported(machine: Machine, node: ast.stmt) -> bool:
    machine.unknowns[Reason.UNSUPPORTED_SYNTAX] += 1
    machine.note(f"line {node.lineno}: {type(node).__name__} is not followed")
    return True


class _Table(dict[type[ast.AST], Callable[[Any, Any], bool]]):
    def __missing__(self, kind: type[ast.AST]) -> Callable[[Any, Any], bool]:
        return _unsupported


RUN = _Table({
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.If: _if,
    ast.For: for_loop, ast.AsyncFor: for_loop, ast.While: while_loop, ast.Return: _return, ast.Break: _break,
    ast.Continue: _continue, ast.Raise: _raise, ast.Assert: _assert, ast.Try: _try, ast.TryStar: _try,
    ast.With: _with, ast.AsyncWith: _with, ast.FunctionDef: _define, ast.AsyncFunctionDef: _define,
    ast.ClassDef: _class, ast.Global: _global, ast.Nonlocal: _nonlocal, ast.Delete: _delete, ast.Pass: _pass,
    ast.Import: import_names, ast.ImportFrom: import_from, ast.Match: match_statement,
})  # fmt: skip
__all__ = ["RUN", "attribute", "branched", "run"]
