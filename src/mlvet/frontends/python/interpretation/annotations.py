"""What annotations tell of arguments that are not known otherwise."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine
    from mlvet.frontends.python.values.objects import FunctionValue

_SCALARS = {"float": float, "str": str, "bool": bool}


def refined(machine: Machine, annotation: ast.expr | None, value: Any, function: FunctionValue, name: str) -> Any:
    """An argument as its annotation describes it, if nothing else is known of it."""
    if annotation is None or not isinstance(value, Unknown):
        return value
    del function
    match annotation:
        case ast.Name("int"):
            if value.size is None:
                value.size = symbol(machine.fresh(name))
            return value.size
        case ast.Name(kind) if kind in _SCALARS:
            return Scalar(_SCALARS[kind], name)
    return value
