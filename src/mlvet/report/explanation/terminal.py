"""Answers for people: a table of the inputs by share, what flips beside it, where the chain breaks, findings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from types import MappingProxyType

from mlvet.core.explanation import Explanation, Flip, Influence
from mlvet.core.source import Source
from mlvet.report.explanation.figures import SIDES, decade, figure, percent, signed
from mlvet.report.explanation.graph import INPUT, graph_of, widest_path
from mlvet.report.full import block
from mlvet.report.summary import counted
from mlvet.report.terminal import Style, one_line, paint, visible, width

_NAME = 44
_BAR = 20
_PATHS = 3
_FLIPS = 3
"""So many inputs are named for each comparison."""
_STEPS = 9


def render(
    explanations: Sequence[Explanation],
    *,
    color: bool = False,
    histogram: bool = False,
    sources: Mapping[str, Source] = MappingProxyType({}),
) -> str:
    blocks = ["\n".join(_answer(each, color, histogram)) for each in explanations]
    seen = {finding.order: finding for each in explanations for finding in each.findings}
    blocks += ["\n".join(block(each, sources.get(each.location.path), color)) for each in seen.values()]
    return "\n\n".join(blocks or ["There is nothing to explain."]) + "\n"


def _answer(explanation: Explanation, color: bool, histogram: bool) -> Iterator[str]:
    head = f"{one_line(explanation.output)} = {figure(explanation.value)}"
    yield f"{paint(head, Style.BOLD, color)}   {_extent(explanation)}"
    if explanation.influences:
        yield from _table(explanation, color)
    yield from _residual(explanation)
    yield from _paths(explanation)
    yield from _flips(explanation.flips, color)
    yield from _breaks(explanation, color)
    if histogram:
        yield from _histogram(explanation.histogram)
    yield from (f"  note: {one_line(note)}" for note in explanation.notes)


def _extent(explanation: Explanation) -> str:
    told = f"of {counted(explanation.inputs, 'input')}"
    return told if explanation.tainted is None else f"{told}; it hangs on {explanation.tainted:,} of them at all"


def _table(explanation: Explanation, color: bool) -> Iterator[str]:
    ordered = sorted(explanation.influences, key=lambda each: -each.share)
    names = [cut(each.input, _NAME) for each in ordered]
    room = max(len("input"), *map(width, names))
    rows = [
        _figures(each, sum_) for each, sum_ in zip(ordered, accumulate(each.share for each in ordered), strict=True)
    ]
    heads = ("value", "derivative", "elasticity", "share", "so far")
    rooms = [max(len(head), *(len(row[place]) for row in rows)) for place, head in enumerate(heads)]
    yield f"  {'input':{room}}  {_joined(heads, rooms)}"
    greatest = max(each.share for each in ordered)
    for each, name, row in zip(ordered, names, rows, strict=True):
        style = Style.RED if each.derivative < 0 else Style.GREEN
        drawn = paint(bar(each.share, greatest), style, color)
        yield f"  {pad(name, room)}  {_joined(row, rooms)}  {drawn}".rstrip()


def _figures(each: Influence, so_far: float) -> tuple[str, ...]:
    shares = (percent(each.share), percent(min(so_far, 1.0)))
    return (figure(each.value), signed(each.derivative), signed(each.elasticity), *shares)


def _joined(cells: Sequence[str], rooms: Sequence[int]) -> str:
    return "  ".join(f"{cell:>{room}}" for cell, room in zip(cells, rooms, strict=True))


def _residual(explanation: Explanation) -> Iterator[str]:
    left = explanation.inputs - len(explanation.influences)
    if left > 0:
        verb = "more input" if left == 1 else "more inputs"
        yield f"  and {left:,} {verb} with {percent(explanation.residual_share)} of the influence"
    elif not explanation.influences:
        yield "  It hangs on no input."


def _paths(explanation: Explanation) -> Iterator[str]:
    """The way by which the first inputs act, where it goes through other values."""
    if not explanation.links:
        return
    graph = graph_of([explanation])
    places = {vertex.name: place for place, vertex in enumerate(graph.vertices) if vertex.kind == INPUT}
    found = (widest_path(graph, places[each.input]) for each in explanation.influences[:_PATHS] if each.input in places)
    ways = [way for way in found if len(way) > 2]
    if ways:
        yield "  strongest ways:"
    for way in ways:
        names = [one_line(graph.vertices[place].name) for place in way]
        if len(names) > _STEPS:
            names = [*names[: _STEPS // 2], f"({len(names) - _STEPS + 1} more)", *names[-(_STEPS // 2) :]]
        yield f"    {' -> '.join(names)}"


def _flips(flips: Sequence[Flip], color: bool) -> Iterator[str]:
    if not flips:
        return
    yield "  comparisons that a small change turns:"
    at = sorted(flips, key=lambda each: (each.path, each.line, each.text))
    for (path, line, text), group in groupby(at, key=lambda each: (each.path, each.line, each.text)):
        nearest = sorted(group, key=lambda each: (not each.confirmed, each.distance))
        yield f"    {paint(visible(f'{path}:{line}'), Style.BOLD, color)}  {one_line(text)}".rstrip()
        for flip in nearest[:_FLIPS]:
            yield f"      {one_line(flip.input)} {SIDES.get(flip.side, '')} by {figure(flip.distance)}: {_jump(flip)}"
        if len(nearest) > _FLIPS:
            yield f"      and {counted(len(nearest) - _FLIPS, 'input')} further away"


def _jump(flip: Flip) -> str:
    how = "confirmed by a run" if flip.confirmed else "not confirmed"
    if flip.jump is None:
        return f"the other side was not run ({how})"
    return f"the output jumps by {figure(flip.jump)} ({how})" if flip.jump else f"the output stays ({how})"


def _breaks(explanation: Explanation, color: bool) -> Iterator[str]:
    if explanation.breaks:
        yield "  the chain breaks, so influence that went through here is missing:"
    for each in explanation.breaks:
        place = paint(visible(f"{each.path}:{each.line}"), Style.BOLD, color)
        yield f"    {place}  {one_line(each.what)}, {counted(each.count, 'time')}"


def _histogram(bars: Sequence[tuple[float, int]]) -> Iterator[str]:
    """Inputs by the power of ten of their share; a bar is as long as the count, in powers of ten."""
    if not bars:
        return
    yield "  inputs by share of the influence (bars in powers of ten):"
    longest = max(count for _, count in bars)
    for bound, count in bars:
        length = 0 if not count else 1 + round((_BAR - 1) * math.log10(count) / max(math.log10(longest), 1))
        yield f"    from {decade(bound):>6}  {count:>9,}  {'#' * length}".rstrip()


def bar(share: float, greatest: float) -> str:
    """As long as the share is of the greatest; what is more than nothing is seen."""
    part = share / greatest if greatest > 0 and math.isfinite(share) else 0.0
    return "#" * max(1 if share > 0 else 0, round(_BAR * min(1.0, part)))


def cut(text: str, room: int) -> str:
    """The text on one line; of a long one the end, which tells it apart."""
    shown = one_line(text)
    while width(shown) > room:
        shown = "..." + shown[-(min(len(shown) - 1, room) - 3) :]
    return shown


def pad(text: str, room: int) -> str:
    return text + " " * max(0, room - width(text))
