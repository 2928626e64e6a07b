"""The provenance graph as a drawing: circles as large as values, arrows as wide as influence, coloured by sign.

An arrow is narrow where it comes from and wide where it leads to. Without the script the drawing has the labels of the
first vertices for which there is room, and titles; the script adds the rest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mlvet.core.explanation import Explanation, Vertex
from mlvet.report.explanation.figures import figure, percent, signed
from mlvet.report.explanation.graph import INPUT, OUTPUT, Arrow, Graph, graph_of
from mlvet.report.explanation.graph_layout import grown, places
from mlvet.report.html_text import text
from mlvet.report.terminal import width

REST = "rest"
_LEAST, _GREATEST, _OUTPUT = 5.0, 26.0, 22.0
_WIDEST, _NARROWEST = 13.0, 1.2
_LETTER, _LINE = 6.6, 15.0
_LETTERS = 26
_KEYED = re.compile(r"[^\W\d][\w.]*((?:\[[^\[\]]+\])+)")
_FAINT = 0.02
_MARGIN = 70.0
_SMALL = (640.0, 480.0)
_LABELS = 16
"""So many labels are shown before one zooms in."""

Point = tuple[float, float]


def drawn_graph(explanation: Explanation, limit: int) -> Graph:
    """What is drawn of an answer: the vertices of greatest share, and one for all inputs that are not listed."""
    graph = _cut(graph_of([explanation]), limit)
    listed = sum(vertex.kind == INPUT for vertex in graph.vertices)
    left = explanation.inputs - (len(explanation.influences) if explanation.links else listed)
    output = next((place for place, vertex in enumerate(graph.vertices) if vertex.kind == OUTPUT), None)
    shown = sum(vertex.share for vertex in graph.vertices if vertex.kind == INPUT)
    if left <= 0 or output is None:
        return graph
    share = explanation.residual_share or max(0.0, 1.0 - shown)
    rest = Vertex(f"{left:,} more inputs", REST, math.nan, share)
    return Graph((*graph.vertices, rest), (*graph.arrows, Arrow(len(graph.vertices), output, math.nan, share)))


def _cut(graph: Graph, limit: int) -> Graph:
    if len(graph.vertices) <= limit:
        return graph
    rank = sorted(
        range(len(graph.vertices)), key=lambda at: (graph.vertices[at].kind != OUTPUT, -graph.vertices[at].share)
    )
    new = {old: place for place, old in enumerate(rank[:limit])}
    arrows = [
        replace(arrow, source=new[arrow.source], target=new[arrow.target])
        for arrow in graph.arrows
        if arrow.source in new and arrow.target in new
    ]
    return Graph(tuple(graph.vertices[old] for old in new), tuple(arrows))


def drawn(graph: Graph, name: str) -> Iterator[str]:
    """The drawing; vertices are numbered as in the graph, for the script. What matters most is drawn last, on top."""
    sizes = radii(graph.vertices)
    at = places(graph, sizes)
    left, top, wide, high = _extent(at, sizes)
    count = sum(vertex.kind != OUTPUT for vertex in graph.vertices)
    yield (
        f'<svg class="provenance" id="{name}-graph" role="group" tabindex="0" '
        f'aria-label="Provenance graph with {count:,} vertices around the output; arrow keys go from one to the next" '
        f'viewBox="{left:.0f} {top:.0f} {wide:.0f} {high:.0f}" preserveAspectRatio="xMidYMid meet">'
    )
    yield '<g class="arrows" aria-hidden="true">'
    greatest = max((arrow.share for arrow in graph.arrows if math.isfinite(arrow.share)), default=0.0) or 1.0
    by_share = sorted(range(len(graph.arrows)), key=lambda place: graph.arrows[place].share)
    yield from (_arrow(graph, graph.arrows[place], at, sizes, greatest) for place in by_share)
    yield '</g><g class="vertices">'
    labelled = _labelled(graph.vertices, at, sizes)
    for place in reversed(order(graph.vertices)):
        yield _vertex(graph.vertices[place], place, at[place], sizes[place], name, place in labelled)
    yield "</g></svg>"


def _extent(at: Sequence[Point], sizes: Sequence[float]) -> tuple[float, float, float, float]:
    """The part of the plane that is shown: all circles with room for labels, and not so little that all looks huge."""
    across = [(x - r, x + r) for (x, _), r in zip(at, sizes, strict=True)] or [(0.0, 0.0)]
    down = [(y - r, y + r) for (_, y), r in zip(at, sizes, strict=True)] or [(0.0, 0.0)]
    (left, right), (top, bottom) = ((min(a for a, _ in ends), max(b for _, b in ends)) for ends in (across, down))
    wide, high = max(right - left + 2 * _MARGIN, _SMALL[0]), max(bottom - top + _MARGIN, _SMALL[1])
    return (left + right - wide) / 2, (top + bottom - high) / 2, wide, high


def order(vertices: Sequence[Vertex]) -> list[int]:
    """Vertices as they are read: outputs first, then by share, what is not listed last."""
    kinds = {OUTPUT: 0, REST: 2}
    return sorted(range(len(vertices)), key=lambda at: (kinds.get(vertices[at].kind, 1), -vertices[at].share))


def radii(vertices: Sequence[Vertex]) -> list[float]:
    """Circles whose area is the value in magnitude, compared with the greatest of the same variable."""
    greatest: dict[str, float] = {}
    for vertex in vertices:
        if math.isfinite(vertex.value):
            variable = _variable(vertex)
            greatest[variable] = max(greatest.get(variable, 0.0), abs(vertex.value))
    large = grown(len(vertices))
    return [_radius(vertex, greatest.get(_variable(vertex), 0.0), large) for vertex in vertices]


def _radius(vertex: Vertex, greatest: float, large: float) -> float:
    if vertex.kind == OUTPUT:
        return _OUTPUT * large
    part = abs(vertex.value) / greatest if greatest and math.isfinite(vertex.value) else 0.0
    size = _LEAST + (_GREATEST - _LEAST) * math.sqrt(part) * (0.6 if vertex.kind == INPUT else 1.0)
    return size * math.sqrt(large)


def _variable(vertex: Vertex) -> str:
    return vertex.kind + " " + vertex.name.partition("[")[0]


def _arrow(graph: Graph, arrow: Arrow, at: Sequence[Point], sizes: Sequence[float], greatest: float) -> str:
    (x0, y0), (x1, y1) = at[arrow.source], at[arrow.target]
    away = math.hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / away, (y1 - y0) / away
    x0, y0 = x0 + ux * sizes[arrow.source] * 0.9, y0 + uy * sizes[arrow.source] * 0.9
    x1, y1 = x1 - ux * sizes[arrow.target] * 0.97, y1 - uy * sizes[arrow.target] * 0.97
    share = arrow.share if math.isfinite(arrow.share) else 0.0
    half = (_NARROWEST + (_WIDEST * grown(len(at)) - _NARROWEST) * share / greatest) / 2
    bend = 0.06 * away
    mx, my = (x0 + x1) / 2 - uy * bend, (y0 + y1) / 2 + ux * bend
    ax, ay = x1 - uy * half, y1 + ux * half
    bx, by = x1 + uy * half, y1 - ux * half
    shape = (
        f"M{x0:.1f} {y0:.1f}Q{mx - uy * half / 2:.1f} {my + ux * half / 2:.1f} {ax:.1f} {ay:.1f}"
        f"L{bx:.1f} {by:.1f}Q{mx + uy * half / 2:.1f} {my - ux * half / 2:.1f} {x0:.1f} {y0:.1f}Z"
    )
    faint = " faint" if share < _FAINT * greatest else ""
    source, target = graph.vertices[arrow.source], graph.vertices[arrow.target]
    slope = "" if source.kind == REST else f"derivative {signed(arrow.derivative)}, "
    told = f"{source.name} → {target.name}\n{slope}{percent(arrow.share)} of the influence"
    return (
        f'<path class="{sign_of(arrow.derivative)}{faint}" data-from="{arrow.source}" data-to="{arrow.target}" '
        f'd="{shape}">'
        f"<title>{text(told)}</title></path>"
    )


def sign_of(derivative: float) -> str:
    return "plus" if derivative > 0 else "minus" if derivative < 0 else "none"


def _vertex(vertex: Vertex, place: int, at: Point, size: float, name: str, labelled: bool) -> str:
    told = facts(vertex)
    label = "" if labelled else " unlabelled"
    side = f'text-anchor="middle" x="{at[0]:.1f}" y="{at[1] + size + 13:.1f}"'
    return (
        f'<g class="vertex {vertex.kind}{label}" id="{name}-v{place}" data-place="{place}" tabindex="-1" role="img" '
        f'aria-label="{text(told.replace(chr(10), ", "))}"><title>{text(told)}</title>'
        f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{size:.1f}"/>'
        f"<text {side}>{text(_short(vertex))}</text></g>"
    )


def facts(vertex: Vertex) -> str:
    """What is to be known of a vertex, one fact a line."""
    kinds = {OUTPUT: "output", INPUT: "input", REST: "inputs that are not listed"}
    lines = [vertex.name, kinds.get(vertex.kind, "value between")]
    if not math.isnan(vertex.value) or vertex.kind in (INPUT, OUTPUT):
        lines.append(f"value {figure(vertex.value)}")
    if vertex.kind != OUTPUT:
        lines.append(f"{percent(vertex.share)} of the influence")
    return "\n".join(lines)


def _labelled(vertices: Sequence[Vertex], at: Sequence[Point], sizes: Sequence[float]) -> set[int]:
    """Vertices whose labels have room, those of great share first."""
    taken: list[tuple[float, float, float, float]] = []
    found: set[int] = set()
    for place in order(vertices):
        if len(found) == _LABELS:
            break
        (x, y), half = at[place], width(_short(vertices[place])) * _LETTER / 2
        box = (x - half, y + sizes[place], x + half, y + sizes[place] + _LINE)
        if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            taken.append(box)
            found.add(place)
    return found


def _short(vertex: Vertex) -> str:
    """A label: the keys alone where a name is a variable with keys, for the variable is much the same for all."""
    found = _KEYED.fullmatch(vertex.name) if vertex.kind != OUTPUT else None
    name = " › ".join(key.strip("\"' ") for key in found[1][1:-1].split("][")) if found else vertex.name
    return name if len(name) <= _LETTERS else f"…{name[1 - _LETTERS :]}"
