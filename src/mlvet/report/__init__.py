"""One file per output format; they see the core alone.

Each format is a module with a pure function `render(vetting, *, color=False) -> str`. The text it returns can always
be encoded as UTF-8 and ends with a line end unless it is empty. Only the module of the wanted format is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from mlvet.core.errors import UsageError
from mlvet.core.result import Vetting
from mlvet.core.rule import did_you_mean

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "full": "mlvet.report.full",
        "concise": "mlvet.report.concise",
        "json": "mlvet.report.json_document",
        "jsonl": "mlvet.report.jsonl",
        "sarif": "mlvet.report.sarif",
        "github": "mlvet.report.github",
        "gitlab": "mlvet.report.gitlab",
        "junit": "mlvet.report.junit",
        "html": "mlvet.report.html",
    }
)
"""The module of each output format, by the name that `--output-format` takes."""


def render(format: str, vetting: Vetting, *, color: bool = False) -> str:
    """The report of a run in one format; `color` adds terminal colours where the format has any."""
    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown output format `{format}`{did_you_mean(format, list(FORMATS))} (known: {known})")
    text: str = import_module(FORMATS[format]).render(vetting, color=color)
    return text
