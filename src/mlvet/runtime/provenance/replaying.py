"""A replay: the traced program once more, with the outside world from its log and with numbers that carry derivatives."""

from __future__ import annotations

import ast
import builtins
import gc
import io
import math
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.provenance import functions, gathering, tracing_source, world
from mlvet.runtime.provenance.branches import Branches, Verification
from mlvet.runtime.provenance.capture import INPUT, KEPT, STORED, Captures
from mlvet.runtime.provenance.fused import Sites
from mlvet.runtime.provenance.inputs import Inputs, Path
from mlvet.runtime.provenance.log import Log
from mlvet.runtime.provenance.predicates import PREDICATES, Place
from mlvet.runtime.provenance.specification import Specification
from mlvet.runtime.provenance.tape import TAPE


@dataclass(slots=True)
class Replay:
    """One replay of a log. `kept` has the last value of each named output, `namespace` what the script left behind."""

    log: Log
    inputs: Sequence[Specification]
    outputs: Sequence[Specification] = ()
    changed: Mapping[str, float] = field(default_factory=dict)
    forced: Mapping[Place, Mapping[int, Callable[[bool], bool]]] = field(default_factory=dict)
    found: Inputs = field(default_factory=Inputs)
    kept: dict[int, Any] = field(default_factory=dict)
    namespace: dict[str, Any] = field(default_factory=dict)
    ended: str = ""
    difference: str | None = None
    modules: int = 0

    def run(self) -> None:
        """Run the program to its end, however it ends."""
        self.found.changed = dict(self.changed)
        PREDICATES.forced = self.forced
        captures = Captures(self.inputs, self.outputs)
        self._check_sources()
        outside = world.ReplayingWorld(self.log, tracing_source.of_program)
        course = Verification(self.log)
        branches = Branches(course)
        main = types.ModuleType("__main__")
        self.namespace = main.__dict__
        self._settle(main)
        imported, marks = world.replaying(outside)
        passes = (captures.applied, self._fused)
        instrumentation = tracing_source.Instrumentation(branches, marks, self.log.header.inputs, None, passes)
        finder = tracing_source.Finder(instrumentation, {**imported, **functions.watched()})
        hooks = {INPUT: self._input, STORED: self._stored, KEPT: self._keep, **gathering.HELPERS}
        vars(builtins).update(hooks)
        finder.installed()
        gc.set_threshold(200_000, 20, 100)
        try:
            functions.installed(self._marked)
            exec(self._code(main, instrumentation), main.__dict__)
            self.ended = "end"
        except world.ReplayDiverged as error:
            self.ended = "diverged"
            self.difference = str(error)
        except SystemExit as error:
            self.ended = f"exit {error.code}"
        except BaseException as error:
            self.ended = f"{type(error).__name__}: {error}"
        finally:
            functions.removed()
            finder.removed()
            outside.restored()
        TAPE.close()
        if not self.changed and not self.forced:
            difference = course.ended(branches)
            if self.difference is None and difference is not None:
                self.difference = difference.words
        captures.complain()

    def value(self, number: int) -> Any:
        return self.kept[number]

    def _check_sources(self) -> None:
        for event in self.log.of_kind("source"):
            try:
                with open(event.data["file"], "rb") as file:
                    same = tracing_source.digest(file.read()) == event.data["digest"]
            except OSError as error:
                raise UnsupportedInput(f"{event.data['file']}: {error.strerror or error}; the trace needs it") from error
            if not same:
                raise UnsupportedInput(f"{event.data['file']}: changed since the trace; trace the program again")

    def _settle(self, main: types.ModuleType) -> None:
        """The process as the script found it."""
        header = self.log.header
        sys.modules["__main__"] = main
        sys.argv[:] = header.argv
        sys.path[:] = [*header.path, *(each for each in sys.path if each not in header.path)]
        try:
            os.chdir(header.cwd)
        except OSError as error:
            raise UnsupportedInput(f"{header.cwd}: {error.strerror or error}; the trace was made there") from error

    def _code(self, main: types.ModuleType, instrumentation: tracing_source.Instrumentation) -> types.CodeType:
        script = self.log.header.script
        if os.path.isdir(script):
            script = os.path.join(script, "__main__.py")
        main.__dict__["__file__"] = script
        main.__dict__["__loader__"] = SourceFileLoader("__main__", script)
        main.__dict__["__builtins__"] = builtins
        with io.open_code(script) as file:
            return instrumentation.code(file.read(), script, "__main__")

    def _fused(self, tree: ast.Module, module: str) -> ast.Module:
        del module
        self.modules += 1
        sites = Sites(getattr(tree, "filename", "") or self.log.header.script, self.modules)
        changed = gathering.replayed(tree, sites)
        sites.install(vars(builtins))
        return changed

    def _input(self, number: int, name: str, value: Any) -> Any:
        del number
        return self.found.wrapped(value, (name,))

    def _stored(self, number: int, name: str, value: Any, container: Any, key: Any) -> None:
        del number
        container[key] = self.found.wrapped(value, ((name,), "[", key))

    def _keep(self, number: int, value: Any) -> Any:
        self.kept[number] = value
        return value

    def _marked(self, value: Any, path: Path) -> Any:
        return self.found.wrapped(value, path)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: float) -> bool:
    return math.isfinite(value)
