"""What the efficiency analysis costs on top of reading a program, and how clingo's time grows with the graph."""

from __future__ import annotations

import time
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


def main() -> Table:
    """CPU seconds of the program alone and of the analysis, for the paper's programs and for growing ones."""
    rows: list[tuple[object, ...]] = []
    own = [_timed(file) for file in sorted(PROGRAMS.glob("*.py"))]
    reading, analysis, _ = zip(*own, strict=True)
    rows.append(("16 programs of the paper, median", f"{median(reading):.2f}", f"{median(analysis):.2f}", "1"))
    rows.append(("16 programs of the paper, largest", f"{max(reading):.2f}", f"{max(analysis):.2f}", "1"))
    with TemporaryDirectory() as folder:
        for count in (100, 1_000, 10_000):
            file = Path(folder) / f"chain{count}.py"
            file.write_text(_chain(count), encoding="utf-8")
            read, vetted, nodes = _timed(file)
            rows.append((f"one loop of {count:,} operators ({nodes:,} nodes)", f"{read:.2f}", f"{vetted:.2f}", ""))
    columns = ("program", "reading, CPU s", "analysis on top, CPU s", "asked for at most")
    remarks = ("HARP: 973 ms on its programs.",)
    return Table("efficiency-time", "Efficiency: time", COMMAND, columns, rows, remarks)


def _chain(count: int) -> str:
    lines = ["import torch", "", "w = torch.randn(64, 64)", "x = torch.randn(8, 64)", "bias = torch.zeros(64)"]
    lines.append("for step in range(100):")
    for index in range(count // _PER_ROUND):
        lines += [f"    h{index} = torch.relu(x @ w + bias)", f"    x = torch.tanh(h{index})"]
    return "\n".join(lines) + "\n"


def _timed(file: Path) -> tuple[float, float, int]:
    source = Source(file.name, file.read_text(encoding="utf-8"))
    interpret(source, file, file.parent)
    started = time.process_time()
    interpret(source, file, file.parent)
    read = time.process_time() - started
    started = time.process_time()
    taken = outline(source)
    assert taken is not None
    found = interpret(source, file, file.parent, hosting=True, watched=taken.watched)
    vet(taken, found.host, found.graph, found.demanded, catalogue(), EfficiencyRequest())
    return read, max(0.0, time.process_time() - started - read), sum(1 for _ in found.graph.nodes())
