"""Values through regions: branches joined, loops followed round by round or widened and narrowed."""

from __future__ import annotations

import pytest
from written import Said, said

from mlvet.analyses.numerics.hazard import Verdict
from mlvet.domains.intervals import Interval

COUNTED = """
graph(%start: f32[], %x: f32[4]{extra}) {{
  constant %n = i64[] [{rounds}]
  constant %true = bool[] [true]
  constant %half = f32[] [0.5]
  constant %one = f32[] [1.0]
  constant %two = f32[] [2.0]
  %end = loop(%{count}, %true, %start)
    do loop(%i: i64[], %going: bool[], %carried: f32[]) {{
{body}
      return %going, %next
    }}
  %y = reciprocal(%end)
  return %y
}}
"""
BOUNDED = "%a = mul(%carried, %half)\n%next = add(%a, %one)"
DOUBLED = "%next = mul(%carried, %two)"


def counted(body: str, rounds: int, start: tuple[float, float] = (0, 0)) -> Said:
    return said(COUNTED.format(body=body, rounds=rounds, count="n", extra=""), start=start)


def uncounted(body: str, start: tuple[float, float] = (0, 0)) -> Said:
    text = COUNTED.format(body=body, rounds=0, count="many", extra=", %many: i64[]")
    return said(text, start=start, many=(0, 10**9))


class TestCounted:
    @pytest.mark.parametrize("rounds", [0, 1, 3, 100])
    def test_a_known_number_of_rounds_is_followed(self, rounds: int) -> None:
        found = counted("%next = add(%carried, %one)", rounds)
        assert found["end"] == Interval(rounds, rounds)
        assert (found.forward == {}) is (rounds > 0)

    def test_a_value_has_the_interval_of_all_rounds(self) -> None:
        assert counted("%next = add(%carried, %one)", 3)["carried"] == Interval(0, 2)

    def test_a_hazard_in_any_round_is_found(self) -> None:
        body = "%less = sub(%two, %carried)\n%risky = reciprocal(%less)\n%next = add(%carried, %one)"
        assert "risky" not in counted(body, 2).forward
        found = counted(body, 3)
        assert found.forward["risky"] == "division-by-zero"
        assert found.verdict("risky") is Verdict.HAZARD

    def test_doubling_overflows_after_enough_rounds(self) -> None:
        assert counted(DOUBLED, 127, (1, 1)).forward == {}
        assert counted(DOUBLED, 128, (1, 1)).forward == {"next": "arithmetic-overflow"}

    def test_many_rounds_are_widened(self) -> None:
        found = counted("%next = add(%carried, %one)", 1000)
        assert found["end"].covers(Interval(1000, 1000))
        assert "y" in found.forward

    def test_counters_of_two_rounds_differ(self) -> None:
        text = """
        graph(%p: i64[]) {
          constant %n = i64[] [4]
          constant %true = bool[] [true]
          %end = loop(%n, %true, %p)
            do loop(%i: i64[], %going: bool[], %last: i64[]) {
              %step = sub(%i, %last)
              return %going, %i
            }
          return %end
        }
        """
        assert said(text, p=(0, 0))["step"].covers(Interval(0, 1))


class TestWidened:
    def test_what_shrinks_stays_bounded(self) -> None:
        found = uncounted(BOUNDED)
        assert found["end"].covers(Interval(0, 2))
        assert found["end"].high <= 16
        assert "next" not in found.forward

    def test_what_doubles_does_not(self) -> None:
        assert uncounted(DOUBLED, (1, 1)).forward["next"] == "arithmetic-overflow"

    def test_what_stays_is_exact(self) -> None:
        assert uncounted("%next = identity(%carried)", (3, 4))["end"] == Interval(3, 4)

    def test_an_end_that_does_not_move_is_kept(self) -> None:
        found = uncounted("%next = add(%carried, %one)", (1, 1))
        assert found["end"].low == 1
        assert "y" not in found.forward

    def test_narrowing_takes_back_what_widening_overshot(self) -> None:
        found = uncounted("%a = add(%carried, %one)\nconstant %limit = f32[] [10.0]\n%next = min(%a, %limit)")
        assert found["end"] == Interval(0, 10)


