"""The element types that ONNX's operators take, by opset, from a table of the standard's facts beside this file.

The table has lists of ONNX's numbers of element types, and for each operator its versions, newest first: the opset,
a list and a group for each operand, and whether the last operand may be repeated. List -1 is any type.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.ir.graph import Typing


def typing_of(source: Source) -> Typing | None:
    """What the standard demands of the operands of a node; None for operators of others and calls."""
    if source.is_call or not source.operands:
        return None
    versions = _table()["operators"].get(f"{source.domain}:{source.op_type}", ())
    found = next((version for version in versions if version[0] <= source.opset), None)
    if found is None:
        return None
    _, places, repeats = found
    count = len(source.operands)
    if repeats:
        places = [*places, *places[-1:] * (count - len(places))]
    operands = source.operands[: len(places)]
    places = places[: len(operands)]
    return Typing(operands, tuple(_allowed(number) for number, _ in places), tuple(group for _, group in places))


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads((files(__package__) / "element_types.json").read_text(encoding="utf-8"))
    return table


@cache
def _allowed(number: int) -> frozenset[DType] | None:
    return None if number < 0 else frozenset(DTYPES[code] for code in _table()["types"][number])
