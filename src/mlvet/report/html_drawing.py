"""A picture of a slice as inline SVG: data flows down, ends with the unsafe operator, every edge has its interval."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.report.html_layers import Key, Layout, arrange
from mlvet.report.html_slice import REST, Box, Edge, Picture
from mlvet.report.html_text import text
from mlvet.report.terminal import width

_LETTER = 7.3
"""Width of a letter of a label, in pixels."""
_BOX = 40
_STUB = 24
"""The straight begin of an edge, which carries its label."""
_LAYER = _BOX + _STUB + 28
_MARGIN = 8
_PADDING = 22
_NARROWEST = 56.0
_LETTERS = 22
"""The most letters of a name that are shown."""
_BETWEEN = 14.0
"""Blank between two labels below one box."""


def draw(picture: Picture, guilty: str | None, outcome: str, described: str) -> Iterator[str]:
    """The lines of an SVG element; `guilty` is the operand to blame, `outcome` what leaves the last box."""
    boxes = picture.boxes
    last = len(boxes) - 1
    above: dict[Key, list[Key]] = {place: [source for source, _ in box.uses] for place, box in enumerate(boxes)}
    room: dict[Key, float] = {place: max(_width(box), _ports_width(box)) for place, box in enumerate(boxes)}
    room[last] = max(room[last], width(outcome) * _LETTER)
    layout = arrange(last, above, room)
    sheet = _Sheet(boxes, layout)
    wide, high = layout.width + 2 * _MARGIN, layout.height * _LAYER - 14
    yield (
        f'<svg class="slice" role="img" aria-label="{text(described)}" width="{wide:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:.1f} {high:.0f}">'
    )
    for place, box in enumerate(boxes):
        yield from sheet.arrivals(place, box, guilty if place == last else None)
    yield from sheet.result(last, outcome)
    for place, box in enumerate(boxes):
        yield from sheet.box(place, box)
    for place, box in enumerate(boxes):
        yield from sheet.labels(place, box, guilty)
    yield "</svg>"


class _Sheet:
    """Coordinates of what a layout arranges."""

    def __init__(self, boxes: tuple[Box, ...], layout: Layout) -> None:
        self._boxes = boxes
        self._layout = layout

    def x(self, key: Key) -> float:
        return self._layout.centres[key] + _MARGIN

    def top(self, key: Key) -> float:
        layer = key[2] if isinstance(key, tuple) else self._layout.layers[key]
        return (self._layout.height - 1 - layer) * _LAYER + 2.0

    def arrivals(self, place: int, box: Box, guilty: str | None) -> Iterator[str]:
        """The edges into a box, beside each other in the order of where they come from."""
        coming = [(source, value) for source, value in box.uses if (source, place) in self._layout.routes]
        coming.sort(key=lambda each: self.x(self._layout.routes[each[0], place][-2]))
        half = _width(box) / 2 - 10
        step = min(26.0, 2 * half / max(1, len(coming) - 1))
        for number, (source, value) in enumerate(coming):
            at = self.x(place) + (number - (len(coming) - 1) / 2) * step
            yield self._path(source, value, place, at, "edge guilty" if value == guilty else "edge")

    def _path(self, source: int, value: str, user: int, at: float, kind: str) -> str:
        route = self._layout.routes[source, user]
        x, y = self.x(source) + self._port(source, value), self.top(source) + _BOX
        labelled = any(edge.value == value for edge in _labelled(self._boxes[source]))
        path = [f"M{x:.1f} {y:.0f}v4m0 {_STUB - 6}v2" if labelled else f"M{x:.1f} {y:.0f}v{_STUB}"]
        y += _STUB
        for key in route[1:]:
            end = at if key == user else self.x(key)
            top = self.top(key) - (7 if key == user else 0)
            middle = (y + top) / 2
            path.append(f"C{x:.1f} {middle:.0f} {end:.1f} {middle:.0f} {end:.1f} {top:.0f}")
            x, y = end, top
            if key != user:
                y += _BOX + _STUB
                path.append(f"V{y:.0f}")
        return f'<path class="{kind}" d="{"".join(path)}"/>{_tip(x, y, kind)}'

    def result(self, place: int, outcome: str) -> Iterator[str]:
        x, y = self.x(place), self.top(place) + _BOX
        yield f'<path class="edge guilty" d="M{x:.1f} {y:.0f}V{y + 13:.0f}"/>{_tip(x, y + 13, "edge guilty")}'
        yield f'<text class="label guilty" x="{x:.1f}" y="{y + 33:.0f}">{text(outcome)}</text>'

    def box(self, place: int, box: Box) -> Iterator[str]:
        wide = _width(box)
        x, y = self.x(place), self.top(place)
        radius = 5 if box.kind in ("operator", "unsafe") else _BOX / 2
        full = f"{box.title} {box.name}".strip()
        yield f'<g class="{box.kind}"><title>{text(full)}</title>'
        yield (f'<rect x="{x - wide / 2:.1f}" y="{y:.0f}" width="{wide:.1f}" height="{_BOX}" rx="{radius:.0f}"/>')
        lines = [_cut(each) for each in _lines(box)]
        middle = y + _BOX / 2 + 4
        first = middle if len(lines) == 1 else middle - 8
        for number, line in enumerate(lines):
            kind = "op" if number == 0 else "name"
            yield f'<text class="{kind}" x="{x:.1f}" y="{first + 16 * number:.0f}">{text(line)}</text>'
        yield "</g>"

    def labels(self, place: int, box: Box, guilty: str | None) -> Iterator[str]:
        for edge in _labelled(box):
            x, y = self.x(place) + self._port(place, edge.value), self.top(place) + _BOX + 16
            kind = "label guilty" if edge.value == guilty else "label"
            hint = f"<title>{text(edge.hint)}</title>"
            yield f'<text class="{kind}" x="{x:.1f}" y="{y:.0f}">{hint}{text(edge.label)}</text>'

    def _port(self, place: int, value: str) -> float:
        """Where an edge leaves its box, measured from the middle."""
        box = self._boxes[place]
        start = -_ports_width(box) / 2
        for edge in box.makes:
            wide = _label_width(edge)
            if edge.value == value:
                return start + wide / 2
            start += wide + _BETWEEN
        return 0.0


def _tip(x: float, y: float, kind: str) -> str:
    return f'<path class="tip {kind}" d="M{x - 4:.1f} {y - 2:.0f}h8l-4 8z"/>'


def _lines(box: Box) -> list[str]:
    if box.kind == REST or (box.kind == "constant" and box.name != "constant"):
        return [box.title]
    return [box.title, box.name] if box.name and box.name != box.title else [box.title]


def _labelled(box: Box) -> list[Edge]:
    """The edges that need a label; that of a number says it already."""
    return [] if box.kind == "constant" and len(_lines(box)) == 1 else [edge for edge in box.makes if edge.label]


def _width(box: Box) -> float:
    return max(_NARROWEST, *(width(_cut(line)) * _LETTER + _PADDING for line in _lines(box)))


def _label_width(edge: Edge) -> float:
    return width(edge.label) * _LETTER


def _ports_width(box: Box) -> float:
    return sum(map(_label_width, box.makes)) + _BETWEEN * max(0, len(box.makes) - 1)


def _cut(name: str) -> str:
    """A long name without its begin, which is often the same for many."""
    return name if len(name) <= _LETTERS else f"…{name[1 - _LETTERS :]}"
