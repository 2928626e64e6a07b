"""A localization map as lines of text: one for each layer in order, what is dull folded together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlvet.report.map_data import Map, Place, figure
from mlvet.report.summary import counted
from mlvet.report.terminal import Style, one_line, paint, width

_ALL = 24
"""So many layers are shown without folding."""
_TOP = 5
"""So many of the highest rates stay visible in a long map."""
_NAME = 36
_KIND = 22
_BAR = 8


def lines(drawn: Map, *, color: bool = False) -> Iterator[str]:
    """The map of a pair. `!` is a layer that is wrong by itself, `*` one that the paper's rule marks."""
    yield paint(f"Map of {one_line(drawn.title)}, {counted(len(drawn.places), 'layer')}", Style.BOLD, color)
    names = min(_NAME, max((width(one_line(place.name)) for place in drawn.places), default=0))
    kinds = min(_KIND, max((width(one_line(place.kind)) for place in drawn.places), default=0))
    names, kinds = max(names, len("layer")), max(kinds, len("kind"))
    yield f"    {'layer':{names}}  {'kind':{kinds}}  {'delta':>9}  {'R':>9}  {'own error in times the noise'}"
    before: Place | None = None
    for part in _folded(drawn.places):
        if len(part) == 1:
            place = part[0]
            yield _line(place, before, names, kinds, color)
        else:
            yield f"    ... {counted(len(part), 'layer')} like these, {_most(part)}"
        before = part[-1]
    yield f"  {one_line(drawn.effort)}"


def _line(place: Place, before: Place | None, names: int, kinds: int, color: bool) -> str:
    mark = "!" if place.wrong else "*" if place.red else " "
    worst = place.worst
    blamed = f" {one_line(', '.join(place.wrong))}" if place.wrong else ""
    branches = ""
    if before is not None and place.after and place.after != (before.name,):
        branches = f"  <- {one_line(', '.join(place.after))}"
    row = (
        f"  {mark} {_cut(place.name, names)}  {_cut(place.kind, kinds)}  {figure(place.delta):>9}  "
        f"{figure(place.rate):>9}  {figure(worst):>9} {_bar(worst):{_BAR}}{blamed}{branches}"
    )
    return paint(row.rstrip(), Style.RED, color) if place.wrong else row.rstrip()


def _folded(places: Sequence[Place]) -> Iterator[Sequence[Place]]:
    """The places alone where they are of interest, and in runs of several where they are not."""
    kept = _interesting(places)
    run: list[Place] = []
    for index, place in enumerate(places):
        if index not in kept:
            run.append(place)
            continue
        yield from _as_run(run)
        run = []
        yield [place]
    yield from _as_run(run)


def _as_run(run: list[Place]) -> Iterator[Sequence[Place]]:
    if len(run) > 2:
        yield run
    else:
        yield from ([place] for place in run)


def _interesting(places: Sequence[Place]) -> set[int]:
    if len(places) <= _ALL:
        return set(range(len(places)))
    at = {place.name: index for index, place in enumerate(places)}
    centres = {index for index, place in enumerate(places) if place.wrong}
    highest = sorted(range(len(places)), key=lambda index: -places[index].rate)[:_TOP]
    centres |= {index for index in highest if places[index].heat or not centres}
    kept = {0, len(places) - 1, *centres}
    for index in centres:
        beside = {at[name] for name in places[index].after if name in at}
        beside |= {other for other, place in enumerate(places) if places[index].name in place.after}
        kept |= {other for other in beside if places[other].delta or places[other].after}
    return kept


def _most(run: Sequence[Place]) -> str:
    known = [place.worst for place in run if place.worst is not None]
    told = f"delta up to {figure(max(place.delta for place in run))}"
    return f"{told}, error up to {figure(max(known))} times the noise" if known else told


def _bar(times: float | None) -> str:
    """Longer by one for each power of ten above the noise."""
    if times is None or times < 1:
        return ""
    return "#" * (_BAR if math.isinf(times) else min(_BAR, 1 + int(math.log10(times))))


def _cut(text: str, room: int) -> str:
    """A text of just this width; of a long one the end, which tells it apart."""
    shown = one_line(text)
    if width(shown) > room:
        shown = "..." + shown[len(shown) - room + 3 :]
    return shown + " " * max(0, room - width(shown))
