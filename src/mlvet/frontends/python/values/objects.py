"""Mutable things of the analysed program. Every change goes through `store`, so that a branch can be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from mlvet.frontends.python.active import erase, machine, store
from mlvet.frontends.python.trail import Cells
from mlvet.frontends.python.values.choices import Choice, resolved

if TYPE_CHECKING:
    import ast

    from mlvet.frontends.python.interpretation.scopes import Scope


class Object:
    """An instance of a class. Library models subclass it and read like the library they model.

    Attributes live in `cells`; `kind` is the user's class of an instance of such, whose nearest library class is then
    the Python class of this object.
    """

    __slots__ = ("cells", "kind")
    cells: dict[str, Any]
    kind: ClassValue | None
    dotted: ClassVar[str] = "object"

    def __new__(cls, *args: Any, **keywords: Any) -> Object:
        del args, keywords
        self = object.__new__(cls)
        object.__setattr__(self, "cells", Cells())
        object.__setattr__(self, "kind", None)
        return self

    def __init__(self, *args: Any, **keywords: Any) -> None:
        """An object takes any arguments unless its class says otherwise."""

    def __getattr__(self, name: str) -> Any:
        try:
            value = object.__getattribute__(self, "cells")[name]
        except KeyError:
            raise AttributeError(name) from None
        return resolved(value, machine()) if isinstance(value, Choice) else value

    def __setattr__(self, name: str, value: Any) -> None:
        store(self.cells, name, value)

    def __delattr__(self, name: str) -> None:
        erase(self.cells, name)

    def __bool__(self) -> bool:
        """An object is there: library models ask this of optional arguments, programs ask `truth`."""
        return True

    def __repr__(self) -> str:
        return f"<{self.kind.name if self.kind else type(self).__name__}>"


class ClassValue:
    """A class of the program. `order` is its method resolution order: classes of the program and of libraries."""

    __slots__ = ("cells", "location", "name", "order", "qualified")

    def __init__(self, name: str, qualified: str, cells: dict[str, Any], bases: tuple[Any, ...]) -> None:
        self.name = name
        self.qualified = qualified
        self.cells = cells
        self.order: tuple[Any, ...] = (self, *bases)
        self.location: Any = None

    @property
    def native(self) -> type:
        """The nearest library class, by which instances are made."""
        return next((base for base in self.order if isinstance(base, type) and issubclass(base, Object)), Object)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """An instance, for class methods of library models, which make one of whatever class they are asked on."""
        return machine().call(self, *args, **keywords)

    def __repr__(self) -> str:
        return f"<class {self.name}>"


class FunctionValue:
    """A function of the program with the scope it closes over."""

    __slots__ = ("cells", "defaults", "keyword_defaults", "name", "node", "owner", "qualified", "scope")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        scope: Scope,
        name: str,
        qualified: str,
        defaults: tuple[Any, ...] = (),
        keyword_defaults: Mapping[str, Any] | None = None,
        owner: ClassValue | None = None,
    ) -> None:
        self.node = node
        self.scope = scope
        self.name = name
        self.qualified = qualified
        self.defaults = defaults
        self.keyword_defaults = dict(keyword_defaults or {})
        self.owner = owner
        self.cells: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<function {self.qualified}>"


class BoundMethod:
    """A function of the program or of a library model with its first argument."""

    __slots__ = ("function", "name", "receiver")

    def __init__(self, receiver: Any, function: Any, name: str = "") -> None:
        self.receiver = receiver
        self.function = function
        self.name = name

    def __repr__(self) -> str:
        return f"<method {self.name or self.function}>"


class ModuleValue:
    """A module: of the program, with its names in `cells`, or of a library, named by its dotted path."""

    __slots__ = ("cells", "dotted", "of_library")

    def __init__(self, dotted: str, cells: dict[str, Any] | None = None, *, of_library: bool = False) -> None:
        self.dotted = dotted
        self.cells = cells if cells is not None else {}
        self.of_library = of_library

    def __repr__(self) -> str:
        return f"<module {self.dotted}>"


class Property:
    """A property of a class of the program."""

    __slots__ = ("getter", "setter")

    def __init__(self, getter: Any, setter: Any = None) -> None:
        self.getter = getter
        self.setter = setter


class StaticMethod:
    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class ClassMethod:
    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class Super:
    """What `super()` yields: the receiver seen from above one class of its resolution order."""

    __slots__ = ("after", "receiver")

    def __init__(self, receiver: Any, after: Any) -> None:
        self.receiver = receiver
        self.after = after


def mro(value: Object | ClassValue) -> Iterator[Any]:
    """The classes in which an attribute is looked for, nearest first; library classes are searched by Python itself."""
    if isinstance(value, ClassValue):
        yield from value.order
    elif value.kind is not None:
        yield from value.kind.order
    else:
        yield type(value)
