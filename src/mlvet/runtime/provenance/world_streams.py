"""Standard input, which is logged and replayed, and standard output, of which a running checksum is kept."""

from __future__ import annotations

import builtins
import io
import os
import sys
import zlib

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from mlvet.runtime.provenance.world import RecordingWorld, ReplayingWorld


class Written:
    """How many bytes went to standard output, and their CRC. `marks` are numbers of bytes at which the CRC is kept."""

    __slots__ = ("bytes", "crc", "kept", "marks")
    _crc32 = staticmethod(zlib.crc32)  # an attribute: names of modules are gone while the interpreter ends

    def __init__(self, marks: set[int] | None = None) -> None:
        self.bytes = 0
        self.crc = 0
        self.marks = sorted(marks or (), reverse=True)
        self.kept: dict[int, int] = {0: 0}

    def add(self, data: Any) -> None:
        view = memoryview(data)
        while self.marks and self.marks[-1] <= self.bytes + len(view):
            step = self.marks.pop() - self.bytes
            self.crc = self._crc32(view[:step], self.crc)
            self.bytes += step
            self.kept[self.bytes] = self.crc
            view = view[step:]
        self.crc = self._crc32(view, self.crc)
        self.bytes += len(view)


written = Written()
"""Of this process."""


class _Telling(io.FileIO):
    """Standard output that keeps count of what went out."""

    _counted = written

    def write(self, data: Any, /) -> int:
        done = super().write(data)
        if done:
            self._counted.add(memoryview(data).cast("B")[:done])
        return done


class _Logging(io.FileIO):
    """Standard input that logs what came in."""

    world: RecordingWorld

    def readinto(self, buffer: Any, /) -> int | None:
        size = super().readinto(buffer)
        if size:
            self.world.note("stdin", None, bytes(memoryview(buffer)[:size]))
        return size

    def readall(self) -> bytes:
        data = super().readall()
        if data:
            self.world.note("stdin", None, data)
        return data

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        data = super().read(size)
        if data:
            self.world.note("stdin", None, data)
        return data


def recorded(world: RecordingWorld) -> None:
    """Put files that log in the place of those below `sys.stdin` and `sys.stdout`."""
    stdin, stdout = sys.stdin, sys.stdout
    if isinstance(stdin, io.TextIOWrapper) and isinstance(stdin.buffer, io.BufferedReader):
        raw = _Logging(stdin.fileno(), "rb", closefd=False)
        raw.world = world
        raw.name = "<stdin>"
        sys.stdin = sys.__stdin__ = _text(stdin, io.BufferedReader(raw))  # type: ignore[misc]
        if stdin.isatty():
            builtins.input = _typed(world, builtins.input)
    if isinstance(stdout, io.TextIOWrapper) and isinstance(stdout.buffer, (io.BufferedWriter, io.FileIO)):
        out = _Telling(stdout.fileno(), "wb", closefd=False)
        out.name = "<stdout>"
        unbuffered = isinstance(stdout.buffer, io.FileIO)
        sys.stdout = sys.__stdout__ = _text(stdout, out if unbuffered else io.BufferedWriter(out))  # type: ignore[misc]


def _text(old: io.TextIOWrapper, buffer: Any) -> io.TextIOWrapper:
    newline = "\n" if os.linesep == "\n" else None
    new = io.TextIOWrapper(
        buffer, old.encoding, old.errors, newline, line_buffering=old.line_buffering, write_through=old.write_through
    )
    new.mode = old.mode  # type: ignore[misc]
    return new


def _typed(world: RecordingWorld, real: Any) -> Any:
    """`input` at a terminal reads past `sys.stdin`: its line is logged as standard input."""

    def input(prompt: object = "", /) -> str:
        line: str = real(prompt)
        written.add(str(prompt).encode(sys.stdout.encoding, "replace"))
        world.note("stdin", None, (line + "\n").encode(sys.stdin.encoding, "surrogateescape"))
        return line

    return input


class _Swallowed(io.RawIOBase):
    """Takes what a replayed program writes; standard output is counted."""

    def __init__(self, counted: Written | None, descriptor: int) -> None:
        super().__init__()
        self._counted = counted
        self._descriptor = descriptor
        self.name = f"<{'stdout' if descriptor == 1 else 'stderr'}>"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return False

    def write(self, data: Any, /) -> int:
        view = memoryview(data).cast("B")
        if self._counted is not None:
            self._counted.add(view)
        return len(view)


def replayed(world: ReplayingWorld) -> Written:
    """Standard input comes from the log, output goes nowhere; its checksum is `world.written`."""
    log = world.log
    ends = {log.footer.stdout_bytes} if log.footer else set[int]()
    counted = Written({each.stdout_bytes for each in log.checkpoints} | ends)
    data = b"".join(each.raw for each in log.of_kind("stdin"))
    replacement = (
        ("stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)), _encoding(sys.stdin))),
        ("stdout", io.TextIOWrapper(io.BufferedWriter(_Swallowed(counted, 1)), _encoding(sys.stdout))),
        ("stderr", io.TextIOWrapper(io.BufferedWriter(_Swallowed(None, 2)), _encoding(sys.stderr), "backslashreplace")),
    )
    world.patched([(sys, name, new) for name, new in replacement])
    world.patched([(sys, f"__{name}__", new) for name, new in replacement])
    world.written = counted
    return counted


def _encoding(stream: Any) -> str:
    return getattr(stream, "encoding", None) or "utf-8"
