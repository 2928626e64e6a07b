"""Run a program with one input changed by a step, without mlvet: the other witness of a derivative.

    python witness.py --of EXPR [--at SPEC --element EXPR --step STEP] SCRIPT ARGS...

SPEC and EXPR are those of `mlvet why`. The input is changed by a trace function of the interpreter at the moment at
which the statement that SPEC names has run (a parameter: at the call) and the element exists; once. What EXPR then is
goes to the standard error as the last line, the program's own output stays as it is. Needs the standard library only.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

MARK = "witness: "


@dataclass(frozen=True, slots=True)
class Place:
    """`name@function:line`, `name@function` (line 0), `name@module.function:line`, `name@<module>:line`."""

    name: str
    module: str
    function: str
    line: int

    @staticmethod
    def of(spec: str) -> Place:
        name, _, where = spec.rpartition("@")
        function, _, line = where.partition(":")
        module, _, function = function.rpartition(".")
        return Place(name, module, function, int(line or 0))

    def holds(self, frame: FrameType, script: str) -> bool:
        code = frame.f_code
        if code.co_name != self.function:
            return False
        if self.module:
            return f".{frame.f_globals.get('__name__')}".endswith(f".{self.module}")
        if self.function == "<module>":
            return code.co_filename == script
        return self.line == 0 or any(line == self.line for _, _, line in code.co_lines())


def last_line(path: str, line: int) -> int:
    """Where the statement that begins at `line` ends."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    ends = [node.end_lineno or line for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]
    return min(ends, default=line)


def keys_of(element: str) -> tuple[str, list[Any]]:
    """Name and keys of `name["a"][3]`; no name for anything else, such as attributes."""
    keys: list[Any] = []
    node = ast.parse(element, mode="eval").body
    while isinstance(node, ast.Subscript):
        keys.insert(0, ast.literal_eval(node.slice))
        node = node.value
    return (node.id, keys) if isinstance(node, ast.Name) else ("", [])


def moved(value: Any, keys: list[Any], step: float) -> Any:
    """The value with one element changed: in place, but for tuples, which are made anew."""
    if not keys:
        return value + step
    if isinstance(value, tuple):
        return tuple(moved(part, keys[1:], step) if at == keys[0] else part for at, part in enumerate(value))
    value[keys[0]] = moved(value[keys[0]], keys[1:], step)
    return value


class Watch:
    """Changes the input, and remembers what passes the place that is asked for."""

    def __init__(self, of: str, at: Place | None, element: str, step: float, script: str) -> None:
        self.asked = Place.of(of) if re.search(r"@[\w.<>]+(:\d+)?$", of) else None
        self.at, self.element, self.step, self.script = at, element, step, script
        self.changed = at is None
        self.value: Any = None

    def __call__(self, frame: FrameType, _event: str, _: object) -> Any:
        if self.changed and self.asked is None:
            sys.settrace(None)
            return None
        change = not self.changed and self.at is not None and self.at.holds(frame, self.script)
        ask = self.asked is not None and self.asked.holds(frame, self.script)
        if not (change or ask):
            return None
        if change and self.at is not None and self.at.line == 0:
            self.change(frame)
        frame.f_trace_lines = True
        return _Frame(self, self.at if change else None, self.asked if ask else None).step

    def change(self, frame: FrameType) -> None:
        names = frame.f_locals
        try:
            eval(self.element, frame.f_globals, names)
        except (NameError, KeyError, IndexError, AttributeError):
            return
        name, keys = keys_of(self.element)
        if name in names:
            names[name] = moved(names[name], keys, self.step)
            if sys.version_info < (3, 13) and names is not frame.f_globals:
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
        else:
            exec(f"{self.element} = {self.element} + {self.step!r}", frame.f_globals, names)
        self.changed = True


class _Frame:
    """One activation of a function that is watched."""

    def __init__(self, watch: Watch, change: Place | None, ask: Place | None) -> None:
        self.watch, self.change, self.ask = watch, change, ask
        self.inside: set[Place] = set()
        self.ends: dict[Place, int] = {}

    def step(self, frame: FrameType, event: str, value: Any) -> Any:
        for place in (self.change, self.ask):
            if place is not None and place.line and event in ("line", "return"):
                self._passed(place, frame, event)
        if self.ask is not None and event == "return" and self.ask.name == "return":
            self.watch.value = value
        return self.step

    def _passed(self, place: Place, frame: FrameType, event: str) -> None:
        end = self.ends.setdefault(place, last_line(frame.f_code.co_filename, place.line))
        here = event == "line" and place.line <= frame.f_lineno <= end
        if here:
            self.inside.add(place)
        elif place in self.inside:
            self.inside.discard(place)
            if place is self.ask:
                self.watch.value = eval(place.name, frame.f_globals, frame.f_locals)
            if place is self.change and not self.watch.changed:
                self.watch.change(frame)


def run(script: Path, arguments: list[str], watch: Watch) -> dict[str, Any]:
    """The final namespace of the script, run as the main program."""
    module = ModuleType("__main__")
    module.__file__ = str(script)
    sys.modules["__main__"] = module
    sys.argv = [str(script), *arguments]
    sys.path[0] = str(script.resolve().parent)
    code = compile(script.read_bytes(), str(script), "exec")
    sys.settrace(watch)
    try:
        exec(code, module.__dict__)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    finally:
        sys.settrace(None)
    return module.__dict__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", required=True)
    parser.add_argument("--at", default="")
    parser.add_argument("--element", default="")
    parser.add_argument("--step", type=float, default=0.0)
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    at = Place.of(given.at) if given.at else None
    watch = Watch(given.of, at, given.element or (at.name if at else ""), given.step, str(given.script))
    names = run(given.script, given.arguments, watch)
    if not watch.changed:
        raise SystemExit(f"no {watch.element} at {given.at}")
    value = watch.value if watch.asked else eval(given.of, names)
    print(f"{MARK}{float(value)!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
