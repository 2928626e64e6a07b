"""logging, warnings, traceback, pprint: what a program tells its user."""

from __future__ import annotations

import logging
from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import effects, listed, nothing, text, truth, typed
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object

LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log", "fatal")
effects("logging", (
    *LEVELS, "basicConfig", "disable", "captureWarnings", "shutdown", "addLevelName", "setLoggerClass",
))  # fmt: skip
for _name in ("DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "NOTSET"):
    model(f"logging.{_name}")(getattr(logging, _name))
typed("logging", {"getLevelName": text})
effects("logging.config", ("dictConfig", "fileConfig"))


def nothing_of(*args: Any, **keywords: Any) -> None:
    """Whatever is asked, nothing comes of it."""


@model("logging.Logger", "logging.LoggerAdapter")
class Logger(Object):
    """A logger. Nothing that it is told changes the program."""

    __slots__ = ()

    def __init__(self, name: Any = "root", level: Any = 0) -> None:
        self.cells.update(name=name, level=level, handlers=(), disabled=False, propagate=True, parent=None)

    def missing(self, name: str) -> Any:
        """All other methods yield nothing."""
        del name
        return nothing_of

    def isEnabledFor(self, level: Any) -> Any:
        del level
        return Scalar(bool)

    def getEffectiveLevel(self) -> Any:
        return self.cells["level"]

    def hasHandlers(self) -> Any:
        return Scalar(bool)

    def getChild(self, suffix: Any) -> Any:
        return Logger(suffix)


@model("logging.getLogger")
def get_logger(name: Any = None) -> Any:
    return Logger(name)


@model("logging.getLoggerClass")
def logger_class() -> Any:
    return Logger


@model("logging.Handler")
class Handler(Object):
    __slots__ = ()

    def setLevel(self, level: Any) -> None: ...

    def setFormatter(self, fmt: Any) -> None: ...

    def addFilter(self, filter: Any) -> None: ...

    def flush(self) -> None: ...

    close = acquire = release = flush


for _name in ("logging.StreamHandler", "logging.FileHandler", "logging.NullHandler", "logging.Formatter",
              "logging.Filter",
              "logging.handlers.RotatingFileHandler", "logging.handlers.TimedRotatingFileHandler"):  # fmt: skip
    model(_name)(type(_name.rpartition(".")[2], (Handler,), {"__slots__": (), "__module__": __name__}))

effects("warnings", ("warn", "filterwarnings", "simplefilter", "resetwarnings", "warn_explicit", "showwarning"))


@model("warnings.catch_warnings")
class CatchWarnings(Object):
    __slots__ = ()

    def __enter__(self) -> Any:
        from mlvet.frontends.python.values.containers import ListValue

        return ListValue() if self.cells.get("record") else None

    def __exit__(self, *details: Any) -> None: ...


effects("traceback", ("print_exc", "print_exception", "print_stack", "print_tb"))
typed(
    "traceback",
    {"format_exc": text, "format_exception": listed(text, "lines"), "extract_stack": listed(nothing, "frames")},
)
effects("pprint", ("pprint", "pp"))
typed("pprint", {"pformat": text, "isreadable": truth})


@model("pprint.PrettyPrinter")
class PrettyPrinter(Object):
    __slots__ = ()

    def pprint(self, object: Any) -> None: ...

    def pformat(self, object: Any) -> Any:
        del object
        return Scalar(str)
