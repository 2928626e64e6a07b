"""Two values made one: alternatives by their guards where branches meet, or what both have in common in a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, bounds, symbol
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor, Unranked, unknown
from mlvet.frontends.python.interpretation.conditions import decided
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice, Guard, conjoined
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, FunctionValue, Object
from mlvet.frontends.python.values.placements import ANYWHERE, DEVICE, Placement, placement_of, united
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.graph import OPAQUE, Literal, Value

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

BY_PATH = (Choice, Placement)
"""Values that say themselves on which paths they are what."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), Expr, type(Ellipsis))


def same(left: Any, right: Any) -> bool:
    """Whether two values are one and the same for all that follows."""
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, _PLAIN) and isinstance(right, _PLAIN):
        return (type(left) is type(right) and bool(left == right)) or (
            isinstance(left, int) and isinstance(right, int) and isinstance(left, bool) == isinstance(right, bool)
            and left == right
        )  # fmt: skip
    if isinstance(left, BoundMethod) and isinstance(right, BoundMethod):
        return left.receiver is right.receiver and left.function is right.function
    if isinstance(left, FunctionValue) and isinstance(right, FunctionValue):
        defaults = [(*each.defaults, *each.keyword_defaults.values()) for each in (left, right)]
        return left.node is right.node and left.scope is right.scope and same(*defaults)
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return left.reason is right.reason and left.name == right.name
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return left.kind is right.kind and left.name == right.name and left.condition == right.condition
    if isinstance(left, Repeated) and isinstance(right, Repeated):
        return same(left.element, right.element) and same(left.length, right.length)
    if isinstance(left, Placement) and isinstance(right, Placement):
        return left == right
    if isinstance(left, slice) and isinstance(right, slice):
        return same((left.start, left.stop, left.step), (right.start, right.stop, right.step))
    return False


def merged(machine: Machine, alternatives: Sequence[tuple[Guard, Any]]) -> Any:
    """What a cell or expression holds where paths meet. The guards exclude one another."""
    first = MISSING
    for _, value in alternatives:
        if first is MISSING:
            first = value
        elif value is not first and value is not MISSING:
            break
    else:
        if not isinstance(first, BY_PATH):
            return first
    if any(isinstance(value, Placement) for _, value in alternatives):
        return united(alternatives)
    flat = [each for each in _flat(alternatives) if each[1] is not MISSING]
    if not flat:
        return MISSING
    kept = _distinct(machine, flat)
    if len(kept) == 1:
        return kept[0][1]
    values = _different([value for _, value in kept])
    if (one := _moved(values) or _united(machine, values)) is not None:
        if isinstance(one, TensorValue) and any(DEVICE in value.cells for value in values):
            one.cells[DEVICE] = united((guard, value.cells.get(DEVICE)) for guard, value in kept)
        return one
    if hasattr(type(values[0]), "one_of") and all(type(value) is type(values[0]) for value in values):
        return type(values[0]).one_of(kept)
    most = machine.limits.kept_apart(machine.forks)
    if len(values) > most or len(kept) > 2 * most:
        machine.note("more alternatives meet in one place than are kept apart; what they have in common is kept")
        machine.unknowns[Reason.TOO_MANY_PATHS] += 1
        return all_joined(machine, values)
    return Choice(tuple(kept))


