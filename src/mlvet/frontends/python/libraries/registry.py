"""The models of libraries by the dotted names that programs use. A model is an ordinary function, class or value."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

M = TypeVar("M")

MODELS: dict[str, Any] = {}
PREFIXES: set[str] = set()
ALIASES: dict[str, str] = {}
PACKAGES: dict[str, str] = {}
"""The top module of a library, and the package here that models it."""
EARLIER: dict[str, tuple[str, frozenset[str]]] = {}
"""A library, where its earlier generation is found, and names that this one alone has."""
_SPELLINGS = 16


class Overloads:
    """Several signatures of one function, tried in the order in which they were written."""

    __slots__ = ("models", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.models: list[Callable[..., Any]] = []

    def __repr__(self) -> str:
        return f"<overloads of {self.name}>"


def model(*names: str) -> Callable[[M], M]:
    """Register a function, class or value under the dotted names by which programs reach it."""

    def register(thing: M) -> M:
        for name in names:
            if name in MODELS:
                raise ValueError(f"{name} is modelled twice")
            _enter(name, thing)
        if isinstance(thing, type) and names and thing.__module__.startswith("mlvet."):
            thing.dotted = names[0]  # type: ignore[attr-defined]
        return thing

    return register


def overload(*names: str) -> Callable[[M], M]:
    """Register one of several signatures; the first that the arguments fit is the one that is called."""

    def register(thing: M) -> M:
        for name in names:
            if name not in MODELS:
                _enter(name, Overloads(name))
            found = MODELS[name]
            if not isinstance(found, Overloads):
                raise TypeError(f"{name} is modelled twice")
            found.models.append(thing)  # type: ignore[arg-type]
        return thing

    return register


def overloads(*models: Callable[..., Any]) -> Overloads:
    """Several signatures of one method, as the value of a class attribute."""
    found = Overloads(models[0].__name__)
    found.models += models
    return found


def alias(prefix: str, target: str) -> None:
    """Whatever lies under one dotted name is found under another, unless it has a model of its own."""
    ALIASES[prefix] = target
    _prefixes(f"{prefix}.")


def earlier(library: str, generation: str, names: str) -> None:
    """Files that use one of these names of a library mean an earlier generation of it."""
    EARLIER[library] = generation, frozenset(names.split())


def find(dotted: str) -> Any:
    """The model of a dotted name; raises KeyError if there is none."""
    if dotted in MODELS:
        return MODELS[dotted]
    for name in _spellings(dotted):
        if name in MODELS:
            return MODELS[name]
    raise KeyError(dotted)


def is_module(dotted: str) -> bool:
    """Whether models lie under a dotted name."""
    return any(name in PREFIXES or name in ALIASES for name in _spellings(dotted))


def load_all() -> None:
    """Load the models of every library."""
    for top in list(PACKAGES):
        load(top)


def load(top: str) -> bool:
    """Load the models of a library; False if it has none."""
    package = PACKAGES.get(top)
    if package is None:
        return False
    import_module(f"mlvet.frontends.python.libraries.{package}")
    return True


def _spellings(dotted: str) -> list[str]:
    """The names that a name is an alias of, nearest first; the longest prefix counts before the others."""
    found = [dotted]
    for name in found:
        head = name
        while head:
            target = ALIASES.get(head)
            inside = target is not None and target.startswith(f"{head}.") and name.startswith(f"{target}.")
            if target is not None and not inside:
                other = target + name[len(head) :]
                if other not in found and len(found) < _SPELLINGS:
                    found.append(other)
            head = head.rpartition(".")[0]
    return found


def _enter(name: str, thing: Any) -> None:
    MODELS[name] = thing
    _prefixes(name)


def _prefixes(name: str) -> None:
    head = name.rpartition(".")[0]
    while head and head not in PREFIXES:
        PREFIXES.add(head)
        head = head.rpartition(".")[0]
