"""One HTML file that needs nothing else: it can be read, filtered and searched offline, and without JavaScript.

The page's own style and script are allowed by their hashes and nothing else is, so text of the analysed project that
slipped through as markup could still neither run nor load anything.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby

from mlvet import __version__
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Grade, Severity
from mlvet.core.result import Vetting
from mlvet.core.rule import HEADINGS, Page
from mlvet.core.source import Source
from mlvet.report import html_map
from mlvet.report.excerpt import Line, around
from mlvet.report.html_numerics import KIND, shown
from mlvet.report.html_text import prose, text
from mlvet.report.map_data import maps
from mlvet.report.notes import Note, notes
from mlvet.report.summary import counted, remarks, sentence

_CONTEXT = 2


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    drawings = maps(vetting)
    parts = ("html_page", "html_map") if drawings else ("html_page",)
    style, script = ("".join(_own(f"{part}.{kind}") for part in parts) for kind in ("css", "js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>mlvet: {text(sentence(vetting))}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *_header(vetting),
            *_filters(vetting.findings),
            '<main class="wrap">',
            *_problems(vetting),
            *html_map.drawn(drawings),
            *_files(vetting),
            *_rules(vetting),
            *_remarks(vetting),
            "</main>",
            f'<footer class="wrap">mlvet {text(__version__)}</footer>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _header(vetting: Vetting) -> Iterator[str]:
    counts = vetting.count()
    yield f'<header class="top wrap"><h1>mlvet report</h1><p class="sentence">{text(sentence(vetting))}</p>'
    yield '<ul class="tiles">'
    for severity in reversed(Severity):
        number, _, noun = counted(counts[severity], severity.value).partition(" ")
        tone = severity.value if counts[severity] else "none"
        yield f'<li class="{tone}"><b>{number}</b><span>{noun}</span></li>'
    number, _, noun = counted(vetting.summary.files, "file").partition(" ")
    yield f"<li><b>{number}</b><span>{noun} analysed</span></li>"
    yield "</ul></header>"


def _filters(findings: tuple[Finding, ...]) -> Iterator[str]:
    """The controls; hidden until the script, without which they do nothing, shows them."""
    rules = Counter(finding.rule for finding in findings)
    yield '<div class="filters" hidden><form class="wrap" autocomplete="off">'
    yield '<input type="search" name="text" placeholder="Search files, messages, source" aria-label="Search">'
    yield from _grades(Severity, [finding.severity for finding in findings])
    yield from _grades(Certainty, [finding.certainty for finding in findings])
    yield "<details><summary>Rules</summary>"
    yield '<fieldset class="rules"><legend>Rules</legend><button type="button" class="all">Select all</button>'
    yield '<button type="button" class="none">Select none</button>'
    yield from (_checkbox("rule", rule, count) for rule, count in sorted(rules.items()))
    yield "</fieldset></details><output></output></form></div>"


def _grades(scale: type[Grade], grades: Iterable[Grade]) -> Iterator[str]:
    counts = Counter(grades)
    yield f"<fieldset><legend>{scale.__name__}</legend>"
    present = (grade for grade in reversed(scale) if counts[grade])
    yield from (_checkbox(scale.__name__.lower(), grade.value, counts[grade]) for grade in present)
    yield "</fieldset>"


def _checkbox(name: str, value: str, count: int) -> str:
    box = f'<input type="checkbox" name="{name}" value="{text(value)}" checked>'
    return f'<label>{box}{text(value)} <span class="quiet">{count:,}</span></label>'


def _files(vetting: Vetting) -> Iterator[str]:
    if not vetting.findings:
        yield '<p class="empty">No problems found.</p>'
    ordered = sorted(vetting.findings, key=lambda finding: finding.location.path)
    number = 0
    for path, group in groupby(ordered, lambda finding: finding.location.path):
        findings = list(group)
        yield f'<section class="file" data-path="{text(path)}">'
        yield f"<h2>{text(path)}<span>{counted(len(findings), 'finding')}</span></h2>"
        for finding in findings:
            number += 1
            yield from _finding(finding, finding.fingerprint or str(number), vetting.sources.get(path))
        yield "</section>"
    yield '<p class="empty nothing" hidden>No finding matches the filters.</p>'


def _finding(finding: Finding, anchor: str, source: Source | None) -> Iterator[str]:
    anchor = text(anchor)
    where = str(finding.location).removeprefix(finding.location.path).removeprefix(":") or "whole file"
    data = {"rule": finding.rule, "severity": finding.severity, "certainty": finding.certainty}
    attributes = " ".join(f'data-{key}="{text(value)}"' for key, value in data.items())
    yield f'<article class="finding" id="{anchor}" {attributes}>'
    yield f'<h3><span class="badge">{finding.severity}</span>'
    yield f'<a class="rule" href="#rule-{text(finding.rule)}">{text(finding.rule)}</a>'
    yield f'<span class="quiet">{text(finding.code)} · {finding.certainty}</span>'
    yield f'<a class="place" href="#{anchor}" title="{text(str(finding.location))}">{text(where)}</a></h3>'
    yield f'<p class="message">{prose(finding.message)}</p>'
    lines = around(source, finding.location, _CONTEXT)
    if lines:
        yield f'<pre class="source">{"".join(map(_source_line, lines))}</pre>'
    evidence = finding.evidence
    numeric = evidence is not None and evidence.kind == KIND
    listed = [
        _note(note) for note in notes(finding) if not numeric or note.location is not None or note.label == "help"
    ]
    told = f'<ul class="notes">{"".join(listed)}</ul>' if listed else ""
    if evidence is not None and numeric:
        yield from shown(evidence, told)
    elif told:
        yield told
    yield "</article>"


def _source_line(line: Line) -> str:
    marked = f"<mark>{text(line.marked)}</mark>" if line.marked else ""
    return f'<span data-line="{line.number}">{text(line.before)}{marked}{text(line.after)}</span>'


def _note(note: Note) -> str:
    place = f' <span class="quiet">({text(str(note.location))})</span>' if note.location else ""
    return f'<li class="{note.label}"><b>{note.label}</b><div>{prose(note.text)}{place}</div></li>'


def _problems(vetting: Vetting) -> Iterator[str]:
    if vetting.summary.problems:
        yield '<section class="panel"><h2>Could not be analysed</h2><ul>'
        yield from (
            f"<li><code>{text(problem.path)}</code>: {prose(problem.reason)}</li>"
            for problem in vetting.summary.problems
        )
        yield "</ul></section>"


def _remarks(vetting: Vetting) -> Iterator[str]:
    lines = [f"<li>{prose(remark)}</li>" for remark in remarks(vetting)]
    if lines:
        yield f'<section class="panel"><h2>About this run</h2><ul>{"".join(lines)}</ul></section>'


def _rules(vetting: Vetting) -> Iterator[str]:
    """The documentation of the rules that fired."""
    names = sorted({finding.rule for finding in vetting.findings})
    if names:
        yield '<section class="panel"><h2>Rules</h2>'
        for name in names:
            page = vetting.rules[name].page() if name in vetting.rules else Page("", {})
            yield f'<details id="rule-{text(name)}">'
            yield f'<summary><span class="rule">{text(name)}</span> {prose(page.title)}</summary>'
            yield from _sections((head, page.sections[head]) for head in HEADINGS if head in page.sections)
            yield "</details>"
        yield "</section>"


def _sections(sections: Iterable[tuple[str, str]]) -> Iterator[str]:
    for head, body in sections:
        yield f"<h4>{text(head)}</h4>"
        for code, lines in groupby(body.splitlines(), lambda line: line.startswith("    ")):
            block = "\n".join(line[4:] if code else line for line in lines).strip("\n")
            if block:
                yield f"<pre>{text(block)}</pre>" if code else f"<p>{prose(block)}</p>"


def _own(name: str) -> str:
    return files("mlvet.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
