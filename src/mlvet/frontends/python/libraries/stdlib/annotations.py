"""typing: names that say something of values and do nothing to them, and base classes that make classes."""

from __future__ import annotations

import collections
import collections.abc
import typing
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.stdlib.containers import record_class
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import ClassMethod, ClassValue, FunctionValue, Object, Property, StaticMethod
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason


class Annotation(Object):
    """A name of typing: whatever is done with it yields another annotation."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        del index
        return self

    def __or__(self, other: Any) -> Any:
        del other
        return self

    __ror__ = __or__

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        del keywords
        return args[0] if len(args) == 1 else self

    def missing(self, name: str) -> Any:
        del name
        return self


INERT = (
    "Any", "Optional", "Union", "Literal", "Final", "ClassVar", "Annotated", "NoReturn", "Never", "Self", "Concatenate",
    "TypeAlias", "TypeGuard", "TypeIs", "Required", "NotRequired", "ReadOnly", "Unpack", "ForwardRef", "AnyStr",
    "LiteralString", "SupportsInt", "SupportsFloat", "SupportsIndex", "SupportsAbs", "SupportsRound", "BinaryIO",
    "TextIO", "IO", "ContextManager", "AsyncContextManager",
)  # fmt: skip
ALIASES = {
    "List": list, "Dict": dict, "Tuple": tuple, "Set": set, "FrozenSet": frozenset, "Type": type, "Text": str,
}  # fmt: skip


def _typing(module: str) -> None:
    for name in INERT:
        model(f"{module}.{name}")(Annotation())
    for name, kind in ALIASES.items():
        model(f"{module}.{name}")(kind)
    abstract = collections.abc
    for name in abstract.__all__:
        if hasattr(typing, name) and name not in ALIASES:
            model(f"{module}.{name}")(getattr(abstract, name))
    for name in ("OrderedDict", "DefaultDict", "Counter", "Deque", "ChainMap"):
        native = getattr(collections, {"DefaultDict": "defaultdict", "Deque": "deque"}.get(name, name))
        model(f"{module}.{name}")(native)
    model(f"{module}.AbstractSet")(abstract.Set)
    model(f"{module}.Pattern", f"{module}.Match")(Annotation())
    model(f"{module}.TYPE_CHECKING")(False)
    model(f"{module}.Generic")(Generic)
    model(f"{module}.Protocol")(Protocol)
    model(f"{module}.NamedTuple")(NamedTuple)
    model(f"{module}.TypedDict")(TypedDict)
    for name in ("TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "TypeAliasType"):
        model(f"{module}.{name}")(_declare)
    model(f"{module}.cast")(_cast)
    model(f"{module}.overload")(_itself)
    for name in ("get_type_hints", "get_origin", "get_args"):
        model(f"{module}.{name}")(_unread)
    model(f"{module}.dataclass_transform")(lambda **options: _itself)


def _declare(name: Any, *args: Any, **keywords: Any) -> Any:
    del name, args, keywords
    return Annotation()


def _cast(typ: Any, val: Any) -> Any:
    del typ
    return val


def _itself(function: Any) -> Any:
    return function


def _unread(obj: Any, *rest: Any, **options: Any) -> Any:
    del obj, rest, options
    return machine().unknown(Reason.DYNAMIC_TYPE, "annotations read at run time")


class Generic(Object):
    __slots__ = ()


class Protocol(Object):
    __slots__ = ()


class NamedTuple(Object):
    """A base class by which a class statement makes named tuples."""

    __slots__ = ()

    @classmethod
    def subclassed(cls, made: ClassValue) -> Any:
        names = made.cells.get("__annotations__")
        fields = tuple(names.cells) if isinstance(names, DictValue) else ()
        defaults = tuple(made.cells[name] for name in fields if name in made.cells)
        try:
            record = record_class(made.name, fields, defaults)
        except (TypeError, ValueError) as error:
            raise Raised(error) from error
        for name, value in made.cells.items():
            if isinstance(value, FunctionValue | Property | StaticMethod | ClassMethod):
                setattr(record, name, value)
        return record

    def __init__(self, typename: Any = None, fields: Any = (), **keywords: Any) -> None:
        del typename, fields, keywords


class TypedDict(Object):
    """A base class by which a class statement names the keys of plain dictionaries."""

    __slots__ = ()

    @classmethod
    def subclassed(cls, made: ClassValue) -> Any:
        del made
        return dict


model("dataclasses.InitVar")(Annotation())
_typing("typing")
alias("typing_extensions", "typing")
