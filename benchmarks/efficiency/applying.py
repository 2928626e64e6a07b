"""A sample of the suggestions for public programs, applied: is the program faster or smaller, with the same results?"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.efficiency.established import difference, environment
from benchmarks.efficiency.quiet import quiet
from benchmarks.efficiency.refactoring import fix_of
from benchmarks.efficiency.repositories import Suggestion, suggestions
from benchmarks.efficiency.trials import Change, Trial, trials
from benchmarks.table import Table
from mlvet.core.fix import apply_edits

COMMAND = "python -m benchmarks.efficiency --corpora DIR --only applied"
SEED = 2020
SAMPLE = 50
FELT = 1.05
"""The ratio of time or memory from which on a suggestion counts as true."""
_UNFELT = 4.0
"""Megabytes that are not told from none."""
_LIMIT = 300.0
_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a trial: ratios of time and memory, old over new, and the greatest difference of the results."""

    by: str
    time: float
    memory: float
    difference: float
    equal: bool

    @property
    def true(self) -> bool:
        return self.equal and max(self.time, self.memory) >= FELT


def main(corpora: Path, only: Sequence[str] = ()) -> Table:
    """One row for each suggestion of the sample that can run here; the others are listed with the reason."""
    found = suggestions(corpora)
    chosen = sample(found)
    known = trials()
    rows: list[tuple[object, ...]] = []
    untried: list[str] = []
    true = 0
    for each in chosen:
        place = f"{each.corpus.name} `{each.path}:{each.line}`"
        module = known.get((each.corpus.name, each.path, each.rule, each.line))
        if only and not any(word in place for word in only):
            continue
        if module is None:
            untried.append(f"{place} {each.rule}")
            continue
        if reason := lacking(import_module(module).trial.threads):
            untried.append(f"{place} {each.rule} ({reason})")
            continue
        seen = tried(corpora, each, module)
        if isinstance(seen, str):
            rows.append((place, each.rule, "-", "-", "-", seen, "failed"))
            print(rows[-1], file=sys.stderr, flush=True)
            continue
        true += seen.true
        same = ("equal" if seen.equal else "differ") + f" ({seen.difference:.0e})"
        verdict = "true" if seen.true else "false"
        rows.append((place, each.rule, seen.by, f"{seen.time:.2f}x", f"{seen.memory:.2f}x", same, verdict))
        print(rows[-1], file=sys.stderr, flush=True)
    share = true / len(rows) if rows else 0.0
    said = [
        f"{len(chosen)} of {len(found)} suggestions, drawn with seed {SEED}; {len(rows)} could be tried, "
        f"{true} are true: {share:.0%} (asked: 85 %). True is at least {FELT}x in time or memory with equal results; "
        f"memory is what the timed part takes beyond what was there before, and {_UNFELT:.0f} MB count as nothing.",
    ]
    if untried:
        said.append(
            "Not tried, because they need data, packages or devices that are not here or not free: "
            + "; ".join(untried)
        )
    columns = ("suggestion", "rule", "applied", "time", "memory", "results", "verdict")
    return Table("efficiency-applied", "Efficiency: suggestions applied", COMMAND, columns, rows, said)


def lacking(threads: int) -> str:
    """What a trial of some threads needs and does not have here."""
    if threads > (os.cpu_count() or 1):
        return f"is suggested for {threads} cores or more"
    return "needs cores that nobody else uses" if threads > 1 and not quiet() else ""


def sample(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Those with the smallest hashes of seed and place, so that a suggestion more or less moves no other one."""
    drawn = sorted(
        found,
        key=lambda each: sha256(f"{SEED} {each.corpus.name} {each.path} {each.rule} {each.line}".encode()).digest(),
    )[:SAMPLE]
    return [each for each in found if each in drawn]


def tried(corpora: Path, suggestion: Suggestion, module: str) -> Tried | str:
    """Both versions of one program in turn, each in a process of its own.

    Time is that of the processor where one thread does all, which other work on the machine disturbs less.
    """
    trial: Trial = import_module(module).trial
    fix = fix_of(suggestion.report)
    with TemporaryDirectory() as top:
        old, new = Path(top) / "old", Path(top) / "new"
        for folder in (old, new):
            shutil.copytree(corpora / suggestion.corpus.folder, folder, symlinks=True)
        changed = new / trial.path
        text = changed.read_text(encoding="utf-8")
        if trial.changes:
            by, after = "example, by hand", replaced(text, trial.changes)
        elif fix is not None:
            by, after = "mlvet's edit", apply_edits(text, [fix])[0]
        else:
            return "neither an edit nor changes"
        changed.write_text(after, encoding="utf-8")
        figures: dict[Path, list[Mapping[str, float]]] = {old: [], new: []}
        greatest = 0.0
        try:
            for _ in range(_REPEATS):
                first, expected = _run(module, old, Path(top), trial.threads)
                second, actual = _run(module, new, Path(top), trial.threads)
                figures[old].append(first)
                figures[new].append(second)
                greatest = max(greatest, _apart(expected, actual))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return str(error)[:120]
        clock = "processor" if trial.threads == 1 else "seconds"
        ratio = {
            key: (statistics.median(each[key] for each in figures[old]) + unfelt)
            / (statistics.median(each[key] for each in figures[new]) + unfelt)
            for key, unfelt in ((clock, 0.0), ("memory", _UNFELT))
        }
        return Tried(by, ratio[clock], ratio["memory"], greatest, greatest <= trial.tolerance)


def replaced(text: str, changes: Iterable[Change]) -> str:
    """A text with some of its lines replaced."""
    lines = text.splitlines(keepends=True)
    for each in sorted(changes, key=lambda each: -each.first):
        lines[each.first - 1 : each.last] = [each.text.rstrip("\n") + "\n"] if each.text else []
    return "".join(lines)


def _run(module: str, folder: Path, top: Path, threads: int) -> tuple[Mapping[str, float], list[Any]]:
    saved = top / "results.npz"
    command = [sys.executable, "-m", "benchmarks.efficiency.trials._one", module, str(folder), str(saved)]
    done = subprocess.run(command, env=environment(threads), capture_output=True, text=True, timeout=_LIMIT)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no output"])[-1])
    with np.load(saved, allow_pickle=False) as arrays:
        return json.loads(done.stdout.strip().splitlines()[-1]), [arrays[name] for name in arrays.files]


def _apart(expected: Sequence[Any], actual: Sequence[Any]) -> float:
    if len(expected) != len(actual):
        return float("inf")
    return max((difference(*pair) for pair in zip(expected, actual, strict=True)), default=0.0)
