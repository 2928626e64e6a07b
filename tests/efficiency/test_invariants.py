"""What loops compute again and again: programs in which that is told, and twins in which it is not.

A file of `invariants` is named after its pattern and has programs under lines `=== NAME`. `# told` stands behind each
line on which the pattern is told, with the applicability of its fix; a program without one must not fire. A program
under `=== run NAME` leaves a `result`: its edits are applied, it is run before and after with the real library, and
both results are equal.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from suggesting import results

from mlvet.analyses.efficiency.algebra import saturation
from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

FOLDER = Path(__file__).parent / "invariants"
HEAD = re.compile(r"^=== (?:(run) )?(.*)$", flags=re.MULTILINE)
TOLD = re.compile(r"# told (\w+)$")


class Case(NamedTuple):
    pattern: str
    run: bool
    name: str
    text: str


def programs() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        parts = HEAD.split(path.read_text(encoding="utf-8"))
        for use, name, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            found.append(Case(path.stem.replace("_", "-"), use == "run", name, text.strip("\n") + "\n"))
    return found


PROGRAMS = programs()


def cases(chosen: list[Case]) -> list[Any]:
    return [pytest.param(each.pattern, each.text, id=f"{each.pattern}-{each.name}") for each in chosen]


def told(pattern: str, text: str, folder: Path) -> list[Finding]:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), folder, shapes=False, efficiency=EfficiencyRequest())
    return [each for each in vet_program(program).findings if each.rule == pattern]


@pytest.mark.parametrize(("pattern", "text"), cases(PROGRAMS))
def test_it_is_told_where_it_is_and_nowhere_else(pattern: str, text: str, tmp_path: Path) -> None:
    marks = ((number, TOLD.search(line)) for number, line in enumerate(text.splitlines(), 1))
    expected = {(number, mark[1]) for number, mark in marks if mark}
    found = {(each.location.line, each.fix and each.fix.applicability.value) for each in told(pattern, text, tmp_path)}
    assert found == expected


@pytest.mark.parametrize(("pattern", "text"), cases([each for each in PROGRAMS if each.run]))
def test_its_edits_cure_it_and_keep_the_result(pattern: str, text: str, tmp_path: Path) -> None:
    text = re.sub(r"  # told \w+$", "", text, flags=re.MULTILINE)
    fixes = [each.fix for each in told(pattern, text, tmp_path) if each.fix is not None]
    cured, applied = apply_edits(text, fixes)
    assert applied == len(fixes) > 0
    assert told(pattern, cured, tmp_path) == []
    before, after = (np.stack(results(each, tmp_path)).astype(float) for each in (text, cured))
    assert before.size
    assert np.isfinite(before).all()
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5 * np.abs(before).max())


def test_an_example_names_what_the_loop_has(tmp_path: Path) -> None:
    text = next(each.text for each in PROGRAMS if each.name == "a function that the loop calls")
    (found,) = told("loop-invariant", text, tmp_path)
    assert found.fix is not None
    first, *example = found.fix.title.splitlines()
    assert first == "let `step` take `gram` instead of computing it:"
    changed = text.replace("def step(w, a):", "def step(w, a, gram):").replace(
        "    gram = a.t() @ a  # told manual\n", ""
    )
    head, _, _ = changed.partition("for i in")
    compile(head + "\n".join(example), "program.py", "exec")
    names: dict[str, object] = {}
    exec(head + "\n".join(example), names)
    assert names["gram"].shape == (200, 200)  # type: ignore[attr-defined]


def test_a_loop_of_unknown_length_states_from_when_on_it_pays(tmp_path: Path) -> None:
    text = next(each.text for each in PROGRAMS if each.name == "three iterations pay")
    text = text.replace("for step in range(3):", "while A.sum() < 1000:")
    (found,) = told("algebraic-loop-invariant", text, tmp_path)
    assert [each.text for each in found.assumptions] == ["the loop runs at least 3 times"]


def test_without_the_extra_the_pattern_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = next(each.text for each in PROGRAMS if each.name == "three iterations pay")
    monkeypatch.setattr(saturation, "_engine", lambda: None)
    assert told("algebraic-loop-invariant", text, tmp_path) == []


@pytest.mark.parametrize(("module", "expected"), [("nothing", 1), ("elsewhere", 0)])
def test_work_in_another_file_is_not_counted_as_none(module: str, expected: int, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text("", encoding="utf-8")
    (tmp_path / "elsewhere.py").write_text("def work(x):\n    return [x @ x for _ in range(1000)]\n", encoding="utf-8")
    call = "elsewhere.work(np.ones((500, 500)))" if module == "elsewhere" else "0"
    text = f"""\
import numpy as np
import {module}

rows = np.ones((300, 300))
total = 0.0
for step in range(1000):
    scaled = rows * 2.0
    other = {call}
    total = total + (scaled + step).sum()
print(total, other)
"""
    assert len(told("loop-invariant", text, tmp_path)) == expected
