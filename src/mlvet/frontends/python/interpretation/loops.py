"""Loops: unrolled where the items are known and few, else one iteration that stands for all.

The iteration that stands for all starts from a state that every iteration can start from: what an iteration changes is
joined with what was there before, until another iteration changes nothing more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.python.interpretation.assignments import assign
from mlvet.frontends.python.interpretation.branches import MODES, Boundary, unless_all_raise
from mlvet.frontends.python.interpretation.iteration import items
from mlvet.frontends.python.interpretation.joining import anything, covers, joined, same
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.interpretation.truth import literal
from mlvet.frontends.python.trail import MISSING, Delta, now
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.graph import HostLoop, Iteration, Literal, Value

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_ROUNDS = 4
_SURELY = 4
"""Iterations that are run however alike they are."""
_COSTLY = 400
"""Steps of a loop above which iterations that are alike are not run one by one."""
_VERY_COSTLY = 3_000
"""Steps of a loop above which iterations that only let sizes grow are not run one by one."""
_FORK = 30
_TOO_COSTLY = 25_000
"""Steps of a loop above which one iteration stands for all that are left; each loop around it takes three quarters."""


def for_loop(machine: Machine, node: ast.For | ast.AsyncFor) -> bool:
    """`for target in iterable`; whether anything gets past it."""
    from mlvet.frontends.python.interpretation.expressions import evaluate
    from mlvet.frontends.python.interpretation.statements import run

    iterable = evaluate(machine, node.iter)
    found = items(machine, iterable)
    machine.at = node
    end = Boundary(machine)
    machine.boundaries.append(end)
    try:
        if isinstance(found, Repeated) or len(found) > machine.limits.unrolled:
            alive = _general_for(machine, node, found, end, _not_empty(machine, iterable))
        else:
            alive = _unrolled(machine, node, found, end)
        if alive and node.orelse:
            alive = run(machine, node.orelse)
        return end.close(alive)[0]
    finally:
        machine.boundaries.pop()


def _not_empty(machine: Machine, iterable: Any) -> tuple[Literal, ...]:
    """What holds wherever there is an item: not the outcomes under which the iterable has none."""
    if not isinstance(iterable, Choice):
        return ()
    without = [set(guard).difference(machine.path) for guard, value in iterable.alternatives if _is_empty(value)]
    alone = [next(iter(guard)) for guard in without if len(guard) == 1]
    return tuple(Literal(each.condition, not each.holds) for each in alone)


def _is_empty(value: Any) -> bool:
    value = value.cells["items"] if isinstance(value, ListValue) else value
    return isinstance(value, range | tuple) and not value


def _general_for(
    machine: Machine, node: ast.For | ast.AsyncFor, found: Any, end: Boundary, known: tuple[Literal, ...] = ()
) -> bool:
    if isinstance(found, Repeated):
        element, trips = found.element, found.length
    else:
        element, trips = _any_of(machine, found), len(found)

    def body() -> bool:
        from mlvet.frontends.python.interpretation.statements import run

        machine.path = (*machine.path, *known)
        assign(machine, node.target, element)
        alive = run(machine, node.body)
        machine.path = tuple(each for each in machine.path if each not in known)
        return alive

    return general(machine, node, body, end, trips)


def _any_of(machine: Machine, found: tuple[Any, ...]) -> Any:
    from mlvet.frontends.python.interpretation.joining import all_joined

    if all(isinstance(each, int) and not isinstance(each, bool) for each in found):
        return symbol(machine.fresh("i"), low=min(found), high=max(found))
    return all_joined(machine, found[: machine.limits.unrolled])


def _unrolled(machine: Machine, node: ast.For | ast.AsyncFor, found: tuple[Any, ...], end: Boundary) -> bool:
    from mlvet.frontends.python.interpretation.statements import run

    name = _loop(machine, node, len(found))
    loops = machine.loops
    started = machine.steps
    worth = _TOO_COSTLY >> 2 * sum(each.index is not None for each in loops)
    counts = all(isinstance(each, int) for each in found)
    past: tuple[Delta, ...] = ()
    alive = True
    try:
        for index, element in enumerate(found):
            machine.loops = (*loops, Iteration(name, index))
            mark, began = machine.trail.mark(), now()
            assign(machine, node.target, element)
            alive = iteration(machine, lambda: run(machine, node.body), end)
            if not alive:
                break
            left = len(found) - index - 1
            spent = _cost(machine) - started
            if left and spent > _COSTLY:
                delta = machine.trail.since(mark)
                alike = index + 1 >= _SURELY and bool(past) and _alike((past[-1], delta), node.target)
                even = (
                    spent > _VERY_COSTLY
                    and counts
                    and len(past) == 2
                    and left > _SURELY
                    and _alike((*past, delta), node.target, began)
                )
                if alike or even or machine.steps - started > worth:
                    machine.loops = loops
                    return _general_for(machine, node, found[index + 1 :], end)
                past = (*past[-1:], delta)
    finally:
        machine.loops = loops
    return alive


def _cost(machine: Machine) -> int:
    """What interpretation has cost so far, in steps; a fork costs as much as many of them."""
    return machine.steps + _FORK * machine.forks


def _alike(deltas: tuple[Delta, ...], target: ast.expr, began: float = inf) -> bool:
    """Whether iterations did the same, but for which tensors they did it on; three may each add as much to a size.

    What the last one has made since it `began` is of no concern to the next.
    """
    varying = {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
    *past, last = deltas
    for place, (cells, key, value) in last.after.items():
        if key in varying or getattr(cells, "born", 0) >= began:
            continue
        if not all(place in each.after for each in past):
            if last.before[place] is not MISSING:
                return False
            continue
        if not _stable((*(each.after[place][2] for each in past), value)):
            return False
    return True


def _stable(values: tuple[Any, ...]) -> bool:
    """Whether values differ in nothing that shapes hang on, or only count on."""
    old, new = values[0], values[-1]
    if all(same(old, each) for each in values[1:]) or all(isinstance(each, _COUNTED) for each in values):
        return True
    if all(isinstance(each, TensorValue) for each in values):
        tensors = [tensor_of(each) for each in values]
        return len({type(each) for each in values}) == 1 and _even(tensors) and tensors[-1].value is None
    if all(isinstance(each, Value) for each in values):
        return _even([each.declared for each in values])
    if all(isinstance(each, tuple) for each in values):
        shortest = min(map(len, values))
        logged = all(isinstance(each, _COUNTED | Unknown) for each in new[len(old) :])
        return (
            len(old) == shortest
            and logged
            and all(map(_stable, zip(*(each[:shortest] for each in values), strict=True)))
        )
    return all(isinstance(each, Unknown) for each in values)


def _even(tensors: Sequence[Tensor]) -> bool:
    """Whether tensors are alike in type and shape, or have sizes that grow by as much from each to the next."""
    first = tensors[0]
    if any(each.dtype != first.dtype for each in tensors):
        return False
    if all(each.shape == first.shape for each in tensors):
        return True
    shapes = [each.shape for each in tensors if not isinstance(each.shape, Unranked)]
    if len(shapes) < 3 or len({len(shape) for shape in shapes}) != 1 or len(shapes) != len(tensors):
        return False
    return all(_grows_evenly(sizes) for sizes in zip(*shapes, strict=True))


def _grows_evenly(sizes: Sequence[Dim]) -> bool:
    steps = {later - earlier for earlier, later in pairwise(sizes)}
    return len(steps) == 1


_COUNTED = int | float | str | Expr | Scalar
"""What programs count and log from iteration to iteration."""


def iteration(machine: Machine, body: Callable[[], bool], end: Boundary) -> bool:
    """One run of a loop's body, whether anything gets to its end."""
    step = Boundary(machine)
    machine.boundaries.append(step)
    machine.breaks.append(end)
    machine.continues.append(step)
    try:
        return step.close(unless_all_raise(body, step, end))[0]
    finally:
        machine.continues.pop()
        machine.breaks.pop()
        machine.boundaries.pop()


