"""The counts of branch outcomes of a running program, its folds and checkpoints, and their comparison with a log."""

from __future__ import annotations

import sys
import types
from _blake2 import blake2b
from array import array

from mlvet.runtime.provenance.counting import COUNTS, FOLD, HIT, LENGTH, PREFIX, SUM, Site, bound, count_of, stroke_of
from mlvet.runtime.provenance.strokes import Chain

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
    from typing import Protocol, TypeVar

    from mlvet.runtime.provenance.log import Checkpoint, Log

    Collected = TypeVar("Collected", bound=Sized)

    class Course(Protocol):
        """Decides at which folds there are checkpoints, and takes them."""

        def wants(self, fold: int) -> bool:
            """Whether the fold is a checkpoint; asked once `due` is reached."""

        def take(self, point: Point) -> None:
            """A checkpoint is made."""

        def due(self, fold: int) -> int:
            """The number of the fold at which to ask again."""


LARGEST_VALUES = 64
NEVER = sys.maxsize


class Counts:
    """The counts of one module, an attribute each, which is quickest.

    `tallied` are those that calls count, `chains` those of local variables, by their indices.
    """

    __slots__ = ("chains", "tallied")

    def __init__(self, sites: Sequence[Site]) -> None:
        self.tallied = [0] * len(sites)
        self.chains = {index: Chain() for index, each in enumerate(sites) if each.local}
        for index in range(len(sites)):
            setattr(self, count_of(index), 0.0)

    def __iter__(self) -> Iterator[int]:
        for index, tallied in enumerate(self.tallied):
            chain = self.chains.get(index)
            yield int(getattr(self, count_of(index))) + tallied + (chain.passed() if chain else 0)


def counts(sites: Sequence[Site]) -> Counts:
    """The counts of these sites, all 0."""
    kind = type("Counts", (Counts,), {"__slots__": tuple(map(count_of, range(len(sites))))})
    found: Counts = kind(sites)
    return found


class Point:
    """One checkpoint while the program stands at it."""

    __slots__ = ("checksum", "fold", "function", "line", "module", "values")

    def __init__(self, fold: int, frame: types.FrameType | None, checksum: str) -> None:
        self.fold = fold
        self.checksum = checksum
        self.module = str(frame.f_globals.get("__name__")) if frame else ""
        self.function = frame.f_code.co_qualname if frame else ""
        self.line = frame.f_lineno if frame else 0
        self.values = scalars(frame) if frame else {}


