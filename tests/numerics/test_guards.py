"""Selections: what a condition says of the elements that are kept, and what that excuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from written import Said, said

from mlvet.analyses.numerics.hazard import Verdict
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings

HEAD = """
graph(%x: f32[3, 4], %z: f32[3, 4], %row: f32[4], %k: i64[4]) {
  constant %zero = f32[] [0.0]
  constant %one = f32[] [1.0]
  constant %two = f32[] [2.0]
  constant %none = i64[] [0]
"""


def of(body: str, returned: str = "%y", settings: Settings | None = None, x: tuple[float, float] = (-9, 9)) -> Said:
    return said(f"{HEAD}{body}\n  return {returned}\n}}", settings, x=x, z=(-9, 9), row=(-9, 9), k=(0, 9))


LOG = "{condition}\n%risky = log(%x)\n%y = where(%c, %risky, %zero)"

KEEPING_POSITIVE = {
    "greater": "%c = greater(%x, %zero)",
    "less, the other way round": "%c = less(%zero, %x)",
    "at least one": "%c = greater_or_equal(%x, %one)",
    "not at most": "%n = less_or_equal(%x, %zero)\n%c = not(%n)",
    "both": "%a = greater(%x, %zero)\n%b = greater(%z, %zero)\n%c = and(%a, %b)",
    "either of two that suffice": "%a = greater(%x, %one)\n%b = greater(%x, %zero)\n%c = or(%a, %b)",
    "neither": "%a = less_or_equal(%x, %zero)\n%b = less(%z, %zero)\n%o = or(%a, %b)\n%c = not(%o)",
    "equal to a positive number": "%c = equal(%x, %two)",
    "more than a tensor that is not negative": "%a = abs(%z)\n%c = greater(%x, %a)",
    "in between": "%a = greater(%x, %zero)\n%b = less(%x, %two)\n%c = and(%a, %b)",
    "through an identity": "%g = greater(%x, %zero)\n%c = identity(%g)",
}


@pytest.mark.parametrize("condition", KEEPING_POSITIVE.values(), ids=KEEPING_POSITIVE)
def test_logarithms_of_what_is_positive_are_guarded(condition: str) -> None:
    found = of(LOG.format(condition=condition))
    assert found.forward == {}
    assert found.verdict("risky") is Verdict.GUARDED
    assert found["y"].finite
    assert found["y"].low > -105


NOT_ENOUGH = {
    "zero is kept": "%c = greater_or_equal(%x, %zero)",
    "the wrong side": "%c = less(%x, %zero)",
    "the wrong tensor": "%c = greater(%z, %zero)",
    "either": "%a = greater(%x, %zero)\n%b = greater(%z, %zero)\n%c = or(%a, %b)",
    "not both": "%a = less_or_equal(%x, %zero)\n%b = less(%z, %zero)\n%o = and(%a, %b)\n%c = not(%o)",
    "not zero": "%e = equal(%x, %zero)\n%c = not(%e)",
    "more than a tensor that may be negative": "%c = greater(%x, %z)",
}


@pytest.mark.parametrize("condition", NOT_ENOUGH.values(), ids=NOT_ENOUGH)
def test_a_condition_that_lets_failures_through_excuses_nothing(condition: str) -> None:
    found = of(LOG.format(condition=condition))
    assert found.forward == {"risky": "log-of-nonpositive"}
    assert found.verdict("risky") is Verdict.HAZARD


def test_intervals_alone_see_no_guards() -> None:
    body = LOG.format(condition="%c = greater(%x, %zero)")
    found = of(body, settings=Settings(numeric=NumericAbstraction.INTERVALS))
    assert found.forward == {"risky": "log-of-nonpositive"}


def test_zero_is_excluded_by_inequality() -> None:
    body = "%e = equal(%x, %zero)\n%a = abs(%x)\n%risky = log(%a)\n%y = where(%e, %zero, %risky)"
    assert of(body).forward == {}


def test_a_reciprocal_overflows_even_where_zero_is_excluded() -> None:
    body = "%e = equal(%x, %zero)\n%risky = reciprocal(%x)\n%y = where(%e, %zero, %risky)"
    assert of(body).forward == {"risky": "division-by-zero"}


@pytest.mark.parametrize(("bound", "alarms"), [("%one", {}), ("%minus", {"risky": "division-by-zero"})])
def test_zero_is_excluded_by_magnitude(bound: str, alarms: dict[str, str]) -> None:
    body = f"""
    constant %minus = f32[] [-1.0]
    %a = abs(%x)
    %c = greater(%a, {bound})
    %risky = reciprocal(%x)
    %y = where(%c, %risky, %zero)"""
    assert of(body).forward == alarms


def test_the_other_branch_has_the_opposite_condition() -> None:
    body = "%c = less_or_equal(%x, %zero)\n%risky = log(%x)\n%y = where(%c, %zero, %risky)"
    assert of(body).forward == {}
    body = "%c = less_or_equal(%x, %zero)\n%risky = log(%x)\n%y = where(%c, %risky, %zero)"
    assert of(body).forward == {"risky": "log-of-nonpositive"}


def test_a_mask_fills_where_it_holds() -> None:
    body = "%c = less_or_equal(%x, %zero)\n%risky = log(%x)\n%y = masked_fill(%risky, %c, %zero)"
    assert of(body).forward == {}


def test_operators_on_the_way_are_interpreted_again() -> None:
    body = """
    %c = greater(%x, %one)
    %less = sub(%x, %one)
    %risky = log(%less)
    %more = mul(%risky, %two)
    %y = where(%c, %more, %zero)"""
    found = of(body)
    assert found.forward == {}
    assert found.verdict("risky") is Verdict.GUARDED


def test_a_condition_may_be_broadcast() -> None:
    body = "%c = greater(%row, %zero)\n%risky = log(%row)\n%sum = add(%x, %risky)\n%y = where(%c, %sum, %zero)"
    assert of(body).forward == {}


def test_counts_are_whole() -> None:
    body = """
    %c = greater(%k, %none)
    %count = cast(%k) {to=f32}
    %risky = log(%count)
    %y = where(%c, %risky, %zero)"""
    assert of(body).forward == {}
    body = """
    %count = cast(%k) {to=f32}
    %c = greater(%count, %zero)
    %risky = log(%count)
    %y = where(%c, %risky, %zero)"""
    found = of(body)
    assert found.forward == {}
    assert found["y"].low == 0


def test_what_also_reaches_an_output_is_not_excused() -> None:
    body = LOG.format(condition="%c = greater(%x, %zero)")
    assert of(body, "%y, %risky").forward == {"risky": "log-of-nonpositive"}
    assert of(f"{body}\n%other = neg(%risky)", "%y, %other").forward == {"risky": "log-of-nonpositive"}


def test_what_is_summed_before_the_selection_is_not_excused() -> None:
    body = """
    %c = greater(%x, %zero)
    %risky = log(%x)
    %sum = reduce_sum(%risky, _) {keepdims=true}
    %y = where(%c, %sum, %zero)"""
    assert of(body).forward == {"risky": "log-of-nonpositive"}


@pytest.mark.parametrize("other", ["%risky", "%minus"])
def test_both_branches_must_discard_it(other: str) -> None:
    body = f"%c = greater(%x, %zero)\n%risky = log(%x)\n%minus = neg(%risky)\n%y = where(%c, %risky, {other})"
    assert of(body).forward == {"risky": "log-of-nonpositive"}


def test_two_selections_excuse_what_both_discard() -> None:
    body = """
    %c = greater(%x, %zero)
    %d = {relation}(%x, %zero)
    %risky = log(%x)
    %first = where(%c, %risky, %zero)
    %second = where(%d, %risky, %zero)
    %y = add(%first, %second)"""
    assert of(body.format(relation="greater")).forward == {}
    assert of(body.format(relation="less")).forward == {"risky": "log-of-nonpositive"}


def test_many_cases_do_not_hide_each_other() -> None:
    body = """
    %square = mul(%z, %x)
    %a = equal(%x, %zero)
    %b = equal(%z, %zero)
    %d = equal(%row, %zero)
    %e = equal(%square, %zero)
    %na = not(%a)
    %nb = not(%b)
    %nd = not(%d)
    %ne = not(%e)
    %ab = and(%na, %nb)
    %abd = and(%ab, %nd)
    %c = and(%abd, %ne)
    %minus = neg(%x)
    %risky = log(%minus)
    %y = where(%c, %risky, %zero)"""
    assert of(body).forward == {"risky": "log-of-nonpositive"}


def test_a_branch_that_is_never_taken_is_discarded() -> None:
    found = of(LOG.format(condition="%c = greater(%x, %zero)"), x=(-9, -1))
    assert found.forward == {}
    assert found["y"].high == 0


def test_in_a_loop_every_round_must_discard_it() -> None:
    text = """
    graph(%x: f32[4], %start: f32[]) {{
      constant %n = i64[] [2]
      constant %true = bool[] [true]
      %limit = loop(%n, %true, %start)
        do loop(%i: i64[], %going: bool[], %bound: f32[]) {{
          constant %zero = f32[] [0.0]
          constant %step = f32[] [{step}]
          %c = greater(%x, %bound)
          %risky = log(%x)
          %y = where(%c, %risky, %zero)
          %next = add(%bound, %step)
          return %going, %next
        }}
      return %limit
    }}
    """
    assert said(text.format(step=5.0), x=(-9, 9), start=(0, 0)).forward == {}
    assert said(text.format(step=-5.0), x=(-9, 9), start=(0, 0)).forward == {"risky": "log-of-nonpositive"}


class TestMasks:
    """Minus infinity that a constant brings is a value, not a failure; a row of nothing else is one."""

    ATTENTION = """
    graph(%scores: f32[4, 4], %keep: bool[4, 4]) {{
      constant %never = f32[] [-inf]
      constant %mask = {mask}
      %masked = where(%{condition}, %scores, %never)
      %weights = softmax(%masked) {{axis={axis}}}
      return %weights
    }}
    """
    CAUSAL = ("1000", "1100", "1110", "1111")
    EYE = ("1000", "0100", "0010", "0001")
    HOLE = ("1111", "0000", "1111", "1111")

    def attention(self, mask: Sequence[str], condition: str = "mask", axis: int = 1) -> Said:
        kept = ", ".join("true" if each == "1" else "false" for row in mask for each in row)
        text = self.ATTENTION.format(mask=f"bool[4, 4] [{kept}]", condition=condition, axis=axis)
        return said(text, scores=(-50, 50))

    @pytest.mark.parametrize("mask", [CAUSAL, EYE], ids=["causal", "eye"])
    def test_a_mask_that_leaves_something_in_every_row_is_safe(self, mask: Sequence[str]) -> None:
        found = self.attention(mask)
        assert found["masked"].low == float("-inf")
        assert found.forward == {}
        assert found["weights"].finite

    def test_a_row_without_anything_is_an_alarm(self) -> None:
        assert list(self.attention(self.HOLE).forward) == ["weights"]

    def test_what_counts_is_the_axis_of_the_softmax(self) -> None:
        assert self.attention(self.HOLE, axis=0).forward == {}

    def test_an_unknown_mask_may_leave_nothing(self) -> None:
        assert self.attention(self.CAUSAL, "keep").forward == {"weights": "all-masked-softmax"}

    def test_a_mask_that_is_added_is_a_value_too(self) -> None:
        text = """
        graph(%scores: f32[2, 2]) {
          constant %mask = f32[2, 2] [0.0, -inf, 0.0, 0.0]
          %masked = add(%scores, %mask)
          %weights = softmax(%masked) {axis=1}
          %e = exp(%masked)
          return %weights, %e
        }
        """
        found = said(text, scores=(-50, 50))
        assert found.forward == {}
        assert found["e"].low == 0

    def test_infinity_minus_infinity_is_an_alarm(self) -> None:
        text = """
        graph(%scores: f32[2, 2]) {
          constant %mask = f32[2, 2] [0.0, -inf, 0.0, 0.0]
          %masked = add(%scores, %mask)
          %y = sub(%masked, %mask)
          return %y
        }
        """
        assert list(said(text, scores=(-50, 50)).forward) == ["y"]
