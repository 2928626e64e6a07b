"""One JSON object: `version`, `mlvet`, `summary`, `findings`."""

from __future__ import annotations

from mlvet import __version__
from mlvet.core.result import Vetting
from mlvet.report.strict_json import dumps

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes; new fields do not raise it."""


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    document = {
        "version": SCHEMA_VERSION,
        "mlvet": __version__,
        "summary": vetting.summary.to_json(),
        "findings": [finding.to_json() for finding in vetting.findings],
    }
    return dumps(document) + "\n"
