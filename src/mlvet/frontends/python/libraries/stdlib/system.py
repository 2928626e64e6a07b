"""os, sys, platform and what else asks the machine."""

from __future__ import annotations

import signal
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.effects import File, path_of
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import (
    data,
    effects,
    listed,
    nothing,
    number,
    text,
    truth,
    typed,
    whole,
)
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason

effects("os", (
    "makedirs", "mkdir", "remove", "unlink", "rmdir", "removedirs", "rename", "renames", "replace", "chdir", "chmod",
    "symlink", "link", "putenv", "unsetenv", "kill", "killpg", "abort", "utime", "close", "fsync", "nice", "_exit",
    "setpgrp", "setsid", "truncate", "mkfifo", "chown",
))  # fmt: skip
typed("os", {
    "getcwd": text, "listdir": listed(text, "files"), "getpid": whole("pid"), "getppid": whole("pid"),
    "cpu_count": whole("cpus", 1), "access": truth, "urandom": data, "getlogin": text, "readlink": text,
    "get_terminal_size": lambda: (integer("columns", 1), integer("lines", 1)),
    "getloadavg": lambda: (Scalar(float),) * 3,
    "system": whole("status"), "umask": whole("mask"), "strerror": text, "process_cpu_count": whole("cpus", 1),
    "sched_getaffinity": lambda: ListValue(Repeated(integer("cpu"), integer("cpus", 1))), "getuid": whole("uid"),
    "uname": lambda: (Scalar(str),) * 5, "fork": whole("pid"), "popen": lambda: File(None, "r"), "open": whole("file"),
    "get_exec_path": listed(text, "paths"), "isatty": truth, "pipe": lambda: (integer("file"), integer("file")),
})  # fmt: skip
for _name, _constant in {
    "sep": "/",
    "linesep": "\n",
    "name": "posix",
    "pathsep": ":",
    "devnull": "/dev/null",
    "curdir": ".",
}.items():
    model(f"os.{_name}")(_constant)
model("os.error")(OSError)


