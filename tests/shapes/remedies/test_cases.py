"""Fixes of programs that fail: what is offered, and that the program is right with it, judged and really run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from real_runs import run
from remedy_cases import CASES, Case

from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program


def judged(text: str, folder: Path) -> list[Finding]:
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    return vet_program(Program(file, Source("program.py", text), folder)).findings


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fix_is_offered_and_leaves_nothing_to_find(case: Case, tmp_path: Path) -> None:
    (found,) = judged(case.text, tmp_path)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE, found.fix.title
    text, applied = apply_edits(case.text, [found.fix])
    assert applied == 1
    assert text == case.expected
    assert judged(text, tmp_path) == []


@pytest.mark.parametrize("library", ["numpy", "torch", "keras", "tensorflow", "jax"])
def test_the_programs_raise_before_and_run_after(library: str) -> None:
    pytest.importorskip(library)
    chosen = [each for each in CASES if each.library == library]
    raised = run({each.name: each.text for each in chosen} | {f"{each.name} fixed": each.expected for each in chosen})
    for each in chosen:
        assert re.search(r"(?i)shape|size|dim|type|channel|rank|target|input", raised[each.name]), each.name
        assert not raised[f"{each.name} fixed"], each.name
