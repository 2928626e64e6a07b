"""The program of a log, run again in this process: same inputs, same path, nothing of the user's changed.

The process needs the log's hash seed (`environment_of`) and should not have imported modules of the program.
"""

from __future__ import annotations

import ast
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.runtime.provenance import world as worlds
from mlvet.runtime.provenance.branches import Branches, Difference, Verification
from mlvet.runtime.provenance.log import Log
from mlvet.runtime.provenance.tracing_source import Finder, Instrumentation, digest, of_program


@dataclass(frozen=True, slots=True)
class Rerun:
    """What came of it: the final namespace of the script, how it ended, and where it left the log's path if it did."""

    namespace: dict[str, Any]
    ending: BaseException | None
    difference: Difference | None
    diverged: str | None
    same_output: bool | None

    @property
    def faithful(self) -> bool:
        """Whether nothing differed from the traced run."""
        return self.difference is None and self.diverged is None and self.same_output is not False


def environment_of(log: Log) -> dict[str, str]:
    """The environment for a process that can rerun the log."""
    return {**os.environ, "PYTHONHASHSEED": log.header.hash_seed}


def changed_sources(log: Log) -> list[str]:
    """The files of the program that changed since it was traced; a script whose text the log has does not count."""
    found = []
    for each in log.of_kind("source"):
        try:
            with open(each.data["file"], "rb") as file:
                same = digest(file.read()) == each.data["digest"]
        except OSError:
            same = False
        if not same and not (each.raw and each.data["module"] == "__main__"):
            found.append(str(each.data["file"]))
    return found


def rerun(
    log: Log,
    passes: Sequence[Callable[[ast.Module, str, str], ast.Module]] = (),
    marks: Mapping[str, object] | None = None,
    names: Mapping[str, object] | None = None,
) -> Rerun:
    """Run the program again. `passes` transform each module after counting, `names` go into the script's globals."""
    if changed := changed_sources(log):
        raise UsageError(f"{changed[0]} changed since the trace; trace it again")
    if not os.path.isdir(log.header.cwd):
        raise UsageError(f"{log.header.cwd}: the folder in which the program ran is gone")
    course = Verification(log)
    branches = Branches(course)
    world = worlds.ReplayingWorld(log, of_program)
    main = types.ModuleType("__main__")
    before = (sys.argv[:], sys.path[:], os.getcwd(), sys.modules["__main__"], set(sys.modules))
    ending: BaseException | None = None
    sys.argv[:] = log.header.argv
    sys.path[:] = [*log.header.path, *(each for each in sys.path if each not in log.header.path)]
    os.chdir(log.header.cwd)
    imported, bound_marks = worlds.replaying(world)
    instrumentation = Instrumentation(branches, {**bound_marks, **(marks or {})}, log.header.inputs, None, passes)
    finder = Finder(instrumentation, imported)
    try:
        code = _prepared(log, main, instrumentation)
        finder.installed()
        sys.modules["__main__"] = main
        main.__dict__.update(names or {})
        exec(code, main.__dict__)
    except BaseException as error:
        ending = error
    finally:
        _flushed()
        finder.removed()
        world.restored()
        sys.argv[:], sys.path[:] = before[0], before[1]
        os.chdir(before[2])
        sys.modules["__main__"] = before[3]
    if isinstance(ending, KeyboardInterrupt):
        raise ending
    return Rerun(main.__dict__, ending, course.ended(branches), world.diverged, _same_output(log, world))


def _prepared(log: Log, main: types.ModuleType, instrumentation: Instrumentation) -> types.CodeType:
    """The code of the script, and the globals that a script finds."""
    script = log.header.script
    if os.path.isdir(script) or not os.path.exists(script):
        script = next((str(each.data["file"]) for each in log.of_kind("source")), script)
    stored = next((each.raw for each in log.of_kind("source") if each.data["module"] == "__main__"), b"")
    if stored:
        source = stored
    else:
        with open(script, "rb") as file:
            source = file.read()
    main.__dict__.update(__file__=script, __builtins__=sys.modules["builtins"], __annotations__={}, __cached__=None)
    main.__loader__ = SourceFileLoader("__main__", script)
    return instrumentation.code(source, script, "__main__")


def _flushed() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def _same_output(log: Log, world: worlds.ReplayingWorld) -> bool | None:
    """Whether standard output is the same as far as the log knows it; None if it does not."""
    written = world.written
    if written is None:
        return None
    known = [(each.stdout_bytes, each.stdout_crc) for each in log.checkpoints]
    if log.footer is not None:
        known.append((log.footer.stdout_bytes, log.footer.stdout_crc))
    same = all(written.kept.get(size) == crc for size, crc in known)
    return same and (log.footer is None or written.bytes == log.footer.stdout_bytes) if known else None
