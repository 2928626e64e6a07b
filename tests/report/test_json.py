"""JSON that any parser reads back to the same values."""

from __future__ import annotations

import json
from typing import Any

import mlvet
from mlvet.core.result import Vetting
from mlvet.report import render


def strictly(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def finite(value: Any) -> Any:
    """What the writer promises to write for a value."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return {"inf": "Infinity", "nan": "NaN"}.get(str(value), value) if isinstance(value, float) else value


def test_document_holds_the_findings_and_the_summary(vetting: Vetting) -> None:
    document = strictly(render("json", vetting))
    assert list(document) == ["version", "mlvet", "summary", "findings"]
    assert (document["version"], document["mlvet"]) == (1, mlvet.__version__)
    assert document["summary"] == vetting.summary.to_json()
    assert document["findings"] == [finite(finding.to_json()) for finding in vetting.findings]


def test_numbers_that_json_lacks_are_strings(vetting: Vetting) -> None:
    evidence = strictly(render("json", vetting))["findings"][1]["evidence"]
    assert evidence == {"kind": "interval", "low": 0.0, "high": "Infinity", "witness": ["NaN"]}


def test_lines_are_findings_and_the_last_is_the_summary(vetting: Vetting) -> None:
    *findings, last = map(strictly, render("jsonl", vetting).splitlines())
    assert findings == strictly(render("json", vetting))["findings"]
    assert last == {"summary": vetting.summary.to_json()}


def test_a_clean_run_is_one_line(clean: Vetting) -> None:
    assert [list(strictly(line)) for line in render("jsonl", clean).splitlines()] == [["summary"]]


def test_lone_surrogates_are_replaced_and_the_rest_kept(hostile: Vetting) -> None:
    message = strictly(render("json", hostile))["findings"][0]["message"]
    assert message == hostile.findings[0].message.replace("\ud800", "\ufffd")


def test_a_line_of_jsonl_holds_no_line_end(hostile: Vetting) -> None:
    assert render("jsonl", hostile).count("\n") == len(hostile.findings) + 1
