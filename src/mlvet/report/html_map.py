"""Localization maps as graphs: layers in boxes from the top down, coloured by how much of the deviation begins there.

Everything can be read without the script; that one adds the choice of a pair, the search and the panel of figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlvet.report.html_layers import Key, Layout, arrange
from mlvet.report.html_text import prose, text
from mlvet.report.map_data import Map, Place, figure
from mlvet.report.summary import counted
from mlvet.report.terminal import width

_LETTER = 6.7
_BOX = 38
_ROW = _BOX + 20
_MARGIN = 10
_LETTERS = 30
_NARROWEST = 120.0
_END = "\0end"
"""What all last layers lead to, so that they are arranged together; it is not drawn."""
_CELL = 14
_STRIP = 70
"""Cells of the overview in one line."""


def drawn(maps: Sequence[Map]) -> Iterator[str]:
    """The section with all maps; nothing if there are none."""
    if not maps:
        return
    yield '<section class="panel maps"><h2>Where backends part</h2>'
    yield '<form class="map-controls" autocomplete="off" hidden><label>Backends <select>'
    for number, each in enumerate(maps):
        wrong = ", ".join(dict.fromkeys(name for place in each.guilty for name in place.wrong))
        told = f" ({wrong} wrong)" if wrong else ""
        yield f'<option value="map-{number}">{text(" and ".join(each.backends) + told)}</option>'
    yield '</select></label><label>Find <input type="search" placeholder="name or kind of a layer"></label>'
    yield '<button type="button" class="next">Next wrong layer</button><output></output></form>'
    yield from _legend()
    for number, each in enumerate(maps):
        yield from _map(each, f"map-{number}", opened=not number)
    yield "</section>"


def _legend() -> Iterator[str]:
    yield '<ul class="legend">'
    yield '<li><i class="swatch wrong"></i>wrong by its own error, on the oracle’s input</li>'
    yield '<li><i class="swatch red"></i>rate R above the third quartile</li>'
    heats = "".join(f'<i class="swatch heat{heat}"></i>' for heat in range(5))
    yield f"<li>{heats} the deviation rises: R up to 2, 10, 1,000, 100,000, more</li></ul>"


def _map(drawing: Map, name: str, *, opened: bool) -> Iterator[str]:
    yield f'<details class="map" id="{name}"{" open" if opened else ""}>'
    yield f"<summary>{prose(drawing.title)}, {counted(len(drawing.places), 'layer')}</summary>"
    yield f'<p class="quiet">{text(drawing.effort[0].upper() + drawing.effort[1:])}.</p>'
    yield from _overview(drawing, name)
    yield '<div class="sheet"><div class="scroll" tabindex="0">'
    yield from _graph(drawing, name)
    yield '</div><pre class="figures" aria-live="polite">Point at a layer to see its figures.</pre></div></details>'


def _overview(drawing: Map, name: str) -> Iterator[str]:
    """One small cell for each layer in order, which leads to its box."""
    count = len(drawing.places)
    across, down = min(count, _STRIP), -(-count // _STRIP)
    yield (
        f'<svg class="overview" role="navigation" aria-label="All layers in order" width="{across * _CELL}" '
        f'height="{down * (_CELL + 4)}">'
    )
    for index, place in enumerate(drawing.places):
        x, y = index % _STRIP * _CELL, index // _STRIP * (_CELL + 4)
        yield (
            f'<a href="#{name}-{index}" class="{_classes(place)}"><title>{text(place.name)}</title>'
            f'<rect x="{x + 1}" y="{y + 2}" width="{_CELL - 2}" height="{_CELL - 2}" rx="2"/></a>'
        )
    yield "</svg>"


def _graph(drawing: Map, name: str) -> Iterator[str]:
    places = drawing.places
    at: dict[str, Key] = {place.name: index for index, place in enumerate(places)}
    above: dict[Key, list[Key]] = {
        index: [at[each] for each in place.after if each in at] for index, place in enumerate(places)
    }
    used = {source for sources in above.values() for source in sources}
    above[_END] = [index for index in range(len(places)) if index not in used]
    layout = arrange(_END, above, {**{index: _width(place) for index, place in enumerate(places)}, _END: 1.0})
    wide, high = layout.width + 2 * _MARGIN, (layout.height - 1) * _ROW + _MARGIN
    described = f"The layers of the model on {' and '.join(drawing.backends)}"
    yield (
        f'<svg class="graph" role="img" aria-label="{text(described)}" width="{wide:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:.1f} {high:.0f}">'
    )
    for user, sources in above.items():
        if user != _END:
            yield from (_edge(layout, source, user) for source in dict.fromkeys(sources))
    for index, place in enumerate(places):
        yield from _box(place, f"{name}-{index}", _x(layout, index), _y(layout, index))
    yield "</svg>"


def _edge(layout: Layout, source: Key, user: Key) -> str:
    x, y = _x(layout, source), _y(layout, source) + _BOX
    path = [f"M{x:.1f} {y:.0f}"]
    for key in layout.routes.get((source, user), (source, user))[1:]:
        end, top = _x(layout, key), _y(layout, key)
        middle = (y + top) / 2
        path.append(f"C{x:.1f} {middle:.0f} {end:.1f} {middle:.0f} {end:.1f} {top:.0f}")
        x, y = end, top
        if key != user:
            y += _BOX
            path.append(f"V{y:.0f}")
    return f'<path class="edge" d="{"".join(path)}"/>'


def _box(place: Place, anchor: str, x: float, y: float) -> Iterator[str]:
    wide = _width(place)
    yield f'<g class="{_classes(place)}" id="{anchor}" tabindex="0"><title>{text(_figures(place))}</title>'
    yield f'<rect x="{x - wide / 2:.1f}" y="{y:.0f}" width="{wide:.1f}" height="{_BOX}" rx="5"/>'
    yield f'<text class="name" x="{x:.1f}" y="{y + 16:.0f}">{text(_cut(place.name))}</text>'
    yield f'<text class="told" x="{x:.1f}" y="{y + 31:.0f}">{text(_told(place))}</text></g>'


def _classes(place: Place) -> str:
    marks = [f"heat{place.heat}", *(["wrong"] if place.wrong else []), *(["red"] if place.red else [])]
    return " ".join(("layer", *marks))


def _told(place: Place) -> str:
    if place.wrong:
        return f"{_cut(place.kind, 18)}: {', '.join(place.wrong)} ×{figure(place.worst)}"
    return f"{_cut(place.kind, 18)} · R {figure(place.rate)}"


def _figures(place: Place) -> str:
    """What is to be known of a layer, one fact a line."""
    errors = [
        f"{name}: {figure(times)} times the noise{' (wrong)' if name in place.wrong else ''}"
        for name, times in place.times.items()
    ]
    marks = ["R is above the third quartile"] if place.red else []
    lines = [
        place.name, place.kind, f"after: {', '.join(place.after) or 'the inputs'}", f"delta: {figure(place.delta)}",
        f"R: {figure(place.rate)}", *marks, *(errors or ["no oracle knows this layer"]),
    ]  # fmt: skip
    return "\n".join(lines)


def _x(layout: Layout, key: Key) -> float:
    return layout.centres[key] + _MARGIN


def _y(layout: Layout, key: Key) -> float:
    level = key[2] if isinstance(key, tuple) else layout.layers[key]
    return (layout.height - 1 - level) * _ROW + _MARGIN / 2


def _width(place: Place) -> float:
    return max(_NARROWEST, *(width(line) * _LETTER + 16 for line in (_cut(place.name), _told(place))))


def _cut(name: str, letters: int = _LETTERS) -> str:
    return name if len(name) <= letters else f"…{name[1 - letters :]}"
