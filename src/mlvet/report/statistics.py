"""The table of `--statistics`: how often each rule fired."""

from __future__ import annotations

from collections import Counter

from mlvet.core.result import Vetting
from mlvet.report.full import COLORS
from mlvet.report.terminal import one_line, paint, width


def render(vetting: Vetting, *, color: bool = False) -> str:
    """One line per rule and severity, the most frequent first, then by name; empty when nothing was found."""
    fired = Counter((finding.rule, finding.code, finding.severity) for finding in vetting.findings)
    rows = sorted(fired.items(), key=lambda row: (-row[1], row[0]))
    counts = max((len(str(count)) for _, count in rows), default=0)
    codes = max((width(one_line(code)) for (_, code, _), _ in rows), default=0)
    rules = max((width(one_line(rule)) for (rule, _, _), _ in rows), default=0)
    return "".join(
        f"{count:>{counts}}  {one_line(code):<{codes}}  {one_line(rule):<{rules}}  "
        f"{paint(severity.value, COLORS[severity], color)}\n"
        for (rule, code, severity), count in rows
    )
