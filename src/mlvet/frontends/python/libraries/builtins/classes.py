"""Types of values and what is known of them: isinstance, type, attributes by name."""

from __future__ import annotations

import collections
import collections.abc
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.written import Int
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import integer, preset, writes
from mlvet.frontends.python.libraries.registry import Overloads, model
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import (
    BoundMethod,
    ClassMethod,
    ClassValue,
    FunctionValue,
    ModuleValue,
    Object,
    Property,
    StaticMethod,
)
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Unknown

_DICTIONARIES: dict[str, type] = {
    "OrderedDict": collections.OrderedDict,
    "defaultdict": collections.defaultdict,
    "Counter": collections.Counter,
}
_NOTHING = object()


def class_of(value: Any) -> Any:
    """The class of a value: a builtin type, a class of the program or of a library; Unknown if it is not known."""
    match value:
        case Unknown():
            return value
        case Object() if value.kind is not None:
            return value.kind
        case Object():
            return object if type(value) is Object else getattr(type(value), "native", type(value))
        case Expr() | Int():
            return int
        case Scalar():
            return value.kind
        case SetValue():
            return set
        case IteratorValue():
            return types.GeneratorType
        case ListValue():
            return getattr(value, "native", list)
        case DictValue():
            return _DICTIONARIES.get(value.made_by, dict)
        case FunctionValue():
            return types.FunctionType
        case BoundMethod():
            return types.MethodType
        case ModuleValue():
            return types.ModuleType
        case ClassValue():
            return type
        case Overloads():
            return types.FunctionType
        case types.FunctionType() if ".libraries.builtins." in value.__module__:
            return types.BuiltinFunctionType
    return type(value)


def instance_of(value: Any, kind: Any) -> bool | None:
    """Whether a value is an instance of a class or of one of several, None if that is open."""
    if isinstance(kind, tuple):
        found = [instance_of(value, each) for each in kind]
        return True if True in found else None if None in found else False
    if isinstance(kind, types.UnionType):
        return instance_of(value, typing.get_args(kind))
    if isinstance(value, Unknown) or isinstance(kind, Unknown):
        return None
    if kind is None:
        return value is None
    may_be_none = isinstance(value, Scalar) and value.has_default and value.default is None
    if may_be_none and kind is not object:
        return None if subclass_of(class_of(value), kind) or kind is type(None) else False
    if isinstance(value, ListValue) and kind in (list, tuple) and isinstance(value.items, Repeated):
        return None if type(value) is ListValue else False
    if vars(type(value)).get("may_be_below") and isinstance(kind, type) and issubclass(kind, type(value)):
        return True if kind is type(value) else None
    if isinstance(value, IteratorValue) and getattr(kind, "of_iterators", False):
        return None
    return subclass_of(class_of(value), kind)


def subclass_of(kind: Any, base: Any) -> bool | None:
    """Whether a class is another or derives from it, None if that is open."""
    if isinstance(base, tuple):
        found = [subclass_of(kind, each) for each in base]
        return True if True in found else None if None in found else False
    if isinstance(kind, Unknown) or isinstance(base, Unknown):
        return None
    if kind is base or base is object:
        return True
    order = kind.order if isinstance(kind, ClassValue) else kind.__mro__ if isinstance(kind, type) else ()
    if base in order:
        return True
    if isinstance(base, ClassValue):
        return None if any(isinstance(each, Unknown) for each in order) else False
    if not isinstance(base, type):
        return None
    for each in order:
        if isinstance(each, Unknown):
            return None
        if isinstance(each, type) and issubclass(each, base):
            return True
    return _by_protocol(kind, base, order)


def _by_protocol(kind: Any, base: type, order: tuple[Any, ...]) -> bool | None:
    """An abstract class that asks for methods only."""
    wanted = _PROTOCOLS.get(base)
    if wanted is None:
        return False
    for each in order:
        names = each.cells if isinstance(each, ClassValue) else vars(each) if isinstance(each, type) else ()
        if any(name in names for name in wanted):
            return True
    del kind
    return False


_PROTOCOLS: dict[Any, tuple[str, ...]] = {
    collections.abc.Iterable: ("__iter__", "iterate"),
    collections.abc.Iterator: ("__next__",),
    collections.abc.Callable: ("__call__",),
    collections.abc.Sized: ("__len__", "length"),
    collections.abc.Container: ("__contains__",),
    collections.abc.Hashable: ("__hash__",),
}


@model("builtins.isinstance")
def is_instance(obj: Any, class_or_tuple: Any, /) -> Any:
    kinds = _classes(class_or_tuple)
    found = instance_of(obj, kinds)
    return _asked(obj, kinds) if found is None and isinstance(obj, Unknown | Object) else _verdict(found)


def _asked(obj: Unknown | Object, kinds: Any) -> Scalar:
    """Whether something of unknown class is of a class: one condition, however often it is asked.

    Of library classes it is known which are below others, so that one such test may settle another.
    """
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if any(isinstance(each, Unknown) and not each.detail for each in wanted):
        return Scalar(bool)
    key = ("isinstance", *(each.detail if isinstance(each, Unknown) else id(each) for each in wanted))
    found = _once(obj, key, f"is {' or '.join(map(_spoken, wanted))}")
    if all(isinstance(each, type) and issubclass(each, Object) for each in wanted):
        machine().subjects[found.condition] = (f"class of {id(obj)}", frozenset(_below(wanted)))
    return found


