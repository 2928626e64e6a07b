"""The report for people: each finding with its source line, carets under the span, notes and help."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.core.finding import Finding
from mlvet.core.grade import Severity
from mlvet.core.result import Vetting
from mlvet.core.source import Source
from mlvet.report import terminal_map
from mlvet.report.excerpt import first_line
from mlvet.report.map_data import maps
from mlvet.report.notes import notes
from mlvet.report.summary import remarks, sentence
from mlvet.report.terminal import Style, one_line, paint, visible, width

COLORS = {Severity.ERROR: Style.RED, Severity.WARNING: Style.YELLOW, Severity.SUGGESTION: Style.CYAN}


def render(vetting: Vetting, *, color: bool = False) -> str:
    blocks = [
        "\n".join(block(finding, vetting.sources.get(finding.location.path), color)) for finding in vetting.findings
    ]
    blocks += ["\n".join(terminal_map.lines(each, color=color)) for each in maps(vetting) if each.shown]
    style = Style.BOLD if vetting.findings else Style.GREEN
    blocks.append("\n".join([paint(sentence(vetting), style, color), *map(one_line, remarks(vetting))]))
    return "\n\n".join(blocks) + "\n"


def block(finding: Finding, source: Source | None, color: bool) -> Iterator[str]:
    """The lines of one finding."""
    severity = paint(f"{finding.severity}[{one_line(finding.rule)}]", COLORS[finding.severity], color)
    yield f"{paint(visible(str(finding.location)), Style.BOLD, color)}: {severity} {finding.certainty}"
    line = first_line(source, finding.location)
    message = [visible(part, keep="\t").expandtabs() for part in finding.message.splitlines()] or [""]
    margin = 2
    if line is None:
        yield from (f"   {part}".rstrip() for part in message)
    else:
        margin = len(str(line.number))
        gutter = paint(f"{'':{margin}} |", Style.BLUE, color)
        yield gutter
        yield f"{paint(f'{line.number} |', Style.BLUE, color)} {line.text}".rstrip()
        indent, length = width(line.before), max(1, width(line.marked))
        yield f"{gutter} {'':{indent}}{paint('^' * length, COLORS[finding.severity], color)} {message[0]}".rstrip()
        yield from (f"{gutter} {'':{indent + length}} {part}".rstrip() for part in message[1:])
        yield gutter
    mark = paint(f"{'':{margin}} =", Style.BLUE, color)
    for note in notes(finding):
        label, text = f"{note.label}:", visible(str(note).removeprefix(f"{note.label}: "), keep="\n")
        first, *rest = text.split("\n")
        yield f"{mark} {paint(label, Style.BOLD, color)} {first}".rstrip()
        yield from (f"{'':{margin + 2}} {'':{len(label)}} {part}".rstrip() for part in rest)
