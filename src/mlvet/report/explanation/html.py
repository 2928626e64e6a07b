"""One HTML file that needs nothing else: the provenance graph, a table beside it, the histogram, flips and findings.

Everything can be read without the script; that one adds search, zoom, highlighting and the choice among outputs. The
page's own style and script are allowed by their hashes and nothing else is, so text of the program that slipped through
as markup could still neither run nor load anything.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import accumulate

from mlvet import __version__
from mlvet.core.explanation import Explanation, Flip, Influence
from mlvet.core.finding import Finding
from mlvet.report.explanation.figures import SIDES, decade, figure, percent, signed
from mlvet.report.explanation.graph import INPUT, Graph
from mlvet.report.explanation.html_graph import drawn, drawn_graph, sign_of
from mlvet.report.html_text import prose, text
from mlvet.report.notes import notes
from mlvet.report.summary import counted

_VERTICES = 500
_FEWEST = 40
_ALL = 2000
"""So many vertices are drawn on a page with many outputs."""
_BAR = 90


def render(explanations: Sequence[Explanation]) -> str:
    style = _own("mlvet.report", "html_page.css") + _own(__package__, "provenance.css")
    script = _own(__package__, "provenance.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    limit = max(_FEWEST, min(_VERTICES, _ALL // max(len(explanations), 1)))
    title = explanations[0].output if len(explanations) == 1 else f"{len(explanations):,} outputs"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>mlvet: why {text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            '<body class="why">',
            *_chooser(explanations),
            '<main class="wrap">',
            *(line for number, each in enumerate(explanations) for line in _answer(each, f"a{number}", limit)),
            *(() if explanations else ('<p class="empty">There is nothing to explain.</p>',)),
            "</main>",
            f'<footer class="wrap">mlvet {text(__version__)}</footer>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _chooser(explanations: Sequence[Explanation]) -> Iterator[str]:
    """The choice of an output; hidden until the script, without which it does nothing, shows it."""
    if len(explanations) > 1:
        yield '<form class="wrap chooser" autocomplete="off" hidden><label>Output <select>'
        for number, each in enumerate(explanations):
            yield f'<option value="a{number}">{text(each.output)} = {figure(each.value)}</option>'
        yield "</select></label></form>"


def _answer(explanation: Explanation, name: str, limit: int) -> Iterator[str]:
    graph = drawn_graph(explanation, limit)
    yield f'<section class="answer" id="{name}" aria-label="{text(explanation.output)}">'
    yield from _head(explanation)
    yield '<div class="sheet">'
    yield from _graph(graph, name)
    yield from _table(explanation, graph, name)
    yield "</div>"
    yield '<div class="below">'
    yield from _flips(explanation.flips)
    yield from _histogram(explanation.histogram)
    yield from _remarks(explanation)
    yield "</div>"
    yield from _findings(explanation.findings)
    yield "</section>"


def _head(explanation: Explanation) -> Iterator[str]:
    listed = min(1.0, max(0.0, 1.0 - explanation.residual_share))
    tiles = [
        ("", figure(explanation.value), "value"),
        ("", f"{explanation.inputs:,}", "input" if explanation.inputs == 1 else "inputs"),
        ("", percent(listed), f"of the influence from {counted(len(explanation.influences), 'listed input')}"),
    ]
    if explanation.tainted is not None:
        tiles.append(("", f"{explanation.tainted:,}", "by tainting"))
    if explanation.findings:
        number, _, noun = counted(len(explanation.findings), "finding").partition(" ")
        tiles.append(("warning", number, noun))
    yield '<header class="top"><p class="sentence">Why</p>'
    yield f'<h1><code>{text(explanation.output)}</code></h1><ul class="tiles">'
    yield from (
        f'<li class="{tone}"><b>{text(number)}</b><span>{text(noun)}</span></li>' for tone, number, noun in tiles
    )
    yield "</ul></header>"


def _graph(graph: Graph, name: str) -> Iterator[str]:
    yield '<figure class="panel drawing"><form class="tools" autocomplete="off" hidden>'
    yield '<input type="search" placeholder="Find a vertex" aria-label="Find a vertex"><output></output>'
    yield '<button type="button" data-zoom="1.4" aria-label="Zoom in">+</button>'
    yield '<button type="button" data-zoom="0.714" aria-label="Zoom out">−</button>'
    yield '<button type="button" data-zoom="0">Fit</button></form>'
    yield from drawn(graph, name)
    yield '<pre class="figures" aria-live="polite" hidden></pre><figcaption>'
    yield '<span><i class="swatch plus"></i>raises it</span><span><i class="swatch minus"></i>lowers it</span>'
    yield "<span>width: share of the influence</span><span>area: value, among those of its variable</span>"
    yield "</figcaption></figure>"


def _table(explanation: Explanation, graph: Graph, name: str) -> Iterator[str]:
    at = {vertex.name: place for place, vertex in enumerate(graph.vertices) if vertex.kind == INPUT}
    ordered = sorted(explanation.influences, key=lambda each: -each.share)
    greatest = max((each.share for each in ordered), default=0.0)
    yield '<section class="panel influences" aria-label="Inputs by influence"><div class="scroll" tabindex="0"><table>'
    heads = ("input", "value", "derivative", "elasticity", "share", "so far")
    yield f"<thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>"
    for each, so_far in zip(ordered, accumulate(each.share for each in ordered), strict=True):
        yield _row(each, so_far, greatest, f"{name}-v{at[each.input]}" if each.input in at else "")
    yield "</tbody></table></div>"
    left = explanation.inputs - len(ordered)
    if left > 0:
        yield f'<p class="quiet">and {left:,} more with {percent(explanation.residual_share)} of the influence</p>'
    elif not ordered:
        yield '<p class="quiet">It hangs on no input.</p>'
    yield "</section>"


def _row(each: Influence, so_far: float, greatest: float, vertex: str) -> str:
    name = text(each.input).replace("[", "<wbr>[")
    link = f'<a href="#{vertex}">{name}</a>' if vertex else name
    part = each.share / greatest if greatest > 0 and math.isfinite(each.share) else 0.0
    drawn_bar = (
        f'<svg class="bar {sign_of(each.derivative)}" width="{_BAR}" height="8" aria-hidden="true">'
        f'<rect width="{max(1.0, part * _BAR):.1f}" height="8" rx="2"/></svg>'
    )
    cells = (figure(each.value), signed(each.derivative), signed(each.elasticity))
    numbers = "".join(f"<td>{text(cell)}</td>" for cell in cells)
    shares = f"<td>{percent(each.share)}{drawn_bar}</td><td>{percent(min(1.0, so_far))}</td>"
    return f'<tr data-vertex="{vertex}"><th scope="row">{link}</th>{numbers}{shares}</tr>'


def _flips(flips: Sequence[Flip]) -> Iterator[str]:
    if not flips:
        return
    yield '<section class="panel"><h2>Comparisons that a small change turns</h2><div class="scroll"><table><thead><tr>'
    heads = ("comparison", "input", "change", "jump of the output", "confirmed")
    yield f"{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>"
    for each in sorted(flips, key=lambda each: (each.path, each.line, each.text, not each.confirmed, each.distance)):
        place = f'<code>{text(each.text.strip())}</code> <span class="quiet">{text(each.path)}:{each.line}</span>'
        change = f"{SIDES.get(each.side, '')} by {figure(each.distance)}"
        jump = "not run" if each.jump is None else figure(each.jump)
        yield f"<tr><td>{place}</td><td>{text(each.input).replace('[', '<wbr>[')}</td><td>{change}</td><td>{jump}</td>"
        yield f"<td>{'yes' if each.confirmed else 'no'}</td></tr>"
    yield "</tbody></table></div></section>"


def _histogram(bars: Sequence[tuple[float, int]]) -> Iterator[str]:
    if not bars:
        return
    wide, high, gap = 46, 120, 8
    longest = max(math.log10(1 + count) for _, count in bars) or 1.0
    yield '<section class="panel"><h2>Inputs by share of the influence</h2>'
    size = f'width="{len(bars) * (wide + gap)}" height="{high + 42}"'
    yield f'<div class="scroll"><svg class="histogram" role="img" {size} '
    told = "; ".join(f"from {decade(bound)}: {count:,}" for bound, count in bars)
    yield f'aria-label="{text(told)}">'
    for number, (bound, count) in enumerate(bars):
        tall = high * math.log10(1 + count) / longest
        x, y = number * (wide + gap), 18 + high - tall
        yield f'<rect x="{x}" y="{y:.1f}" width="{wide}" height="{tall:.1f}" rx="3"/>'
        yield f'<text x="{x + wide / 2}" y="{y - 5:.1f}">{count:,}</text>'
        yield f'<text class="bound" x="{x + wide / 2}" y="{high + 36}">{decade(bound)}</text>'
    yield '</svg></div><p class="quiet">Share from, heights in powers of ten.</p></section>'


def _remarks(explanation: Explanation) -> Iterator[str]:
    lines = [
        f'{prose(each.what)}, {counted(each.count, "time")} <span class="quiet">{text(each.path)}:{each.line}</span>'
        for each in explanation.breaks
    ]
    if lines or explanation.notes:
        yield '<section class="panel">'
    if lines:
        yield f"<h2>The chain breaks</h2><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
        yield '<p class="quiet">Influence that went through here is missing.</p>'
    if explanation.notes:
        yield f"<h2>Notes</h2><ul>{''.join(f'<li>{prose(note)}</li>' for note in explanation.notes)}</ul>"
    if lines or explanation.notes:
        yield "</section>"


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f'<article class="finding" data-severity="{finding.severity}">'
        yield f'<h3><span class="badge">{finding.severity}</span>'
        yield f'<span class="rule">{text(finding.rule)}</span>'
        yield f'<span class="quiet">{text(finding.code)} · {finding.certainty}</span>'
        yield f'<span class="place">{text(str(finding.location))}</span></h3>'
        yield f'<p class="message">{prose(finding.message)}</p>'
        told = "".join(
            f'<li class="{each.label}"><b>{each.label}</b><div>{prose(each.text)}</div></li>' for each in notes(finding)
        )
        yield f'<ul class="notes">{told}</ul></article>' if told else "</article>"


def _own(package: str | None, name: str) -> str:
    return files(package or "mlvet.report.explanation").joinpath(name).read_text("utf-8")


def _digest(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
