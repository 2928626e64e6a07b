"""`mlvet shapes` of a Python program: its lines with what is known of the values that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlvet.core.source import Source
    from mlvet.frontends.python.observations import Observation
    from mlvet.frontends.python.program import Interpreted

_WIDEST_LINE = 88
_LISTED = 12


def lines(source: Source, found: Interpreted) -> Iterator[str]:
    """The program, a line at a time, and a summary."""
    beside = _beside(source, found)
    width = min(_WIDEST_LINE, max((len(source.lines[number - 1]) for number in beside), default=0))
    digits = len(str(len(source.lines)))
    for number, line in enumerate(source.lines, 1):
        said = f"{line:<{width}}  # {beside[number]}" if number in beside else line
        yield f"{number:>{digits}} | {said}".rstrip()
    yield ""
    yield from summary(source, found)


def summary(source: Source, found: Interpreted) -> Iterator[str]:
    """How much of the program is known, and what is not."""
    known = knowledge(source, found)
    tensors = known["dims"] + known["rank"] + known["tensor"]
    yield (
        f"calls: {known['dims']} yield tensors of known shape, {known['rank']} of known rank only, "
        f"{known['tensor']} of unknown rank; {known['other']} yield no tensor; {known['unknown']} are unknown"
    )
    del tensors
    yield (
        f"statements reached: {found.reached} of {found.statements}; paths: {found.paths}; "
        f"operators: {sum(1 for _ in found.graph.nodes())}; constraints: {len(found.demands)}"
    )
    if found.unknowns:
        yield "why values are unknown: " + _listed(Counter({reason.value: n for reason, n in found.unknowns.items()}))
    if found.unmodelled:
        yield "calls without a model: " + _listed(found.unmodelled)


def knowledge(source: Source, found: Interpreted) -> Counter[str]:
    """How many call sites of the file yield what is known how well."""
    sites = [seen for span, seen in found.observations.items() if span[0] == source.path and not seen.name]
    return Counter(seen.knowledge for seen in sites)


def document(source: Source, path: Path, found: Interpreted) -> dict[str, Any]:
    """The same as JSON."""
    from mlvet.frontends.python.observations import described

    values = [
        {
            "location": source.location(span[1], span[2] + 1, span[3], span[4] + 1).to_json(),
            "name": seen.name,
            "known": seen.knowledge,
            "type": described(seen.value),
        }
        for span, seen in sorted(found.observations.items())
        if span[0] == source.path
    ]
    return {
        "version": 1,
        "path": str(path),
        "values": values,
        "summary": {
            "calls": dict(knowledge(source, found)),
            "statements": found.statements,
            "reached": found.reached,
            "paths": found.paths,
            "operators": sum(1 for _ in found.graph.nodes()),
            "constraints": len(found.demands),
            "unknown": {reason.value: count for reason, count in found.unknowns.most_common()},
            "unmodelled": dict(found.unmodelled.most_common()),
            "complete": found.complete,
            "notes": found.notes,
        },
    }


def _beside(source: Source, found: Interpreted) -> dict[int, str]:
    """What to say beside each line: of the names assigned on it, else of the longest call that ends on it."""
    from mlvet.frontends.python.observations import described

    named: dict[int, dict[str, str]] = {}
    called: dict[int, tuple[int, Observation]] = {}
    for span, seen in sorted(found.observations.items()):
        path, line, column, end_line, end_column = span
        if path != source.path:
            continue
        if seen.name:
            text = described(seen.value)
            if text:
                named.setdefault(line, {})[seen.name] = text
        elif seen.knowledge != "other":
            size = (end_line - line) * 1000 + end_column - column
            if line not in called or called[line][0] < size:
                called[line] = (size, seen)
    said = {line: "; ".join(f"{name}: {text}" for name, text in names.items()) for line, names in named.items()}
    for line, (_, seen) in called.items():
        text = described(seen.value)
        if line not in said and text:
            said[line] = text
    return said


def _listed(counts: Counter[str]) -> str:
    shown = ", ".join(f"{name} ({count})" for name, count in counts.most_common(_LISTED))
    rest = len(counts) - _LISTED
    return f"{shown}{f' and {rest} more' if rest > 0 else ''}"
