"""Places for the boxes of a small graph that flows down to one box: layers by longest path, few crossings.

A box stands one layer above the highest box that uses it. An edge that passes a layer goes through a place of its own
there, so that it never runs through a box.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

GAP = 22.0
"""Blank between two neighbours of a layer."""
_SWEEPS = 8
_PASSAGE = 6.0

Key = Hashable


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is: the layer of each box, the last one at 0, and the horizontal centre of boxes and passages.

    `routes` has for each edge the places that it goes through, from the box above to the box below.
    """

    layers: Mapping[Key, int]
    centres: Mapping[Key, float]
    routes: Mapping[tuple[Key, Key], tuple[Key, ...]]
    width: float
    height: int


def arrange(last: Key, above: Mapping[Key, Sequence[Key]], widths: Mapping[Key, float]) -> Layout:
    """Arrange what leads to a box: `above` lists for each box those that it uses, `widths` how much room each needs."""
    layers = _layers(last, above)
    rows: list[list[Key]] = [[] for _ in range(max(layers.values()) + 1)]
    for key, layer in layers.items():
        rows[layer].append(key)
    routes: dict[tuple[Key, Key], tuple[Key, ...]] = {}
    ups: dict[Key, list[Key]] = {}
    downs: dict[Key, list[Key]] = {}
    room = dict(widths)
    for user in layers:
        for source in dict.fromkeys(above.get(user, ())):
            if layers[source] <= layers[user]:
                continue
            passages = [(source, user, layer) for layer in range(layers[source] - 1, layers[user], -1)]
            for passage in passages:
                rows[passage[2]].append(passage)
                room[passage] = _PASSAGE
            route = (source, *passages, user)
            routes[source, user] = route
            for upper, lower in pairwise(route):
                ups.setdefault(lower, []).append(upper)
                downs.setdefault(upper, []).append(lower)
    _order(rows, ups, downs)
    centres = _centres(rows, ups, downs, room)
    left = min(centres[key] - room[key] / 2 for key in centres)
    right = max(centres[key] + room[key] / 2 for key in centres)
    return Layout(layers, {key: centre - left for key, centre in centres.items()}, routes, right - left, len(rows))


def _layers(last: Key, above: Mapping[Key, Sequence[Key]]) -> dict[Key, int]:
    """The longest way from each box down to the last; an edge that closes a cycle does not count."""
    order: list[Key] = []
    path: dict[Key, None] = {last: None}
    back: set[tuple[Key, Key]] = set()
    done: set[Key] = set()
    pending = [iter(above.get(last, ()))]
    while pending:
        source = next(pending[-1], None)
        if source is None:
            pending.pop()
            finished, _ = path.popitem()
            done.add(finished)
            order.append(finished)
        elif source in path:
            back.add((next(reversed(path)), source))
        elif source not in done:
            path[source] = None
            pending.append(iter(above.get(source, ())))
    layers = {last: 0}
    for user in reversed(order):
        for source in above.get(user, ()):
            if (user, source) not in back:
                layers[source] = max(layers.get(source, 0), layers[user] + 1)
    return layers


def _order(rows: list[list[Key]], ups: Mapping[Key, list[Key]], downs: Mapping[Key, list[Key]]) -> None:
    """Sort each row by the mean place of what its members are connected to, in the row below, then in that above."""
    for sweep in range(_SWEEPS):
        upwards = sweep % 2 == 0
        near = downs if upwards else ups
        pairs = list(pairwise(rows))
        for lower, upper in pairs if upwards else reversed(pairs):
            fixed, moved = (lower, upper) if upwards else (upper, lower)
            at = {key: place for place, key in enumerate(fixed)}
            now = {key: float(place) for place, key in enumerate(moved)}
            moved.sort(key=lambda key: _mean([at[each] for each in near.get(key, ()) if each in at], now[key]))


def _centres(
    rows: list[list[Key]], ups: Mapping[Key, list[Key]], downs: Mapping[Key, list[Key]], room: Mapping[Key, float]
) -> dict[Key, float]:
    """Each as near to what it is connected to as its neighbours in the row let it."""
    centres: dict[Key, float] = {}
    for row in rows:
        centres.update(zip(row, _spread([0.0] * len(row), row, room), strict=True))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [
                _mean([centres[each] for each in (*ups.get(key, ()), *downs.get(key, ()))], centres[key]) for key in row
            ]
            centres.update(zip(row, _spread(wanted, row, room), strict=True))
    return centres


def _spread(wanted: Sequence[float], row: Sequence[Key], room: Mapping[Key, float]) -> list[float]:
    """The places in this order that are nearest to the wanted ones in the sense of least squares, none overlapping."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (room[left] + room[right]) / 2 + GAP)
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=False):
        total, count = place - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before, many = blocks.pop()
            total, count = total + before, count + many
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=False)]


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise
