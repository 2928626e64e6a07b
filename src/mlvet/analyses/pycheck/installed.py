"""What the sources of installed packages say, read as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from mlvet.analyses.pycheck.environment import Environment
from mlvet.analyses.pycheck.packages import DEPARTED, STUBBED, misspelling_of
from mlvet.analyses.pycheck.tree import parse
from mlvet.core.source import Source

_MAKES_NAMES = re.compile(rb"__getattr__|sys\.modules|globals\(\)|setattr\(|[Ll]azy")


def lacks(environment: Environment, word: str, module: str) -> bool:
    """Whether an installed module surely has no such name: its sources never mention it, or it is known to have left.

    A module that makes names at run time may take them from anywhere, and stubs may be incomplete, so there the word
    must also be one slip away from one that the sources have.
    """
    place = _place(environment, module)
    if place is None:
        return False
    if f"{module}.{word}" in DEPARTED:
        return True
    init = place / "__init__.py" if place.is_dir() else place
    if _occurs(word, place) or not init.is_file():
        return False
    told_by_source = module.split(".")[0] not in STUBBED and not _MAKES_NAMES.search(init.read_bytes())
    return told_by_source or (
        misspelling_of(word, _words(place), ends=True) is not None and not _occurs(word, place, deep=True)
    )


def nowhere(environment: Environment, word: str, packages: Iterable[str]) -> bool:
    """Whether a word stands nowhere in the sources of the installed ones among some packages."""
    places = [place for package in packages if (place := _place(environment, package)) is not None]
    return bool(places) and not any(_occurs(word, place, deep=True) for place in places)


def slip_in(environment: Environment, word: str, packages: Iterable[str]) -> bool:
    """Whether a word that stands nowhere in some installed packages is one slip away from one that does."""
    if not nowhere(environment, word, packages):
        return False
    places = [place for package in packages if (place := _place(environment, package)) is not None]
    return any(misspelling_of(word, _attributes(place), ends=True) for place in places)


def self_described(environment: Environment, package: str) -> bool:
    """Whether what checkers know of a package comes from the package itself, not from stubs of other people."""
    typed = any((folder / package / "py.typed").is_file() for folder in environment.site_packages)
    return typed or package not in STUBBED


def builds_plainly(environment: Environment, constructor: str) -> bool:
    """Whether `package.module.Class.__init__` alone decides what a class takes: nothing in its module hooks in."""
    place = _place(environment, ".".join(constructor.split(".")[:-2]))
    init = place / "__init__.py" if place is not None and place.is_dir() else place
    return init is None or not init.is_file() or not re.search(rb"def __new__|metaclass=", init.read_bytes())


def names_bound_in(environment: Environment, module: str) -> frozenset[str]:
    """Every name that the source of an installed module binds or mentions as text; empty when there is no source."""
    place = _place(environment, module)
    init = place / "__init__.py" if place is not None and place.is_dir() else place
    return _bound(init) if init is not None and init.is_file() else frozenset()


def _place(environment: Environment, module: str) -> Path | None:
    """The folder or file of an installed module."""
    for folder in environment.site_packages:
        place = folder.joinpath(*module.split("."))
        if place.is_dir():
            return place
        if place.with_suffix(".py").is_file():
            return place.with_suffix(".py")
    return None


def _texts(place: Path, *, deep: bool = False) -> Iterator[bytes]:
    if place.is_file():
        files: Iterable[Path] = [place]
    elif deep:
        files = place.rglob("*.py*")
    else:
        files = [*place.glob("*.py*"), *place.glob("_C/*.pyi")]
    return (file.read_bytes() for file in files if file.suffix in (".py", ".pyi"))


@cache
def _occurs(word: str, place: Path, *, deep: bool = False) -> bool:
    plain = word.encode()
    pattern = re.compile(rb"\b" + re.escape(plain) + rb"\b")
    return any(plain in text and pattern.search(text) for text in _texts(place, deep=deep))


@cache
def _words(place: Path) -> frozenset[str]:
    pattern = re.compile(rb"[A-Za-z_]\w+")
    return frozenset(word.decode() for text in _texts(place) for word in set(pattern.findall(text)))


@cache
def _attributes(place: Path) -> frozenset[str]:
    """What the classes and functions of a package are called, and what they assign to `self`."""
    pattern = re.compile(rb"(?:\bdef |\bself\.)(\w+)")
    return frozenset(word.decode() for text in _texts(place, deep=True) for word in set(pattern.findall(text)))


@cache
def _bound(file: Path) -> frozenset[str]:
    tree = parse(Source(str(file), file.read_text(encoding="utf-8", errors="replace")))
    if tree is None:
        return frozenset()
    texts = {node.value for node in tree.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(tree.bound_names) | {text for text in texts if text.isidentifier()}
