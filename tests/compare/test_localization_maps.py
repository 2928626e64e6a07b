"""Localization maps as they are drawn, for models of five and of two hundred layers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from mlvet.analyses.compare.comparison import Comparison
from mlvet.analyses.compare.distances import Thresholds
from mlvet.analyses.compare.local_errors import local_errors
from mlvet.analyses.compare.mapping import maps
from mlvet.analyses.compare.pairs import Truth, pairs
from mlvet.analyses.compare.subject import Layer, Subject
from mlvet.analyses.compare.telling import findings, notes
from mlvet.analyses.compare.walk import Walk
from mlvet.core.result import Summary, Vetting
from mlvet.report import render

RANDOM = np.random.default_rng(0)


def compared(count: int, guilty: int) -> Comparison:
    """Three backends on residual blocks; `torch` is wrong in one layer, after which all its states are off."""
    layers = []
    for index in range(count):
        inputs = (f"l{index - 1}",) if index else ("image",)
        if index % 5 == 4:
            inputs = (f"l{index - 1}", f"l{index - 4}")
        layers.append(Layer(f"l{index}", "Add" if len(inputs) > 1 else "Dense", inputs, (f"l{index}",)))
    subject = Subject(Path("model.keras"), "keras", (), (layers[-1].name,), tuple(layers))
    exact = RANDOM.normal(size=(4, 32))
    walk = Walk()
    outputs = {}
    for backend in ("jax", "torch", "numpy"):
        outputs[backend] = [exact + (backend == "torch")]
    for index, layer in enumerate(layers):
        off = {name: exact.astype(np.float32) for name in outputs}
        if index == guilty:
            off["torch"] = off["torch"] + np.float32(1)
        value = layer.outputs[0]
        walk.errors += local_errors(layer, {value: exact}, {name: {value: each} for name, each in off.items()}, [])
        for pair in (("jax", "torch"), ("jax", "numpy"), ("torch", "numpy")):
            delta = (1.0 if "torch" in pair and index >= guilty else 0.0) + 1e-9 * float(RANDOM.random())
            walk.deltas.setdefault(pair, {})[value] = delta
    return Comparison(
        subject, walk=walk, outputs=outputs, pairs=pairs(outputs, Truth("mlvet", outputs=[exact]), Thresholds())
    )


def vetting(count: int, guilty: int, *, all_pairs: bool = False) -> Vetting:
    drawn = json.loads(json.dumps(maps(compared(count, guilty), all_pairs=all_pairs)))
    return Vetting((), Summary(files=1, analyses={"compare": {"maps": drawn}}), {}, {}, "/project", "/project")


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {key: value or "" for key, value in attrs}))

    def of(self, tag: str, kind: str) -> list[dict[str, str]]:
        return [each for name, each in self.found if name == tag and kind in each.get("class", "").split()]


def test_a_pair_without_a_wrong_backend_is_drawn_on_demand_alone() -> None:
    usual = maps(compared(5, 2))
    assert [each["backends"] for each in usual if "torch" not in each["backends"]] == []
    assert len(usual) == 2
    assert [each["shown"] for each in usual] == [True, False]
    assert len(maps(compared(5, 2), all_pairs=True)) == 3


def test_a_map_tells_how_many_layers_a_person_looks_at() -> None:
    looked = maps(compared(200, 130))[0]["layers_to_look_at"]
    assert looked["without_map"] == 200
    assert looked["with_map"] <= 50
    assert looked["with_local_errors"] == 1


def test_a_short_map_has_every_layer_and_one_mark() -> None:
    lines = render("full", vetting(5, 2)).splitlines()
    rows = [line for line in lines if re.match(r"  [!* ] l\d ", line)]
    assert [row[4:6] for row in rows] == ["l0", "l1", "l2", "l3", "l4"]
    assert [row.split()[1] for row in rows if row.startswith("  !")] == ["l2"]
    assert rows[2].endswith("torch")
    assert rows[4].endswith("<- l3, l0")


def test_a_long_map_is_folded_around_the_guilty_layer() -> None:
    text = render("full", vetting(200, 132))
    lines = text.splitlines()
    guilty = next(index for index, line in enumerate(lines) if line.startswith("  ! l132 "))
    assert len(lines) < 40
    assert lines[guilty - 1][4:8] == "l131"
    assert "layers like these" in text
    assert sum(int(number) for number in re.findall(r"\.\.\. (\d+) layers", text)) > 150


def test_constants_that_enter_guilty_layers_are_folded() -> None:
    found = vetting(30, 20)
    layers = found.summary.analyses["compare"]["maps"][0]["layers"]
    plain = {"kind": "Constant", "inputs": [], "after": [], "delta": 0.0, "rate": 0.0, "red": False, "wrong": []}
    layers[:0] = [{**plain, "layer": f"constant{index}", "times_noise": {"jax": 0.0}} for index in range(50)]
    guilty = next(each for each in layers if each["wrong"])
    guilty["after"] += [f"constant{index}" for index in range(50)]
    shown = [line for line in render("full", found).splitlines() if line.startswith("    constant")]
    assert len(shown) == 1


@pytest.mark.parametrize(("count", "guilty"), [(5, 2), (200, 132)])
def test_the_page_draws_every_layer_once_for_each_pair_and_needs_nothing_else(count: int, guilty: int) -> None:
    page = render("html", vetting(count, guilty, all_pairs=True))
    elements = Elements(page)
    boxes = elements.of("g", "layer")
    assert len(boxes) == 3 * count
    assert len([box for box in boxes if "wrong" in box["class"].split()]) == 2
    names = {each["id"] for _, each in elements.found if "id" in each}
    cells = elements.of("a", "layer")
    assert len(cells) == 3 * count
    assert {cell["href"].removeprefix("#") for cell in cells} <= names
    assert [each["value"] for tag, each in elements.found if tag == "option"] == ["map-0", "map-1", "map-2"]
    assert "://" not in page
    assert not [each for _, each in elements.found if "style" in each or "src" in each]


def test_no_box_of_the_page_covers_another() -> None:
    elements = Elements(render("html", vetting(60, 30)).split('<svg class="graph"')[1])
    boxes = []
    for index, (tag, each) in enumerate(elements.found):
        if tag == "rect" and elements.found[index - 2][0] == "g":
            boxes.append([float(each[key]) for key in ("x", "y", "width", "height")])
    assert len(boxes) == 60
    for index, (x, y, wide, high) in enumerate(boxes):
        for left, top, across, down in boxes[:index]:
            assert x >= left + across or left >= x + wide or y >= top + down or top >= y + high


def test_a_pair_that_is_apart_by_rounding_alone_is_a_note_and_no_finding() -> None:
    """Every layer is right on both backends, on an example that makes the pair inconsistent."""
    found = compared(5, 2)
    found.walk.errors = [replace(error, rms=error.noise) for error in found.walk.errors]
    assert [pair.inconsistent for pair in found.pairs] == [True, False, True]
    assert [finding.rule for finding in findings(found, "model.keras")] == ["inconsistent-backends"]
    found.walked = [each for each in range(4) if each != found.pairs[0].example]
    assert findings(found, "model.keras") == []
    slight = [replace(pair, apart=np.where(np.arange(4) == pair.example, pair.apart, 1e-3)) for pair in found.pairs]
    assert len(findings(replace(found, pairs=slight), "model.keras")) == 1
    found.walked = [0, 1, 2, 3]
    assert findings(found, "model.keras") == []
    (note,) = notes(found)
    assert "the model itself makes small differences large, most at `l2`" in note
    found.walk.errors = [error for error in found.walk.errors if error.layer.name != "l3"]
    assert [finding.rule for finding in findings(found, "model.keras")] == ["inconsistent-backends"]
    assert list(notes(found)) == []
    found.walk.agreed = {"l3": {frozenset((pair.first, pair.second)) for pair in found.pairs}}
    assert findings(found, "model.keras") == []


def test_names_of_layers_are_no_markup() -> None:
    run = vetting(5, 2)
    run.summary.analyses["compare"]["maps"][0]["layers"][1]["layer"] = "<script>alert(1)</script>\x1b[31m"
    assert "<script>alert" not in render("html", run)
    assert "\x1b[31m" not in render("full", run)
