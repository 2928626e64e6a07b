"""Executes the corpus: every buggy model must fail where it is said to, and nowhere else; no sound one may fail.

python -m benchmarks.numerics.corpus [FORM or part of a NAME ...]
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.numerics.corpus import FORMS, Case, cases, safe_cases
from benchmarks.numerics.corpus.execution import Failures, failures, runnable
from benchmarks.numerics.corpus.points import given, points
from mlvet.frontends.models import read_model
from mlvet.ir.graph import OPAQUE, Graph

POINTS = 300


def main(*wanted: str) -> int:
    """Print a line for each thing that is not so, and the size of the corpus."""
    forms = [form for form in FORMS if form in wanted] or FORMS
    words = [word for word in wanted if word not in FORMS]
    chosen = [*cases(forms), *safe_cases(forms)]
    chosen = [case for case in chosen if not words or any(word in case.name for word in words)]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen:
            for complaint in complaints(case, Path(folder)):
                wrong += 1
                print(f"{case.name}: {complaint}")
    counts = Counter((case.form, "buggy" if case.buggy else "fixed" if case.twin else "safe") for case in chosen)
    for (form, kind), count in sorted(counts.items()):
        print(f"{form:12} {kind:6} {count}")
    print(f"{len({case.family for case in chosen})} families, {wrong} complaints")
    return 1 if wrong else 0


def complaints(case: Case, folder: Path) -> list[str]:
    """What is claimed of a case and is not so."""
    path = case.build(folder)
    graph = read_model(path, path.name)
    names = {node.name for node in graph.nodes()}
    found = [f"{node.source_op} is not read" for node in graph.nodes() if node.op == OPAQUE]
    found += [f"there is no node {name}" for name in sorted((case.nodes | case.follow | case.guarded) - names)]
    found += [f"there is no input {name}" for name in case.ranges if name not in {v.name for v in graph.inputs}]
    if found:
        return [*found, f"nodes are {sorted(names)}"]
    seen = list(_executed(case, runnable(graph)))
    return _of_buggy(case, seen) if case.buggy else _of_sound(case, seen)


def _executed(case: Case, graph: Graph) -> list[Failures]:
    stated = given(graph, case.witness(), case.ranges) if case.witness else ()
    return [failures(graph, point) for point in (*stated, *points(graph, case.ranges, POINTS))]


def _of_buggy(case: Case, seen: list[Failures]) -> list[str]:
    values = frozenset[str]().union(*(failure.fresh for failure in seen))
    gradients = frozenset[str]().union(*(failure.gradient for failure in seen))
    claimed = case.nodes | case.follow
    missing = case.nodes - (gradients if case.backward else values)
    missing |= case.follow - values - gradients
    found = [f"no input was found that breaks {name}" for name in sorted(missing)]
    return found + [f"{name} breaks too" for name in sorted((values | gradients) - claimed)]


def _of_sound(case: Case, seen: list[Failures]) -> list[str]:
    found = set()
    for failure in seen:
        found |= {f"{name} breaks" for name in failure.fresh - case.guarded}
        found |= {f"the gradient of {name} breaks" for name in failure.gradient}
        found |= {f"{name} is broken by what {sorted(failure.fresh)} did" for name in failure.passed - case.guarded}
    return sorted(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
