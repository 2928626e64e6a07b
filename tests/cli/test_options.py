"""What each option of `mlvet check` does."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command import BUG, document, findings, run

MIXED = """\
import torch_that_nobody_has

print(undefined_name)
total = 1 + 1  # mlvet: ignore[missing-key]
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An error, a warning, and something less certain."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mlvet.toml").touch()
    (folder / "train.py").write_text(MIXED)
    (folder / "clean.py").write_text("print(1)\n")
    return folder


def rules(folder: Path, *arguments: str) -> tuple[list[str], int]:
    done = run("check", "--output-format", "json", *arguments, cwd=folder)
    return [rule for _, _, rule in findings(done)], done.returncode


def test_findings_make_exit_code_one(mixed: Path) -> None:
    assert rules(mixed) == (["undefined-variable", "unused-suppression"], 1)


def test_a_clean_file_makes_exit_code_zero(mixed: Path) -> None:
    done = run("check", "clean.py", cwd=mixed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No problems found in 1 file (")


def test_select(mixed: Path) -> None:
    assert rules(mixed, "--select", "undefined-variable") == (["undefined-variable"], 1)
    assert rules(mixed, "--select", "PY9,missing-key") == (["unused-suppression"], 1)
    assert rules(mixed, "--select", "PY9", "--select", "missing-key") == (["unused-suppression"], 1)


def test_ignore(mixed: Path) -> None:
    assert rules(mixed, "--ignore", "PY101") == (["unused-suppression"], 1)
    assert rules(mixed, "--ignore", "PY") == ([], 0)


def test_ignore_adds_to_what_the_project_ignores(project: Path) -> None:
    (project / "mlvet.toml").write_text('ignore = ["undefined-variable"]\n')
    (project / "bug.py").write_text(MIXED)
    assert rules(project, "--ignore", "PY402") == (["unused-suppression"], 1)


def test_min_certainty(mixed: Path) -> None:
    assert rules(mixed, "--min-certainty", "possible")[0] == [
        "missing-module",
        "undefined-variable",
        "unused-suppression",
    ]


def test_what_is_hidden_is_counted(mixed: Path) -> None:
    hidden = document(run("check", "--output-format", "json", cwd=mixed))["summary"]["hidden"]
    assert hidden == {
        "certainty": 1,
        "by_certainty": {"possible": 1},
        "severity": 0,
        "suppressed": 0,
        "baseline": 0,
    }


def test_min_severity(mixed: Path) -> None:
    assert rules(mixed, "--min-severity", "error") == (["undefined-variable"], 1)


def test_fail_on(mixed: Path) -> None:
    assert rules(mixed, "--fail-on", "error", "--ignore", "PY101") == (["unused-suppression"], 0)
    assert rules(mixed, "--fail-on", "error") == (["undefined-variable", "unused-suppression"], 1)


def test_exit_zero(mixed: Path) -> None:
    assert rules(mixed, "--exit-zero")[1] == 0


def test_per_file_ignores_and_exclude(project: Path) -> None:
    (project / "tests").mkdir()
    (project / "build").mkdir()
    for folder in ("tests", "build"):
        (project / folder / "more.py").write_text(BUG)
    (project / "mlvet.toml").write_text('exclude = ["build"]\n[per-file-ignores]\n"tests/*" = ["PY1"]\n')
    done = run("check", "--output-format", "json", cwd=project)
    assert findings(done) == [("bug.py", 1, "undefined-variable")]
    assert document(done)["summary"]["files"] == 2


def test_a_named_file_is_taken_though_excluded(project: Path) -> None:
    (project / "mlvet.toml").write_text('exclude = ["bug.py"]\n')
    assert rules(project) == ([], 0)
    assert rules(project, "bug.py") == (["undefined-variable"], 1)


def test_config_names_the_settings(project: Path) -> None:
    (project / "other.toml").write_text('ignore = ["PY101"]\n')
    assert rules(project, "--config", "other.toml") == ([], 0)


def test_gitignore_is_respected(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("bug.py\n!\n\\\n")
    assert rules(project) == ([], 0)


def test_a_script_without_a_suffix_is_known_by_its_first_line(project: Path) -> None:
    (project / "bug.py").unlink()
    (project / "train").write_text(f"#!/usr/bin/env python3\n{BUG}")
    (project / "launch").write_text(f"#!/bin/sh\n{BUG}")
    os.mkfifo(project / "pipe")
    assert rules(project) == (["undefined-variable"], 1)
    assert rules(project, "train") == (["undefined-variable"], 1)


def test_folders_of_others_are_not_entered(project: Path) -> None:
    for folder in ("venv", "node_modules", "own_environment", "site-packages"):
        (project / folder).mkdir()
        (project / folder / "more.py").write_text(BUG)
    (project / "own_environment" / "pyvenv.cfg").touch()
    assert document(run("check", "--output-format", "json", cwd=project))["summary"]["files"] == 1


def test_stdin_paths(project: Path) -> None:
    (project / "two words.py").write_text(BUG)
    done = run(
        "check", "--stdin-paths", "--output-format", "json", cwd=project, input="bug.py\r\n\ntwo words.py\nbug.py"
    )
    assert [path for path, _, _ in findings(done)] == ["bug.py", "two words.py"]


def test_no_stdin_paths_mean_no_files(project: Path) -> None:
    done = run("check", "--stdin-paths", cwd=project, input="")
    assert (done.returncode, done.stdout[:31]) == (0, "No problems found in 0 files (0")


def test_statistics(mixed: Path) -> None:
    done = run("check", "--statistics", cwd=mixed)
    assert done.stdout == "1  PY101  undefined-variable  error\n1  PY901  unused-suppression  warning\n"
    assert done.returncode == 1


def test_output_goes_to_a_file(project: Path) -> None:
    done = run("check", "--output", "report.json", "--output-format", "json", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert json.loads((project / "report.json").read_text(encoding="utf-8"))["version"] == 1


@pytest.fixture(scope="module")
def reports(mixed: Path) -> dict[str, str]:
    names = ("full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "html")
    done = {name: run("check", "train.py", "--output-format", name, cwd=mixed) for name in names}
    assert {each.returncode for each in done.values()} == {1}
    assert {each.stderr for each in done.values()} == {""}
    return {name: each.stdout for name, each in done.items()}


def test_every_format_tells_of_the_bug(reports: dict[str, str]) -> None:
    for name, text in reports.items():
        assert "train.py" in text, name
        assert "undefined-variable" in text, name
        assert text.endswith("\n"), name


def test_formats_for_machines_parse(reports: dict[str, str]) -> None:
    assert json.loads(reports["json"])["findings"][0]["rule"] == "undefined-variable"
    assert json.loads(reports["jsonl"].splitlines()[0])["rule"] == "undefined-variable"
    assert json.loads(reports["sarif"])["runs"][0]["results"][0]["ruleId"]
    assert json.loads(reports["gitlab"])[0]["location"]["path"] == "train.py"
    assert ElementTree.fromstring(reports["junit"]).tag == "testsuites"
    assert reports["github"].startswith("::error file=train.py,line=3,")
    assert reports["html"].lstrip().lower().startswith("<!doctype html>")


def test_formats_for_people_point_at_the_place(reports: dict[str, str]) -> None:
    assert "3 | print(undefined_name)\n  |       ^^^^^^^^^^^^^^ `undefined_name` is not defined" in reports["full"]
    assert reports["concise"].startswith("train.py:3:7: error[undefined-variable] `undefined_name` is not defined")


def test_colours_only_where_asked_for(mixed: Path, reports: dict[str, str]) -> None:
    assert "\x1b" not in reports["full"]
    assert "\x1b[1;31m" in run("check", "train.py", "--color", "always", cwd=mixed).stdout
    assert "\x1b" in run("check", "train.py", cwd=mixed, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in run("check", "train.py", cwd=mixed, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_the_order_is_stable(project: Path) -> None:
    for name in ("c.py", "a.py", "b.ipynb"):
        text = BUG * 2
        cells = {"cells": [{"cell_type": "code", "source": text}], "metadata": {}}
        (project / name).write_text(json.dumps(cells) if name.endswith("ipynb") else text)
    orders = [["."], ["c.py", "b.ipynb", "bug.py", "a.py"], ["a.py", ".", "./a.py"], ["."]]
    reported = [
        [
            (each["location"], each["fingerprint"])
            for each in document(run("check", "--output-format", "json", *order, cwd=project))["findings"]
        ]
        for order in orders
    ]
    assert [place["path"] for place, _ in reported[0]] == ["a.py"] * 2 + ["b.ipynb"] * 2 + ["bug.py"] + ["c.py"] * 2
    assert all(each == reported[0] for each in reported)


def test_fingerprints_do_not_depend_on_the_working_folder(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "deep.py").write_text(BUG)
    prints = [
        document(run("check", "--output-format", "json", path, cwd=folder))["findings"][0]["fingerprint"]
        for folder, path in ((project, "src/deep.py"), (project / "src", "deep.py"), (project.parent, "project/src"))
    ]
    assert len(set(prints)) == 1
