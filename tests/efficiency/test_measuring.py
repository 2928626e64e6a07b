"""A program and a changed copy of it, really run: the ratio, the difference of results, and what can go wrong."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mlvet.analyses.efficiency.measurement import target_of, tried
from mlvet.core.config import Config
from mlvet.core.errors import UsageError
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.runtime.measuring.sides import NotMeasured, Target, measured

SLOW = """\
import sys
import time

import numpy as np


def work():
    time.sleep(0.4)
    return np.arange(3.0), [1, 2.5]


if __name__ == "__main__":
    total = work()[0].sum()
    print("total", total, *sys.argv[1:])
"""


def program(folder: Path, text: str = SLOW) -> Path:
    file = folder / "slow.py"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_faster_copy_of_a_function_is_seen_to_be_faster(tmp_path: Path) -> None:
    target = Target(program(tmp_path), "work")
    found = measured(target, SLOW.replace("0.4", "0.0"), sys.executable, 60, rounds=1)
    assert found.ratio > 3
    assert found.difference == 0


def test_a_copy_with_other_results_is_told_by_how_much(tmp_path: Path) -> None:
    target = Target(program(tmp_path), "", ("7",))
    found = measured(target, SLOW.replace("arange(3.0)", "arange(3.0) * 1.5"), sys.executable, 60, rounds=1)
    assert found.difference == pytest.approx(0.5 / 1.5)
    assert found.compared == "1 names"


def test_results_of_another_size_differ_without_end(tmp_path: Path) -> None:
    target = Target(program(tmp_path), "work")
    found = measured(target, SLOW.replace("arange(3.0)", "arange(4.0)"), sys.executable, 60, rounds=1)
    assert found.difference == float("inf")


def test_what_a_script_prints_is_compared_if_it_leaves_no_names(tmp_path: Path) -> None:
    text = "def main():\n    print('loss', 2.0)\n\n\nmain()\n"
    target = Target(program(tmp_path, text))
    found = measured(target, text.replace("2.0", "2.5"), sys.executable, 60, rounds=1)
    assert (found.difference, found.compared) == (pytest.approx(0.2), "printed numbers")


def test_names_of_modules_and_tensors_that_want_gradients_are_no_hindrance(tmp_path: Path) -> None:
    text = "import torch\nfrom torch import nn\nnet = nn.Linear(2, 2)\nw = torch.ones(3, requires_grad=True) * 2\n"
    target = Target(program(tmp_path, text))
    found = measured(target, text.replace("* 2", "* 3"), sys.executable, 120, rounds=1)
    assert (found.difference, found.compared) == (pytest.approx(1 / 3), "1 names")


@pytest.mark.parametrize(
    ("changed", "words"),
    [("raise ValueError('broken')", "changed copy of `slow.py` failed on line 1: ValueError: broken")],
)
def test_a_copy_that_fails_is_told(tmp_path: Path, changed: str, words: str) -> None:
    with pytest.raises(NotMeasured, match=words):
        measured(Target(program(tmp_path, "x = 1\n")), changed, sys.executable, 60, rounds=1)


def test_a_program_that_takes_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotMeasured, match="took more than 1 s"):
        measured(Target(program(tmp_path, "import time\ntime.sleep(30)\n")), "x = 1\n", sys.executable, 1, rounds=1)


def suggestion(edit: Edit) -> Finding:
    fix = Fix("sleep less", (edit,), Applicability.UNSAFE, "it wakes earlier")
    place = Location("slow.py", 8, 5, 8, 20)
    return Finding("loop-invariant", "EFF111", Severity.SUGGESTION, Certainty.LIKELY, "slow", place, fix=fix)


@pytest.mark.parametrize(
    ("content", "certainty"),
    [("0.0", Certainty.OBSERVED), ("0.4", Certainty.POSSIBLE)],
    ids=["faster", "no faster"],
)
def test_a_suggestion_is_graded_by_what_was_seen(tmp_path: Path, content: str, certainty: Certainty) -> None:
    file = program(tmp_path)
    edit = Edit(Location("slow.py", 8, 16, 8, 19), content)
    config = replace(Config(), measure=f"{file}:work")
    (found,), notes, _ = tried([suggestion(edit)], config, tmp_path)
    assert notes == []
    assert found.certainty is certainty
    assert "measured with `slow.py:work`" in found.related[-1].message
    assert found.evidence is not None
    assert found.evidence.data["measured"]["difference"] == 0


def test_without_a_suggestion_to_try_it_says_so(tmp_path: Path) -> None:
    _, notes, _ = tried([], replace(Config(), measure=str(program(tmp_path))), tmp_path)
    assert notes == ["nothing was measured: no suggestion with an edit is in slow.py"]


@pytest.mark.parametrize(
    ("ending", "words"), [("raise OSError('full')\n", "failed on line 15: OSError: full"), ("sys.exit(3)\n", "failed")]
)
def test_a_target_that_fails_is_a_problem_and_nothing_else_is_lost(tmp_path: Path, ending: str, words: str) -> None:
    target = program(tmp_path, SLOW + ending)
    slow = suggestion(Edit(Location("slow.py", 8, 16, 8, 19), "0.0"))
    found, notes, problems = tried([slow], replace(Config(), measure=str(target)), tmp_path)
    assert (found, notes) == ([slow], [])
    assert len(problems) == 1
    assert words in problems[0].reason


@pytest.mark.parametrize("text", ["", "absent.py", "'open", "slow.py:work --steps 3", "slow.py:wrok", "slow.py:"])
def test_a_target_that_cannot_be_is_refused(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program(tmp_path)
    with pytest.raises(UsageError, match="--measure"):
        target_of(text)
