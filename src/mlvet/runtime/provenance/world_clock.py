"""Clocks: what the program's own modules ask of them is logged; what libraries ask is not."""

from __future__ import annotations

import ast
import os
import sys
import time

from mlvet.runtime.provenance.counting import called
from mlvet.runtime.provenance.trees import placed, walk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mlvet.runtime.provenance.world import World

ASK = "\0mlvet:ask"
CLOCKS = (
    "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
    "process_time_ns", "thread_time", "thread_time_ns",
)  # fmt: skip
_ASKED = ("now", "utcnow")


def asking(tree: ast.Module) -> None:
    """Mark calls of `now` and `utcnow`: those of datetime read the clock past the module `time`."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKED:
            node.func = placed(called(ASK, node.func), node.func)


def clocks(world: World) -> list[tuple[object, str, object]]:
    """What to put in the place of the functions of `time` and of `os.getpid`."""
    found: list[tuple[object, str, object]] = [
        (time, name, _asked(world, name, getattr(time, name))) for name in CLOCKS if hasattr(time, name)
    ]
    return [*found, (os, "getpid", _asked(world, "getpid", os.getpid))]


def _asked(world: World, name: str, real: Callable[[], float]) -> Callable[[], float]:
    kind = f"clock.{name}"
    of_program = world.of_program
    frame = sys._getframe

    def clock() -> float:
        if of_program(frame(1).f_code.co_filename):
            value: float = world.value(kind, real)
            return value
        return real()

    clock.__name__ = clock.__qualname__ = name
    return clock


def ask(world: World) -> Callable[[Any], Any]:
    """What the mark `ASK` stands for: gives back what it is given unless that is the clock of a datetime class."""

    def asked(function: Any) -> Any:
        owner = getattr(function, "__self__", None)
        datetime = sys.modules.get("datetime")
        if datetime is None or not isinstance(owner, type) or not issubclass(owner, datetime.datetime):
            return function

        def clock(*arguments: Any, **named: Any) -> Any:
            if not world.replays:
                moment = function(*arguments, **named)
                world.note("clock.datetime", _parts(moment))
                return moment
            zone = arguments[0] if arguments else named.get("tz")
            *parts, fold = world.next("clock.datetime").data
            return owner(*parts, tzinfo=zone, fold=fold)

        return clock

    return asked


def _parts(moment: Any) -> list[int]:
    return [
        moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond,
        moment.fold,
    ]  # fmt: skip
