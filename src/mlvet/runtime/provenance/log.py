"""The log of a run as it is read: header, events in order, checkpoints, footer. Reading executes nothing."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.provenance.log_writer import (
    CHECKPOINT,
    EVENT,
    FOOTER,
    FORMAT,
    FRAME,
    HEADER,
    MAGIC,
    OUTCOMES,
    Writer,
)

__all__ = ["Checkpoint", "Event", "Footer", "Header", "Log", "Outcomes", "Writer", "read"]


@dataclass(frozen=True, slots=True)
class Header:
    """How the program was run. `script` is absolute, `argv[0]` is as the user gave it."""

    mlvet: str
    format: int
    python: str
    platform: str
    script: str
    argv: tuple[str, ...]
    cwd: str
    path: tuple[str, ...]
    hash_seed: str
    flags: tuple[str, ...]
    mode: str
    inputs: tuple[str, ...]
    delta: float
    max_derivative: float


@dataclass(frozen=True, slots=True)
class Event:
    """Something that came from outside: `kind` names it, `data` is JSON, `raw` are its bytes (inflated)."""

    kind: str
    data: Any
    raw: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state at one fold: how many folds there were, the checksum of all branch outcomes, scalar locals."""

    fold: int
    module: str
    function: str
    line: int
    checksum: str
    values: dict[str, float]
    stdout_bytes: int
    stdout_crc: int


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The runs of outcomes of one predicate since the last record of it (`--log full`)."""

    module: str
    predicate: int
    runs: tuple[tuple[bool, int], ...]


@dataclass(frozen=True, slots=True)
class Footer:
    """How the run ended: `how` is `end`, `exit`, `exception` or `os._exit`."""

    how: str
    status: int | None
    exception: str | None
    folds: int
    checksum: str
    stdout_bytes: int
    stdout_crc: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Log:
    """A whole log, or what is whole of it. `cut` is the offset where it breaks off, None if it does not."""

    path: str
    header: Header
    events: tuple[Event, ...]
    checkpoints: tuple[Checkpoint, ...]
    outcomes: tuple[Outcomes, ...]
    footer: Footer | None
    cut: int | None
    size: int

    def of_kind(self, kind: str) -> tuple[Event, ...]:
        """The events of one kind, in order."""
        return tuple(each for each in self.events if each.kind == kind)

    @property
    def ending(self) -> str:
        """In words, how the run ended."""
        if self.footer is None:
            return "the log is cut" if self.cut is not None else "killed, or still running"
        if self.footer.how == "exception":
            return f"ended by {self.footer.exception}"
        return f"exit status {self.footer.status}"


def read(path: str | os.PathLike[str]) -> Log:
    """Read a log up to its last whole record."""
    shown = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise UsageError(f"{shown}: no such file") from None
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or error}") from error
    if not data.startswith(MAGIC):
        raise UnsupportedInput(f"{shown}: not a log of `mlvet trace`")
    header: Header | None = None
    footer: Footer | None = None
    events: list[Event] = []
    checkpoints: list[Checkpoint] = []
    outcomes: list[Outcomes] = []
    end = len(MAGIC)
    try:
        for kind, meta, raw, after in _records(data):
            if kind == HEADER:
                header = _header(shown, meta)
            elif kind == EVENT:
                events.append(Event(meta["kind"], meta.get("data"), zlib.decompress(raw) if raw else b""))
            elif kind == CHECKPOINT:
                checkpoints.append(Checkpoint(**meta))
            elif kind == OUTCOMES:
                outcomes.extend(_outcomes(meta, raw))
            elif kind == FOOTER:
                footer = Footer(**meta)
            end = after
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise UnsupportedInput(f"{shown}: damaged at byte {end}: {type(error).__name__}: {error}") from error
    if header is None:
        raise UnsupportedInput(f"{shown}: the log is cut before its first record")
    cut = end if end < len(data) else None
    return Log(shown, header, tuple(events), tuple(checkpoints), tuple(outcomes), footer, cut, len(data))


def _records(data: bytes) -> Iterator[tuple[bytes, Any, bytes, int]]:
    """The whole records with the offset after each; the first that is not whole or not sound ends them."""
    at = len(MAGIC)
    while at + FRAME.size <= len(data):
        kind, text_length, raw_length, crc = FRAME.unpack_from(data, at)
        start = at + FRAME.size
        middle, after = start + text_length, start + text_length + raw_length
        if after > len(data):
            return
        text, raw = data[start:middle], data[middle:after]
        if zlib.crc32(raw, zlib.crc32(text, zlib.crc32(kind))) != crc:
            return
        yield kind, json.loads(text), raw, after
        at = after


def _header(shown: str, meta: dict[str, Any]) -> Header:
    if meta.get("format") != FORMAT:
        raise UnsupportedInput(f"{shown}: a log of format {meta.get('format')}, this mlvet reads format {FORMAT}")
    for name in ("argv", "path", "flags", "inputs"):
        meta[name] = tuple(meta[name])
    return Header(**meta)


def _outcomes(meta: dict[str, Any], raw: bytes) -> Iterator[Outcomes]:
    from mlvet.runtime.provenance.outcomes import runs_of

    body = zlib.decompress(raw)
    for predicate, start, end in meta["parts"]:
        yield Outcomes(meta["module"], predicate, runs_of(body[start:end]))
