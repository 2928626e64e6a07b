"""The programs of the benchmark and of examples: bugs that need no package but torch are shown, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SEEDED = json.loads((ROOT / "benchmarks/pycheck/seeded.json").read_text(encoding="utf-8"))


def check(folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "mlvet", "check", ".", "--output-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


@pytest.fixture(scope="module")
def seeded() -> list[dict[str, Any]]:
    return check(ROOT / "benchmarks/pycheck/seeded")


def covers(finding: dict[str, Any], bug: dict[str, Any]) -> bool:
    where = finding["location"]
    return bool(where["path"] == bug["file"] and where["line"] <= bug["line"] <= where.get("end_line", where["line"]))


@pytest.mark.parametrize(
    "bug",
    [bug for bug in SEEDED if set(bug["needs"]) <= {"torch"} and not bug.get("across_call")],
    ids=lambda b: b["file"],
)
def test_a_seeded_bug_is_shown(bug: dict[str, Any], seeded: list[dict[str, Any]]) -> None:
    assert any(covers(finding, bug) for finding in seeded)


def test_nothing_but_seeded_bugs_is_shown(seeded: list[dict[str, Any]]) -> None:
    others = [f for f in seeded if not any(covers(f, bug) for bug in SEEDED)]
    assert [f for f in others if f["code"].startswith("PY")] == []


def test_correct_programs_yield_nothing() -> None:
    assert check(ROOT / "benchmarks/pycheck/clean") == []


def test_the_examples_show_their_planted_bugs_and_nothing_else() -> None:
    planted: set[tuple[str, object]] = {("wrong_linear.onnx", "fc1"), ("log_of_softmax.onnx", "log")}
    for file in (ROOT / "examples").glob("*.py"):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if "# BUG" in line:
                planted.add((file.name, number + 1 if line.strip().startswith("#") else number))
    found = (finding["location"] for finding in check(ROOT / "examples"))
    assert {(where["path"], where.get("line") or where["node"]) for where in found} == planted