class TestWhile:
    TEXT = """
    graph(%i0: {dtype}[], %x0: f32[], %limit: {dtype}[]) {{
      %i, %x = while(%i0, %x0)
        do loop(%ci: {dtype}[], %cx: f32[]) {{
          %again = less(%ci, %limit)
          return %again
        }}
        do loop(%bi: {dtype}[], %bx: f32[]) {{
          constant %one = {dtype}[] [{one}]
          constant %two = f32[] [2.0]
          %ni = add(%bi, %one)
          %nx = mul(%bx, %two)
          return %ni, %nx
        }}
      return %i, %x
    }}
    """

    def test_a_known_condition_is_followed_to_its_end(self) -> None:
        found = said(self.TEXT.format(dtype="i64", one="1"), i0=(0, 0), x0=(1, 1), limit=(10, 10))
        assert found["i"] == Interval(10, 10)
        assert found["x"] == Interval(1024, 1024)
        assert found.forward == {}

    def test_the_condition_bounds_what_the_body_sees(self) -> None:
        found = said(self.TEXT.format(dtype="i64", one="1"), i0=(0, 0), x0=(0, 0), limit=(0, 100))
        assert found["ni"].high <= 100
        assert found["i"].high <= 100

    def test_an_unknown_number_of_doublings_overflows(self) -> None:
        found = said(self.TEXT.format(dtype="f32", one="1.0"), i0=(0, 0), x0=(1, 1), limit=(0, 1e9))
        assert found.forward == {"nx": "arithmetic-overflow"}


class TestScan:
    TEXT = """
    graph(%start: f32[], %x: f32[{size}]) {{
      %end, %all = scan(%start, %x) {{num_scan_inputs=1}}
        do loop(%carried: f32[], %element: f32[]) {{
{body}
          return %next, %each
        }}
      return %end, %all
    }}
    """

    def test_a_running_sum(self) -> None:
        body = "%next = add(%carried, %element)\n%each = identity(%next)"
        found = said(self.TEXT.format(size=5, body=body), start=(0, 0), x=(0, 1))
        assert found["end"].covers(Interval(0, 5))
        assert found["end"].high < 5.1
        assert found["all"].covers(Interval(0, 5))

    def test_a_running_sum_of_an_unknown_number_is_unbounded(self) -> None:
        body = "%next = add(%carried, %element)\n%each = identity(%next)"
        found = said(self.TEXT.format(size="n", body=body), start=(0, 0), x=(1, 1))
        assert found["end"].low >= 0
        assert found["end"].high > 1e6

    def test_elements_of_two_rounds_differ(self) -> None:
        body = "%each = sub(%element, %carried)\n%next = identity(%element)"
        found = said(self.TEXT.format(size=5, body=body), start=(0, 0), x=(-5, 5))
        assert found["each"] == Interval(-10, 10)


class TestBranches:
    TEXT = """
    graph(%x: f32[4], %c: bool[]) {{
      %chosen = if(%{condition})
        do branch() {{
          %a = exp(%x)
          return %a
        }}
        do branch() {{
          constant %two = f32[] [2.0]
          %b = add(%x, %two)
          return %b
        }}
      return %chosen
    }}
    """

    def test_both_are_joined(self) -> None:
        found = said(self.TEXT.format(condition="c"), x=(0, 1))["chosen"]
        assert found.covers(Interval(1, 3))
        assert found.high == 3

    def test_a_hazard_within_a_branch_is_found(self) -> None:
        found = said(self.TEXT.format(condition="c"), x=(0, 100))
        assert found.forward == {"a": "exp-overflow"}
        assert found.verdict("chosen") is Verdict.SAFE

    def test_a_branch_that_is_never_taken_is_not_judged(self) -> None:
        text = self.TEXT.format(condition="never").replace("{", "{\n  constant %never = bool[] [false]", 1)
        found = said(text, x=(0, 100))
        assert found.forward == {}
        assert found["chosen"] == Interval(2, 102)


def test_loops_may_be_nested() -> None:
    text = """
    graph(%start: f32[]) {
      constant %n = i64[] [3]
      constant %true = bool[] [true]
      %end = loop(%n, %true, %start)
        do loop(%i: i64[], %going: bool[], %outer: f32[]) {
          %next = loop(%n, %true, %outer)
            do loop(%j: i64[], %still: bool[], %inner: f32[]) {
              constant %one = f32[] [1.0]
              constant %eight = f32[] [8.0]
              %rest = sub(%inner, %eight)
              %risky = reciprocal(%rest)
              %more = add(%inner, %one)
              return %still, %more
            }
          return %going, %next
        }
      return %end
    }
    """
    found = said(text, start=(0, 0))
    assert found["end"] == Interval(9, 9)
    assert found.forward == {"risky": "division-by-zero"}
    assert said(text, start=(1, 1)).forward == {"risky": "division-by-zero"}
    assert said(text, start=(9, 9)).forward == {}
