"""dataclasses, enum, abc, numbers: what makes classes."""

from __future__ import annotations

import abc
import dataclasses
import enum
import numbers
from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.builtins.elements import writes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import (
    ClassMethod,
    ClassValue,
    FunctionValue,
    Object,
    Property,
    StaticMethod,
)
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

_UNSET = object()


@model("dataclasses.Field")
class Field(Object):
    """A field of a dataclass with what `field()` says of it."""

    __slots__ = ()


@model("dataclasses.field")
def field(
    *, default: Any = _UNSET, default_factory: Any = None, init: Any = True, repr: Any = True, hash: Any = None,
    compare: Any = True, metadata: Any = None, kw_only: Any = False, **others: Any,
) -> Any:  # fmt: skip
    del repr, hash, compare, others
    made = Field()
    made.cells.update(default_factory=default_factory, init=init, metadata=metadata or DictValue(), kw_only=kw_only)
    if default is not _UNSET:
        made.cells["default"] = default
    return made


@model("dataclasses.dataclass")
def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Mark a class as one whose annotated names are parameters of its construction."""
    if cls is None:
        return lambda decorated: dataclass(decorated, **options)
    if isinstance(cls, ClassValue):
        store(cls.cells, "@dataclass", dict(options))
    return cls


model("dataclasses.MISSING")(MISSING)
model("dataclasses.KW_ONLY")(None)
constants(dataclasses, ["FrozenInstanceError"])


def field_names(of: Any) -> dict[str, Any]:
    """The fields of a dataclass or its instance with their defaults, those of its bases first."""
    kind = of.kind if isinstance(of, Object) else of
    found: dict[str, Any] = {}
    for owner in reversed(kind.order if isinstance(kind, ClassValue) else ()):
        if isinstance(owner, ClassValue) and "@dataclass" in owner.cells:
            names = owner.cells.get("__annotations__")
            for name in names.cells if isinstance(names, DictValue) else ():
                found[name] = owner.cells.get(name, MISSING)
    return found


@model("dataclasses.is_dataclass")
def is_dataclass(obj: Any) -> Any:
    if isinstance(obj, Unknown):
        return Scalar(bool)
    return writes(obj, "@dataclass")


@model("dataclasses.fields")
def fields(class_or_instance: Any) -> Any:
    if isinstance(class_or_instance, Unknown):
        raise Undecided(class_or_instance)
    return tuple(_described(name, default) for name, default in field_names(class_or_instance).items())


def _described(name: str, default: Any) -> Field:
    made = Field()
    if isinstance(default, Field):
        made.cells.update(default.cells)
    elif default is not MISSING:
        made.cells["default"] = default
    made.cells.setdefault("default", MISSING)
    made.cells["name"] = name
    return made


@model("dataclasses.asdict")
def asdict(obj: Any, *, dict_factory: Any = None) -> Any:
    del dict_factory
    if isinstance(obj, Unknown):
        raise Undecided(obj)
    return DictValue({name: _plain(obj.cells[name]) for name in field_names(obj) if name in obj.cells})


def _plain(value: Any) -> Any:
    if isinstance(value, Object) and is_dataclass(value) is True:
        return asdict(value)
    if isinstance(value, ListValue) and isinstance(value.items, tuple):
        return type(value)(_plain(each) for each in value.items)
    if isinstance(value, DictValue):
        return DictValue({key: _plain(each) for key, each in value.cells.items()}, value.rest, value.made_by)
    return tuple(_plain(each) for each in value) if type(value) is tuple else value


@model("dataclasses.astuple")
def astuple(obj: Any, *, tuple_factory: Any = None) -> Any:
    del tuple_factory
    return tuple(asdict(obj).cells.values())


@model("dataclasses.replace")
def replace(obj: Any, /, **changes: Any) -> Any:
    """Another instance with some fields changed."""
    if isinstance(obj, tuple) and hasattr(obj, "_replace"):
        return obj._replace(**changes)
    if not isinstance(obj, Object):
        raise Undecided(obj if isinstance(obj, Unknown) else Reason.UNKNOWN_DISPATCH)
    if obj.kind is None:
        made = type(obj).__new__(type(obj))
        made.cells.update({**obj.cells, **changes})
        return made
    kept = {name: obj.cells[name] for name in field_names(obj) if name in obj.cells}
    return machine().call(obj.kind, **{**kept, **changes})


@model("dataclasses.make_dataclass")
def make_dataclass(cls_name: Any, fields: Any, **options: Any) -> Any:
    del options
    names = []
    defaults: dict[str, Any] = {}
    items = machine().items(fields)
    for each in items if isinstance(items, tuple) else ():
        parts = (each,) if isinstance(each, str) else machine().items(each)
        if not isinstance(parts, tuple) or not isinstance(parts[0], str):
            raise Undecided(Reason.METACLASS, "a dataclass of unknown fields")
        names.append(parts[0])
        defaults |= {parts[0]: parts[2]} if len(parts) > 2 else {}
    cells = {"__annotations__": DictValue(dict.fromkeys(names)), "@dataclass": {}, **defaults}
    return ClassValue(cls_name if isinstance(cls_name, str) else "Data", str(cls_name), cells, ())


_PLAIN = (str, int, float)


@model("enum.Enum")
class Enum(Object):
    """A class whose names are its only instances."""

    __slots__ = ()

    @classmethod
    def subclassed(cls, made: ClassValue) -> Any:
        """Turn the constants of a class body into members."""
        number = 0
        members = []
        for name, value in list(made.cells.items()):
            held = value
            if name.startswith(("_", "@")) or isinstance(value, FunctionValue | Property | StaticMethod | ClassMethod):
                continue
            if isinstance(value, Auto):
                number += 1
                held = cls.numbered(name, number)
            elif isinstance(value, int):
                number = value
            member = cls.__new__(cls)
            member.cells.update({"name": name, "value": held, "_value_": held, "_name_": name})
            object.__setattr__(member, "kind", made)
            store(made.cells, name, member)
            members.append(member)
        made.order = (
            *(each for each in made.order if each not in _PLAIN),
            *(each for each in made.order if each in _PLAIN),
        )
        store(made.cells, "@members", tuple(members))
        store(made.cells, "__members__", DictValue({member.cells["name"]: member for member in members}))
        return made

    @classmethod
    def numbered(cls, name: str, number: int) -> Any:
        del name
        return number

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Object | type(None)) or not _mixes(self):
            return False
        from mlvet.frontends.python.libraries.builtins.operators import equal

        return equal(self.cells.get("value"), other)

    def __hash__(self) -> int:
        return hash(self.cells.get("name"))

    def missing(self, name: str) -> Any:
        """What a member lacks its value may have, where members are texts or numbers themselves."""
        if _mixes(self) and not name.startswith("__"):
            return machine().attribute(self.cells["value"], name)
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, name)

    def __str__(self) -> Any:
        value = self.cells.get("value")
        if isinstance(self, StrEnum) and isinstance(value, str):
            return value
        return f"{self.kind.name if self.kind else 'Enum'}.{self.cells.get('name')}"


def _mixes(member: Enum) -> bool:
    """Whether members are texts or numbers as well."""
    plain = member.kind is not None and any(base in _PLAIN for base in member.kind.order)
    return plain or isinstance(member, IntEnum | StrEnum)


@model("enum.IntEnum", "enum.IntFlag", "enum.Flag")
class IntEnum(Enum):
    __slots__ = ()

    def __int__(self) -> Any:
        return self.cells["value"]

    def __index__(self) -> Any:
        return self.cells["value"]


@model("enum.StrEnum")
class StrEnum(Enum):
    __slots__ = ()

    @classmethod
    def numbered(cls, name: str, number: int) -> Any:
        del number
        return name.lower()


class Auto(Object):
    """enum.auto()."""

    __slots__ = ()


model("enum.auto")(Auto)
model("enum.EnumMeta", "enum.EnumType")(enum.EnumMeta)


@model("enum.unique", "enum.verify", "enum.member", "enum.nonmember", "enum.property")
def undisturbed(enumeration: Any) -> Any:
    return enumeration


@model("abc.ABC")
class ABC(Object):
    __slots__ = ()


model("abc.ABCMeta")(abc.ABCMeta)
constants(numbers, ["Number", "Complex", "Real", "Rational", "Integral"])


@model("abc.abstractmethod", "typing.override", "typing.final", "typing.runtime_checkable", "typing.no_type_check")
def unmarked(function: Any) -> Any:
    return function


@model("abc.abstractproperty")
def abstract_property(function: Any) -> Any:
    return Property(function)


@model("abc.abstractclassmethod")
def abstract_class_method(function: Any) -> Any:
    return ClassMethod(function)


@model("abc.abstractstaticmethod")
def abstract_static_method(function: Any) -> Any:
    return StaticMethod(function)
