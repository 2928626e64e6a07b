"""The page: complete, self-contained, and deaf to what the analysed files say."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Vetting
from mlvet.report import render

VOID = {"meta", "input"}


class Page(HTMLParser):
    """The elements of a page, and the text outside style and script; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.inline: dict[str, list[str]] = {"style": [], "script": []}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inline:
            self.inline[self.open[-1]].append(data)
        else:
            self.texts.append(data)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.elements if name == tag and attributes.items() <= found.items()]

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


def test_everything_is_there_without_a_script(vetting: Vetting) -> None:
    page = Page(render("html", vetting))
    findings = page.all("article", **{"class": "finding"})
    assert [found["id"] for found in findings] == [finding.fingerprint for finding in vetting.findings]
    assert not any("hidden" in found for found in findings)
    for wanted in [
        "Found 1 error, 2 warnings, 1 suggestion in 14 files (0.8 s); 1 input could not be analysed.",
        "Linear expects 1024 features but gets 64*12*12 = 9216",
        "x = self.fc1(torch.flatten(x, 1))",
        "1024 is set here (train.py:7:30)",
        "assuming the batch is not empty",
        "found by pyrefly (missing-attribute) and ruff (F821)",
        "(apply with --unsafe-fixes: the checkpoint may hold 1024 features)",
        "cell 3:2:5",
        "/head/Log_3",
        "broken.onnx: not a model: truncated",
        "5 more are less certain",
        "pyrefly did not answer within 60 s",
        "Reports a product whose inner dimensions differ.",
        "torch.ones(2, 3) @ torch.ones(4, 5) # <inner> 3, 4",
    ]:
        assert wanted in page.text


def test_span_is_marked_in_its_context(vetting: Vetting) -> None:
    text = render("html", vetting)
    assert '<span data-line="9">    def forward(self, x):</span>' in text
    assert '<span data-line="10">        x = <mark>self.fc1</mark>(torch.flatten(x, 1))</span>' in text


def test_context_stays_within_the_notebook_cell(vetting: Vetting) -> None:
    text = render("html", vetting)
    assert (
        '<pre class="source"><span data-line="1">a = 1</span><span data-line="2">x = <mark>a @ b</mark></span></pre>'
        in text
    )


def test_span_over_lines_is_marked_on_each(make) -> None:
    finding = Finding("r", "PY1", Severity.ERROR, Certainty.PROVED, "m", Location("a.py", 1, 5, 3, 2))
    text = render("html", make(finding, sources={"a.py": "x = f(\n    1,\n) + 1\n"}))
    assert (
        '<span data-line="1">x = <mark>f(</mark></span>'
        '<span data-line="2">    <mark>1,</mark></span>'
        '<span data-line="3"><mark>)</mark> + 1</span>'
    ) in text


def test_filters_offer_what_occurs(vetting: Vetting) -> None:
    page = Page(render("html", vetting))
    offered = {
        name: [box["value"] for box in page.all("input", name=name)] for name in ("severity", "certainty", "rule")
    }
    assert offered == {
        "severity": ["error", "warning", "suggestion"],
        "certainty": ["proved", "observed", "likely", "possible"],
        "rule": ["log-of-nonpositive", "matmul-inner-dims", "missing-attribute"],
    }
    data = [(box["data-rule"], box["data-severity"], box["data-certainty"]) for box in page.all("article")]
    assert data == [(finding.rule, finding.severity, finding.certainty) for finding in vetting.findings]


@pytest.mark.parametrize("name", ["vetting", "clean", "hostile"])
def test_page_asks_for_nothing_from_outside(name: str, request: pytest.FixtureRequest) -> None:
    page = Page(render("html", request.getfixturevalue(name)))
    assert "http" not in "".join(page.inline["style"] + page.inline["script"])
    assert "url(" not in "".join(page.inline["style"])
    assert "@import" not in "".join(page.inline["style"])
    for tag, attributes in page.elements:
        assert tag not in {"img", "link", "iframe", "object", "embed", "base"}
        assert "src" not in attributes
        assert not any(key.startswith("on") or key == "style" for key in attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_only_the_own_style_and_script_are_allowed(hostile: Vetting) -> None:
    page = Page(render("html", hostile))
    policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})[0]["content"] or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        assert len(page.all(kind)) == 1
        digest = b64encode(sha256("".join(page.inline[kind]).encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_hostile_text_is_shown_as_text(hostile: Vetting) -> None:
    text = render("html", hostile)
    page = Page(text)
    assert text.count("</script>") == 1
    assert "</script><img src=x onerror=alert(1)>\\x1b[2J" in page.text
    assert not set(text) & set("\x00\x07\x1b\x9b\u202e\ud800\r")


def test_page_without_findings(clean: Vetting) -> None:
    page = Page(render("html", clean))
    assert "No problems found in 14 files (0.8 s)." in page.text
    assert page.all("article") == []


def test_findings_without_fingerprints_have_anchors_of_their_own(vetting: Vetting) -> None:
    bare = replace(vetting, findings=tuple(replace(finding, fingerprint="") for finding in vetting.findings))
    anchors = [found["id"] for found in Page(render("html", bare)).all("article")]
    assert len(set(anchors)) == len(bare.findings)
