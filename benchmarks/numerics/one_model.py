"""Analyses one file and prints operators, processor seconds, alarms and peak memory before and after as JSON.

python -m benchmarks.numerics.one_model FILE [NAME=LOW:HIGH ...]
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from mlvet.analyses.numerics.analysis import analyse
from mlvet.analyses.numerics.assumptions.ranges import Given, assumed_ranges
from mlvet.analyses.shapes.inference import infer
from mlvet.cli.numerics import read_range
from mlvet.frontends.models import read_model


def peak() -> int:
    """The largest resident size up to now in bytes; `getrusage` would count the process that started this one too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def main(path: Path, *ranges: str) -> None:
    graph = read_model(path, path.name)
    inference = infer(graph)
    assumed = assumed_ranges(graph, inference, Given(dict(map(read_range, ranges))))
    before, start = peak(), time.thread_time()
    analysis = analyse(graph, inference, assumed)
    seconds = time.thread_time() - start
    operators = sum(1 for _ in graph.nodes())
    told = {"operators": operators, "seconds": seconds, "alarms": len(analysis.hazards)}
    print(json.dumps({**told, "before": before, "after": peak()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
