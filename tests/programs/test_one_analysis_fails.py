"""A defect of one analysis is told, and costs nothing of what the others find."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.source import Source
from mlvet.programs import Outcome, Program, vet_program

TEXT = """\
import torch

grown = torch.zeros(0, 8)
for step in range(1000):
    grown = torch.cat([grown, torch.randn(1, 8)])
torch.randn(4, 3) @ torch.randn(4, 5)
"""
BROKEN = cast(Any, object())
"""No request of any engine: whoever reads it raises."""


def vetted(folder: Path, **asked: Any) -> Outcome:
    path = folder / "train.py"
    path.write_text(TEXT, encoding="utf-8")
    return vet_program(Program(path, Source(path.name, TEXT), folder, **asked))


def test_findings_on_shapes_stay_when_suggestions_fail(tmp_path: Path) -> None:
    outcome = vetted(tmp_path, efficiency=BROKEN)
    assert [each.rule for each in outcome.findings] == ["matmul-inner-dims"]
    (note,) = outcome.notes
    assert note.startswith("train.py: its efficiency could not be judged, a defect of mlvet: AttributeError")
    assert outcome.problems == []


def test_suggestions_stay_when_numbers_fail_which_is_a_problem_of_the_file(tmp_path: Path) -> None:
    outcome = vetted(tmp_path, numerics=BROKEN, efficiency=EfficiencyRequest())
    assert {each.rule for each in outcome.findings} >= {"matmul-inner-dims", "growing-concatenation"}
    (problem,) = outcome.problems
    assert problem.path == "train.py"
    assert problem.reason.startswith("its numbers could not be judged, a defect of mlvet")
