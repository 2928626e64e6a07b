"""What `why` says, one file per format; they see the core alone.

Each format is a module with a pure function `render(explanations, ...)`. Text ends with a line end and can always be
encoded as UTF-8; Parquet is bytes. Only the module of the wanted format is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from mlvet.core.errors import UsageError
from mlvet.core.explanation import Explanation
from mlvet.core.rule import did_you_mean
from mlvet.core.source import Source

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "full": "mlvet.report.explanation.terminal",
        "json": "mlvet.report.explanation.json_document",
        "parquet": "mlvet.report.explanation.parquet",
        "graphml": "mlvet.report.explanation.graphml",
        "prov-json": "mlvet.report.explanation.prov_json",
        "html": "mlvet.report.explanation.html",
    }
)
"""The module of each output format of `why`, by the name that `--output-format` takes."""


def known_format(format: str) -> None:
    """Complain of an output format that there is not, before any work is done."""
    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown output format `{format}`{did_you_mean(format, list(FORMATS))} (known: {known})")


def render(
    format: str,
    explanations: Sequence[Explanation],
    *,
    color: bool = False,
    histogram: bool = False,
    sources: Mapping[str, Source] = MappingProxyType({}),
) -> str | bytes:
    """The answers in one format; colour, histogram and source lines where the format has a choice about them."""
    known_format(format)
    module = import_module(FORMATS[format])
    if format == "full":
        told: str | bytes = module.render(explanations, color=color, histogram=histogram, sources=sources)
    else:
        told = module.render(explanations)
    return told
