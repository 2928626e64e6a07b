"""The host side of a program as data: what its expressions hold and what its calls call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Expr
from mlvet.frontends.python.libraries.registry import Overloads
from mlvet.frontends.python.repetition import CALLS, names_of
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, FunctionValue, ModuleValue, Object
from mlvet.frontends.python.values.placements import placement_of
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Unknown
from mlvet.ir.host import CallSite, Host, Seen, Span

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine
    from mlvet.frontends.python.observations import Observation

_DEPTH = 2


class Calls:
    """What the calls of a program were seen to call, gathered while it is followed."""

    def __init__(self) -> None:
        self.sites: dict[Span, CallSite] = {}

    def add(self, machine: Machine, span: Span, function: Any) -> None:
        from mlvet.frontends.python.libraries.torch.training import gradients_off

        old = self.sites.get(span)
        names, enters, dark = _callee(function)
        if old is not None:
            names = tuple(dict.fromkeys((*old.names, *names)))
            enters = tuple(dict.fromkeys((*old.enters, *enters)))
            dark = dark or old.dark
        trains = not gradients_off() or (old is not None and old.trains)
        uncalled = machine.on_its_own and (old is None or old.uncalled)
        self.sites[span] = CallSite(names, enters, dark, trains, uncalled)


def hosted(calls: Calls | None, observations: Mapping[Span, Observation]) -> Host:
    """All that was seen of the host side of a program."""
    if calls is None:
        return Host()
    return Host({span: _observed(each) for span, each in observations.items()}, calls.sites)


def _observed(observation: Observation) -> Seen:
    """What a place holds whenever it is evaluated."""
    found = seen(observation.value)
    return replace(found, number=None, text=None) if observation.varies else found


def _callee(function: Any) -> tuple[tuple[str, ...], tuple[Span, ...], bool]:
    """The names in libraries, the places in the program and whether there may be others, of what a value calls."""
    match function:
        case FunctionValue():
            return (), tuple(_defined(function)), False
        case BoundMethod():
            return _method(function)
        case ClassValue():
            maker = next((each.cells["__init__"] for each in _own(function) if "__init__" in each.cells), None)
            inner = _callee(maker)[1] if isinstance(maker, FunctionValue) else ()
            return names_of(function.native), inner, False
        case Choice():
            found = [_callee(each) for _, each in function.alternatives]
            return (
                tuple(dict.fromkeys(name for names, _, _ in found for name in names)),
                tuple(dict.fromkeys(span for _, spans, _ in found for span in spans)),
                any(dark for _, _, dark in found),
            )
        case Unknown():
            return ((function.detail,) if function.detail else ()), (), True
        case Overloads():
            return tuple(dict.fromkeys(name for each in function.models for name in names_of(each))), (), False
        case Object():
            return _called(function)
    return names_of(function), (), False


def _defined(function: FunctionValue) -> Iterator[Span]:
    node = function.node
    yield function.scope.file.source.path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _own(kind: ClassValue) -> Iterator[ClassValue]:
    return (each for each in kind.order if isinstance(each, ClassValue))


def _method(method: BoundMethod) -> tuple[tuple[str, ...], tuple[Span, ...], bool]:
    if isinstance(method.function, FunctionValue):
        return _callee(method.function)
    own = names_of(method.function)
    name = method.name or getattr(method.function, "__name__", "")
    owner = _type(method.receiver)
    return (*own, *((f"{owner}.{name}",) if owner else ())), (), False


def _called(value: Object) -> tuple[tuple[str, ...], tuple[Span, ...], bool]:
    """A call of an object: of a layer or model, which runs what its class defines for that."""
    enters: list[Span] = []
    inner = [each for each in value.cells.values() if isinstance(each, FunctionValue)]
    if value.kind is not None:
        inner = [
            found
            for name in CALLS
            for each in _own(value.kind)
            if isinstance(found := each.cells.get(name), FunctionValue)
        ]
    for each in inner:
        enters += _defined(each)
    return tuple(f"{name}.__call__" for name in names_of(type(value))), tuple(dict.fromkeys(enters)), False


def _type(value: Any) -> str:
    if isinstance(value, TensorValue):
        return value.dotted
    if isinstance(value, Object):
        return next(iter(names_of(type(value))), "")
    if isinstance(value, ListValue):
        return "list"
    return "dict" if isinstance(value, DictValue) else "str" if isinstance(value, str) else ""


def seen(value: Any, depth: int = 0) -> Seen:
    """A value as plain data."""
    match value:
        case None:
            return Seen("none")
        case bool() | int() | float():
            return Seen("number", type(value).__name__, number=value)
        case Expr() | Scalar():
            return Seen("number")
        case str():
            return Seen("text", "str", text=value)
        case TensorValue():
            if "@value" not in value.cells:
                return Seen("unknown")
            spots = {str(spot) for _, spot in placement_of(value).alternatives if spot is not None}
            return Seen("tensor", value.dotted, tensor_of(value), device=next(iter(spots)) if len(spots) == 1 else "")
        case ListValue():
            return _listed(value.cells["items"], "list", depth)
        case tuple():
            return _listed(value, "tuple", depth)
        case range():
            return Seen("list", "range", length=len(value), item=Seen("number", "int"))
        case DictValue():
            return Seen("dict", "dict", length=None if value.rest is not None else len(value.cells))
        case FunctionValue() | BoundMethod() | ClassValue():
            return Seen("function")
        case ModuleValue():
            return Seen("module", value.dotted)
        case Object():
            own = "" if value.kind is None else value.kind.name
            return Seen("object", next(iter(names_of(type(value))), own))
        case Choice():
            kinds = {seen(each, depth) for _, each in value.alternatives[:8]}
            return next(iter(kinds)) if len(kinds) == 1 else Seen("unknown")
    return Seen("unknown")


def _listed(items: Any, kind: str, depth: int) -> Seen:
    if isinstance(items, Repeated):
        length = items.length if isinstance(items.length, int) else None
        return Seen("list", kind, length=length, item=seen(items.element, depth + 1) if depth < _DEPTH else None)
    if not isinstance(items, tuple):
        return Seen("list", kind)
    inner = {seen(each, depth + 1) for each in items[:4]} if depth < _DEPTH else set()
    return Seen(kind, kind, length=len(items), item=_alike(inner))


def _alike(items: set[Seen]) -> Seen | None:
    """What items have in common, if they are of one kind."""
    if len(items) < 2:
        return next(iter(items), None)
    first, *rest = items
    if any((each.kind, each.type) != (first.kind, first.type) for each in rest):
        return None
    length = first.length if all(each.length == first.length for each in rest) else None
    inner = {each.item for each in items if each.item is not None}
    return Seen(first.kind, first.type, length=length, item=_alike(inner) if len(inner) else None)
