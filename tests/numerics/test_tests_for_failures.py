"""A selection that asks for NaN or infinity and puts a number there excuses the operator that made them."""

from __future__ import annotations

import pytest

from mlvet.analyses.numerics.hazard import Verdict
from tests.numerics.written import said


def caught(test: str, divided: str = "div(%x, %y)", kept: str = "where(%test, %zero, %q)", more: str = "") -> str:
    return f"""
graph(%x: f32[4], %y: f32[4]) {{
  constant %zero: f32[] = f32[] [0.0]
  constant %top: f32[] = f32[] [inf]
  %q = {divided}
  %test = {test}
  %r = {kept}
  {more}
  return %r
}}
"""


@pytest.mark.parametrize(
    "text",
    [
        caught("is_finite(%q)", kept="where(%test, %q, %zero)"),
        caught("is_inf(%q)", divided="reciprocal(%y)"),
        caught("is_nan(%q)", divided="sqrt(%x)"),
        caught("equal(%q, %top)", divided="rsqrt(%y)"),
    ],
)
def test_what_is_asked_for_and_replaced_is_guarded(text: str) -> None:
    found = said(text, x=(-3, 3), y=(0, 3))
    assert found.forward == {}
    assert found.verdict("q") is Verdict.GUARDED


@pytest.mark.parametrize(
    "text",
    [
        caught("is_nan(%q)"),
        caught("is_inf(%q)", divided="sqrt(%x)"),
        caught("is_inf(%q)", kept="where(%test, %q, %zero)", divided="reciprocal(%y)"),
        caught("is_nan(%x)"),
    ],
)
def test_what_is_not_asked_for_is_a_hazard(text: str) -> None:
    assert set(said(text, x=(-3, 3), y=(0, 3)).forward) == {"q"}


def test_what_is_used_elsewhere_is_a_hazard() -> None:
    text = caught("is_finite(%q)", kept="where(%test, %q, %zero)", more="%e = neg(%q)").replace(
        "return %r", "return %e"
    )
    assert set(said(text, x=(-3, 3), y=(0, 3)).forward) == {"q"}


def test_numbers_in_place_of_failures_belong_to_the_result() -> None:
    text = """
graph(%x: f32[4], %y: f32[4]) {
  %q = div(%x, %y)
  %r = nan_to_num(%q) {nan=-7.0, posinf=50.0, neginf=-9.0}
  return %r
}
"""
    found = said(text, x=(1, 2), y=(0, 3))
    assert found.forward == {}
    assert found["r"].low <= -9


def test_a_finite_operand_needs_no_replacement() -> None:
    text = """
graph(%x: f32[4]) {
  %r = nan_to_num(%x) {nan=-7.0}
  %y = sqrt(%r)
  return %y
}
"""
    assert said(text, x=(1, 2)).forward == {}
