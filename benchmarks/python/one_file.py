"""What the interpreter makes of one program, measured in the process at hand."""

from __future__ import annotations

import os
import re
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.python.call_sites import Span, call_sites

_DEFECT = re.compile(r": (?:\w+\.)*\w+(?:Error|Exception): ")
"""How a refusal reads that comes of an exception in a library model."""
LEVELS = ("dims", "rank", "tensor", "other", "unknown", "unreached")
"""What is known of a call site: all sizes, the rank, that it is a tensor, that it is none; nothing; never evaluated."""


def measure(job: tuple[str, str]) -> dict[str, Any]:
    """Figures of the program of a name in a folder; time and memory count from the start of the process."""
    from mlvet.core.source import Source
    from mlvet.frontends.python.program import interpret

    folder, name = job
    path = Path(folder, name)
    text = path.read_bytes().decode("utf-8", "replace")
    found = interpret(Source(name, text), path, Path(folder))
    seconds = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    spans = {span[1:]: seen for span, seen in found.observations.items() if span[0] == name}
    violated = [demand for demand in found.demands if demand.constraint.decided is False]
    return {
        "file": name,
        "lines": text.count("\n"),
        "seconds": round(seconds, 3),
        "memory": peak,
        "statements": found.statements,
        "reached": found.reached,
        "complete": found.complete,
        "paths": found.paths,
        "steps": found.steps,
        "nodes": sum(1 for _ in found.graph.nodes()),
        "constraints": len(found.demands),
        "violated": [f"{demand.node.location}: {demand.constraint.because}" for demand in violated[:5]],
        "raised": str(found.raised or "")[:200],
        "unknowns": {reason.value: count for reason, count in found.unknowns.items()},
        "unmodelled": dict(found.unmodelled.most_common(200)),
        "refusals": found.refusals[:20],
        "defects": sorted({each for each in found.refusals if _DEFECT.search(each)})[:20],
        "libraries": dict(found.libraries),
        "sites": levels(text, spans),
        "notes": found.notes[:5],
    }


def levels(text: str, seen: dict[Span, Any]) -> dict[str, dict[str, int]]:
    """How many call sites of each kind are known how well."""
    counts: dict[str, Counter[str]] = {}
    try:
        sites = call_sites(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    for site in sites:
        known = seen[site.span].knowledge if site.span in seen else "unreached"
        counts.setdefault(site.kind, Counter())[known] += 1
    return {kind: dict(known) for kind, known in counts.items()}


def commit(folder: Path) -> str:
    """The commit of a checkout, empty if it is none; a file `COMMIT` beside it counts too."""
    import subprocess

    done = subprocess.run(
        ["git", "-C", os.fspath(folder), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    return done.stdout.strip() if done.returncode == 0 else ""
