"""The part of a graph that leads to an unsafe operator: which boxes are drawn, and all of it as text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlvet.report.html_text import text
from mlvet.report.interval_text import exact, interval

NEAREST = 10
"""The most operators that are drawn."""
_ENTERING = 4
"""The most values from elsewhere that are drawn for one operator."""
REST = "rest"


@dataclass(frozen=True, slots=True)
class Edge:
    """A value: its name, its ends in short form (empty if they are not known), and with every digit."""

    value: str
    label: str = ""
    hint: str = ""


@dataclass(slots=True)
class Box:
    """An operator, or a value that enters: `kind` is operator, unsafe, input, parameter, constant or rest."""

    kind: str
    title: str
    name: str = ""
    makes: list[Edge] = field(default_factory=list)
    uses: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Picture:
    """The boxes, of which the last is the unsafe operator; how many operators they are, and how many lead there."""

    boxes: tuple[Box, ...]
    drawn: int
    leading: int


def picture(entries: Sequence[Mapping[str, Any]], leading: int, guilty: str | None) -> Picture | None:
    """The nearest operators of a slice, with what enters them; None if there is nothing to draw."""
    makers: dict[str, Mapping[str, Any]] = {str(entry.get("value")): entry for entry in entries}
    if not entries or not entries[-1].get("made_by"):
        return None
    last = str(entries[-1]["made_by"])
    inputs = {str(entry["made_by"]): _inputs(entry) for entry in entries if entry.get("made_by")}
    kept = _nearest(last, inputs, makers)
    boxes: list[Box] = []
    places: dict[str, int] = {}
    for entry in entries:
        name = str(entry.get("made_by") or "")
        if name in kept and name not in places:
            places[name] = len(boxes)
            boxes.append(Box("unsafe" if name == last else "operator", _op(entry), _node(name)))
    sources: dict[str, int] = {}
    for name, place in places.items():
        entering = [value for value in inputs[name] if _maker(makers, value) not in places]
        entering.sort(key=lambda value: value != guilty)
        shown = entering if len(entering) <= _ENTERING else entering[: _ENTERING - 1]
        for value in inputs[name]:
            maker = _maker(makers, value)
            if maker in places:
                _link(boxes, places[maker], place, _edge(makers[value]))
            elif value in shown:
                if value not in sources:
                    sources[value] = len(boxes)
                    boxes.append(_source(value, makers.get(value)))
                _link(boxes, sources[value], place, _edge(makers.get(value, {"value": value})))
        if len(shown) < len(entering):
            boxes.append(Box(REST, f"{len(entering) - len(shown)} more"))
            _link(boxes, len(boxes) - 1, place, Edge(""))
    order = [index for index in range(len(boxes)) if index != places[last]] + [places[last]]
    moved = {index: new for new, index in enumerate(order)}
    for box in boxes:
        box.uses = [(moved[index], value) for index, value in box.uses]
    return Picture(tuple(boxes[index] for index in order), len(places), max(leading, len(inputs)))


def as_text(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every value of a slice as one item of a list: what makes it, and what it can be."""
    for entry in entries:
        made = f"{_op(entry)}({', '.join(_inputs(entry))})" if entry.get("made_by") else _op(entry)
        known = _edge(entry)
        ends = f': <span title="{text(known.hint)}">{text(known.label)}</span>' if known.label else ""
        yield f"<li><code>{text(known.value)}</code> = {text(made)}{ends}</li>"


def _nearest(
    last: str, inputs: Mapping[str, Sequence[str]], makers: Mapping[str, Mapping[str, Any]]
) -> set[str]:  # fmt: skip
    kept = {last}
    waiting = deque([last])
    while waiting and len(kept) < NEAREST:
        for value in inputs[waiting.popleft()]:
            maker = _maker(makers, value)
            if maker and maker not in kept and len(kept) < NEAREST:
                kept.add(maker)
                waiting.append(maker)
    return kept


def _link(boxes: list[Box], source: int, user: int, edge: Edge) -> None:
    if source == user:
        return
    if edge.value not in {each.value for each in boxes[source].makes}:
        boxes[source].makes.append(edge)
    boxes[user].uses.append((source, edge.value))


def _source(value: str, entry: Mapping[str, Any] | None) -> Box:
    """The box of a value that no drawn operator makes; a constant of one number is shown as that number."""
    if entry is None or entry.get("made_by"):
        return Box(REST, "…", value)
    ends = entry.get("interval")
    if entry.get("op") == "constant" and ends is not None and ends[0] == ends[1]:
        return Box("constant", interval(ends), value)
    kind = str(entry.get("op"))
    return Box(kind if kind in ("input", "parameter") else "constant", value, kind)


def _edge(entry: Mapping[str, Any]) -> Edge:
    ends = entry.get("interval")
    name = str(entry.get("value"))
    return Edge(name) if ends is None else Edge(name, interval(ends), f"{name}: {exact(ends)}")


def _inputs(entry: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in entry.get("inputs", ())))


def _maker(makers: Mapping[str, Mapping[str, Any]], value: str) -> str:
    return str(makers.get(value, {}).get("made_by") or "")


def _op(entry: Mapping[str, Any]) -> str:
    return str(entry.get("op") or "?")


def _node(name: str) -> str:
    """The name as the model file has it."""
    return name.partition("#")[0] or name
