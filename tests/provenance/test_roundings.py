"""Rounding to digits passes derivatives on and is told; a jump to whole numbers is told where no derivative is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.provenance.asked_programs import explanations

Ask = Callable[[str], dict[str, Any]]

PROGRAM = """import math
import numpy as np
import pandas as pd


def f(a, n, x):
    return EXPRESSION


result = f(2.3456, 7, np.array([0.123, 4.567, 2.25]))
print(result)
"""


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return lambda expression: explanations(
        tmp_path, PROGRAM.replace("EXPRESSION", expression), ["result"], ["a@f", "n@f", "x@f"]
    )[0]


def derivatives(answer: dict[str, Any]) -> dict[str, float]:
    return {each["input"]: each["derivative"] for each in answer["influences"] if each["derivative"]}


def unused(answer: dict[str, Any]) -> set[str]:
    return {re.findall("inputs `(.+)`", each["message"])[0] for each in answer["findings"]}


def ignored(expression: str) -> set[str]:
    """Arrays of which the expression says nothing."""
    return set() if re.search(r"\bx\b", expression) else {"x"}


@pytest.mark.parametrize(
    ("expression", "expected", "digits"),
    [
        ("round(a, 2) * 3", {"a": 3.0}, "2 digits"),
        ("round(a * n, 1)", {"a": 7.0, "n": 2.3456}, "1 digit"),
        ("round(np.float64(2) * x[1], 1)", {"x[1]": 2.0}, "1 digit"),
        ("float(np.round(x, 2).sum())", {"x[0]": 1.0, "x[1]": 1.0, "x[2]": 1.0}, "2 digits"),
        ("float(x.round(1)[2]) * a", {"x[2]": 2.3456, "a": 2.2}, "1 digit"),
        ("float(pd.Series(x).round(1).sum())", {"x[0]": 1.0, "x[1]": 1.0, "x[2]": 1.0}, "1 digit"),
    ],
)
def test_digits_that_are_rounded_off_do_not_end_the_chain(
    expression: str, expected: dict[str, float], digits: str, ask: Ask
) -> None:
    answer = ask(expression)
    assert derivatives(answer) == pytest.approx(expected)
    told = [note for note in answer["notes"] if note.startswith("rounded at program.py:7")]
    assert len(told) == 1
    assert digits in told[0]
    assert unused(answer) == ignored(expression)
    assert not any("the chain is lost" in note for note in answer["notes"])


@pytest.mark.parametrize(
    "expression",
    [
        "int(n) * a", "round(n) * a", "math.floor(n) * a", "round(n, 1) * a", "math.trunc(n) * a",
        "float(np.int64(n) * np.float64(a))", "float(np.float64(n)) * float(np.float64(a))",
    ],
)  # fmt: skip
def test_a_whole_number_stays_what_it_is(expression: str, ask: Ask) -> None:
    answer = ask(expression)
    assert derivatives(answer) == pytest.approx({"a": 7.0, "n": 2.3456})
    assert answer["notes"] == []
    assert answer["breaks"] == []


@pytest.mark.parametrize(
    "expression",
    [
        "int(a * 100) / 100",
        "round(a) + 0.5",
        "math.floor(x[1]) * 1.0",
        "1.0 if a * n > 3 else 0.0",
        "float(x.argmax())",
    ],
)
def test_what_is_decided_by_comparisons_alone_misses_no_dependency(expression: str, ask: Ask) -> None:
    answer = ask(expression)
    assert derivatives(answer) == {}
    assert [
        note for note in answer["notes"] if "no derivative leads from the inputs" in note and "program.py:7" in note
    ]
    assert unused(answer) == ignored(expression)


def test_an_input_that_nothing_looks_at_is_missing(ask: Ask) -> None:
    answer = ask("a * n if a > 0 else 0.0")
    assert unused(answer) == {"x"}
    assert answer["notes"] == []


def test_an_input_that_acts_by_comparisons_alone_is_told(ask: Ask) -> None:
    answer = ask("a * n if x[0] > x[1] else a + n")
    assert derivatives(answer) == {"a": 1.0, "n": 1.0}
    assert [note for note in answer["notes"] if "no derivative leads from `x`" in note and "program.py:7" in note]
    assert unused(answer) == set()