class Branches:
    """The counts of all instrumented modules. `fold` is called by the program at iterations of outermost loops."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.modules: dict[str, Counts] = {}
        self.sites: dict[str, list[Site]] = {}
        self.fold, self.folds = _folding(self)

    def attached(
        self, code: types.CodeType, module: str, sites: list[Site], marks: Mapping[str, object] | None = None
    ) -> types.CodeType:
        """The code of a counted module, joined to the counts and to what other marks stand for."""
        own = self.modules[module] = counts(sites)
        self.sites[module] = sites
        tallied = own.tallied

        def hit(index: int) -> bool:
            tallied[index] += 1
            return True

        def length(index: int, made: Collected) -> Collected:
            tallied[index] += len(made)
            return made

        first = {stroke_of(index): chain.first for index, chain in own.chains.items()}
        return bound(code, {**(marks or {}), **first, COUNTS: own, HIT: hit, LENGTH: length, FOLD: self.fold})

    def checksum(self, frame: types.FrameType | None = None) -> str:
        """Of all counts, and of those that the function at hand still holds in local variables."""
        found = blake2b(digest_size=8)
        for name in sorted(self.modules):
            found.update(name.encode(errors="surrogatepass"))
            found.update(array("q", self.modules[name]).tobytes())
        if frame is not None and frame.f_code.co_name != "<module>":
            for name, value in sorted(frame.f_locals.items()):
                if name.startswith(PREFIX):
                    found.update(f"{name}{value.number}".encode())
        return found.hexdigest()

    def checkpoint(self, frame: types.FrameType | None) -> None:
        """Take a checkpoint of the frame now."""
        self.course.take(Point(self.folds(), frame, self.checksum(frame)))


def _folding(branches: Branches) -> tuple[Callable[[], None], Callable[[], int]]:
    """The function that counts folds, made of a closure because it is called often, and the number so far."""
    folds = 0
    due = 1

    def fold() -> None:
        nonlocal folds, due
        folds += 1
        if folds >= due:
            if branches.course.wants(folds):
                branches.checkpoint(sys._getframe(1))
            due = branches.course.due(folds)

    return fold, lambda: folds


def scalars(frame: types.FrameType) -> dict[str, float]:
    """The local variables, or those of the module, that are single numbers of a plain type."""
    found: dict[str, float] = {}
    held = frame.f_locals
    sums = {name[len(SUM) : -2]: value for name, value in held.items() if name.startswith(SUM)}
    gathered = {name: value for name, value in sums.items() if value is not None}
    for name, value in {**held, **gathered}.items() if gathered else held.items():
        if (type(value) is float or (type(value) is int and -(2**63) <= value < 2**63)) and not name.startswith(
            (PREFIX, SUM)
        ):
            found[name] = value
            if len(found) == LARGEST_VALUES:
                break
    return found


class Difference:
    """Where a replay left the path of the log, in words."""

    __slots__ = ("checkpoint", "words")

    def __init__(self, checkpoint: Checkpoint, words: str) -> None:
        self.checkpoint = checkpoint
        self.words = words


class EndOfLog(BaseException):
    """The log of a run that did not end has nothing further: a replay stops where it was last seen."""


class Verification:
    """The course of a replay: a checkpoint wherever the log has one, compared with it."""

    def __init__(self, log: Log) -> None:
        self._waiting = list(reversed(log.checkpoints))
        self._log = log
        self.agreed = 0
        self.difference: Difference | None = None

    def wants(self, fold: int) -> bool:
        while self._waiting and self._waiting[-1].fold < fold:
            self._waiting.pop()
        return bool(self._waiting) and self._waiting[-1].fold == fold

    def due(self, fold: int) -> int:
        del fold
        return self._waiting[-1].fold if self._waiting else NEVER

    def take(self, point: Point) -> None:
        expected = self._waiting.pop()
        if self.difference is None:
            words = _difference(expected, point)
            if words is None:
                self.agreed += 1
            else:
                self.difference = Difference(expected, words)
        if not self._waiting and self._log.footer is None:
            raise EndOfLog

    def ended(self, branches: Branches) -> Difference | None:
        """The first difference, the end of the run included."""
        footer = self._log.footer
        if self.difference is None and footer is not None and self._log.checkpoints:
            last = self._log.checkpoints[-1]
            if branches.folds() != footer.folds:
                words = f"the replay folds {branches.folds()} times, the traced run {footer.folds} times"
                self.difference = Difference(last, words)
            elif branches.checksum() != footer.checksum:
                self.difference = Difference(last, f"branches differ after {last.function}, line {last.line}")
        return self.difference


def _difference(expected: Checkpoint, point: Point) -> str | None:
    place = f"{expected.module}, {expected.function}, line {expected.line}"
    if (point.module, point.function, point.line) != (expected.module, expected.function, expected.line):
        return f"at fold {expected.fold} the traced run was at {place}, the replay is at {point.function}:{point.line}"
    if point.checksum != expected.checksum:
        return f"branches before {place} (fold {expected.fold}) went other ways than in the traced run"
    for name, value in expected.values.items():
        other = point.values.get(name)
        if other is not None and other != value and not (value != value and other != other):
            return f"at {place} (fold {expected.fold}) {name} is {other!r}, in the traced run it was {value!r}"
    return None