class Environment(Object):
    """os.environ: any text under any name."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return Scalar(str, name=key if isinstance(key, str) else "")

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __delitem__(self, key: Any) -> None: ...

    def __contains__(self, key: Any) -> Any:
        return Scalar(bool)

    def get(self, key: Any, default: Any = None) -> Any:
        return environment(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return environment(key, default)

    def pop(self, key: Any, default: Any = None) -> Any:
        return environment(key, default)

    def update(self, *args: Any, **keywords: Any) -> None: ...

    def copy(self) -> Any:
        return DictValue(rest=Scalar(str))

    def keys(self) -> Any:
        return ListValue(self.iterate())

    values = keys

    def items(self) -> Any:
        return ListValue(Repeated((Scalar(str), Scalar(str)), integer("variables")))

    def iterate(self) -> Any:
        return Repeated(Scalar(str), integer("variables"))


@model("os.getenv")
def environment(key: Any, default: Any = None) -> Any:
    """A variable of the environment, by default what the program says it is."""
    plain = default if isinstance(default, str | int | float | None) else None
    return Scalar(str, key if isinstance(key, str) else "", plain, True)


model("os.environ")(Environment())


@model("os.walk", "os.fwalk")
def walk(top: Any, *rest: Any, **options: Any) -> Any:
    del rest, options
    names = ListValue(Repeated(Scalar(str), integer("files")))
    folder = path_of(top)
    return IteratorValue(
        Repeated((folder if isinstance(folder, Scalar) else Scalar(str), names, names), integer("folders"))
    )


class Entry(Object):
    """An entry of a folder."""

    __slots__ = ()

    def __init__(self) -> None:
        self.cells.update(name=Scalar(str), path=Scalar(str))

    def is_file(self, **options: Any) -> Any:
        return Scalar(bool)

    is_dir = is_symlink = is_file

    def stat(self, **options: Any) -> Any:
        return Status()


class Status(Object):
    """What is known of a file: sizes and times."""

    __slots__ = ()

    def __init__(self) -> None:
        self.cells.update(
            st_size=integer("bytes"), st_mtime=Scalar(float), st_ctime=Scalar(float), st_mode=integer("mode")
        )


typed("os", {"stat": Status, "lstat": Status})


class Folder(Object):
    """os.scandir()."""

    __slots__ = ()

    def __init__(self, path: Any = ".") -> None: ...

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...

    def iterate(self) -> Any:
        return Repeated(Entry(), integer("files"))


model("os.scandir")(Folder)


@model("sys.exit")
def leave(status: Any = None, /) -> None:
    raise Raised(SystemExit(*(() if status is None else (status,))))


class Arguments(Object):
    """sys.argv: texts that the user types."""

    __slots__ = ()
    native = list

    def length(self) -> Any:
        return integer("arguments", 1)

    def iterate(self) -> Any:
        return Repeated(Scalar(str, name="argument"), self.length())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ListValue(Repeated(Scalar(str, name="argument"), integer("arguments")))
        return Scalar(str, name=f"argv_{index}" if isinstance(index, int) else "argument")

    def __contains__(self, item: Any) -> Any:
        return Scalar(bool)

    def append(self, item: Any) -> None: ...

    extend = remove = append

    def insert(self, index: Any, item: Any) -> None: ...

    def pop(self, index: Any = -1) -> Any:
        return Scalar(str)


class SearchPath(Arguments):
    """sys.path."""

    __slots__ = ()


class Stream(File):
    """sys.stdout and its kin."""

    __slots__ = ()

    def __init__(self) -> None:
        object.__getattribute__(self, "cells").update({"name": "stream", "mode": "w", "content": str, "@text": None})
        self.cells["encoding"] = "utf-8"


class Version(Object):
    """sys.version_info: a version of Python 3 that is not known further."""

    __slots__ = ()

    def __init__(self) -> None:
        self.cells.update(major=3, minor=12, micro=0, releaselevel="final", serial=0)

    def iterate(self) -> Any:
        return (3, 12, 0, "final", 0)

    def __getitem__(self, index: Any) -> Any:
        return self.iterate()[index] if isinstance(index, int | slice) else Scalar(str)

    def __ge__(self, other: Any) -> Any:
        return (
            other[:2] <= (3, 12) if isinstance(other, tuple) and all(isinstance(each, int) for each in other) else True
        )

    def __gt__(self, other: Any) -> Any:
        return self >= other

    def __lt__(self, other: Any) -> Any:
        return not (self >= other)

    def __le__(self, other: Any) -> Any:
        return not (self >= other)


class FloatInfo(Object):
    __slots__ = ()

    def __init__(self) -> None:
        import sys

        self.cells.update(max=sys.float_info.max, min=sys.float_info.min, epsilon=sys.float_info.epsilon, dig=15)


for _name, _thing in {
    "argv": Arguments(), "path": SearchPath(), "stdout": Stream(), "stderr": Stream(), "stdin": Stream(),
    "version_info": Version(), "float_info": FloatInfo(), "maxsize": 2**63 - 1, "maxunicode": 0x10FFFF,
    "platform": Scalar(str, "platform", "linux", True), "version": Scalar(str), "executable": Scalar(str),
    "byteorder": "little", "prefix": Scalar(str), "hexversion": 0x30C00F0,
}.items():  # fmt: skip
    model(f"sys.{_name}")(_thing)


class Modules(Object):
    """sys.modules: any module by its name."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key in machine().modules:
            return machine().modules[key]
        return machine().unknown(Reason.DYNAMIC_ATTRIBUTE, f"module {key}")

    def __contains__(self, key: Any) -> Any:
        return True if isinstance(key, str) and key in machine().modules else Scalar(bool)

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key]


model("sys.modules")(Modules())
effects("sys", ("setrecursionlimit", "settrace", "setprofile", "excepthook", "displayhook"))
typed("sys", {
    "getrecursionlimit": whole("limit"), "getsizeof": whole("bytes"), "exc_info": lambda: (None, None, None),
    "getdefaultencoding": text, "getfilesystemencoding": text, "getrefcount": whole("references"), "intern": text,
    "gettrace": nothing, "getswitchinterval": number,
})  # fmt: skip
typed("platform", dict.fromkeys((
    "system", "machine", "node", "platform", "processor", "python_version", "release", "version",
    "python_implementation",
), text))  # fmt: skip
effects("gc", ("collect", "disable", "enable", "freeze", "set_threshold"))
typed("gc", {"get_objects": listed(nothing, "objects"), "isenabled": truth})
effects("signal", ("signal", "alarm", "pause", "siginterrupt"))
for _name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM", "SIG_IGN", "SIG_DFL"):
    model(f"signal.{_name}")(int(getattr(signal, _name)))
effects("atexit", ("register", "unregister"))
effects("faulthandler", ("enable", "disable", "register"))
typed("socket", {"gethostname": text, "gethostbyname": text, "getfqdn": text})
typed("getpass", {"getuser": text, "getpass": text})
effects("resource", ("setrlimit",))
typed("resource", {"getrlimit": lambda: (integer("limit"), integer("limit"))})
typed("locale", {"setlocale": text, "getpreferredencoding": text})
