"""How much of real programs the interpreter knows, and what it costs.

Each file is interpreted in a worker of its own, which is killed when it takes too long. The call sites of tensor
libraries are counted from the syntax alone (call_sites.py); what is known of each comes from the interpreter.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.python.one_file import commit, levels, measure
from benchmarks.table import Table
from mlvet.core.executor import Failed, Ok
from mlvet.engine.local import LocalExecutor

LIMIT = 20.0
REASONS = 10
CALLS = 50
NOTES = (
    "Call sites: calls of functions, layers and methods of tensor libraries, counted from the syntax alone by "
    "`benchmarks/python/call_sites.py`, also in code that nothing calls. A site counts by what the interpreter saw "
    "there most often. Rank: the share of the sites whose result is a tensor, or holds tensors, with a known number "
    "of dims, among the sites whose result is not known to be something else (a module, an optimizer, None, a "
    "number, a dtype); sites that were never reached count as not known. Dims: the same with all sizes known as "
    "numbers or by names from the program or its data. Other: sites whose result is known to hold no tensor. Rank "
    "or other, dims or other: the share of all sites for which one of the two is known.",
    "Statements: the share that was interpreted at least once. Alarms: files with an operator whose demand is found to "
    "fail; most are false, since these programs run. Time: processor seconds of a fresh worker, loading "
    "of the library models included. Memory: peak resident size of the worker.",
)


def main(corpora: Mapping[str, Path], jobs: int = 2, limit: float = LIMIT) -> Table:
    """One row per corpus; the figures of each file go to the JSON file."""
    rows, remarks, details = [], list(NOTES), {}
    for name, folder in corpora.items():
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
        outcomes = run(folder, files, jobs, limit)
        rows.append([name, commit(folder), *_row(outcomes)])
        remarks += _remarks(name, outcomes)
        details[name] = outcomes
    columns = (
        "corpus", "commit", "files", "timed out", "internal errors", "incomplete", "statements", "call sites", "rank",
        "dims", "other", "rank or other", "dims or other", "paths", "nodes", "constraints", "alarms",
        "median time", "95 %", "most time", "most memory",
    )  # fmt: skip
    command = "python -m benchmarks.python --corpus NAME=PATH ..."
    return Table("python", "What is known of real programs", command, columns, rows, remarks, details)


def run(folder: Path, files: Sequence[str], jobs: int, limit: float) -> list[dict[str, Any]]:
    """The outcome of each file, in the order of the files."""
    found = {}
    work = [(str(folder), name, limit) for name in files]
    for outcome in LocalExecutor(jobs).run(alone, work):
        told = outcome.value if isinstance(outcome, Ok) else {"error": str(outcome)[:500]}
        name = outcome.job[1]
        if "sites" not in told:
            told["sites"] = levels((folder / name).read_text(encoding="utf-8", errors="replace"), {})
        found[name] = {"file": name, **told}
    return [found[name] for name in files]


def alone(job: tuple[str, str, float]) -> dict[str, Any]:
    """The measure of one file in a new worker."""
    folder, name, limit = job
    for outcome in LocalExecutor(1).run(measure, [(folder, name)], timeout=limit):
        match outcome:
            case Ok():
                return outcome.value
            case Failed():
                return {"error": outcome.error, "trace": outcome.trace.splitlines()[-12:]}
            case _:
                return {"cut": type(outcome).__name__, "cause": getattr(outcome, "cause", f"{limit:.0f} s")}
    return {"error": "no outcome"}


def sites_of(outcomes: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """How many call sites are known how well."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        for known in outcome["sites"].values():
            counts.update(known)
    return counts


def _row(outcomes: Sequence[Mapping[str, Any]]) -> list[Any]:
    done = [each for each in outcomes if "seconds" in each]
    sites = sites_of(outcomes)
    total, other = sites.total(), sites["other"]
    rank, dims = sites["dims"] + sites["rank"], sites["dims"]
    seconds = [each["seconds"] for each in done] or [0.0]
    slowest = max(done, key=lambda each: each["seconds"], default={"file": ""})
    largest = max((each["memory"] for each in done), default=0)

    def sum_of(key: str) -> int:
        return sum(int(each[key]) for each in done)

    return [
        len(outcomes), sum("cut" in each for each in outcomes), sum("error" in each for each in outcomes),
        sum(not each["complete"] for each in done), _share(sum_of("reached"), sum_of("statements")), total,
        _share(rank, total - other), _share(dims, total - other), _share(other, total), _share(rank + other, total),
        _share(dims + other, total), sum_of("paths"), sum_of("nodes"), sum_of("constraints"),
        sum(bool(each["violated"]) for each in done), f"{statistics.median(seconds):.2f} s",
        f"{sorted(seconds)[int(0.95 * len(seconds))]:.2f} s", f"{max(seconds):.1f} s ({slowest['file']})",
        f"{largest >> 20} MB",
    ]  # fmt: skip


def _remarks(name: str, outcomes: Sequence[Mapping[str, Any]]) -> list[str]:
    reasons: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for outcome in outcomes:
        reasons.update(outcome.get("unknowns", {}))
        calls.update(outcome.get("unmodelled", {}))
        files.update(outcome.get("unmodelled", {}).keys())
    ordered = sorted(calls, key=lambda call: (-files[call], -calls[call]))
    errors = [f"`{each['file']}`: {each['error']}" for each in outcomes if "error" in each]
    defects = Counter(defect for each in outcomes for defect in each.get("defects", ()))
    cut = [f"`{each['file']}` ({each['cut']}: {each['cause']})" for each in outcomes if "cut" in each]
    whys = ", ".join(f"{why} {count:,}" for why, count in reasons.most_common(REASONS))
    return [
        f"{name}, why values are unknown: {whys}.",
        f"{name}, functions without a model, with the number of files: "
        + ", ".join(f"`{call}` {files[call]}" for call in ordered[:CALLS]) + ".",
        *([f"{name}, internal errors: " + "; ".join(errors) + "."] if errors else []),
        *([f"{name}, models that failed, with the number of files: " + _counted(defects)] if defects else []),
        *([f"{name}, not finished: " + ", ".join(cut) + "."] if cut else []),
    ]  # fmt: skip


def _counted(found: Counter[str]) -> str:
    return "; ".join(f"`{each}` {count}" for each, count in found.most_common(CALLS)) + "."


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""
