"""Comprehensions: item by item where the items are known, else one item that stands for all."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.interpretation.branches import fork
from mlvet.frontends.python.interpretation.iteration import items
from mlvet.frontends.python.interpretation.truth import literal
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated, SetValue
from mlvet.ir.graph import HostLoop, Iteration

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_MOST = 512
_UNSURE = object()


def comprehension(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    """A list, set or generator."""
    from mlvet.frontends.python.interpretation.expressions import evaluate

    made: list[Any] = []
    length = _each(machine, node.generators, lambda: made.append(evaluate(machine, node.elt)))
    kind = {ast.ListComp: ListValue, ast.SetComp: SetValue, ast.GeneratorExp: IteratorValue}[type(node)]
    if length is None:
        return kind(made)
    from mlvet.frontends.python.interpretation.joining import all_joined

    if not made:
        return kind(())
    return kind(Repeated(all_joined(machine, made), length))


def dict_comprehension(machine: Machine, node: ast.DictComp) -> DictValue:
    """A dictionary."""
    from mlvet.frontends.python.interpretation.expressions import evaluate, put

    made = DictValue()
    _each(
        machine, node.generators, lambda: put(machine, made, evaluate(machine, node.key), evaluate(machine, node.value))
    )
    return made


def _each(machine: Machine, generators: list[ast.comprehension], body: Callable[[], None]) -> Any:
    """Run the body for every item; None if they are known, else how many there are."""
    from mlvet.frontends.python.interpretation.scopes import Scope

    outer = machine.scopes[-1]
    scope = Scope("comprehension", outer.file, outer)
    machine.scopes.append(scope)
    try:
        return _nested(machine, generators, body, scope)
    finally:
        machine.scopes.pop()


def _nested(machine: Machine, generators: list[ast.comprehension], body: Callable[[], None], scope: Any) -> Any:
    from mlvet.frontends.python.interpretation.assignments import bind_target
    from mlvet.frontends.python.interpretation.expressions import condition, evaluate

    if not generators:
        body()
        return None
    first, rest = generators[0], generators[1:]
    found = items(machine, evaluate(machine, first.iter))
    length: Any = None
    general = isinstance(found, Repeated) or len(found) > _MOST
    if isinstance(found, Repeated):
        elements: tuple[Any, ...] = (found.element,)
        length = found.length
    elif general:
        elements, length = _generalised(machine, found), len(found)
    else:
        elements = found
    loops = machine.loops
    name = machine.fresh("comprehension")
    trips = found.length if isinstance(found, Repeated) else len(found)
    location = machine.file.location(first.target) if machine.file is not None else None
    machine.host_loops.append(HostLoop(name, location, trips, loops[-1].loop if loops else ""))
    for index, element in enumerate(elements):
        machine.loops = (*loops, Iteration(name, None if general else index))
        bind_target(machine, first.target, element, scope.cells)
        tests = [condition(machine, test) for test in first.ifs]
        if any(test is False for test in tests):
            continue
        unsure = [test for test in tests if not isinstance(test, bool)]
        inner: Any = None
        if unsure:
            length = symbol(machine.fresh("count"))
            guard = frozenset(literal(machine, test) for test in unsure)
            inner = fork(machine, [(guard, lambda: _nested(machine, rest, body, scope))])
        else:
            inner = _nested(machine, rest, body, scope)
        if inner is not None:
            length = inner if length is None else length * inner
    machine.loops = loops
    return length


def _generalised(machine: Machine, found: tuple[Any, ...]) -> tuple[Any, ...]:
    from mlvet.frontends.python.interpretation.joining import all_joined

    return (all_joined(machine, found[:64]),)
