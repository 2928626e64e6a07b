"""A chain that is lost unseen, in compiled code or in text, is told by runs with the inputs moved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked_programs import explanations

from mlvet.analyses.provenance.probing import FAR, NEAR, explains, lost_slope

Ask = Callable[..., dict[str, Any]]

PROGRAM = """import ctypes, json
import numpy as np
from scipy import integrate, ndimage


def f(a, x):
    return {expression}


a, x = 1.25, np.array([0.5, 2.0, 1.5, 3.0])
result = f(a, x)
"""


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(expression: str, *options: str) -> dict[str, Any]:
        (tmp_path / "program.py").write_text(PROGRAM.format(expression=expression), encoding="utf-8")
        start = [sys.executable, "-m", "mlvet"]
        subprocess.run(
            [*start, "trace", "--quiet", "--output", "log", "program.py"], cwd=tmp_path, check=True, capture_output=True
        )
        question = ["why", "log", "--of", "result", "--inputs", "a@f", "--inputs", "x@f", "--output-format", "json"]
        done = subprocess.run(
            [*start, *question, "--exit-zero", *options], cwd=tmp_path, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    return asked


def lost(answer: dict[str, Any]) -> bool:
    return any("the chain is lost" in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("float(str(a)) * 2 + a", "text"),
        ('float(str(str(a).encode(), encoding="ascii"))', "text"),
        ('float("%.12f" % a)', "text"),
        ('float(f"{a:.12f}")', "text"),
        ("json.loads(json.dumps([a]))[0]", "json.loads"),
        ("float(ndimage.gaussian_filter1d(x, 1.0)[0])", "gaussian_filter1d"),
        ("integrate.quad(lambda t: t * a, 0, 1)[0]", "quad"),
        ("float(np.frombuffer(x.tobytes())[1])", "frombuffer"),
    ],
)
def test_a_loss_that_nobody_sees_is_told_with_its_line(expression: str, what: str, ask: Ask) -> None:
    answer = ask(expression)
    assert lost(answer)
    assert [each["line"] for each in answer["breaks"] if what in each["what"]] == [7]
    assert answer["findings"] == []


@pytest.mark.parametrize(
    "expression",
    [
        "a * float(x.sum()) + max(a, 1.25)",
        "round(a, 1) * 3 + a",
        "float(np.sort(x)[2]) * abs(a - 1.25)",
        'float("2.5") * a + len(str(a))',
        "integrate.trapezoid(x) * a",
    ],
)
def test_a_whole_chain_is_not_doubted(expression: str, ask: Ask) -> None:
    assert not lost(ask(expression))


def test_without_further_runs_nothing_is_checked(ask: Ask) -> None:
    assert not lost(ask("float(str(a))", "--flips", "0"))


def test_the_slope_of_a_smooth_output_is_the_witness() -> None:
    def runs(output: Callable[[float], float]) -> list[tuple[float, float | None]]:
        return [(step, output(step)) for step in (FAR, -FAR, NEAR, -NEAR)]

    assert lost_slope(3.0, 1.0, runs(lambda step: 1 + 3 * step + step * step)) is None
    assert lost_slope(0.0, 1.0, runs(lambda step: 1 + 3 * step)) == pytest.approx(3.0)
    assert lost_slope(2.0, 1.0, runs(lambda step: 1 + max(2 * step, 0.0))) is None
    assert lost_slope(2.0, 1.0, runs(lambda step: 1 + 2 * step + (step > 0))) is None
    assert lost_slope(2.0, 1.0, [(FAR, 1.0), (-FAR, None)]) is None
    assert explains(1e-9, 1.0, 1.0, FAR)
    assert not explains(0.5, 1.0, 1.0, FAR)


def test_products_and_quotients_do_not_stand_still_when_all_inputs_move(tmp_path: Path) -> None:
    program = """
a, b = {{a|7.25}}, {{b|0.0825}}
product = float(str(a)) * float(str(b))
quotient = float(str(a)) / float(str(b))
"""
    told = explanations(tmp_path, program, ["product", "quotient"], ["a@<module>", "b@<module>"])
    found = [{each["input"]: each["derivative"] for each in one["influences"]} for one in told]
    assert found[0] == pytest.approx({"a": 0.0825, "b": 7.25})
    assert found[1] == pytest.approx({"a": 1 / 0.0825, "b": -7.25 / 0.0825**2})
