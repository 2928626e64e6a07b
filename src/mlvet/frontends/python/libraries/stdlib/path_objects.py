"""pathlib: paths as objects."""

from __future__ import annotations

import posixpath
from typing import Any

from mlvet.frontends.python.libraries.builtins.effects import open_file, path_of, text_of
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object


@model("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath", "os.PathLike")
class Path(Object):
    """A path whose text may be known."""

    __slots__ = ()
    joinable = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del kwargs
        parts = [path_of(each) for each in args]
        known = all(isinstance(each, str) for each in parts)
        self.cells["@text"] = (
            posixpath.normpath(posixpath.join(*parts)) if known and parts else "." if known else Scalar(str)
        )

    def _text(self) -> Any:
        return self.cells["@text"]

    def _part(self, function: Any) -> Any:
        text = self._text()
        return function(text) if isinstance(text, str) else Scalar(str)

    def __str__(self) -> Any:
        return self._text()

    def __fspath__(self) -> Any:
        return self._text()

    as_posix = __fspath__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Path):
            return False
        mine, theirs = self._text(), other._text()
        return mine == theirs if isinstance(mine, str) and isinstance(theirs, str) else Scalar(bool)

    def __hash__(self) -> int:
        return id(self)

    def __truediv__(self, key: Any) -> Any:
        return Path(self, key)

    def __rtruediv__(self, key: Any) -> Any:
        return Path(key, self)

    def joinpath(self, *others: Any) -> Any:
        return Path(self, *others)

    @property
    def name(self) -> Any:
        return self._part(posixpath.basename)

    @property
    def stem(self) -> Any:
        return self._part(lambda text: posixpath.splitext(posixpath.basename(text))[0])

    @property
    def suffix(self) -> Any:
        return self._part(lambda text: posixpath.splitext(text)[1])

    @property
    def parent(self) -> Any:
        return Path(self._part(lambda text: posixpath.dirname(text) or "."))

    @property
    def parents(self) -> Any:
        text = self._text()
        if not isinstance(text, str):
            return ListValue(Repeated(Path(Scalar(str)), integer("parents")))
        found = []
        while text not in ("", ".", "/"):
            text = posixpath.dirname(text)
            found.append(Path(text or "."))
        return tuple(found)

    @property
    def parts(self) -> Any:
        text = self._text()
        return tuple(text.split("/")) if isinstance(text, str) and not text.startswith("/") else (Scalar(str),)

    def with_suffix(self, suffix: Any) -> Any:
        known = isinstance(suffix, str)
        return Path(self._part(lambda text: posixpath.splitext(text)[0] + suffix) if known else Scalar(str))

    def with_name(self, name: Any) -> Any:
        return Path(self.parent, name)

    def with_stem(self, stem: Any) -> Any:
        return Path(
            self.parent, stem + self.suffix if isinstance(stem, str) and isinstance(self.suffix, str) else Scalar(str)
        )

    def relative_to(self, *other: Any) -> Any:
        del other
        return Path(Scalar(str))

    def resolve(self, strict: Any = False) -> Any:
        del strict
        return self

    def absolute(self) -> Any:
        return self

    def expanduser(self) -> Any:
        return self

    @classmethod
    def cwd(cls) -> Any:
        return Path(".")

    @classmethod
    def home(cls) -> Any:
        return Path(Scalar(str))

    def exists(self) -> Any:
        return Scalar(bool)

    is_file = is_dir = is_symlink = is_absolute = exists

    def open(self, mode: Any = "r", *rest: Any, **options: Any) -> Any:
        return open_file(self, mode, *rest, **options)

    def read_text(self, encoding: Any = None, errors: Any = None) -> Any:
        del encoding, errors
        found = text_of(self)
        return Scalar(str) if found is None else found

    def read_bytes(self) -> Any:
        return Scalar(bytes)

    def write_text(self, data: Any, *rest: Any, **options: Any) -> Any:
        del data, rest, options
        return integer("written")

    def write_bytes(self, data: Any) -> Any:
        del data
        return integer("written")

    def iterdir(self) -> Any:
        return IteratorValue(Repeated(Path(Scalar(str)), integer("files")))

    def glob(self, pattern: Any, **options: Any) -> Any:
        del pattern, options
        return IteratorValue(Repeated(Path(Scalar(str)), integer("files")))

    rglob = glob

    def mkdir(self, mode: Any = 0o777, parents: Any = False, exist_ok: Any = False) -> None: ...

    def unlink(self, missing_ok: Any = False) -> None: ...

    def rmdir(self) -> None: ...

    def touch(self, mode: Any = 0o666, exist_ok: Any = True) -> None: ...

    def rename(self, target: Any) -> Any:
        return Path(target)

    replace = rename

    def symlink_to(self, target: Any, target_is_directory: Any = False) -> None: ...

    def stat(self) -> Any:
        from mlvet.frontends.python.libraries.stdlib.system import Status

        return Status()

    def match(self, path_pattern: Any) -> Any:
        del path_pattern
        return Scalar(bool)