def general(machine: Machine, node: ast.AST, body: Callable[[], bool], end: Boundary, trips: Dim | None) -> bool:
    """A loop of which one iteration stands for all."""
    name = _loop(machine, node, trips)
    loops = machine.loops
    machine.loops = (*loops, Iteration(name))
    try:
        for attempt in range(_ROUNDS):
            started = now()
            mark, before = machine.trail.mark(), kept(machine)
            raised = False
            try:
                alive = iteration(machine, body, end)
            except PythonRaise:
                alive, raised = False, True
            if raised:
                machine.trail.undo(mark)
                return True
            delta = machine.trail.since(mark)
            machine.trail.undo(mark)
            open_ = [each for each in _changed(machine, delta, started) if not covers(machine, each[2], each[3])]
            if not open_:
                machine.trail.redo(delta)
                return True
            forget(machine, before)
            for cells, key, old, new in open_:
                machine.trail.write(cells, key, _standing_for(machine, key, old, new, last=attempt == _ROUNDS - 1))
        alive = iteration(machine, body, end)
        return alive or True
    finally:
        machine.loops = loops


def _changed(machine: Machine, delta: Delta, started: int) -> list[tuple[Any, Any, Any, Any]]:
    """The cells older than an iteration that it leaves different, with what they held before and after."""
    return [
        (cells, key, delta.before[place], after)
        for place, (cells, key, after) in delta.after.items()
        if delta.before[place] is not MISSING
        and after is not MISSING
        and cells is not machine.constants
        and getattr(cells, "born", 0) < started
        and key not in MODES
    ]