def _different(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(same(value, seen) for seen in found):
            found.append(value)
    return found


def _distinct(machine: Machine, flat: list[tuple[Guard, Any]]) -> list[tuple[Guard, Any]]:
    """The alternatives with each value once, if one guard can tell it from the others; else as they are."""
    groups: list[tuple[list[Guard], Any]] = []
    for guard, value in flat:
        group = next((guards for guards, seen in groups if same(seen, value)), None)
        if group is None:
            groups.append(([guard], value))
        else:
            group.append(guard)
    if len(groups) == 1:
        return [(frozenset.intersection(*groups[0][0]), groups[0][1])]
    kept: list[tuple[Guard, Any]] = []
    for guards, value in groups:
        others = [guard for other, seen in groups if seen is not value for guard in other]
        kept += [(guard, value) for guard in (guards if len(guards) == 1 else _shared(machine, guards, others))]
    return kept


def _shared(machine: Machine, guards: list[Guard], others: list[Guard]) -> list[Guard]:
    """One guard in place of several: what all of them imply, if that excludes the others."""
    whole = set(frozenset.intersection(*guards))
    for literal in {each for guard in others for each in guard}:
        opposite = Literal(literal.condition, not literal.holds)
        if all(opposite in guard or decided(machine, opposite, guard) is True for guard in guards):
            whole.add(opposite)
    merged_guard = frozenset(whole)
    return [merged_guard] if all(conjoined(merged_guard, other) is None for other in others) else guards


def _flat(alternatives: Iterable[tuple[Guard, Any]]) -> list[tuple[Guard, Any]]:
    found: list[tuple[Guard, Any]] = []
    for guard, value in alternatives:
        if isinstance(value, Choice):
            for inner, part in value.alternatives:
                if (both := conjoined(guard, inner)) is not None:
                    found.append((both, part))
        else:
            found.append((guard, value))
    return found


def _united(machine: Machine, values: list[Any]) -> Any:
    """One value for several where that loses nothing that shapes hang on; None if there is none."""
    first = values[0]
    if all(isinstance(value, TensorValue) for value in values):
        if all(type(value) is type(first) and _like(value, first) for value in values):
            return _either(values)
        return None
    if all(isinstance(value, float | Scalar) and _kind(value) is float for value in values):
        return Scalar(float, getattr(first, "name", ""))
    if all(
        isinstance(value, Scalar) and value.kind is first.kind for value in values if isinstance(first, Scalar)
    ) and (isinstance(first, Scalar) and all(isinstance(value, Scalar) for value in values)):
        return Scalar(first.kind, mixed=any(value.mixed for value in values))
    if all(isinstance(value, tuple) and len(value) == len(first) for value in values if isinstance(first, tuple)) and (
        isinstance(first, tuple) and all(isinstance(value, tuple) for value in values)
    ):
        parts = [
            _united(machine, list(column)) if not _all_same(column) else column[0]
            for column in zip(*values, strict=True)
        ]
        return None if any(part is None for part in parts) else _row_like(values, parts)
    if all(isinstance(value, Value) for value in values):
        return first if all(value.declared == first.declared for value in values) else _widened(machine, values)
    if all(isinstance(value, Repeated) for value in values):
        return joined_items(machine, values)
    return None


def _row_like(rows: Sequence[Any], parts: Sequence[Any]) -> Any:
    """A tuple of the class that some tuples have in common: a named tuple stays one."""
    kind = type(rows[0])
    make = getattr(kind, "_make", None)
    return make(parts) if make is not None and all(type(row) is kind for row in rows) else tuple(parts)


def _moved(values: list[Any]) -> Any:
    """One tensor for several that are the same but for where they are; None if they are not."""
    first = values[0]
    if not isinstance(first, TensorValue) or not all(
        type(value) is type(first) and value.cells.get("@value") is first.cells.get("@value") for value in values
    ):
        return None
    made = type(first).__new__(type(first))
    object.__setattr__(made, "kind", first.kind)
    shared = {
        name: cell for name, cell in first.cells.items() if all(same(cell, each.cells.get(name)) for each in values)
    }
    made.cells.update(shared)
    return made


def _all_same(values: Sequence[Any]) -> bool:
    return all(same(value, values[0]) for value in values)


def _like(left: TensorValue, right: TensorValue) -> bool:
    a, b = tensor_of(left), tensor_of(right)
    counts = a.dtype is not None and a.dtype.is_integer and (a.value is not None or b.value is not None)
    return a == b if counts else a.dtype == b.dtype and a.shape == b.shape


def _either(tensors: list[TensorValue]) -> TensorValue:
    """One of several tensors of one type, as a selection by a condition that only execution knows."""
    from mlvet.frontends.python.emission import emit, source

    found = tensors[0]
    for other in tensors[1:]:
        condition = source("branch", Tensor(dtypes.bool_, ()), type(found))
        chosen = emit("where", condition, found.graph_value, other.graph_value, kind=type(found))
        like = tensor_of(found)
        if tensor_of(chosen).shape != like.shape:
            chosen = _opaque_like(type(found), like)
        for name, value in found.cells.items():
            if name != "@value" and same(value, other.cells.get(name)):
                chosen.cells[name] = value
        found = chosen
    return found


def _opaque_like(kind: type[TensorValue], like: Tensor) -> TensorValue:
    from mlvet.frontends.python.emission import opaque

    return opaque("either", [], like.without_value(), kind)


def joined(machine: Machine, left: Any, right: Any, name: str = "") -> Any:
    """What two values have in common, so that it stands for both: sizes that differ become symbols of that name."""
    if left is MISSING or right is MISSING:
        return right if left is MISSING else left
    if same(left, right):
        return left
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return left if isinstance(left, Unknown) else right
    if isinstance(left, Placement) or isinstance(right, Placement):
        known = isinstance(left, Placement) and isinstance(right, Placement) and left.stands_for(right)
        return left if known else ANYWHERE
    if isinstance(left, Choice):
        return _joined_choice(machine, left, right, name)
    if isinstance(right, Choice):
        return all_joined(machine, [left, *_parts(right)])
    if isinstance(left, TensorValue) and isinstance(right, TensorValue):
        return _joined_tensors(machine, left, right)
    if isinstance(right, TensorValue) and isinstance(left, int | float | Scalar | Expr):
        return _joined_tensors(machine, right, right)
    if isinstance(left, TensorValue) and isinstance(right, int | float | Scalar | Expr):
        return left
    if isinstance(left, TensorValue) and _is_text(left) and _kind(right) in (str, bytes):
        return left
    if isinstance(right, TensorValue) and _is_text(right) and _kind(left) in (str, bytes):
        return right
    if isinstance(left, Value) and isinstance(right, Value):
        return _widened(machine, [left, right])
    if _is_int(left) and _is_int(right):
        return _any_size(machine, left, right, name)
    if _kind(left) is not None and _kind(left) is _kind(right) and _kind(left) is not tuple:
        return Scalar(_kind(left) or object, mixed=True)
    if {_kind(left), _kind(right)} <= {int, float, bool}:
        return Scalar(float)
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return _row_like((left, right), [joined(machine, a, b) for a, b in zip(left, right, strict=True)])
    if isinstance(left, Repeated | tuple) and isinstance(right, Repeated | tuple):
        return joined_items(machine, [left, right])
    if type(left) is type(right) and isinstance(left, ListValue | SetValue | IteratorValue):
        made = type(left)()
        made.cells["items"] = joined(machine, left.cells["items"], right.cells["items"])
        return made
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        return _joined_dicts(machine, left, right)
    if left is None or right is None:
        return left if right is None else right
    if type(left) is type(right) and getattr(type(left), "joinable", False):
        return _joined_objects(machine, left, right)
    return machine.unknown(Reason.DYNAMIC_TYPE, f"{type(left).__name__} or {type(right).__name__}")


def _joined_objects(machine: Machine, left: Any, right: Any) -> Any:
    """An object of a library that stands for two of its kind, cell by cell."""
    made: Any = object.__new__(type(left))
    object.__setattr__(made, "cells", {})
    object.__setattr__(made, "kind", None)
    for name in {**left.cells, **right.cells}:
        made.cells[name] = joined(machine, left.cells.get(name, MISSING), right.cells.get(name, MISSING))
    return made


def _joined_choice(machine: Machine, left: Choice, right: Any, name: str) -> Any:
    """A choice joined with another value, alternative by alternative where their guards go together."""
    kept = [(guard, all_joined(machine, [value, *_under(right, guard)], name)) for guard, value in left.alternatives]
    return kept[0][1] if all(same(value, kept[0][1]) for _, value in kept[1:]) else Choice(tuple(kept))


def _under(value: Any, guard: Guard) -> list[Any]:
    """What a value may be under a guard."""
    if not isinstance(value, Choice):
        return [value]
    return [part for other, part in value.alternatives if conjoined(guard, other) is not None]


def covers(machine: Machine, whole: Any, part: Any) -> bool:
    """Whether a value stands for another already, so that joining them would change nothing."""
    if same(whole, part) or isinstance(whole, Unknown) or part is MISSING:
        return True
    if isinstance(part, Choice) and not isinstance(whole, Choice):
        return all(covers(machine, whole, each) for each in _parts(part))
    match whole:
        case Choice():
            return all(
                covers(machine, mine, each) for guard, mine in whole.alternatives for each in _under(part, guard)
            )
        case TensorValue():
            return (
                type(part) is type(whole)
                and covers(machine, whole.graph_value, part.graph_value)
                and covers(machine, placement_of(whole), placement_of(part))
            )
        case Placement():
            return isinstance(part, Placement) and whole.stands_for(part)
        case Value():
            return (
                isinstance(part, Value) and whole in machine.carried and _within(machine, part.declared, whole.declared)
            )
        case Expr():
            return _is_int(part) and _stays(machine, whole, part)
        case Scalar():
            return _kind(part) is whole.kind and not whole.choices and not whole.has_default
        case tuple():
            return isinstance(part, tuple) and len(part) == len(whole) and all(
                covers(machine, a, b) for a, b in zip(whole, part, strict=True)
            )  # fmt: skip
        case Repeated() if isinstance(part, Repeated):
            return covers(machine, whole.element, part.element) and covers(machine, whole.length, part.length)
        case Repeated() if isinstance(part, tuple):
            return all(covers(machine, whole.element, each) for each in part)
        case Object() if type(part) is type(whole) and getattr(type(whole), "joinable", False):
            return all(covers(machine, value, part.cells.get(name, MISSING)) for name, value in whole.cells.items())
        case ListValue() | SetValue() | IteratorValue() if type(part) is type(whole):
            return covers(machine, whole.cells["items"], part.cells["items"])
        case DictValue() if isinstance(part, DictValue):
            return _covers_dict(machine, whole, part)
    return False


def _covers_dict(machine: Machine, whole: DictValue, part: DictValue) -> bool:
    if part.rest is not None and not (whole.rest is not None and covers(machine, whole.rest, part.rest)):
        return False
    return all(key in whole.cells and covers(machine, whole.cells[key], value) for key, value in part.cells.items())


def all_joined(machine: Machine, values: Sequence[Any], name: str = "") -> Any:
    """What several values have in common."""
    if not values:
        return machine.unknown(Reason.DYNAMIC_CONTAINER, "an item of an empty container")
    found = values[0]
    for value in values[1:]:
        found = joined(machine, found, value, name)
    return found


def joined_items(machine: Machine, sides: Sequence[Any]) -> Any:
    """Items of sequences as one item that stands for all."""
    elements: list[Any] = []
    lengths: list[Any] = []
    for side in sides:
        if isinstance(side, Repeated):
            elements.append(side.element)
            lengths.append(side.length)
        else:
            elements += side
            lengths.append(len(side))
    length = lengths[0]
    for other in lengths[1:]:
        length = joined(machine, length, other, "count")
    if not elements:
        return ()
    return Repeated(all_joined(machine, elements), length)


def _parts(value: Any) -> list[Any]:
    return [part for _, part in value.alternatives] if isinstance(value, Choice) else [value]


def _joined_tensors(machine: Machine, left: TensorValue, right: TensorValue) -> Any:
    if type(left) is not type(right):
        general, special = (left, right) if _takes(type(left), type(right)) else (right, left)
        if not _takes(type(general), type(special)):
            return machine.unknown(Reason.DYNAMIC_TYPE, "tensors of two libraries")
        left, right = general, special
    if (
        left.graph_value in machine.carried
        and _like(left, right)
        and placement_of(left).stands_for(placement_of(right))
    ):
        return left
    value = _widened(machine, [left.graph_value, right.graph_value])
    made = type(left).of(value)
    for name, cell in left.cells.items():
        if name != "@value" and same(cell, right.cells.get(name)):
            made.cells[name] = cell
    if placement_of(left).stands_for(placement_of(right)) and DEVICE in left.cells:
        made.cells[DEVICE] = left.cells[DEVICE]
    return made


def _takes(general: type[TensorValue], special: type[TensorValue]) -> bool:
    """Whether values of one class do where those of the other are wanted; JAX takes arrays of NumPy as its own."""
    frameworks = (general.framework, special.framework)
    return issubclass(special, general) or frameworks == (Framework.JAX, Framework.NUMPY)


def _widened(machine: Machine, values: list[Value]) -> Value:
    """A graph value that stands for all: where one of them has been found to, it stays."""
    first = values[0]
    if first in machine.carried and all(_within(machine, value.declared, first.declared) for value in values):
        return first
    like = first.declared.without_value()
    for value in values[1:]:
        like = _common(machine, like, value.declared)
    made = machine.builder.value(machine.fresh("carried"), like)
    machine.node(OPAQUE, [first] if machine.builder.defines(first) else [], [made], {}, "loop-carried")
    machine.carried.add(made)
    return made


def anything(machine: Machine, value: Value) -> Value:
    """A graph value of which nothing but the element type is known to be that of another."""
    name = machine.fresh("carried")
    made = machine.builder.value(name, unknown(name, value.declared.dtype))
    machine.node(OPAQUE, [], [made], {}, "loop-carried")
    machine.carried.add(made)
    return made


def _within(machine: Machine, part: Tensor, whole: Tensor) -> bool:
    """Whether one description stands for another: sizes that a loop varies stand for any."""
    if whole.dtype is not None and part.dtype != whole.dtype:
        return False
    if isinstance(whole.shape, Unranked):
        return True
    if isinstance(part.shape, Unranked) or len(part.shape) != len(whole.shape):
        return False
    return all(a == b or _stays(machine, b, a) for a, b in zip(part.shape, whole.shape, strict=True))


def _common(machine: Machine, left: Tensor, right: Tensor) -> Tensor:
    dtype = left.dtype if left.dtype == right.dtype else None
    if isinstance(left.shape, Unranked) or isinstance(right.shape, Unranked) or len(left.shape) != len(right.shape):
        return unknown(machine.fresh("carried"), dtype)
    dims = [a if a == b else _any_size(machine, a, b) for a, b in zip(left.shape, right.shape, strict=True)]
    return Tensor(dtype, tuple(dims))


def _any_size(machine: Machine, left: Any, right: Any, name: str = "") -> Dim:
    """A symbol for either of two integers; one that was made so stays, however it goes on.

    Integers that are chosen anew within the same bounds stay within them; others may go on to any size.
    """
    if isinstance(left, Expr) and _stays(machine, left, right):
        return left
    low, high = bounds(left)
    named = machine.fresh(name or "varying.1")
    machine.widened.add(named)
    if low >= 0 and high < inf and bounds(right) == (low, high):
        return symbol(named, low, high)
    low = min(low, bounds(right)[0])
    return symbol(named, low=0 if low >= 0 else low if low == 0 else -(2**62))


def _stays(machine: Machine, size: Any, other: Any) -> bool:
    """Whether a size that a loop varies stands for another one, too."""
    if not isinstance(size, Expr) or str(size) not in machine.widened:
        return False
    low, high = bounds(size)
    return high == inf or (low <= bounds(other)[0] and bounds(other)[1] <= high)


def _is_text(value: TensorValue) -> bool:
    return tensor_of(value).dtype is dtypes.text and tensor_of(value).shape == ()


def _is_int(value: Any) -> bool:
    return isinstance(value, int | Expr) and not isinstance(value, bool)


def _kind(value: Any) -> type | None:
    if isinstance(value, Scalar):
        return value.kind
    for kind in (bool, int, float, complex, str, bytes):
        if isinstance(value, kind):
            return kind
    return int if isinstance(value, Expr) else None


def _joined_dicts(machine: Machine, left: DictValue, right: DictValue) -> DictValue:
    made = DictValue(made_by=left.made_by)
    for key in {**left.cells, **right.cells}:
        name = key if isinstance(key, str) and key.isidentifier() else ""
        made.cells[key] = joined(machine, left.cells.get(key, MISSING), right.cells.get(key, MISSING), name)
    made.rest_cell["rest"] = _joined_rest(machine, left.rest, right.rest)
    made.rest_cell["key"] = joined(machine, left.rest_key, right.rest_key)
    made.factory = left.factory
    return made


def _joined_rest(machine: Machine, left: Any, right: Any) -> Any:
    """What keys that are not listed hold in either of two dicts, None if neither has such."""
    return None if left is None and right is None else joined(machine, left, right)
