"""Where the chain is lost derivatives are measured; breaks that lose nothing are not told."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlvet.analyses.provenance.measuring import Ground, differs, measured_slope

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(text: str, *inputs: str) -> dict[str, Any]:
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        start = [sys.executable, "-m", "mlvet"]
        traced = [*start, "trace", "--quiet", "--output", "log", "program.py"]
        subprocess.run(traced, cwd=tmp_path, check=True, capture_output=True)
        named = [word for each in inputs for word in ("--inputs", each)]
        question = [*start, "why", "log", "--of", "result", *named, "--output-format", "json", "--exit-zero"]
        done = subprocess.run(question, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    return asked


def derivatives(answer: dict[str, Any]) -> dict[str, float]:
    return {each["input"]: each["derivative"] for each in answer["influences"]}


def test_derivatives_that_are_lost_in_complex_numbers_are_measured(ask: Ask) -> None:
    answer = ask("import numpy as np\nx = np.array([3.0, 4.0])\nresult = abs(np.fft.fft(x)[1] + 1j)\n", "x@<module>:2")
    found = derivatives(answer)
    assert found["x[0]"] == pytest.approx(-1 / math.sqrt(2), rel=1e-8)
    assert found["x[1]"] == pytest.approx(1 / math.sqrt(2), rel=1e-8)
    assert any("measured" in note for note in answer["notes"])
    assert [each["what"] for each in answer["breaks"]] == ["numpy.fft.fft"]
    assert sum(each["share"] for each in answer["influences"]) == pytest.approx(1.0)


def test_a_kink_by_one_input_does_not_hide_what_is_lost_by_others(ask: Ask) -> None:
    text = "from fractions import Fraction\na, b = 1.5, 2.0\nresult = float(Fraction(a)) * 3 + a + max(b, 2.0)\n"
    answer = ask(text, "a@<module>:2", "b@<module>:2")
    assert derivatives(answer)["a"] == pytest.approx(4.0, rel=1e-9)
    assert any("1 of 2 inputs" in note for note in answer["notes"])


def test_a_break_that_loses_nothing_of_an_output_is_not_told(ask: Ask) -> None:
    text = "from fractions import Fraction\na = 1.5\nshown = str(Fraction(a))\nresult = a * a\n"
    answer = ask(text, "a@<module>:2")
    assert derivatives(answer) == {"a": 3.0}
    assert answer["breaks"] == []


def test_equal_constant_tuples_are_inputs_of_their_own(ask: Ask) -> None:
    text = 'prior = {"a": (0.5, 0.25), "b": (0.5, 0.25)}\nresult = prior["a"][0] * 3 + prior["b"][0] * 5\n'
    found = derivatives(ask(text, "prior@<module>:1"))
    assert (found['prior["a"][0]'], found['prior["b"][0]']) == (3.0, 5.0)


def test_one_scalar_of_numpy_under_two_keys_is_two_inputs(ask: Ask) -> None:
    text = 'import numpy as np\nx = dict.fromkeys("ab", np.float64(0.5))\nresult = x["a"] * 3 + x["b"] * 5\n'
    found = derivatives(ask(text, "x@<module>:2"))
    assert (found['x["a"]'], found['x["b"]']) == (3.0, 5.0)


def test_an_input_that_is_made_of_another_input_hands_on_its_influence(ask: Ask) -> None:
    text = (
        "import numpy as np\n\ndef total(part, k):\n    return (part * k).sum()\n\n"
        "a, x = 2.0, np.array([1.0, 3.0])\nresult = total(x * a, a)\n"
    )
    found = derivatives(ask(text, "a@<module>", "x@<module>", "part@total", "k@total"))
    assert found == {"a": 16.0, "k": 8.0, "x[0]": 4.0, "x[1]": 4.0, "part[0]": 2.0, "part[1]": 2.0}


def slope(output: Callable[[float], float]) -> float | None:
    step = 1e-3
    return measured_slope(output(0.0), [output(times * step) for times in (1, -1, 2, -2)], step)


def test_what_is_bent_has_a_slope_and_what_has_a_kink_or_a_jump_has_none() -> None:
    assert slope(lambda x: 5 + 3 * x) == pytest.approx(3.0)
    assert slope(math.exp) == pytest.approx(1.0, rel=1e-10)
    assert slope(lambda x: 1 + x * x) == pytest.approx(0.0, abs=1e-9)
    assert slope(lambda x: 1 + max(2 * x, 0.0)) is None
    assert slope(lambda x: 1 + 2 * x + (x > 0)) is None
    assert slope(lambda x: 1 + 2 * x + (x > 1.5e-3)) == pytest.approx(2.0)
    assert slope(lambda x: math.nan if x < 0 else x) is None


def test_measured_derivatives_differ_by_their_weight() -> None:
    ground = Ground({"a": (1.0, 1.0), "b": (1e-9, 1e-9)}, {"y": {"a": 1.0, "b": 1.0}})
    assert differs(ground, "y", {"a": 1.1})
    assert not differs(ground, "y", {"a": 1.0, "b": 2.0})
