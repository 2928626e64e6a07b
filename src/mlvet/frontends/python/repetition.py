"""The library call at hand as plain data, so that it can be made again with the real library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Unknown
from mlvet.ir.library_calls import Arguments, ElementType, LibraryCall, Made, Named, NotRepeatable, TensorArgument

CALLS = ("__call__", "call", "forward")
"""The methods by which a layer is called."""
_NAMES: dict[int, tuple[str, ...]] = {}
_KNOWN: set[str] = set()


class Calling:
    """A call of a library model under way: the model and what it is given."""

    __slots__ = ("args", "function", "keywords", "repeated")

    def __init__(self, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        self.function = function
        self.args = args
        self.keywords = keywords
        self.repeated: LibraryCall | str | None = None

    @property
    def builds(self) -> bool:
        """Whether it makes an object, which is its first argument."""
        return getattr(self.function, "__name__", "") == "__init__"

    def repeatable(self, objects: Objects) -> LibraryCall | str:
        """The call as plain data, or in words why there is none."""
        if self.repeated is None:
            try:
                self.repeated = self._call(objects)
            except NotRepeatable as problem:
                self.repeated = str(problem)
            except RecursionError:
                self.repeated = "its arguments hold one another"
        return self.repeated

    def _call(self, objects: Objects) -> LibraryCall:
        names, method = names_of(self.function), ""
        receiver = self.args[0] if self.args else None
        if isinstance(receiver, Object) and self.function is type(receiver).__init__:
            made = names_of(type(receiver))
            if receiver.kind is not None or not made:
                raise NotRepeatable(f"it makes an object of the program's own ({_kind(receiver)})")
            return LibraryCall(made, "", _arguments(self.args[1:], self.keywords, objects))
        if not names:
            method = self._method()
        return LibraryCall(names, method, _arguments(self.args, self.keywords, objects))

    def _method(self) -> str:
        """The name under which the class of the first argument has the model."""
        receiver = self.args[0] if self.args else None
        if isinstance(receiver, Object) and receiver.kind is None:
            kind: type = type(receiver)
            name = _methods(kind, sum(len(vars(owner)) for owner in kind.__mro__)).get(id(self.function))
            if name is not None:
                return name
        raise NotRepeatable("it is within a function that the library has no name for")


class Objects:
    """How the objects of library classes came to be. They are known by identity, whatever path made them."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Object, Sequence[Any], Mapping[str, Any]]] = {}
        self._first: dict[int, Calling] = {}

    def remember(self, made: Object, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        """Note what an object was made of."""
        self._made[id(made)] = made, tuple(args), dict(keywords)

    def called(self, calling: Calling) -> None:
        """Note the first call of an object."""
        args = calling.args
        if args and id(args[0]) in self._made and id(args[0]) not in self._first:
            self._first[id(args[0])] = calling

    def made(self, found: Object) -> Made:
        """How to make an object again."""
        known = self._made.get(id(found))
        names = names_of(type(found))
        if known is None or found.kind is not None or not names:
            raise NotRepeatable(f"it needs an object of the program's own ({_kind(found)})")
        first = self._first.get(id(found))
        before = None if first is None else _arguments(first.args[1:], first.keywords, self)
        state = [
            (name, tensor_of(cell))
            for name, cell in found.cells.items()
            if isinstance(name, str) and isinstance(cell, TensorValue) and "@value" in cell.cells
        ]
        return Made(names, _arguments(known[1], known[2], self), before, tuple(state))


@cache
def _methods(kind: type, attributes: int) -> dict[int, str]:
    """The names of the attributes of a library class, by the identity of the models that they are, nearest first.

    It has so many `attributes`, which become more while models are loaded.
    """
    del attributes
    names: dict[int, str] = {}
    for owner in kind.__mro__:
        for name, found in vars(owner).items():
            names.setdefault(id(found), name)
            for each in found.models if isinstance(found, registry.Overloads) else ():
                names.setdefault(id(each), name)
    return names


def names_of(model: Any) -> tuple[str, ...]:
    """The dotted names under which a model is registered, in the order in which it says them."""
    if len(_KNOWN) != len(registry.MODELS):
        for name, found in registry.MODELS.items():
            if name not in _KNOWN:
                _KNOWN.add(name)
                for each in found.models if isinstance(found, registry.Overloads) else (found,):
                    _NAMES[id(each)] = (*_NAMES.get(id(each), ()), name)
    return _NAMES.get(id(model), ())


def _arguments(args: Sequence[Any], keywords: Mapping[str, Any], objects: Objects) -> Arguments:
    return Arguments(
        tuple(_plain(each, objects) for each in args),
        tuple((name, _plain(each, objects)) for name, each in keywords.items()),
    )


def _plain(value: Any, objects: Objects) -> Any:
    """A value of the program as plain data."""
    match value:
        case None | bool() | int() | float() | complex() | str() | Expr():
            return value
        case TensorValue() if "@value" in value.cells:
            return TensorArgument(type(value).dotted, tensor_of(value))
        case DType():
            return ElementType(value.numpy.name)
        case tuple():
            return tuple(_plain(each, objects) for each in value)
        case ListValue() if isinstance(value.cells["items"], tuple):
            return [_plain(each, objects) for each in value.cells["items"]]
        case DictValue() if value.rest is None:
            return {key: _plain(each, objects) for key, each in value.cells.items()}
        case slice():
            return slice(*(_plain(each, objects) for each in (value.start, value.stop, value.step)))
        case Scalar() if value.has_default:
            return _plain(value.default, objects)
        case Unknown():
            return _used(value, objects)
        case Object():
            return objects.made(value)
    if value is Ellipsis:
        return value
    if names := names_of(value):
        return Named(names)
    raise NotRepeatable(f"an argument is not known ({_kind(value)})")


def _used(value: Unknown, objects: Objects) -> Any:
    """An unknown as what it was taken for."""
    if value.tensor is not None:
        return _plain(value.tensor, objects)
    if value.size is not None:
        return value.size
    raise NotRepeatable("an argument is not known")


def _kind(value: Any) -> str:
    kind = getattr(value, "kind", None)
    return getattr(kind, "name", None) or type(value).__name__
