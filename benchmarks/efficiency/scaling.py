"""What the efficiency analysis costs on top of reading a program, and how clingo's time grows with the graph."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.efficiency.judging import PROGRAMS
from benchmarks.table import Table
from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.efficiency.analysis import outline, vet
from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.source import Source
from mlvet.frontends.python.program import interpret

COMMAND = "python -m benchmarks.efficiency --only time"
_PER_ROUND = 4
_LOOP = "for step in range(100):"
_BEFORE = ("import torch", "w = torch.randn(64, 64)", "x = torch.randn(8, 64)", "bias = torch.zeros(64)")


def main() -> Table:
    """CPU seconds of the program alone and of the analysis, for the paper's programs and for growing ones."""
    rows: list[tuple[object, ...]] = []
    own = [_timed(file) for file in sorted(PROGRAMS.glob("*.py"))]
    reading, analysis, reasoning, _ = zip(*own, strict=True)
    for word, of in (("median", median), ("largest", max)):
        seconds = (f"{of(each):.2f}" for each in (reading, analysis, reasoning))
        rows.append((f"16 programs of the paper, {word}", *seconds, "1"))
    with TemporaryDirectory() as folder:
        for name, text in _growing():
            file = Path(folder) / "growing.py"
            file.write_text(text, encoding="utf-8")
            *seconds, nodes = _timed(file)
            rows.append((f"{name} ({nodes:,} nodes)", *(f"{each:.2f}" for each in seconds), ""))
    columns = ("program", "reading, CPU s", "analysis on top, CPU s", "of that clingo, CPU s", "asked for at most")
    remarks = ("HARP: 973 ms on its programs.",)
    return Table("efficiency-time", "Efficiency: time", COMMAND, columns, rows, remarks)


def _growing() -> Iterator[tuple[str, str]]:
    """Programs of a few forms that grow, by what they are."""
    for count in (100, 1_000, 10_000):
        yield f"one loop of {count:,} operators", _program([_LOOP, *_rounds(count)])
    for count in (1_000, 10_000):
        yield f"{count:,} operators outside of loops", _program(each.strip() for each in _rounds(count))
    for count in (1_000, 10_000):
        lines = []
        for function in range(100):
            lines += [f"def f{function}(x):", *_rounds(count // 100), "    return x"]
        lines += [_LOOP, *(f"    x = f{function}(x)" for function in range(100))]
        yield f"a loop that calls 100 functions, {count:,} operators in all", _program(lines)
    for count in (100, 1_000):
        tensors = [f"w{index} = torch.randn(64, 64)" for index in range(count)]
        loop = [_LOOP, *(f"    x = x + (w{index} @ w{index})[:8]" for index in range(count))]
        yield f"a loop with {count:,} suggestions", _program([*tensors, *loop])
    for count in (30, 100, 300):
        loop = [f"    x = x + (w @ w)[:8] * config.a{index}; thing.log(w)" for index in range(count)]
        unknown = "from elsewhere import config, thing"
        yield f"{count:,} suggestions that rest on {count:,} cases each", _program([unknown, _LOOP, *loop])


def _program(lines: Iterable[str]) -> str:
    return "\n".join((*_BEFORE, *lines)) + "\n"


def _rounds(count: int) -> list[str]:
    return [
        line
        for index in range(count // _PER_ROUND)
        for line in (f"    h{index} = torch.relu(x @ w + bias)", f"    x = torch.tanh(h{index})")
    ]


def _timed(file: Path) -> tuple[float, float, float, int]:
    source = Source(file.name, file.read_text(encoding="utf-8"))
    interpret(source, file, file.parent)
    started = time.process_time()
    interpret(source, file, file.parent)
    read = time.process_time() - started
    started = time.process_time()
    taken = outline(source)
    assert taken is not None
    found = interpret(source, file, file.parent, hosting=True, watched=taken.watched)
    outcome = vet(taken, found.host, found.graph, found.demanded, catalogue(), EfficiencyRequest())
    seconds = max(0.0, time.process_time() - started - read)
    return read, seconds, outcome.reasoning, sum(1 for _ in found.graph.nodes())
