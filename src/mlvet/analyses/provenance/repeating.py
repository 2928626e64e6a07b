"""Many runs of one program, each with some inputs moved: processes forked from one that has imported the libraries."""

from __future__ import annotations

import ast
import importlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

from mlvet.analyses.provenance.explaining import answered
from mlvet.analyses.provenance.question import Question
from mlvet.runtime.provenance.log import Log, read

BUDGET = 40.0
"""Seconds of processor time that all runs together may take."""
_WIDTH = 2
_FORKED = frozenset(("scipy", "pandas", "networkx", "sklearn"))
"""Libraries that may be imported before a process is forked: they start no threads of their own by that."""

Values = dict[str, float] | None


def repeated(question: Question) -> list[Values]:
    """The outputs for each set of moves; None where the program does not come to its end with them.

    The first run moves nothing: by its time the others are reckoned, and if they would take too long none is made.
    """
    _import(read(question.log))
    began = time.monotonic()
    first = _values([{}], question)[0]
    seconds = time.monotonic() - began
    if first is None or seconds * len(question.moves) > BUDGET:
        return [first]
    return [first, *_values(list(question.moves), question)]


def _values(moves: list[dict[str, float]], question: Question) -> list[Values]:
    found: list[Values] = []
    for start in range(0, len(moves), _WIDTH):
        children = [_started(each, question) for each in moves[start : start + _WIDTH]]
        found += [_read(*each) for each in children]
    return found


def _started(moved: dict[str, float], question: Question) -> tuple[int, int]:
    source, target = os.pipe()
    leave, write = os._exit, os.write
    child = os.fork()
    if child:
        os.close(target)
        return child, source
    try:
        signal.alarm(int(BUDGET) + 1)
        asked = replace(question, moves=(), changed={**question.changed, **moved}, delta=None)
        rest = pickle.dumps(answered(asked).values)
        while rest:
            rest = rest[write(target, rest) :]
    finally:
        leave(0)


def _read(child: int, source: int) -> Values:
    with os.fdopen(source, "rb") as pipe:
        content = pipe.read()
    os.waitpid(child, 0)
    values: Values = pickle.loads(content) if content else None
    return values


def _import(log: Log) -> None:
    """Import what the program's own modules name of such libraries."""
    before = sys.path[:]
    for name in sorted(set(_named(log))):
        try:
            if name.partition(".")[0] in _FORKED and find_spec(name) is not None:
                importlib.import_module(name)
        except ImportError:
            continue
    sys.path[:] = before


def _named(log: Log) -> Iterator[str]:
    for each in log.of_kind("source"):
        try:
            with open(each.data["file"], "rb") as file:
                tree = ast.parse(each.raw or file.read())
        except (OSError, SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (one.name for one in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module
                yield from (f"{node.module}.{one.name}" for one in node.names)
