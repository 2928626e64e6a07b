"""The HTML page of `why`: self-contained, escaped, readable without its script, usable with many vertices."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mlvet.core.explanation import Explanation, Flip, Influence
from mlvet.report.explanation import render
from mlvet.report.explanation.graph import graph_of
from mlvet.report.explanation.graph_layout import places
from mlvet.report.explanation.html_graph import drawn_graph, radii
from tests.provenance.answers import FINDING, HOSTILE, LOST, RANK

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def page(*explanations: Explanation) -> str:
    told = render("html", explanations)
    assert isinstance(told, str)
    return told


def star(count: int) -> Explanation:
    shares = [1 / (rank + 1) ** 1.2 for rank in range(count)]
    influences = tuple(
        Influence(f'weights["v{rank}"]["u"]', 1.0 + rank % 7, (-1) ** rank * share, share, share / sum(shares))
        for rank, share in enumerate(shares)
    )
    return Explanation('ranks["u"]', 0.5, influences, count, 0.0)


class Elements(HTMLParser):
    """Every start tag with its attributes, and a check that tags are closed in order."""

    VOID = frozenset({"meta", "input", "wbr", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.opened: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def named(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [
            found
            for name, found in self.found
            if name == tag
            and all(value in (found.get(key.rstrip("_")) or "").split() for key, value in attributes.items())
        ]


def test_the_page_is_well_formed_and_asks_for_nothing() -> None:
    text = page(RANK, LOST)
    elements = Elements(text)
    assert elements.opened == []
    asked = {key for _, found in elements.found for key in found} & {"src", "srcset", "style", "onclick", "onload"}
    assert not asked
    assert not re.findall(r"https?://|@import|url\(", text)
    assert all((found["href"] or "").startswith("#") for found in elements.named("a"))
    policy = next(found["content"] for found in elements.named("meta") if "http-equiv" in found)
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_names_of_the_program_stay_text() -> None:
    hostile = (
        Influence(HOSTILE, 1.0, 1.0, 1.0, 0.7),
        Influence('"><img src=x onerror=alert(1)>', 2.0, -1.0, -2.0, 0.3),
    )
    flip = Flip(HOSTILE, 0.1, 1, 0.2, "<b>.py", 3, True, "a < b & c > d")
    finding = replace(FINDING, message="<script>alert(2)</script> `<i>`")
    text = page(Explanation(HOSTILE, 1.0, hostile, 2, 0.0, flips=(flip,), findings=(finding,), notes=("</main>",)))
    elements = Elements(text)
    assert elements.opened == []
    assert len(elements.named("script")) == 1
    assert not elements.named("img")
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_all_that_is_known_can_be_read_without_the_script() -> None:
    text = page(RANK)
    for said in ("0.0123", "7,012 more", "60.0 %", "-0.0011", "delta &lt; epsilon", "pagerank.py:30",
                 "dominating-input", "json.dumps", "5,000", "the replay took", "shares[&quot;b&quot;]"):  # fmt: skip
        assert said in text, said


def test_vertices_have_names_for_those_who_do_not_see_them() -> None:
    elements = Elements(page(RANK))
    vertices = elements.named("g", class_="vertex")
    assert len(vertices) == 6
    assert all(found["aria-label"] and found["role"] == "img" for found in vertices)
    assert any("60.0 % of the influence" in (found["aria-label"] or "") for found in vertices)
    assert len(elements.named("path", class_="minus")) == 1


def test_the_inputs_that_are_not_listed_are_one_vertex() -> None:
    graph = drawn_graph(RANK, 500)
    assert [(each.name, each.share) for each in graph.vertices if each.kind == "rest"] == [("7,012 more inputs", 0.12)]
    assert "rest" not in {each.kind for each in drawn_graph(star(5), 500).vertices}


def test_many_vertices_are_cut_to_those_of_great_share() -> None:
    graph = drawn_graph(star(3000), 500)
    assert len(graph.vertices) == 501
    assert graph.vertices[-1].name == "2,501 more inputs"
    assert 0 < graph.vertices[-1].share < 0.5


def test_size_is_value_and_circles_do_not_overlap() -> None:
    graph = graph_of([star(80)])
    sizes = radii(graph.vertices)
    inputs = [
        (vertex.value, size) for vertex, size in zip(graph.vertices, sizes, strict=True) if vertex.kind == "input"
    ]
    assert sorted(inputs) == sorted(inputs, key=lambda each: each[1])
    at = places(graph, sizes)
    assert at == places(graph, sizes)
    for first in range(len(at)):
        for second in range(first):
            assert math.dist(at[first], at[second]) > 0.8 * (sizes[first] + sizes[second])


def test_what_acts_strongly_is_near() -> None:
    graph = graph_of([star(80)])
    at = places(graph, radii(graph.vertices))
    away = [math.dist(at[0], each) for each in at[1:]]
    assert sum(away[:10]) < sum(away[-10:])


def test_numbers_that_are_none_are_drawn() -> None:
    odd = Explanation("y", math.nan, (Influence("x", math.inf, math.nan, math.nan, math.nan),), 1, math.nan)
    assert Elements(page(odd)).opened == []


ACT = """
const said = [];
const one = document.querySelector(".answer:not([hidden])");
const svg = one.querySelector(".provenance");
const first = svg.getAttribute("viewBox");
const search = one.querySelector(".tools input");
search.value = "v7";
search.dispatchEvent(new Event("input", { bubbles: true }));
said.push(one.querySelector(".tools output").value, one.querySelector(".vertex.at title").textContent.split("\\n")[0]);
said.push([...one.querySelectorAll(".influences tbody tr")].filter((row) => !row.hidden).length);
one.querySelector("[data-zoom='1.4']").click();
said.push(svg.getAttribute("viewBox") !== first);
one.querySelector("[data-zoom='0']").click();
said.push(svg.getAttribute("viewBox").split(" ").map(Number).join(" ") === first);
svg.focus();
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
said.push(document.activeElement.querySelector("title").textContent.split("\\n")[0]);
said.push(one.querySelector(".figures").hidden);
document.body.replaceChildren(JSON.stringify(said));
"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser")
def test_search_zoom_and_keys_work_in_a_browser(tmp_path: Path) -> None:
    text = re.sub(r"<meta http-equiv[^>]*>", "", page(star(40)))
    (tmp_path / "page.html").write_text(text.replace("</body>", f"<script>{ACT}</script></body>"), encoding="utf-8")
    command = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
               "--virtual-time-budget=5000", "--dump-dom", (tmp_path / "page.html").as_uri()]  # fmt: skip
    answer = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r"<body[^>]*>(.*)</body>", answer.stdout, flags=re.DOTALL)
    assert found, answer.stderr[-2000:]
    said = json.loads(found[1].replace("&gt;", ">").strip())
    assert said == ["1 of 1", 'weights["v7"]["u"]', 1, True, True, 'weights["v0"]["u"]', False]
