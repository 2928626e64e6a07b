"""os.path, glob, fnmatch: names of files stay known where they are; what lies on a disk is not."""

from __future__ import annotations

import fnmatch
import posixpath
from typing import Any

from mlvet.frontends.python.libraries.builtins.effects import path_of
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.stdlib.typed import listed, number, pure, text, truth, typed, whole
from mlvet.frontends.python.values.containers import IteratorValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar

alias("posixpath", "os.path")
for _name, _constant in {"sep": "/", "pardir": "..", "curdir": ".", "extsep": ".", "pathsep": ":"}.items():
    model(f"os.path.{_name}")(_constant)


@model("os.path.join")
def join(a: Any, /, *paths: Any) -> Any:
    parts = [path_of(each) for each in (a, *paths)]
    return posixpath.join(*parts) if all(isinstance(each, str) for each in parts) else Scalar(str)


def _same(name: str) -> None:
    function = getattr(posixpath, name)

    def run(path: Any, /) -> Any:
        known = path_of(path)
        return function(known) if isinstance(known, str) else Scalar(str)

    model(f"os.path.{name}")(run)


def _pair(name: str) -> None:
    function = getattr(posixpath, name)

    def run(p: Any, /) -> Any:
        known = path_of(p)
        return function(known) if isinstance(known, str) else (Scalar(str), Scalar(str))

    model(f"os.path.{name}")(run)


for _name in ("basename", "dirname", "normpath", "normcase"):
    _same(_name)
for _name in ("split", "splitext", "splitdrive"):
    _pair(_name)


@model(
    "os.path.abspath", "os.path.realpath", "os.path.expanduser", "os.path.expandvars", "os.path.relpath", "os.fspath"
)
def elsewhere(path: Any, start: Any = None) -> Any:
    """A path seen from another place; it names the same file of the program."""
    del start
    return path_of(path)


@model("os.path.isabs")
def isabs(s: Any, /) -> Any:
    known = path_of(s)
    return known.startswith("/") if isinstance(known, str) else Scalar(bool)


@model("os.path.commonpath", "os.path.commonprefix")
def common(paths: Any, /) -> Any:
    del paths
    return Scalar(str)


typed("os.path", dict.fromkeys(("exists", "isfile", "isdir", "islink", "ismount", "lexists", "samefile"), truth))
typed("os.path", {"getsize": whole("bytes"), "getmtime": number, "getctime": number, "getatime": number})
typed("glob", {"glob": listed(text, "files"), "escape": text})
pure(fnmatch, {"fnmatch": truth, "fnmatchcase": truth, "translate": text})
typed("fnmatch", {"filter": listed(text, "files")})


@model("glob.iglob")
def iglob(pathname: Any, **options: Any) -> Any:
    del pathname, options
    return IteratorValue(Repeated(Scalar(str), integer("files")))
