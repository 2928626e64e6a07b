"""What tracing costs: programs plain and traced in turn, processor time, and the size of the logs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.provenance.processes import Cost, Failed, costs, python, trace
from benchmarks.provenance.subjects import Subject, first_lines, subject
from benchmarks.table import Table

COMMAND = "python -m benchmarks.provenance --only overhead --data DIR"
ROUNDS = 15
MODES = ("default", "full")


def subjects(data: Path, folder: Path) -> Iterator[tuple[Subject, float]]:
    """Programs of at least two seconds, and the overhead that is allowed."""
    graphs, texts = data / "graphs", data / "text"
    votes, papers = graphs / "wiki-Vote.txt.gz", graphs / "cit-HepPh.txt.gz"
    yield subject("PageRank", "wiki-Vote", votes, "--iterations", 90, "--epsilon", 0), 0.05
    yield subject("PageRank", "cit-HepPh", papers, "--iterations", 15, "--epsilon", 0), 0.05
    for name in ("weighted PageRank", "visits of links", "weighted visits of links", "personalized PageRank"):
        yield subject(name, "wiki-Vote", votes, "--iterations", 100, "--epsilon", 0), 0.1
    yield subject("CollusionRank", "wiki-Vote", votes, "--iterations", 200, "--epsilon", 0), 0.1
    friends = graphs / "facebook_combined.txt.gz"
    yield subject("undirected PageRank", "facebook_combined", friends, "--iterations", 45, "--epsilon", 0), 0.1
    yield subject("SimRank", "wiki-Vote, 900 edges", votes, "--edges", 900, "--iterations", 9, "--epsilon", 0), 0.1
    yield subject("ASCOS", "wiki-Vote, 900 edges", votes, "--edges", 900, "--iterations", 30, "--epsilon", 0), 0.1
    sms = first_lines(texts / "SMSSpamCollection.gz", folder / "sms.txt", 300)
    yield subject("TextRank", "SMS, 300 messages", sms, "--iterations", 120, "--epsilon", 0), 0.1
    alarm = data / "bif" / "win95pts.bif.gz"
    yield subject("belief propagation", "win95pts", alarm, "--iterations", 600, "--epsilon", 0), 0.1
    yield subject("Gibbs sampling", "SMS, 300 messages", sms, "--iterations", 600), 0.1
    judged = texts / "SMSSpamCollection.gz"
    youtube = texts / "YouTube-Spam-Collection-v1.zip"
    yield subject("naive Bayes", "YouTube, SMS thirty times", youtube, "--test", *[judged] * 30), 0.1
    yield subject("PageRank, arrays", "cit-HepPh", papers, "--iterations", 2500, "--epsilon", 0), 0.1
    yield subject("belief propagation, arrays", "win95pts", alarm, "--iterations", 1000, "--epsilon", 0), 0.1


def measured(subject: Subject, folder: Path, rounds: int) -> dict[str, Any]:
    """Processor seconds of all runs: plain, traced, traced with a full log, in turn and in changing order."""
    logs = {mode: folder / f"{mode}.log" for mode in MODES}
    found: dict[str, list[Cost]] = {name: [] for name in ("plain", *MODES)}
    for number in range(rounds):
        order = list(found)
        for name in order[number % 3 :] + order[: number % 3]:
            if name == "plain":
                found[name].append(costs(python(subject.script, *subject.arguments)))
            else:
                logs[name].unlink(missing_ok=True)
                found[name].append(trace(subject.script, subject.arguments, logs[name], name))
    seconds = {name: [each.processor for each in every] for name, every in found.items()}
    paired = {
        mode: median(one / two for one, two in zip(seconds[mode], seconds["plain"], strict=True)) - 1 for mode in MODES
    }
    return {
        "seconds": seconds, "paired": paired,
        "overhead": {mode: median(seconds[mode]) / median(seconds["plain"]) - 1 for mode in MODES},
        "bytes": {mode: logs[mode].stat().st_size for mode in MODES},
    }  # fmt: skip


def main(data: Path, rounds: int = ROUNDS) -> Table:
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        folder = Path(place)
        for each, allowed in subjects(data, folder):
            try:
                found = measured(each, folder, rounds)
            except Failed as error:
                rows.append([each.algorithm.name, each.data, *["-"] * 6, f"NO: {str(error).strip().splitlines()[-1]}"])
                continue
            details[each.name] = found
            default, full = (found["overhead"][mode] for mode in MODES)
            rows.append(
                [each.algorithm.name, each.data, f"{median(found['seconds']['plain']):.2f} s", f"{default:+.1%}",
                 f"{found['paired']['default']:+.1%}", f"{full:+.1%}", *(_size(found["bytes"][mode]) for mode in MODES),
                 f"{'yes' if default <= allowed else 'NO'}, {allowed:.0%}"]
            )  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-overhead", "Cost of tracing", COMMAND,
        ("algorithm", "data", "plain", "`mlvet trace`", "median of pairs", "`--log full`", "log", "full log",
         "allowed"), rows,
        (f"Processor time of whole processes, start and imports included; medians of {rounds} runs of each kind, "
         "in turn and in changing order. Logs under 1 MB are asked for wiki-Vote.",),
        details,
    )  # fmt: skip


def _size(count: int) -> str:
    return f"{count / 1e3:,.0f} kB" if count < 1e6 else f"{count / 1e6:,.1f} MB"