def _standing_for(machine: Machine, key: Any, old: Any, new: Any, *, last: bool) -> Any:
    """What a cell holds at the start of any iteration."""
    name = key if isinstance(key, str) else ""
    if not last:
        return joined(machine, old, new, name)
    if isinstance(old, Value):
        return anything(machine, old)
    found = machine.unknown(Reason.LOOP_VARYING, name, name)
    return Repeated(found, symbol(machine.fresh("count"))) if name == "items" else found


def kept(machine: Machine) -> tuple[Any, ...]:
    """How much the graph and all ways out hold now."""
    exits = [len(boundary.exits) for boundary in machine.boundaries]
    yields = [None if scope.yields is None else len(scope.yields) for scope in machine.scopes]
    return (
        machine.builder.mark(),
        len(machine.demands),
        exits,
        yields,
        len(machine.host_loops),
        len(machine.executions),
        len(machine.runs),
        len(machine.events),
    )


def forget(machine: Machine, held: tuple[Any, ...]) -> None:
    """Take back what steps that are run again have added since."""
    mark, demands, exits, yields, loops, executions, runs, events = held
    machine.builder.back_to(mark)
    del machine.demands[demands:]
    for boundary, count in zip(machine.boundaries, exits, strict=True):
        del boundary.exits[count:]
    for scope, count in zip(machine.scopes, yields, strict=True):
        if scope.yields is not None and count is not None:
            del scope.yields[count:]
    del machine.host_loops[loops:]
    del machine.executions[executions:]
    del machine.runs[runs:]
    del machine.events[events:]


def while_loop(machine: Machine, node: ast.While) -> bool:
    """`while test`; whether anything gets past it."""
    from mlvet.frontends.python.interpretation.expressions import condition
    from mlvet.frontends.python.interpretation.statements import run

    end = Boundary(machine)
    machine.boundaries.append(end)
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    try:
        alive = True
        for _ in range(0 if endless else machine.limits.unrolled):
            test = condition(machine, node.test)
            if test is False:
                if node.orelse:
                    alive = run(machine, node.orelse)
                return end.close(alive)[0]
            if test is not True:
                break
            alive = iteration(machine, lambda: run(machine, node.body), end)
            if not alive:
                return end.close(False)[0]

        def body() -> bool:
            found = condition(machine, node.test)
            if found is False:
                return False
            if not isinstance(found, bool):
                holds = literal(machine, found)
                machine.path = (*machine.path, Literal(holds.condition, holds.holds))
            return run(machine, node.body)

        general(machine, node, body, end, None)
        if endless:
            machine.last_raised = KeyboardInterrupt()
            return end.close(False)[0] if end.exits else False
        if node.orelse:
            alive = run(machine, node.orelse)
        return end.close(alive)[0]
    finally:
        machine.boundaries.pop()


def _loop(machine: Machine, node: ast.AST, trips: Dim | None) -> str:
    name = machine.fresh(f"loop{getattr(node, 'lineno', '')}")
    parent = machine.loops[-1].loop if machine.loops else ""
    location = machine.file.location(node) if machine.file is not None else None
    machine.host_loops.append(HostLoop(name, location, trips, parent))
    return name
