"""The production run: the user's program as it is, with counters in its functions and a log beside it."""

from __future__ import annotations

import atexit
import io
import os
import sys
import time
from contextlib import suppress
from importlib.machinery import SourceFileLoader

from mlvet import __version__
from mlvet.runtime.provenance import tracing_source, world, world_streams
from mlvet.runtime.provenance.branches import Branches
from mlvet.runtime.provenance.log_writer import CHECKPOINT, FOOTER, FORMAT, HEADER, Writer
from mlvet.runtime.provenance.request import Request

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from typing import Any

    from mlvet.runtime.provenance.branches import Point
    from mlvet.runtime.provenance.outcomes import Outcomes

INTERVAL = 0.25
"""Seconds between checkpoints, at least; in long runs a share of the time so far."""
SHARE = 0.004
BAD_USAGE = 2

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_perf_counter = time.perf_counter
_getpid = os.getpid


def main() -> None:
    """The entry point of the traced process: its first argument is the request."""
    sys.path.pop()
    request = Request.of_words(sys.argv[1:])
    _environment(request)
    record(request)


def record(request: Request) -> None:
    """Run the script as `__main__` of this process. It ends as the script ends: by return, exception or exit."""
    try:
        writer = Writer(request.output)
    except OSError as error:
        sys.stderr.write(f"mlvet: {request.output}: {error.strerror or error}\n")
        sys.exit(BAD_USAGE)
    run = Run(request, writer)
    run.started()
    _as_deep_as_ever(sys._getframe())
    try:
        exec(run.code(), sys.modules["__main__"].__dict__)
    except SystemExit as error:
        run.status, run.how = _status(error.code), "exit"
        raise
    except BaseException as error:
        run.status, run.how = 1, "exception"
        run.exception = f"{type(error).__name__}: {error}"[:2000]
        sys.excepthook = _without_mlvet(sys.excepthook)
        raise


class Run:
    """One production run: its log, its branches, and how it ended."""

    def __init__(self, request: Request, writer: Writer) -> None:
        self.request = request
        self.writer = writer
        self.how = "end"
        self.status: int | None = 0
        self.exception: str | None = None
        self.branches = Branches(self)
        self.world = world.RecordingWorld(writer, tracing_source.of_program, request.mode == "full")
        self.outcomes: Outcomes | None = None
        self._began = self._last = _perf_counter()
        self._last_fold = 0
        self._process = _getpid()

    # the course of the checkpoints: at most one in `INTERVAL`, except while the number of folds doubles

    def wants(self, fold: int) -> bool:
        now = _perf_counter()
        if now - self._last < max(INTERVAL, SHARE * (now - self._began)) and fold < 2 * self._last_fold:
            return False
        self._last, self._last_fold = now, fold
        return True

    def due(self, fold: int) -> int:
        passed = max(_perf_counter() - self._began, 1e-6)
        rate = fold / passed
        return fold + max(1, min(fold, int(rate * INTERVAL / 4)))

    def take(self, point: Point) -> None:
        if self.outcomes is not None:
            self.outcomes.written()
        out = world_streams.written
        self.writer.write(CHECKPOINT, {
            "fold": point.fold, "module": point.module, "function": point.function, "line": point.line,
            "checksum": point.checksum, "values": point.values, "stdout_bytes": out.bytes, "stdout_crc": out.crc,
        })  # fmt: skip

    # start and end

    def started(self) -> None:
        """Everything that stands before the first line of the script."""
        request = self.request
        script = os.path.abspath(request.script)
        folder = script if os.path.isdir(script) else os.path.dirname(os.path.realpath(script))
        ours = set(sys.modules)
        _forget_shadowed(folder, ours)
        sys.path.insert(0, folder)
        sys.argv[:] = [request.script, *request.arguments]
        self.writer.write(HEADER, {
            "mlvet": __version__, "format": FORMAT, "python": sys.version, "platform": sys.platform,
            "script": script, "argv": sys.argv, "cwd": os.getcwd(), "path": sys.path,
            "hash_seed": request.hash_seed, "flags": _flags(), "mode": request.mode,
            "inputs": request.inputs, "delta": request.delta, "max_derivative": request.max_derivative,
        })  # fmt: skip
        atexit.register(self.ended)
        imported, marks = world.recording(self.world)
        os._exit = self._left(os._exit)
        os.register_at_fork(after_in_child=self._forked)
        if self.world.full:
            from mlvet.runtime.provenance.outcomes import Outcomes

            self.outcomes = Outcomes(self.writer, request.delta * request.max_derivative)
        self.instrumentation = tracing_source.Instrumentation(
            self.branches, marks, request.inputs, self._sourced, outcomes=self.outcomes
        )
        tracing_source.Finder(self.instrumentation, imported).installed()

    def code(self) -> types.CodeType:
        """The code of the script, for a namespace as Python gives it to a script."""
        script = os.path.abspath(self.request.script)
        if os.path.isdir(script):
            script = os.path.join(script, "__main__.py")
        names = sys.modules["__main__"].__dict__
        names["__file__"] = script
        names["__loader__"] = SourceFileLoader("__main__", script)
        with io.open_code(script) as file:
            source = file.read()
        self.instrumentation.used("__main__", script, source)
        return self.instrumentation.code(source, script, "__main__")

    def ended(self) -> None:
        """The last thing that runs: threads have ended, and what the program registered is done."""
        if _getpid() != self._process:
            return
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        self._footer()
        self.writer.close()
        self._tell()

    def _footer(self) -> None:
        if self.outcomes is not None:
            self.outcomes.written()
        out = world_streams.written
        self.writer.write(FOOTER, {
            "how": self.how, "status": self.status, "exception": self.exception, "folds": self.branches.folds(),
            "checksum": self.branches.checksum(), "stdout_bytes": out.bytes, "stdout_crc": out.crc,
            "counts": self.world.noted,
        })  # fmt: skip

    def _tell(self) -> None:
        """Where the log is, or why there is none; the program's own output is complete by now."""
        path = os.path.relpath(self.request.output)
        shown = path if len(path) < len(self.request.output) else self.request.output
        if self.writer.failure is not None:
            words = f"{shown}: the log is incomplete: {self.writer.failure}"
        elif self.request.quiet:
            return
        else:
            inputs = "" if self.request.inputs else " --inputs 'NAME@FUNCTION'"
            words = f"log in {shown}; ask with `mlvet why {shown} --of 'NAME'{inputs}`"
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
            os.write(2, f"mlvet: {words}\n".encode(errors="backslashreplace"))

    def _left(self, real: Any) -> Any:
        def _exit(status: int) -> None:
            if _getpid() == self._process and isinstance(status, int):
                self.how, self.status = "os._exit", status
                self._footer()
                self._tell()
            real(status)

        return _exit

    def _forked(self) -> None:
        self.writer.abandon()

    def _sourced(self, module: str, file: str, source: bytes) -> None:
        known = {"module": module, "file": file, "digest": tracing_source.digest(source)}
        self.world.note("source", known, source if self.world.full else b"")


