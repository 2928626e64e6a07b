"""The first version of a package with which a finding comes or goes: comparisons of one model, halving the versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlvet.analyses.compare.comparison import Comparison, Progress, compare
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.telling import findings
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.package_versions import NotInstalled, between, folder_of, versions


@dataclass(frozen=True, slots=True)
class Cause:
    """What makes a finding the same one with another version: rule, backend to blame, and kind of layer."""

    rule: str
    blamed: str
    kind: str

    def __str__(self) -> str:
        of = f" of {self.kind}" if self.kind else ""
        return f"{self.rule}{of} on `{self.blamed}`" if self.blamed else f"{self.rule}{of}"


@dataclass(frozen=True, slots=True)
class Turn:
    """Between which two versions, with nothing tried between them, a cause comes or goes."""

    cause: Cause
    comes: bool
    before: str
    after: str
    skipped: tuple[str, ...] = ()

    def told(self, package: str) -> str:
        verb = "comes" if self.comes else "goes"
        if self.skipped:
            return f"{self.cause} {verb} between {package} {self.before} and {self.after}, of which none could be tried"
        return f"{self.cause} {verb} with {package} {self.after}; {self.before} is the last version before"


@dataclass(slots=True)
class Bisection:
    """What was found out: `shown` is the comparison with a version that has the finding, or with the last one."""

    package: str
    shown: Comparison
    turns: list[Turn] = field(default_factory=list)
    tried: dict[str, frozenset[Cause]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def bisect(request: CompareRequest, package: str, first: str, last: str, progress: Progress) -> Bisection:
    """Compare with the first and the last version, then look for where each finding that one lacks comes or goes."""
    known = between(versions(package), package, first, last)
    trials = _Trials(request, package, progress)
    ends = [trials.causes(each) for each in (first, last)]
    for version, end in zip((first, last), ends, strict=True):
        if end is None:
            raise UnsupportedInput(f"{request.shown}: {package} {version}: {trials.skipped[version]}")
    old, new = (end or frozenset() for end in ends)
    turns = []
    for cause in sorted(old ^ new, key=str):
        turns.append(_turn(cause, known, trials.causes))
    shown = first if old and not new else last
    return Bisection(package, trials.comparisons[shown], turns, trials.tried, trials.skipped)


def told_of(found: Bisection) -> list[str]:
    """What is told to a person."""
    lines = [turn.told(found.package) for turn in found.turns]
    if not lines:
        lines = [f"the findings are the same with the first and the last version of {found.package}"]
    lines.append(f"tried {found.package} {', '.join(found.tried)}")
    return [*lines, *(f"not tried: {found.package} {version}: {why}" for version, why in found.skipped.items())]


def data_of(found: Bisection | None) -> dict[str, Any]:
    """What the machine-readable report holds; nothing if there was no bisection."""
    if found is None:
        return {}
    turns = [
        {"rule": turn.cause.rule, "blamed": turn.cause.blamed, "kind": turn.cause.kind, "comes": turn.comes,
         "before": turn.before, "after": turn.after, "untried_between": list(turn.skipped)}
        for turn in found.turns
    ]  # fmt: skip
    tried = {version: sorted(map(str, causes)) for version, causes in found.tried.items()}
    return {"bisection": {"package": found.package, "turns": turns, "tried": tried, "skipped": found.skipped}}


def turning_point(known: Sequence[str], has: Callable[[str], bool | None]) -> tuple[str, str, tuple[str, ...]]:
    """The neighbours between which `has` turns, by halving; versions of which it knows nothing are passed over.

    The two ends must differ. What could not be tried between the neighbours is told as well.
    """
    low, high = 0, len(known) - 1
    start = has(known[low])
    unknown: set[int] = set()
    while True:
        open_ones = [index for index in range(low + 1, high) if index not in unknown]
        if not open_ones:
            break
        middle = min(open_ones, key=lambda index: abs(2 * index - low - high))
        found = has(known[middle])
        if found is None:
            unknown.add(middle)
        elif found == start:
            low = middle
        else:
            high = middle
    return known[low], known[high], tuple(known[index] for index in sorted(unknown) if low < index < high)


def _turn(cause: Cause, known: Sequence[str], causes: Callable[[str], frozenset[Cause] | None]) -> Turn:
    def has(version: str) -> bool | None:
        found = causes(version)
        return None if found is None else cause in found

    before, after, skipped = turning_point(known, has)
    return Turn(cause, bool(has(after)), before, after, skipped)


class _Trials:
    """One comparison for each version that is asked for, made once."""

    def __init__(self, request: CompareRequest, package: str, progress: Progress) -> None:
        self.request = request
        self.package = package
        self.progress = progress
        self.tried: dict[str, frozenset[Cause]] = {}
        self.skipped: dict[str, str] = {}
        self.comparisons: dict[str, Comparison] = {}

    def causes(self, version: str) -> frozenset[Cause] | None:
        """The causes of findings with a version; None if it cannot be installed or does not take the model."""
        if version not in self.tried and version not in self.skipped:
            self._try(version)
        return self.tried.get(version)

    def _try(self, version: str) -> None:
        title = f"{self.package} {version}"
        self.progress(f"installing {title}", 0, 1)
        try:
            overlay = folder_of(self.package, version)
            found = compare(
                replace(self.request, overlay=str(overlay)),
                lambda what, done, of: self.progress(f"{title}: {what}", done, of),
            )
        except NotInstalled as error:
            self.skipped[version] = f"cannot be installed: {error}"
            return
        except UnsupportedInput as error:
            self.skipped[version] = str(error).removeprefix(f"{self.request.shown}: ")
            return
        lost = [each for each in found.refusals if each.failure.kind not in ("crash", "death", "hang")]
        if lost:
            self.skipped[version] = f"{lost[0].backend}: {lost[0].failure.words}"
            return
        self.tried[version] = frozenset(
            Cause(each.rule, str(data.get("blamed") or ""), str(data.get("kind") or ""))
            for each in findings(found, self.request.shown)
            if (data := each.evidence.data if each.evidence else {}) is not None
        )
        self.comparisons[version] = found
