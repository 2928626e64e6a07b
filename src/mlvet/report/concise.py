"""One line for each finding, then the summary without the notes of the run."""

from __future__ import annotations

from mlvet.core.finding import Finding
from mlvet.core.result import Vetting
from mlvet.report.full import COLORS
from mlvet.report.summary import analysed, hidden, sentence
from mlvet.report.terminal import Style, one_line, paint, visible


def render(vetting: Vetting, *, color: bool = False) -> str:
    lines = [_line(finding, color) for finding in vetting.findings]
    return "\n".join([*lines, sentence(vetting), *analysed(vetting.summary), *hidden(vetting.summary.hidden)]) + "\n"


def _line(finding: Finding, color: bool) -> str:
    place = paint(visible(str(finding.location)), Style.BOLD, color)
    severity = paint(f"{finding.severity}[{one_line(finding.rule)}]", COLORS[finding.severity], color)
    return f"{place}: {severity} {one_line(finding.message)} ({finding.certainty})"
