"""One finding per line as JSON; the last line holds the summary."""

from __future__ import annotations

from mlvet.core.result import Vetting
from mlvet.report.strict_json import dumps


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    lines = [finding.to_json() for finding in vetting.findings]
    return "".join(f"{dumps(line, indent=None)}\n" for line in [*lines, {"summary": vetting.summary.to_json()}])