def _environment(request: Request) -> None:
    """The program, and the processes it starts, see the environment that the user has."""
    if not request.seed_is_users:
        del os.environ["PYTHONHASHSEED"]
        if (given := os.environ.pop("MLVET_PYTHONHASHSEED", None)) is not None:
            os.environ["PYTHONHASHSEED"] = given


def _as_deep_as_ever(frame: types.FrameType | None) -> None:
    """The frames below the script do not count towards the limit of recursion that the program sees."""
    below = 1 if sys.version_info < (3, 12) else 0  # there `exec` itself counts
    while frame is not None:
        below += 1
        frame = frame.f_back
    get, put = sys.getrecursionlimit, sys.setrecursionlimit

    def getrecursionlimit() -> int:
        return get() - below

    def setrecursionlimit(limit: int, /) -> None:
        put(limit + below if isinstance(limit, int) and limit > 0 else limit)

    put(get() + below)
    sys.getrecursionlimit, sys.setrecursionlimit = getrecursionlimit, setrecursionlimit


def _forget_shadowed(folder: str, ours: set[str]) -> None:
    """A module beside the script goes before one of the library, also if mlvet has loaded that already."""
    try:
        beside = {name.removesuffix(".py") for name in os.listdir(folder)}
    except OSError:
        return
    for name in ours & beside:
        module = sys.modules[name]
        if getattr(module, "__file__", None) and name not in ("__main__", "mlvet"):
            for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
                del sys.modules[each]


def _flags() -> list[str]:
    return ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []


def _status(code: object) -> int:
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def _without_mlvet(hook: Any) -> Any:
    """An excepthook that shows the lines of the program only."""

    def excepthook(kind: Any, error: BaseException, trace: Any) -> None:
        del trace
        shown = _stripped(error.__traceback__)
        hook(kind, error.with_traceback(shown), shown)

    return excepthook


def _stripped(trace: types.TracebackType | None) -> types.TracebackType | None:
    if trace is None:
        return None
    rest = _stripped(trace.tb_next)
    if trace.tb_frame.f_code.co_filename.startswith(_OURS):
        return rest
    trace.tb_next = rest
    return trace
