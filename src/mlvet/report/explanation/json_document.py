"""One JSON object for one answer, with the contract's keys at its top; several answers are a list in `explanations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mlvet import __version__
from mlvet.core.explanation import Explanation
from mlvet.report.strict_json import dumps

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes; new fields do not raise it."""


def render(explanations: Sequence[Explanation]) -> str:
    head = {"version": SCHEMA_VERSION, "mlvet": __version__}
    if len(explanations) == 1:
        return dumps({**head, **document(explanations[0])}) + "\n"
    return dumps({**head, "explanations": [document(each) for each in explanations]}) + "\n"


def document(explanation: Explanation) -> dict[str, Any]:
    """One answer; influences are ordered by share."""
    ordered = sorted(explanation.influences, key=lambda each: -each.share)
    return {
        "output": explanation.output,
        "value": explanation.value,
        "influences": [asdict(each) for each in ordered],
        "residual_share": explanation.residual_share,
        "flips": [asdict(each) for each in explanation.flips],
        "findings": [finding.to_json() for finding in explanation.findings],
        "inputs": explanation.inputs,
        "tainted": explanation.tainted,
        "breaks": [asdict(each) for each in explanation.breaks],
        "vertices": [asdict(each) for each in explanation.vertices],
        "links": [asdict(each) for each in explanation.links],
        "histogram": [{"from": bound, "inputs": count} for bound, count in explanation.histogram],
        "notes": list(explanation.notes),
    }
