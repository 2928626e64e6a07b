"""The formats that continuous integration reads: GitHub, GitLab, JUnit."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Vetting
from mlvet.report import render


def error(location: Location, message: str = "wrong", rule: str = "some-rule") -> Finding:
    return Finding(rule, "PY101", Severity.ERROR, Certainty.PROVED, message, location, fingerprint="f00")


def test_github_annotations(vetting: Vetting) -> None:
    assert (
        render("github", vetting)
        == """\
::notice file=jobs/explore.ipynb,title=matmul-inner-dims::cell 3, line 2: `a @ b` may fail%0A\
help: b @ a   (apply with --fix)%0Acertainty: possible
::warning file=jobs/model.onnx,title=log-of-nonpositive::/head/Log_3: `Log` receives [0, inf], so the result can be \
-inf%0Ahelp: use log_softmax%0Acertainty: observed
::error file=jobs/train.py,line=10,col=13,endLine=10,endColumn=21,title=matmul-inner-dims::`Linear` expects 1024 \
features but gets 64*12*12 = 9216%0Anote: 1024 is set here (train.py:7:30)%0Anote: x is f32[batch, 64, 12, 12]%0A\
note: assuming the batch is not empty%0Ahelp: nn.Linear(9216, 128)   (apply with --unsafe-fixes: the checkpoint may \
hold 1024 features)%0Acertainty: proved
::warning file=jobs/train.py,line=11,col=18,endLine=11,endColumn=24,title=missing-attribute::`Tensor` has no attribute \
`softmx`%0Anote: found by pyrefly (missing-attribute) and ruff (F821)%0Ahelp: softmax   (apply with --fix)%0A\
certainty: likely
"""
    )


def test_github_escapes_properties_and_data(make) -> None:
    vetting = make(error(Location("a,b:c%.py", 1), "100%\r\nfoo: a, b", rule="x,y"))
    assert render("github", vetting) == (
        "::error file=jobs/a%2Cb%3Ac%25.py,line=1,endLine=1,title=x%2Cy::100%25%0D%0Afoo: a, b%0Acertainty: proved\n"
    )


def test_github_span_over_lines_has_no_columns(make) -> None:
    vetting = make(error(Location("a.py", 1, 5, 3, 2)))
    assert render("github", vetting).startswith("::error file=jobs/a.py,line=1,endLine=3,title=some-rule::")


def test_github_command_cannot_be_forged(hostile: Vetting) -> None:
    lines = render("github", hostile).splitlines()
    assert len(lines) == len(hostile.findings)
    assert all(line.startswith(("::error file=", "::warning file=")) for line in lines)


def test_gitlab_issues(vetting: Vetting) -> None:
    issues = json.loads(render("gitlab", vetting))
    assert [issue["severity"] for issue in issues] == ["info", "minor", "major", "minor"]
    assert [issue["location"]["lines"]["begin"] for issue in issues] == [1, 1, 10, 11]
    assert issues[0]["description"] == "cell 3, line 2: `a @ b` may fail"
    assert issues[2] == {
        "description": "`Linear` expects 1024 features but gets 64*12*12 = 9216",
        "check_name": "matmul-inner-dims",
        "fingerprint": "0123456789abcdef0123",
        "severity": "major",
        "location": {"path": "jobs/train.py", "lines": {"begin": 10, "end": 10}},
    }


def test_gitlab_clean_run_is_an_empty_list(clean: Vetting) -> None:
    assert json.loads(render("gitlab", clean)) == []


def test_junit_has_a_suite_per_file_and_a_failure_per_finding(vetting: Vetting) -> None:
    root = ElementTree.fromstring(render("junit", vetting).encode())
    assert {key: root.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "5",
        "failures": "4",
        "errors": "1",
    }
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["explore.ipynb", "model.onnx", "train.py", "broken.onnx"]
    first, second = suites["train.py"]
    assert first.attrib == {"name": "matmul-inner-dims (10:13)", "classname": "train.py", "line": "10"}
    assert first[0].tag == "failure"
    assert first[0].get("message") == "`Linear` expects 1024 features but gets 64*12*12 = 9216"
    assert first[0].get("type") == "error proved"
    assert (second[0].text or "").splitlines() == [
        "train.py:11:18: `Tensor` has no attribute `softmx`",
        "note: found by pyrefly (missing-attribute) and ruff (F821)",
        "help: softmax   (apply with --fix)",
    ]
    assert suites["broken.onnx"][0][0].attrib == {"message": "not a model: truncated", "type": "not analysed"}


def test_junit_clean_run_is_one_test_that_passed(clean: Vetting) -> None:
    root = ElementTree.fromstring(render("junit", clean).encode())
    cases = list(root.iter("testcase"))
    assert len(cases) == 1
    assert len(cases[0]) == 0
    assert (root.get("tests"), root.get("failures")) == ("1", "0")


def test_junit_survives_what_xml_cannot_hold(hostile: Vetting, make) -> None:
    root = ElementTree.fromstring(render("junit", hostile).encode())
    assert [(suite.get("tests"), suite.get("errors")) for suite in root] == [("2", "1"), ("1", "0")]
    message = next(root.iter("failure")).get("message") or ""
    assert "</script>" in message
    assert "\\x1b[2J\\x00" in message
    every = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xFFFE, 0xFFFF]))
    ElementTree.fromstring(render("junit", make(error(Location(f"{every}.py", node=every), every))).encode())
