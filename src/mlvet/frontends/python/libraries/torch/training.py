"""What training does beside computing, noted as events: gradients cleared and computed, steps, modes, calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from mlvet.domains.dims import product
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.optimiser_state import facts_of
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.ir.graph import Value
from mlvet.ir.program import Act

RUNNING: ContextVar[Any] = ContextVar("running module", default=None)
"""The innermost module that is being called."""
_OFF = ("torch", "no gradients")
_SWITCHES = ("no_grad", "inference_mode")


class Gradients(Scope):
    """A scope with gradients switched on or off."""

    __slots__ = ()

    def __init__(self, on: bool) -> None:
        store(self.cells, "on", on)

    def __enter__(self) -> Any:
        store(self.cells, "before", gradients_off())
        _switch(not self.cells["on"])
        return self

    def __exit__(self, *error: Any) -> None:
        _switch(bool(self.cells.get("before", False)))


def _switch(off: bool) -> None:
    cells: dict[Any, Any] = machine().constants
    store(cells, _OFF, off)


def gradients_off() -> bool:
    """Whether the place at hand is in a scope or function without gradients."""
    cells: dict[Any, Any] = machine().constants
    return bool(cells.get(_OFF, False)) or any(map(_is_switched, machine().running))


def _is_switched(function: ast.AST) -> bool:
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    return any(name in ast.unparse(each) for each in decorators for name in _SWITCHES)


def derived(loss: Any) -> None:
    """Gradients of a loss are computed."""
    known = isinstance(loss, TensorValue)
    machine().event(Act.DERIVED, loss, (loss.graph_value,) if known else (), complete=known)


def cleared(subject: Any, parameters: Iterator[Any] | None, *facts: str) -> None:
    """Gradients of some parameters are set to 0; None for parameters that are not known."""
    values = None if parameters is None else [each.graph_value for each in parameters]
    machine().event(Act.CLEARED, subject, values or (), *facts, complete=values is not None)


def dropout_noted(p: Any) -> None:
    """Note dropout that the program does not say to be of training, in a module that is set to be evaluated."""
    at, module = machine().at, RUNNING.get()
    if not isinstance(at, ast.Call) or module is None or module.cells.get("training") is not False or p == 0:
        return
    if len(at.args) < 3 and all(each.arg not in ("training", "train", None) for each in at.keywords):
        machine().event(Act.DROPPED, module)


def optimised(act: Act, optimizer: Object) -> None:
    """Something is done by or to an optimiser; what it changes may not be known in full."""
    tensors, complete = _parameters(optimizer)
    frozen = bool(tensors) and complete and all(each.cells.get("requires_grad") is False for each in tensors)
    values = list(dict.fromkeys(each.graph_value for each in tensors))
    given = optimizer.cells.get("defaults")
    settings = given.cells if isinstance(given, DictValue) else {}
    facts = facts_of(type(optimizer).__name__, settings) if act is Act.MADE else ()
    machine().event(act, optimizer, values, *facts, *(("frozen",) if frozen else ()), complete=complete)


def _parameters(optimizer: Object) -> tuple[list[TensorValue], bool]:
    groups = _items(optimizer.cells.get("param_groups"))
    if groups is None:
        return [], False
    found: list[TensorValue] = []
    complete = True
    for group in groups:
        held = group.cells.get("params") if isinstance(group, DictValue) else None
        members = (held,) if isinstance(held, TensorValue) else _items(held)
        known = [] if members is None else [each for each in members if isinstance(each, TensorValue)]
        complete = complete and members is not None and len(known) == len(members)
        found += known
    return found, complete


def _items(value: Any) -> tuple[Any, ...] | None:
    items = value.items if isinstance(value, ListValue) else value
    return items if isinstance(items, tuple) else None


def tensors_in(value: Any) -> list[Value]:
    """The tensors of a result, also within tuples, lists and dictionaries."""
    if isinstance(value, TensorValue):
        return [value.graph_value]
    if isinstance(value, DictValue):
        return [each for part in value.cells.values() for each in tensors_in(part)]
    return [each for part in _items(value) or () for each in tensors_in(part)]


def demand_one_number(x: TensorValue, what: str) -> None:
    """Gradients are of one number, unless the program tells those of each element."""
    dims = dims_of(x)
    if dims is not None and all(isinstance(dim, int) for dim in dims):
        demand(product(dims) == 1, f"{what} without gradients of each element needs one number", "rank-differs", [x])
