"""Common inefficiencies of today: for each pattern programs that have it, and twins that do not.

A file of `today` is named after its pattern and has programs under lines `=== NAME`. `# told` stands behind each line
on which the pattern is told; a program without one must not fire. A program under `=== run NAME` leaves a `result`: its
edits are applied, it is run before and after with the real library, both results are equal, and nothing is told any
more. `=== edit NAME` is the same without running.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from suggesting import results

from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

FOLDER = Path(__file__).parent / "today"
HEAD = re.compile(r"^=== (?:(run|edit) )?(.*)$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A program: the pattern that it has or lacks, and what is done with its edits."""

    pattern: str
    use: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.pattern}-{self.name}"


def programs() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        parts = HEAD.split(path.read_text(encoding="utf-8"))
        for use, name, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            found.append(Case(path.stem.replace("_", "-"), use or "", name, text.strip("\n") + "\n"))
    return found


PROGRAMS = programs()
EDITED = [each for each in PROGRAMS if each.use]


def told(pattern: str, text: str, folder: Path) -> list[Finding]:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), folder, shapes=False, efficiency=EfficiencyRequest())
    return [each for each in vet_program(program).findings if each.rule == pattern]


@pytest.mark.parametrize("case", PROGRAMS, ids=str)
def test_it_is_told_where_it_is_and_nowhere_else(case: Case, tmp_path: Path) -> None:
    expected = {number for number, line in enumerate(case.text.splitlines(), 1) if line.rstrip().endswith("# told")}
    assert {each.location.line for each in told(case.pattern, case.text, tmp_path)} == expected


@pytest.mark.parametrize("case", EDITED, ids=str)
def test_its_edits_cure_it_and_keep_the_result(case: Case, tmp_path: Path) -> None:
    fixes = [each.fix for each in told(case.pattern, case.text, tmp_path) if each.fix is not None]
    cured, applied = apply_edits(case.text, fixes)
    assert applied == len(fixes) > 0
    compile(cured, "program.py", "exec")
    assert told(case.pattern, cured, tmp_path) == []
    if case.use == "run":
        before, after = results(case.text, tmp_path), results(cured, tmp_path)
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pattern", sorted({each.pattern for each in PROGRAMS}))
def test_every_pattern_has_programs_with_it_and_twins_without(pattern: str) -> None:
    texts = [each.text for each in PROGRAMS if each.pattern == pattern]
    fire = sum("# told" in text for text in texts)
    assert fire >= 3
    assert len(texts) - fire >= 4
