"""What else the attributes of an ONNX node could be, by the schema of its operator."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import NodeProto
    from onnx.defs import OpSchema

_COUNTS = ("kernel_shape", "strides", "dilations")
_FIXED = (
    "to",
    "dtype",
    "seed",
    "hidden_size",
    "body",
    "then_branch",
    "else_branch",
    "value",
    "blocksize",
    "sample_size",
)
_WORD = re.compile(r"\b[A-Z][A-Z_]{3,}\b|[`'\"]([a-z_]{3,})[`'\"]")
_EXCLUSIVE = {"auto_pad": "pads", "pads": "auto_pad"}


def schema_of(node: NodeProto, version: int) -> OpSchema | None:
    """The schema of a node's operator; None for operators that ONNX does not know."""
    import onnx

    try:
        return onnx.defs.get_schema(node.op_type, version, node.domain)
    except onnx.defs.SchemaError:
        return None


def attribute_alternatives(node: NodeProto, version: int, rank: int) -> dict[str, list[Any]]:
    """Other values for each attribute that a node has or could have. None leaves it to the default."""
    schema = schema_of(node, version)
    if schema is None:
        return {}
    now = _attributes(node)
    found = {}
    weighted = any(each.name == "W" for each in schema.inputs)
    for name, told in schema.attributes.items():
        if name not in _FIXED and not (weighted and name == "kernel_shape"):
            choices = [each for each in _choices(name, told, now, rank) if each != now.get(name)]
            if choices:
                found[name] = choices
    return found


def with_consequences(changes: dict[str, Any]) -> dict[str, Any]:
    """Attributes that exclude each other: who sets the one does without the other."""
    found = dict(changes)
    for name, value in changes.items():
        other = _EXCLUSIVE.get(name)
        if other is not None and other not in changes and value not in (None, "NOTSET"):
            found[other] = None
    return found


def more_outputs(node: NodeProto, version: int) -> int:
    """How many outputs a node could have beside those it has."""
    schema = schema_of(node, version)
    if schema is None or schema.max_output > len(schema.outputs):
        return 0
    return int(schema.max_output) - len(node.output)


def _choices(name: str, told: Any, now: dict[str, Any], rank: int) -> list[Any]:
    kind = told.type.name if hasattr(told.type, "name") else str(told.type)
    default = _default(told)
    value = now.get(name, default)
    if kind == "INT":
        if "axis" in name:
            return list(range(-min(rank, 2), rank))
        if name == "group":
            return [1, 2, 4]
        return [0, 1] if value in (0, 1) else [value - 1, value + 1] if isinstance(value, int) else []
    if kind == "FLOAT":
        return [0.0, 0.1, 0.5, 1.0, 3.0]
    if kind == "STRING":
        return _words(told, default)
    if kind == "INTS":
        return _lists(name, now, rank)
    return []


def _lists(name: str, now: dict[str, Any], rank: int) -> list[Any]:
    dims = len(now.get("kernel_shape") or now.get("strides") or ()) or max(rank - 2, 0)
    if name in _COUNTS and dims:
        alike = [[each] * dims for each in (1, 2, 3, 4)]
        mixed = [[1 + (start + index) % 3 for index in range(dims)] for start in range(3)] if dims > 1 else []
        return [*alike, *mixed]
    if name == "pads" and dims:
        return [[0] * (2 * dims), [1] * (2 * dims), [0] * dims + [1] * dims, [1] * dims + [0] * dims]
    if name == "axes" and rank > 1:
        return [[axis] for axis in range(1, rank)]
    return []


def _words(told: Any, default: Any) -> list[str]:
    """The words that the description of an attribute names, if its default is one of them."""
    named = [found.group(1) or found.group(0) for found in _WORD.finditer(told.description)]
    words = list(dict.fromkeys(named))
    return words if default in words else []


def _default(told: Any) -> Any:
    from onnx import helper

    if not told.default_value.name:
        return None
    value = helper.get_attribute_value(told.default_value)
    return value.decode() if isinstance(value, bytes) else value


def _attributes(node: NodeProto) -> dict[str, Any]:
    from onnx import helper

    found = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        found[attribute.name] = list(value) if attribute.ints or attribute.floats else value
    return found
