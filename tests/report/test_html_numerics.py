"""What the page shows of an unsafe operator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from itertools import pairwise
from math import inf
from typing import Any

import pytest

from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.report import render
from mlvet.report.html_layers import GAP, arrange
from mlvet.report.interval_text import interval


def value(name: str, op: str, ends: tuple[float, float, bool] | None, *inputs: str) -> dict[str, Any]:
    made = None if op in ("input", "parameter", "constant") else name
    return {"value": name, "made_by": made, "op": op, "interval": ends and list(ends), "inputs": list(inputs)}


SLICE = [
    value("x", "input", (-60.0, 60.0, False)),
    value("scores", "MatMul", (-28800.0859375, 28800.0859375, False), "x"),
    value("exp", "Exp", (0.0, inf, True), "scores"),
    value("total", "ReduceSum", (0.0, 3.4028234663852886e38, False), "exp"),
    value("share", "Div", (0.0, 1.0, False), "exp", "total"),
]
DATA: dict[str, Any] = {
    "operand_value": "total",
    "outcome": "NaN or infinity",
    "backward": False,
    "slice": SLICE,
    "leading": 4,
    "ranges": [
        {"name": "x", "low": -60.0, "high": 60.0, "origin": "given", "why": "given"},
        {"name": "w", "low": 0.0, "high": 1.0, "origin": "heuristic", "why": "its name says a share"},
    ],
    "hangs_on": {"values": ["w"], "magnitude": 100.0, "stays_within": None},
    "witness": {
        "inputs": {
            "x": {"dtype": "float32", "shape": [2], "elements": [0.5, -1.25]},
            "mask": {"dtype": "float32", "shape": [8, 8], "low": -3.0, "high": 4.5},
        },
        "value": "share", "operand": 0.0, "outcome": "NaN", "executed_with": "numpy reference", "tries": 3,
        "file": "w/share.npz", "script": "w/share.py",
    },
    "cure": {"words": "add an epsilon", "operators": ["add"], "rechecked": True},
}  # fmt: skip


def finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        "division-by-zero", "NUM104", Severity.ERROR, Certainty.OBSERVED, "`Div` divides by 0",
        Location("m.onnx", node="share"), related=(Related("`x` is [-60, 60], as given"),),
        evidence=Evidence("numerics", data), fix=Fix("add an epsilon (re-checked)"), fingerprint="f",
    )  # fmt: skip


def article(page: str) -> str:
    return page[page.index("<article") : page.index("</article>")]


def drawing(page: str) -> str:
    return page[page.index("<svg") : page.index("</svg>")]


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", markup)))


def texts(markup: str, kind: str) -> list[str]:
    found = re.findall(rf'<text class="{kind}"[^>]*>(?:<title>.*?</title>)?(.*?)</text>', markup)
    return [unescape(each) for each in found]


def test_every_operator_is_drawn_with_its_interval(make) -> None:
    svg = drawing(render("html", make(finding(DATA))))
    assert set(texts(svg, "op")) == {"x", "MatMul", "Exp", "ReduceSum", "Div"}
    assert sorted(texts(svg, "label")) == ["[-28800, 28800]", "[-60, 60]", "[0, ∞] or NaN"]
    assert texts(svg, "label guilty") == ["NaN or infinity", "[0, 3.4e38]"]
    assert svg.count('<g class="unsafe">') == 1
    assert svg.count('<path class="edge guilty"') == 2
    assert svg.count('<path class="edge"') == 4


def test_drawing_has_a_name_and_the_same_as_text(make) -> None:
    page = render("html", make(finding(DATA)))
    assert 'role="img" aria-label="What leads to Div share; the list below has it as text"' in page
    listed = words(page[page.index("As text") : page.index("</figure>")])
    assert "total = ReduceSum(exp): [0, 3.4e38]" in listed
    assert "x = input: [-60, 60]" in listed


def test_facts_stand_beside_it_once(make) -> None:
    said = words(article(render("html", make(finding(DATA)))))
    for wanted in [
        "x [-60, 60] given",
        "w [0, 1] assumed: its name says a share",
        "x [0.5, -1.25]float32[2]",
        "mask -3 to 4.5float32[8, 8]",
        "Gave NaN in share, from an operand of 0 (numpy reference)",
        "python w/share.py",
        "it vanishes while |w| ≤ 100.",
        "add an epsilon (re-checked)",
    ]:
        assert wanted in said
    assert "as given" not in said


def test_a_finding_that_hangs_on_no_range_says_so(make) -> None:
    data = {**DATA, "hangs_on": {"values": [], "magnitude": None, "stays_within": 1.0}}
    assert "it stays with all of them within [-1, 1]" in words(render("html", make(finding(data))))


@pytest.mark.parametrize("gone", [{"slice": []}, {"slice": None}, {"slice": [value("x", "input", None)]}])
def test_without_a_slice_the_facts_remain(gone: dict[str, Any], make) -> None:
    page = article(render("html", make(finding({**DATA, **gone}))))
    assert "<svg" not in page
    assert "Gave NaN in share" in words(page)


def test_without_any_data_the_message_and_help_remain(make) -> None:
    page = article(render("html", make(finding({}))))
    assert "<svg" not in page
    assert "<table" not in page
    assert "add an epsilon" in page


HOSTILE = "</text><script>alert(1)</script>\"'`\u202e"


def test_hostile_names_are_text(make) -> None:
    hostile = [
        value(HOSTILE, "input", (0.0, 1.0, False)),
        {**value("y", HOSTILE, (0.0, 1.0, False), HOSTILE), "made_by": HOSTILE},
        {**value("z", "Log", None, "y"), "made_by": HOSTILE + "z"},
    ]
    given = {"name": HOSTILE, "low": 0.0, "high": 1.0, "origin": HOSTILE, "why": HOSTILE}
    witness = {**DATA["witness"], "value": HOSTILE, "executed_with": HOSTILE, "outcome": HOSTILE, "script": HOSTILE,
               "inputs": {HOSTILE: {"dtype": HOSTILE, "shape": [HOSTILE], "elements": [HOSTILE]}}}  # fmt: skip
    data = {"slice": hostile, "operand_value": HOSTILE, "outcome": HOSTILE, "ranges": [given], "witness": witness,
            "hangs_on": {"values": [HOSTILE], "magnitude": 1.0}}  # fmt: skip
    page = render("html", make(finding(data)))
    assert "<script>alert" not in page
    assert page.count("<script>") == 1
    assert "\u202e" not in page
    assert "</text><script>" in words(page)


def chain(length: int) -> list[dict[str, Any]]:
    steps = [value(f"v{step}", "Relu", (0.0, float(step), False), f"v{step - 1}") for step in range(1, length)]
    return [value("v0", "input", (0.0, 1.0, False)), *steps]


def test_long_slices_are_folded_and_counted(make) -> None:
    page = render("html", make(finding({**DATA, "slice": chain(40), "leading": 95})))
    svg = drawing(page)
    assert svg.count('<g class="operator">') + svg.count('<g class="unsafe">') == 10
    assert svg.count('<g class="rest">') == 1
    assert "[0, 29]" in texts(svg, "label")
    assert "The nearest 10 of 95 operators that lead here" in words(page)
    assert "v3 = Relu(v2): [0, 3]" in words(page)


def test_many_operands_are_folded(make) -> None:
    inputs = [value(f"in{number}", "input", (0.0, 1.0, False)) for number in range(30)]
    joined = value("all", "Concat", None, *(each["value"] for each in inputs))
    svg = drawing(render("html", make(finding({**DATA, "slice": [*inputs, joined], "operand_value": "in29"}))))
    assert set(texts(svg, "op")) == {"in29", "in0", "in1", "27 more", "Concat"}


def test_a_constant_of_one_number_is_shown_as_the_number(make) -> None:
    parts = [value("one", "constant", (1.0, 1.0, False)), value("y", "Log", (0.0, 0.0, False), "one")]
    svg = drawing(render("html", make(finding({**DATA, "slice": parts}))))
    assert set(texts(svg, "op")) == {"1", "Log"}
    assert texts(svg, "label") == []


def test_a_cycle_of_names_does_not_hang(make) -> None:
    parts = [value("a", "Add", None, "b"), value("b", "Add", None, "a", "c"), value("c", "Log", None, "b", "c")]
    assert drawing(render("html", make(replace(finding({**DATA, "slice": parts})))))


def test_nothing_overlaps_and_edges_go_down() -> None:
    above = {"out": ["a", "b", "c"], "a": ["x", "y"], "b": ["x", "a"], "c": ["y", "z", "b"], "x": [], "y": [], "z": []}
    widths = {key: 40.0 + 10 * number for number, key in enumerate(above)}
    layout = arrange("out", above, widths)
    assert layout.layers == {"out": 0, "c": 1, "b": 2, "a": 3, "x": 4, "y": 4, "z": 2}
    rows: dict[int, list[str]] = {}
    for key, layer in layout.layers.items():
        rows.setdefault(layer, []).append(key)
    for row in rows.values():
        row.sort(key=lambda key: layout.centres[key])
        for left, right in pairwise(row):
            room = (widths[left] + widths[right]) / 2 + GAP
            assert layout.centres[right] - layout.centres[left] >= room - 1e-6
    assert all(len(route) == layout.layers[route[0]] - layout.layers[route[-1]] + 1 for route in layout.routes.values())
    assert all(0 <= layout.centres[key] <= layout.width for key in above)


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((0.0, 1.0, False), "[0, 1]"),
        ((-28800.0859375, 0.00012345, False), "[-28800, 1.23e-4]"),
        ((-inf, inf, True), "[-∞, ∞] or NaN"),
        ((-3.4028234663852886e38, 1e-45, False), "[-3.4e38, 1e-45]"),
        ((2.0, 2.0, False), "2"),
        ((0.99999994, 1.0, False), "[0.9999999, 1]"),
        ((999.9, 123456.0, False), "[1000, 123456]"),
        ((-0.0, 5e6, False), "[0, 5e6]"),
        ((inf, -inf, True), "NaN"),
        ((inf, -inf, False), "no number"),
    ],
)
def test_short_intervals(ends: tuple[float, float, bool], shown: str) -> None:
    assert interval(ends) == shown
