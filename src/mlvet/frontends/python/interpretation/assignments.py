"""Assignment to names, attributes, subscripts and nested targets."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.attributes import delete_attribute, set_attribute
from mlvet.frontends.python.interpretation.iteration import unpacked
from mlvet.frontends.python.interpretation.subscripts import delete_subscript, set_subscript
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


def assign(machine: Machine, target: ast.expr, value: Any) -> None:
    """`target = value`."""
    from mlvet.frontends.python.interpretation.expressions import evaluate, observed

    match target:
        case ast.Name(name):
            _name(machine, value, name)
            observed(machine, target, value, name)
            machine.scopes[-1].assign(name, value)
        case ast.Attribute(owner, name):
            receiver = evaluate(machine, owner)
            machine.at = target
            _name_unknown(value, name)
            observed(machine, target, value, name)
            set_attribute(machine, receiver, name, value)
        case ast.Subscript(owner, index):
            receiver = evaluate(machine, owner)
            key = evaluate(machine, index)
            machine.at = target
            set_subscript(machine, receiver, key, value)
        case ast.Tuple(elts) | ast.List(elts):
            star = next((place for place, each in enumerate(elts) if isinstance(each, ast.Starred)), None)
            machine.at = target
            names = [each.id.strip("_") if isinstance(each, ast.Name) else "" for each in elts]
            for each, part in zip(elts, unpacked(machine, value, len(elts), star, names), strict=False):
                assign(machine, each.value if isinstance(each, ast.Starred) else each, part)


def bind_target(machine: Machine, target: ast.expr, value: Any, cells: dict[str, Any]) -> None:
    """Bind the names of a comprehension's target in the comprehension's own scope."""
    match target:
        case ast.Name(name):
            _name_unknown(value, name)
            cells[name] = value
        case ast.Tuple(elts) | ast.List(elts):
            star = next((place for place, each in enumerate(elts) if isinstance(each, ast.Starred)), None)
            for each, part in zip(elts, unpacked(machine, value, len(elts), star), strict=False):
                bind_target(machine, each.value if isinstance(each, ast.Starred) else each, part, cells)
        case _:
            assign(machine, target, value)


def _name(machine: Machine, value: Any, name: str) -> None:
    """A tensor or an unknown without a name is called what the program calls it first."""
    if isinstance(value, TensorValue):
        made = value.graph_value
        if made not in machine.named:
            machine.named.add(made)
            machine.builder.rename(made, name)
    else:
        _name_unknown(value, name)


def _name_unknown(value: Any, name: str) -> None:
    """An unknown that has no name yet is called what the program calls it first."""
    if isinstance(value, Unknown) and not value.name:
        value.name = name
    elif isinstance(value, Scalar) and not value.name and not value.condition and value.kind is not bool:
        object.__setattr__(value, "name", name)


def delete(machine: Machine, target: ast.expr) -> None:
    """`del target`."""
    from mlvet.frontends.python.interpretation.expressions import evaluate

    match target:
        case ast.Name(name):
            cells = machine.scopes[-1].home(name)
            if name in cells:
                machine.trail.erase(cells, name)
        case ast.Attribute(owner, name):
            delete_attribute(evaluate(machine, owner), name)
        case ast.Subscript(owner, index):
            delete_subscript(machine, evaluate(machine, owner), evaluate(machine, index))
        case ast.Tuple(elts) | ast.List(elts):
            for each in elts:
                delete(machine, each)
