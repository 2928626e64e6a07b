"""Two runs compared, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mlvet import __version__
from mlvet.core.difference import Change, Difference
from mlvet.core.finding import Finding
from mlvet.report.explanation.figures import figure, percent, signed
from mlvet.report.explanation.json_document import SCHEMA_VERSION
from mlvet.report.explanation.terminal import bar, cut, pad
from mlvet.report.strict_json import dumps
from mlvet.report.summary import counted
from mlvet.report.terminal import Style, one_line, paint, width

_NAME = 44


def terminal(differences: Sequence[Difference], *, top: int = 20, color: bool = False) -> str:
    """A table for each output: its inputs by what of the change is attributed to them, and the rest."""
    blocks = ["\n".join(_answer(each, top, color)) for each in differences]
    return "\n\n".join(blocks or ["There is nothing to compare."]) + "\n"


def json_document(differences: Sequence[Difference]) -> str:
    """One object for one output, a list in `differences` for several."""
    head = {"version": SCHEMA_VERSION, "mlvet": __version__}
    if len(differences) == 1:
        return dumps({**head, **_document(differences[0])}) + "\n"
    return dumps({**head, "differences": [_document(each) for each in differences]}) + "\n"


def _document(difference: Difference) -> dict[str, Any]:
    return {
        "output": difference.output,
        "before": difference.before,
        "after": difference.after,
        "change": difference.change,
        "changes": [{**asdict(each), "kind": each.kind} for each in difference.changes],
        "rest": difference.rest,
        "same": difference.same,
        "unlisted": difference.unlisted,
        "new_findings": [each.to_json() for each in difference.new],
        "gone_findings": [each.to_json() for each in difference.gone],
    }


def _answer(difference: Difference, top: int, color: bool) -> Iterator[str]:
    head = f"{one_line(difference.output)}: {figure(difference.before)} -> {figure(difference.after)}"
    yield f"{paint(head, Style.BOLD, color)}   {_extent(difference)}"
    shown, left = difference.changes[:top], difference.changes[top:]
    if shown:
        yield from _table(shown, difference.change, color)
    if left:
        known = sum(each.attributed or 0.0 for each in left)
        yield f"  and {counted(len(left), 'more changed input')} with {signed(known)} together"
    yield f"  not explained by the inputs' changes to first order: {signed(difference.rest)}"
    if abs(difference.rest) > abs(difference.change) / 2 > 0:
        yield "  note: that is more than half of it; a branch was taken otherwise, or the program is another"
    if difference.unlisted:
        yield f"  note: {counted(difference.unlisted, 'input')} listed for one of the runs only"
    yield from _findings("new finding", difference.new, color)
    yield from _findings("gone finding", difference.gone, color)


def _extent(difference: Difference) -> str:
    kinds = [each.kind for each in difference.changes]
    counts = [f"{kinds.count(kind):,} {kind}" for kind in ("changed", "added", "removed") if kind in kinds]
    told = ", ".join(counts) or "no input changed"
    return f"{signed(difference.change)}; inputs: {told}, {difference.same:,} the same"


def _table(changes: Sequence[Change], whole: float, color: bool) -> Iterator[str]:
    names = [cut(each.input, _NAME) for each in changes]
    room = max(len("input"), *map(width, names))
    rows = [(_side(each.before), _side(each.after), _share(each, whole)) for each in changes]
    made = ["?" if each.attributed is None else signed(each.attributed) for each in changes]
    heads = ("before", "after", "makes", "of it")
    cells = [(old, new, part, share) for (old, new, share), part in zip(rows, made, strict=True)]
    rooms = [max(len(head), *(len(row[place]) for row in cells)) for place, head in enumerate(heads)]
    yield f"  {'input':{room}}  {'  '.join(f'{head:>{wide}}' for head, wide in zip(heads, rooms, strict=True))}"
    greatest = max(abs(each.attributed or 0.0) for each in changes)
    for each, name, row in zip(changes, names, cells, strict=True):
        style = Style.RED if (each.attributed or 0.0) < 0 else Style.GREEN
        drawn = paint(bar(abs(each.attributed or 0.0), greatest), style, color)
        figures = "  ".join(f"{cell:>{wide}}" for cell, wide in zip(row, rooms, strict=True))
        yield f"  {pad(name, room)}  {figures}  {drawn}".rstrip()


def _side(value: float | None) -> str:
    return "-" if value is None else figure(value)


def _share(change: Change, whole: float) -> str:
    if change.attributed is None or not whole:
        return ""
    part = change.attributed / whole
    return percent(part) if part >= 0 else f"-{percent(-part)}"


def _findings(label: str, found: Sequence[Finding], color: bool) -> Iterator[str]:
    for each in found:
        name = paint(f"{label} {one_line(each.rule)}", Style.YELLOW, color)
        yield f"  {name}: {one_line(each.message)}"