def _once(obj: Unknown | Object, key: Any, said: str) -> Scalar:
    """The answer to a question about something not known, the same on whatever path it is asked."""
    here = machine()
    parts = obj.parts if isinstance(obj, Unknown) else here.memory.setdefault("asked", {}).setdefault(id(obj), {})
    if key not in parts:
        subject = obj.name if isinstance(obj, Unknown) else ""
        parts[key] = (obj, Scalar(bool, condition=here.fresh(f"{subject or 'it'} {said}")))
    found: Scalar = parts[key][1]
    return found


def _spoken(kind: Any) -> str:
    if isinstance(kind, Unknown):
        return kind.detail.rpartition(".")[2]
    return str(getattr(kind, "__name__", getattr(kind, "name", "")))


def _below(kinds: Iterable[type]) -> Iterator[type]:
    for kind in kinds:
        yield kind
        yield from _below(kind.__subclasses__())


@model("builtins.issubclass")
def is_subclass(cls: Any, class_or_tuple: Any, /) -> Any:
    return _verdict(subclass_of(cls, _classes(class_or_tuple)))


def _classes(given: Any) -> Any:
    if isinstance(given, ListValue):
        return given.items if isinstance(given.items, tuple) else Unknown(Reason.DYNAMIC_CONTAINER)
    return given


def _verdict(found: bool | None) -> bool | Scalar:
    return Scalar(bool) if found is None else found


@model("builtins.callable")
def is_callable(obj: Any, /) -> Any:
    match obj:
        case FunctionValue() | BoundMethod() | ClassValue() | type() | Overloads() | StaticMethod():
            return True
        case Unknown():
            return _once(obj, "callable", "can be called")
        case Object():
            return writes(obj, "__call__") or any("__call__" in vars(each) for each in type(obj).__mro__)
        case Expr() | Scalar() | ListValue() | DictValue() | DType():
            return False
    return callable(obj)


def _lookup(obj: Any, name: str) -> Any:
    from mlvet.frontends.python.interpretation.attributes import lookup

    return lookup(machine(), obj, name)


@model("builtins.getattr")
def get_attribute(obj: Any, name: Any, default: Any = _NOTHING, /) -> Any:
    name = preset(name)
    if not isinstance(name, str):
        return machine().unknown(Reason.DYNAMIC_ATTRIBUTE, "getattr")
    if default is _NOTHING:
        return machine().attribute(obj, name)
    found = _lookup(obj, name)
    if found is not MISSING:
        return found
    return machine().attribute(obj, name) if _may_have(obj, name) else default


@model("builtins.hasattr")
def has_attribute(obj: Any, name: Any, /) -> Any:
    name = preset(name)
    if not isinstance(name, str):
        return Scalar(bool)
    if isinstance(obj, Unknown):
        return _once(obj, ("hasattr", name), f"has {name}")
    if _lookup(obj, name) is not MISSING:
        return True
    return Scalar(bool) if _may_have(obj, name) else False


def _may_have(obj: Any, name: str) -> bool:
    """Whether a library's object may have an attribute of which its model knows nothing."""
    if isinstance(obj, Object):
        written = writes(obj, "__getattr__")
        base = obj.kind is not None and any(isinstance(each, Unknown) for each in obj.kind.order)
        return written or base or hasattr(type(obj), "missing")
    return isinstance(obj, ModuleValue) and obj.of_library and not name.startswith("__")


@model("builtins.setattr")
def set_attribute(obj: Any, name: Any, value: Any, /) -> None:
    from mlvet.frontends.python.interpretation import attributes

    name = preset(name)
    if isinstance(name, str):
        attributes.set_attribute(machine(), obj, name, value)
    else:
        machine().unknown(Reason.DYNAMIC_ATTRIBUTE, "setattr")


@model("builtins.delattr")
def delete_attribute(obj: Any, name: Any, /) -> None:
    from mlvet.frontends.python.interpretation import attributes

    if isinstance(name, str):
        attributes.delete_attribute(obj, name)


@model("builtins.vars")
def variables(obj: Any = _NOTHING, /) -> Any:
    """The attributes of an object as a dictionary that shares them."""
    if obj is _NOTHING:
        return _names()
    if isinstance(obj, Object | ClassValue | ModuleValue | FunctionValue):
        from mlvet.frontends.python.interpretation.attributes import shared_cells

        return shared_cells(obj.cells)
    if isinstance(obj, Unknown):
        return DictValue(rest=obj)
    raise Raised(TypeError("vars() argument must have __dict__ attribute"))


@model("builtins.dir")
def names_of(obj: Any = _NOTHING, /) -> Any:
    del obj
    return ListValue(Repeated(Scalar(str), integer("names")))


def _names() -> DictValue:
    here = machine()
    scope = here.scopes[-1] if here.scopes else None
    return DictValue(None if scope is None else scope.cells)


@model("builtins.locals")
def local_names() -> Any:
    return _names()


@model("builtins.globals")
def global_names() -> Any:
    here = machine()
    shared = DictValue()
    if here.scopes:
        shared.cells = here.scopes[-1].module.cells
    return shared


@model("builtins.property")
def make_property(fget: Any = None, fset: Any = None, fdel: Any = None, doc: Any = None) -> Any:
    del fdel, doc
    return Property(fget, fset)


@model("builtins.staticmethod")
def make_static(function: Any, /) -> Any:
    return StaticMethod(function)


@model("builtins.classmethod")
def make_class_method(function: Any, /) -> Any:
    return ClassMethod(function)


@model("builtins.id")
def identity(obj: Any, /) -> Any:
    del obj
    return integer("id")


@model("builtins.hash")
def hashed(obj: Any, /) -> Any:
    return hash(obj) if isinstance(obj, int) else integer("hash")
