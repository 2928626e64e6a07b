"""re, string, textwrap, unicodedata, difflib, html: texts taken apart."""

from __future__ import annotations

import re
import string
import textwrap
import unicodedata
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import integer, is_known
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants, listed, number, pure, text, truth, typed, wrapped
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised

_REPEATED = re.compile(r"[*+{]")
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_STEPS = 10**8
"""Searches that could take more steps than this are not made."""
FLAGS = ("A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "U", "UNICODE", "VERBOSE", "X")
for _name in FLAGS:
    model(f"re.{_name}")(int(getattr(re, _name)))
constants(re, ["error"])
for _name in ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "octdigits", "printable",
              "punctuation", "whitespace"):  # fmt: skip
    model(f"string.{_name}")(getattr(string, _name))
typed("string", {"capwords": text})
pure(textwrap, {"dedent": text, "indent": text, "fill": text, "shorten": text, "wrap": listed(text, "lines")})
pure(unicodedata, {"normalize": text, "category": text, "name": text})
typed("html", {"escape": text, "unescape": text})
typed("difflib", {"get_close_matches": listed(text, "matches"), "unified_diff": listed(text, "lines")})
typed("keyword", {"iskeyword": truth})
typed("shlex", {"split": listed(text, "parts"), "quote": text, "join": text})
typed("colorsys", {"hsv_to_rgb": lambda: (number(),) * 3, "rgb_to_hsv": lambda: (number(),) * 3})


@model("string.Template")
class Template(Object):
    __slots__ = ()

    def substitute(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(str)

    safe_substitute = substitute


@model("re.Match")
class Match(Object):
    """A match; known where pattern and text are."""

    __slots__ = ()

    def __init__(self, native: Any = None) -> None:
        self.cells["@native"] = native

    def holds(self) -> Any:
        """What a test of it yields."""
        return self.cells.get("@there", True)

    def _asked(self, name: str, args: tuple[Any, ...], otherwise: Any) -> Any:
        native = self.cells["@native"]
        if native is None or not all(is_known(each) for each in args):
            return otherwise
        try:
            return wrapped(getattr(native, name)(*args))
        except (IndexError, TypeError) as error:
            raise Raised(error) from error

    def group(self, *args: Any) -> Any:
        return self._asked("group", args, Scalar(str) if len(args) < 2 else (Scalar(str),) * len(args))

    def __getitem__(self, index: Any) -> Any:
        return self._asked("group", (index,), Scalar(str))

    def groups(self, default: Any = None) -> Any:
        return self._asked("groups", (default,), ListValue(Repeated(Scalar(str), integer("groups"))))

    def groupdict(self, default: Any = None) -> Any:
        return self._asked("groupdict", (default,), DictValue(rest=Scalar(str)))

    def start(self, group: Any = 0) -> Any:
        return self._asked("start", (group,), integer("place"))

    def end(self, group: Any = 0) -> Any:
        return self._asked("end", (group,), integer("place"))

    def span(self, group: Any = 0) -> Any:
        return self._asked("span", (group,), (integer("place"), integer("place")))


def _ends_soon(pattern: str | bytes, args: tuple[Any, ...]) -> bool:
    """Whether a search surely takes little time: no repeated groups, and few repetitions on a short text."""
    spelled = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    length = max((len(each) for each in args if isinstance(each, str | bytes)), default=0)
    return not _REPEATED_GROUP.search(spelled) and length ** (1 + len(_REPEATED.findall(spelled))) <= _STEPS


@model("re.Pattern")
class Pattern(Object):
    """A compiled pattern."""

    __slots__ = ()

    def __init__(self, pattern: Any = "", flags: Any = 0) -> None:
        self.cells.update(pattern=pattern, flags=flags)

    def _run(self, name: str, args: tuple[Any, ...], otherwise: Any) -> Any:
        pattern, flags = self.cells["pattern"], self.cells["flags"]
        if not (isinstance(pattern, str | bytes) and isinstance(flags, int) and all(is_known(each) for each in args)):
            return otherwise()
        if not _ends_soon(pattern, args):
            return otherwise()
        try:
            return getattr(re.compile(pattern, flags), name)(*args)
        except (re.error, TypeError, IndexError) as error:
            raise Raised(error) from error

    def _search(self, name: str, args: tuple[Any, ...]) -> Any:
        found = self._run(name, args, lambda: _open(Match()))
        return Match(found) if isinstance(found, re.Match) else found

    def match(self, string: Any, *rest: Any) -> Any:
        return self._search("match", (string, *rest))

    def fullmatch(self, string: Any, *rest: Any) -> Any:
        return self._search("fullmatch", (string, *rest))

    def search(self, string: Any, *rest: Any) -> Any:
        return self._search("search", (string, *rest))

    def sub(self, repl: Any, string: Any, count: Any = 0) -> Any:
        return self._run("sub", (repl, string, count), lambda: Scalar(str))

    def subn(self, repl: Any, string: Any, count: Any = 0) -> Any:
        return self._run("subn", (repl, string, count), lambda: (Scalar(str), integer("substitutions")))

    def split(self, string: Any, maxsplit: Any = 0) -> Any:
        return wrapped(self._run("split", (string, maxsplit), listed(text, "parts")))

    def findall(self, string: Any, *rest: Any) -> Any:
        return wrapped(self._run("findall", (string, *rest), self._found))

    def _found(self) -> Any:
        """What findall yields of a text that is not known: texts, or as many at a time as the pattern has groups."""
        pattern = self.cells["pattern"]
        groups = re.compile(pattern).groups if isinstance(pattern, str) else 0
        return ListValue(Repeated((Scalar(str),) * groups if groups > 1 else Scalar(str), integer("matches")))

    def finditer(self, string: Any, *rest: Any) -> Any:
        found = self._run("finditer", (string, *rest), lambda: None)
        if found is None:
            return IteratorValue(Repeated(Match(), integer("matches")))
        return IteratorValue(Match(each) for each in found)


def _open(match: Match) -> Any:
    """A match that there may be or not: a test leaves that open, whatever asks more of it has one."""
    match.cells["@there"] = Scalar(bool)
    return match


def _module(name: str, count: int) -> None:
    def run(pattern: Any, *args: Any, **options: Any) -> Any:
        flags = options.pop("flags", args[count] if len(args) > count and name not in ("sub", "subn", "split") else 0)
        compiled = pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)
        return machine().send(compiled, name, *(args if name in ("sub", "subn", "split") else args[:count]), **options)

    model(f"re.{name}")(run)


for _name, _count in {
    "match": 1,
    "fullmatch": 1,
    "search": 1,
    "sub": 3,
    "subn": 3,
    "split": 2,
    "findall": 1,
    "finditer": 1,
}.items():
    _module(_name, _count)


@model("re.compile")
def compiled(pattern: Any, flags: Any = 0) -> Any:
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)


@model("re.escape")
def escaped(pattern: Any) -> Any:
    return re.escape(pattern) if isinstance(pattern, str) else Scalar(str)
