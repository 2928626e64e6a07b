"""Outcomes of predicates in a full log: their runs, the operands of close comparisons, and the state there [LAMP 4.1].

A comparison is close if |left - right| <= delta * max_derivative: then a variation of an input by delta can turn it.
"""

from __future__ import annotations

import sys
import zlib

from mlvet.runtime.provenance.critical import States
from mlvet.runtime.provenance.log_writer import EVENT, OUTCOMES
from mlvet.runtime.provenance.outcomes_source import TRUTH, Predicate, mark_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mlvet.runtime.provenance.log_writer import Writer

RUNS = 1 << 16
"""So many runs of one predicate are kept in memory."""
CLOSE = 500
"""So many close comparisons of one predicate are logged with their operands."""

_COMPARISON = """
def compared(left, right):
    nonlocal last, run
    outcome = left {symbol} right
    if type(left) is float or type(right) is float:
        try:
            if low <= left - right <= high:
                close(index, left, right, outcome)
        except TypeError:
            pass
    if outcome is not True and outcome is not False:
        outcome = True if outcome else False
    if outcome is last:
        run += 1
    else:
        turned(run)
        last = outcome
        run = 1
    return outcome
"""
_TRUTH = """
def compared(value):
    nonlocal last, run
    outcome = True if value else False
    if outcome is last:
        run += 1
    else:
        turned(run)
        last = outcome
        run = 1
    return outcome
"""
_AROUND = """
def made(index, low, high, close, turned):
    last = None
    run = 0
{body}
    def taken():
        nonlocal last, run
        found = last, run
        last = None
        run = 0
        return found
    return compared, taken
"""


class Outcomes:
    """The outcomes of all predicates of a run, written at checkpoints."""

    def __init__(self, writer: Writer, margin: float) -> None:
        self._writer = writer
        self._margin = margin
        self._states = States(writer)
        self._modules: list[tuple[str, list[_Sequence]]] = []

    def marks(self, module: str, predicates: list[Predicate]) -> dict[str, object]:
        """What the marks of a module's predicates stand for."""
        places = [[each.function, each.line, each.kind] for each in predicates]
        self._writer.write(EVENT, {"kind": "predicates", "data": {"module": module, "predicates": places}})
        sequences = [_Sequence(self, module, index, each) for index, each in enumerate(predicates)]
        self._modules.append((module, sequences))
        return {mark_of(index): each.function for index, each in enumerate(sequences)}

    def close(self, module: str, index: int, sequence: _Sequence, left: Any, right: Any, outcome: Any) -> None:
        """A comparison that a small variation could turn."""
        sequence.closes += 1
        if sequence.closes > CLOSE:
            return
        data = {
            "module": module, "predicate": index, "number": sequence.closes,
            "left": float(left), "right": float(right), "outcome": bool(outcome),
        }  # fmt: skip
        state = None
        if sequence.closes & (sequence.closes - 1) == 0:
            state = self._states.of(sys._getframe(3))
        description, raw = state or (None, b"")
        self._writer.write(EVENT, {"kind": "close", "data": {**data, "state": description}}, raw)

    def written(self) -> None:
        """Everything so far goes to the log."""
        for module, sequences in self._modules:
            self.write(module, sequences)

    def write(self, module: str, sequences: list[_Sequence]) -> None:
        """The runs of some predicates of a module go to the log."""
        parts, body = [], bytearray()
        for each in sequences:
            coded = each.coded()
            if coded:
                parts.append([each.index, len(body), len(body) + len(coded)])
                body += coded
        if parts:
            self._writer.write(OUTCOMES, {"module": module, "parts": parts}, zlib.compress(bytes(body), 6))


class _Sequence:
    """The outcomes of one predicate."""

    def __init__(self, outcomes: Outcomes, module: str, index: int, predicate: Predicate) -> None:
        self.index = index
        self.closes = 0
        self._runs: list[int] = []

        def close(_: int, left: Any, right: Any, outcome: Any) -> None:
            outcomes.close(module, index, self, left, right, outcome)

        def turned(run: int) -> None:
            self._runs.append(run)
            if len(self._runs) >= RUNS:
                outcomes.write(module, [self])

        margin = outcomes._margin
        body = _TRUTH if predicate.kind == TRUTH else _COMPARISON.format(symbol=predicate.kind)
        source = _AROUND.format(body=body.replace("\n", "\n    "))
        names: dict[str, Any] = {}
        exec(compile(source, __file__, "exec"), names)
        self.function: Callable[..., bool]
        self.function, self._taken = names["made"](index, -margin, margin, close, turned)

    def coded(self) -> bytes:
        """The runs since the last time: the first outcome, then the length of each run in groups of seven bits."""
        last, run = self._taken()
        lengths = [each for each in self._runs if each]
        self._runs.clear()
        if last is None:
            if not lengths:
                return b""
            raise AssertionError("a run has an outcome")
        lengths.append(run)
        first = last if len(lengths) % 2 else not last
        found = bytearray([first])
        for each in lengths:
            while each > 127:
                found.append(each & 127 | 128)
                each >>= 7  # noqa: PLW2901
            found.append(each)
        return bytes(found)


def runs_of(coded: bytes) -> tuple[tuple[bool, int], ...]:
    """The inverse of the coding: outcomes with how often each came in a row."""
    found: list[tuple[bool, int]] = []
    outcome, length, shift = bool(coded[0]), 0, 0
    for byte in coded[1:]:
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append((outcome, length))
            outcome, length, shift = not outcome, 0, 0
    return tuple(found)
