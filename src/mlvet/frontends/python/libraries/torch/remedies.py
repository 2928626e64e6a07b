"""Edits that bring a tensor to the device on which it is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.torch.devices import Device
from mlvet.frontends.python.values.placements import Placement, Spot, placement_of
from mlvet.frontends.python.values.tensors import TensorValue

TOLD = frozenset(
    (
        "zeros", "ones", "empty", "full", "rand", "randn", "randint", "randperm", "arange", "linspace", "logspace",
        "eye", "tensor", "as_tensor", "normal", "tril_indices", "triu_indices", "hann_window", "hamming_window",
    )
)  # fmt: skip
"""Functions of torch that take a `device`."""


def maker() -> tuple[ast.Call, Any] | None:
    """The call at hand with the function that it is in, if it makes a tensor and could be told a device."""
    here = machine()
    if isinstance(here.at, ast.Call) and here.callee.rpartition(".")[2] in TOLD:
        return here.at, (here.running[-1] if here.running else None)
    return None


def made_elsewhere(spot: Spot, wanted: Placement) -> Fix | None:
    """A call that makes a tensor by default on the CPU is told the device of another one, if that has a name there."""
    here = machine()
    if spot.maker is None or spot.kind != "cpu":
        return None
    call, function = spot.maker
    if function is not (here.running[-1] if here.running else None):
        return None
    where = here.file.location(call)
    name = next(_names(call, function, wanted), None)
    if name is None or where is None or call.lineno != call.end_lineno:
        return None
    inside = here.file.text(call)[:-1].rstrip()
    between = "" if inside.endswith("(") else " " if inside.endswith(",") else ", "
    changed = f"{inside}{between}device={name})"
    return Fix(f"make it there: {changed}", (Edit(where, changed),), Applicability.SAFE)


def _names(call: ast.Call, function: Any, wanted: Placement) -> Iterator[str]:
    """What the program can say for a device where a call is: `x.device` of an argument, or the name of a device."""
    here = machine()
    scope = here.scopes[-1]
    for each in function.args.args if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else ():
        value = scope.cells.get(each.arg)
        if isinstance(value, TensorValue) and placement_of(value) == wanted and not _lines(each.arg, function):
            yield f"{each.arg}.device"
    for place in (scope, scope.module):
        tree = here.file.tree if place is scope.module else function
        for name, value in tuple(place.cells.items()):
            if isinstance(value, Device) and value.placement == wanted and scope.find(name) is value:
                lines = _lines(name, tree)
                if len(lines) == 1 and (lines[0] < call.lineno or place is not scope):
                    yield name


def _lines(name: str, tree: ast.AST | None) -> list[int]:
    """Where a module or function binds a name."""
    found = (each for each in ast.walk(tree) if isinstance(each, ast.Name)) if tree is not None else ()
    return [each.lineno for each in found if each.id == name and isinstance(each.ctx, ast.Store)]


def copied_first() -> Fix | None:
    """`x.numpy()` becomes `x.cpu().numpy()`."""
    here = machine()
    if not isinstance(here.at, ast.Call) or not isinstance(here.at.func, ast.Attribute) or here.at.func.attr != "numpy":
        return None
    where = here.file.location(here.at.func.value)
    if where is None or where.end_line is None or where.end_column is None:
        return None
    behind = replace(where, line=where.end_line, column=where.end_column)
    text = f"{here.file.text(here.at.func.value)}.cpu().numpy()"
    return Fix(f"copy it to the CPU: {text}", (Edit(behind, ".cpu()"),), Applicability.SAFE)
