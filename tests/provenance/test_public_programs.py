"""The table of public programs and the witness that checks derivatives without mlvet."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.provenance.public_programs import DRIVERS, WITNESS  # noqa: E402
from benchmarks.provenance.questions import PROGRAMS, Cell, Entry, Program  # noqa: E402

PROGRAM = """
import sys
data = ((1.0, 2.0), 3.0)
class Model:
    rate = 0.5
    def __init__(self):
        self.weights = {}
    def fill(self):
        for name in "ab":
            self.weights[name] = 2.0
def scaled(values, factor):
    total = 0.0
    for value in values:
        total += value * factor
    return total
model = Model()
model.fill()
print(scaled(model.weights.values(), Model.rate))
result = data[0][1] * data[1] + model.weights["a"] ** 2
"""


def witnessed(script: Path, *options: str) -> float:
    done = subprocess.run([sys.executable, str(WITNESS), *options, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2.0\n" or "--at" in options
    return float(done.stderr.rpartition("witness: ")[2])


@pytest.mark.parametrize(
    ("of", "at", "element", "derivative"),
    [
        ("result", "data@<module>:3", "data[0][1]", 3.0),
        ("result", "self.weights@fill:10", 'self.weights["a"]', 4.0),
        ("return@scaled", "self.weights@fill:10", 'self.weights["b"]', 0.5),
        ("return@scaled", "rate@Model:5", "rate", 4.0),
        ("total@scaled:14", "factor@scaled", "factor", 4.0),
    ],
)
def test_the_witness_changes_an_input_where_it_is_assigned(
    tmp_path: Path, of: str, at: str, element: str, derivative: float
) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    up, down = (
        witnessed(script, "--of", of, "--at", at, "--element", element, f"--step={step}") for step in (1e-4, -1e-4)
    )
    assert (up - down) / 2e-4 == pytest.approx(derivative, rel=1e-8)
    witnessed(script, "--of", of)


def test_a_place_that_is_never_reached_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(WITNESS), "--of", "result", "--at", "other@scaled:14", "--step=1", str(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("no other at other@scaled:14\n")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_drivers_and_data_of_the_table_are_there(program: Program) -> None:
    assert bool(program.script) != bool(program.driver)
    if program.driver:
        ast.parse((DRIVERS / program.driver).read_text(encoding="utf-8"))
    for question in program.questions:
        assert question.derivative != 0.0
        outside = question.outside
        if isinstance(outside, Entry):
            number = json.loads((DRIVERS / "data" / outside.file).read_text(encoding="utf-8"))
            for key in outside.keys:
                number = number[key]
            assert isinstance(number, int | float)
        elif isinstance(outside, Cell):
            line = (DRIVERS / "data" / outside.file).read_text(encoding="utf-8").splitlines()[outside.row]
            assert float(line.split(outside.separator)[outside.column])
        elif outside:
            assert outside in program.arguments


def test_at_least_ten_repositories_are_in_the_table() -> None:
    assert len({program.repository for program in PROGRAMS}) >= 10
