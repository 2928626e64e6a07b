"""Answers as they are told: flips that matter, and the findings about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from mlvet.analyses.provenance.answer import Answer
from mlvet.core.explanation import Explanation
from mlvet.core.finding import Finding
from mlvet.core.fingerprint import fingerprinted


def told(answer: Answer, *, only_jumps: bool) -> list[Explanation]:
    """Explanations with all their findings; `only_jumps` leaves out flips that were not seen to change an output."""
    explanations = answer.explanations
    if only_jumps:
        explanations = [
            replace(each, flips=tuple(one for one in each.flips if one.jump and one.confirmed)) for each in explanations
        ]
    by_output: dict[str, list[Finding]] = {}
    for finding in _unstable(explanations):
        data = finding.evidence.data if finding.evidence else {}
        by_output.setdefault(str(data.get("output")), []).append(finding)
    return [
        replace(each, findings=tuple(_known((*each.findings, *by_output.get(each.output, ())))))
        for each in explanations
    ]


def _known(findings: Iterable[Finding]) -> list[Finding]:
    base = os.getcwd()
    return fingerprinted(list(findings), {}, base, base)


def _unstable(explanations: list[Explanation]) -> list[Finding]:
    """The findings about flips, from just the inputs that are told; without flips no array library is loaded."""
    if not any(each.flips for each in explanations):
        return []
    import numpy as np

    from mlvet.analyses.provenance.findings import unstable_findings
    from mlvet.analyses.provenance.study import Study

    values: dict[str, float] = {}
    for each in explanations:
        values |= {one.input: one.value for one in each.influences}
    study = Study(
        list(values), np.array(list(values.values())), [each.output for each in explanations],
        np.array([each.value for each in explanations]), np.zeros((len(explanations), len(values))),
    )  # fmt: skip
    return list(unstable_findings(study, {each.output: each.flips for each in explanations}))
