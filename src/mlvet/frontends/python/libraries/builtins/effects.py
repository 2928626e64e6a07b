"""Builtin functions that talk to the world: printing, files, code made at run time."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.constructors import make_str
from mlvet.frontends.python.libraries.builtins.elements import integer, is_known, preset
from mlvet.frontends.python.libraries.builtins.texts import is_wide
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Unknown

LARGEST_TEXT = 65536


@model("builtins.print")
def show(*values: Any, sep: Any = None, end: Any = None, file: Any = None, flush: Any = False) -> None:
    del values, sep, end, file, flush


@model("builtins.input")
def ask(prompt: Any = "", /) -> Any:
    del prompt
    return Scalar(str, name="input")


@model("builtins.repr", "builtins.ascii")
def shown(obj: Any, /) -> Any:
    return repr(obj) if is_known(obj) else Scalar(str)


@model("builtins.format")
def formatted(value: Any, format_spec: Any = "", /) -> Any:
    if is_known(value) and isinstance(format_spec, str) and not is_wide(format_spec):
        try:
            return format(value, format_spec)
        except (TypeError, ValueError) as error:
            raise Raised(error) from error
    return Scalar(str)


@model("builtins.exec")
def execute(source: Any, globals: Any = None, locals: Any = None, /) -> None:
    machine().unknown(Reason.GENERATED_CODE, "exec")


@model("builtins.eval", "builtins.compile", "builtins.__import__")
def evaluate(source: Any, *rest: Any, **options: Any) -> Any:
    return machine().unknown(Reason.GENERATED_CODE, str(source) if isinstance(source, str) else "eval")


@model("builtins.breakpoint", "builtins.help")
def pause(*args: Any) -> None:
    del args


@model("builtins.exit", "builtins.quit")
def leave(code: Any = None) -> None:
    raise Raised(SystemExit(*(() if code is None else (code,))))


class File(Object):
    """An open file. Small files of the program itself are read; of others only the kind of content is known."""

    __slots__ = ()
    name: Any
    mode: Any
    content: type

    def __init__(self, name: Any = None, mode: Any = "r", text: str | None = None) -> None:
        binary = isinstance(mode, str) and "b" in mode
        self.cells.update(
            {"name": name, "mode": mode, "content": bytes if binary else str, "@text": text, "closed": False}
        )

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        del details

    def read(self, size: Any = -1, /) -> Any:
        text = self.cells["@text"]
        return Scalar(self.content) if text is None or size not in (-1, None) else self._as_content(text)

    def readline(self, size: Any = -1, /) -> Any:
        del size
        return Scalar(self.content)

    def readlines(self, hint: Any = -1, /) -> Any:
        del hint
        return ListValue(self.iterate())

    def iterate(self) -> Any:
        text = self.cells["@text"]
        if text is None:
            return Repeated(Scalar(self.content), integer("lines"))
        return tuple(self._as_content(line) for line in text.splitlines(keepends=True))

    def _as_content(self, text: str) -> Any:
        return text.encode() if self.content is bytes else text

    def __next__(self) -> Any:
        return Scalar(self.content)

    def write(self, text: Any, /) -> Any:
        return len(text) if isinstance(text, str | bytes) else integer("written")

    def writelines(self, lines: Any, /) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def fileno(self) -> Any:
        return integer("file")

    def isatty(self) -> Any:
        return Scalar(bool)

    def readable(self) -> Any:
        return True

    def writable(self) -> Any:
        return True

    def seekable(self) -> Any:
        return True

    def seek(self, offset: Any, whence: Any = 0, /) -> Any:
        del whence
        return offset

    def tell(self) -> Any:
        return integer("position")

    def truncate(self, size: Any = None, /) -> Any:
        return integer("size") if size is None else size


def path_of(path: Any) -> Any:
    """A path as text where it is known: a string, a default, a path object."""
    path = preset(path)
    if isinstance(path, Object):
        path = make_str(path)
    return path if isinstance(path, str) else Scalar(str, name=path.name if isinstance(path, Scalar | Unknown) else "")


def text_of(path: Any) -> str | None:
    """The text of a small file of the program, None if it is none such."""
    project = machine().project
    path = path_of(path)
    if project is None or not isinstance(path, str):
        return None
    try:
        text: str | None = project.read_text(path)
    except (OSError, LookupError, ValueError):
        return None
    return text if text is not None and len(text) <= LARGEST_TEXT else None


@model("builtins.open", "io.open", "codecs.open")
def open_file(file: Any, mode: Any = "r", *rest: Any, **options: Any) -> Any:
    """A file; one that is written to is not read before."""
    del rest, options
    reads = isinstance(mode, str) and "r" in mode
    return File(path_of(file), mode, text_of(file) if reads else None)
