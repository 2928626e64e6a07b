"""Shapes as a graph of TensorFlow 1 knows them before it runs, which is less than what its tensors will have.

Sizes that a placeholder leaves open are known to a run only. A size that is read from a tensor, as by `tf.shape(x)[1]`,
was open too in TensorFlow 1 unless all sizes of that tensor are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from mlvet.domains.dims import Expr, symbols
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.tensorflow.generation import is_first, refused_before
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.index_map import Elementwise

RULE = "shape-not-static"
_READ_SINCE = (2, 0)
"""The generation whose graphs know a size that is read from a tensor of which other sizes are open."""
_LIKE = frozenset(("zeros_like", "ones_like"))
_MOST = 50
"""The most values that are followed back."""


def _memory(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = machine().memory.setdefault("tensorflow", {}).setdefault(f"@{name}", {})
    return found


def leave_open(placeholder: Value, sizes: Iterable[Any]) -> None:
    """Remember the sizes that a placeholder leaves to the runs of the graph."""
    _memory("placeholders")[placeholder] = True
    for size in sizes:
        if isinstance(size, Expr):
            _memory("open").update(dict.fromkeys((each.name for each in symbols(size)), True))


def is_left_open(size: Any) -> bool:
    """Whether a size hangs on one that a placeholder leaves to the runs."""
    return isinstance(size, Expr) and any(each.name in _memory("open") for each in symbols(size))


def is_placeholder(value: Value) -> bool:
    return value in _memory("placeholders")


def use_references(holds: bool) -> None:
    """Whether variables are those of TensorFlow 1, whose shape the graph must know."""
    _memory("variables")["references"] = holds


def keeps_references() -> bool:
    found = _memory("variables").get("references")
    return is_first() if found is None else found is True


def of_shape(made: TensorValue, shape: Any) -> TensorValue:
    """A tensor made of a shape; if the shape is read from tensors, the graph may not know it."""
    if keeps_references():
        parts = _tensors(shape)
        if any(_is_open(part) for part in parts):
            _memory("dynamic")[made.graph_value] = None
        elif any(_is_read(part, scalar=isinstance(shape, tuple | list | ListValue)) for part in parts):
            _memory("dynamic")[made.graph_value] = _READ_SINCE
    return made


def is_dynamic(x: TensorValue) -> bool:
    """Whether the graph may not know the shape of a tensor that interpretation knows."""
    return x.graph_value in _memory("dynamic")


def demand_static(x: TensorValue, validate_shape: Any = True, use_resource: Any = None) -> None:
    """The initial value of a variable must have a shape that the graph knows."""
    if validate_shape is not True or use_resource not in (None, False) or not keeps_references():
        return
    since = _dynamic_since(x.graph_value)
    if since is False:
        return
    assumed = "" if since is None else refused_before(since)
    if assumed is not None:
        said = "the initial value of a variable must have a shape that is known before the graph runs"
        why = (
            "sizes of it come from a placeholder that leaves them open"
            if since is None
            else ("sizes of it are read from a tensor by the graph itself")
        )
        demand(False, f"{said}, but {why}", RULE, assumed=assumed)


def _dynamic_since(value: Value) -> tuple[int, int] | Literal[False] | None:
    """The version since which the graph knows the shape of a value, None if none does, False if all do."""
    pending, seen = [value], {value}
    dynamic = _memory("dynamic")
    while pending:
        each = pending.pop()
        if each in dynamic:
            found: tuple[int, int] | None = dynamic[each]
            return found
        if is_placeholder(each):
            if not value.declared.ranked or _mentions_open(value.declared.dims):
                return None
            continue
        node = machine().builder.maker(each)
        if node is not None and _keeps_shape(node) and len(seen) < _MOST:
            before = [given for given in node.inputs if given is not None and given.declared.shape != ()]
            pending += [given for given in before if given not in seen]
            seen.update(before)
    return False


def _keeps_shape(node: Node) -> bool:
    rule = REGISTRY.get(node.op)
    return node.op in _LIKE or (rule is not None and isinstance(rule.index_map, Elementwise))


def _tensors(shape: Any) -> list[TensorValue]:
    """The tensors that a shape is given by: one of all sizes, or some of single sizes in a list."""
    if isinstance(shape, TensorValue):
        return [shape]
    if isinstance(shape, ListValue):
        shape = shape.items
    return [each for each in shape if isinstance(each, TensorValue)] if isinstance(shape, tuple | list) else []


def is_open(size: Expr) -> bool:
    """Whether a size hangs on one that a placeholder leaves open."""
    left = _memory("open")
    return bool(left) and any(each.name in left for each in symbols(size))


def _mentions_open(sizes: Iterable[Any]) -> bool:
    return any(isinstance(size, Expr) and is_open(size) for size in sizes)


def _is_open(tensor: TensorValue) -> bool:
    known = tensor.graph_value.declared.value
    return known is not None and _mentions_open(known.reshape(-1))


def _is_read(tensor: TensorValue, scalar: bool) -> bool:
    """Whether sizes are read one by one from tensors with open sizes; whole rows of sizes the graph follows."""
    pending = [(tensor.graph_value, scalar)]
    seen: set[Value] = set()
    while pending:
        value, alone = pending.pop()
        if value in seen or len(seen) > _MOST:
            continue
        seen.add(value)
        node = machine().builder.maker(value)
        if node is None:
            continue
        if node.op in ("shape", "size"):
            if alone and _has_open_sizes(node):
                return True
        else:
            pending += [(each, alone or node.op == "stack") for each in node.inputs if each is not None]
    return False


def _has_open_sizes(node: Node) -> bool:
    given = node.inputs[0]
    return given is not None and given.declared.ranked and _mentions_open(given.declared.dims)
