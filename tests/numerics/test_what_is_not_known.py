"""Unknown operators, ranks and sizes, weights that are not finite, and constants that are not numbers."""

from __future__ import annotations

from math import inf

import pytest
from written import COMBINATIONS, said

from mlvet.analyses.numerics.hazard import Verdict
from mlvet.analyses.numerics.settings import Settings
from mlvet.domains.intervals import Interval


def test_an_unknown_operator_yields_anything_finite_and_is_counted() -> None:
    text = """
    graph(%x: f32[4]) {
      %a = exp(%x)
      %b: f32[4] = opaque(%a) @odd source="com.acme.Mystery"
      %c = log(%b)
      %d = add(%a, %c)
      return %d
    }
    """
    found = said(text, x=(0, 1))
    assert found.analysis.unanalysed == {"com.acme.Mystery": 1}
    assert found.analysis.analysed == 3
    assert found.verdict("odd") is Verdict.UNKNOWN
    assert found.forward["c"] == "log-of-nonpositive"
    assert found["b"].finite
    assert found["b"].high > 1e38


@pytest.mark.parametrize("settings", COMBINATIONS, ids=str)
def test_nothing_crashes_without_ranks_and_sizes(settings: Settings) -> None:
    text = """
    graph(%x: f32[...], %z: f32[n, m]) {
      constant %axis = i64[1] [0]
      %a = add(%x, %z)
      %b = mul(%a, %a)
      %c = reduce_sum(%b, %axis) {keepdims=true}
      %d = concat(%x, %x) {axis=0}
      %e = softmax(%x) {axis=0}
      %f = sqrt(%b)
      %g = matmul(%z, %x)
      %h = transpose(%x)
      %i = reshape(%z, %axis)
      return %c, %d, %e, %f, %g, %h, %i
    }
    """
    found = said(text, settings, x=(-2, 2), z=(-1, 1))
    assert found["a"] == Interval(-3, 3)
    assert found["d"] == Interval(-2, 2)
    assert found.analysis.failures == []


def test_a_sum_over_a_size_that_is_not_known() -> None:
    text = """
    graph(%x: f32[n]) {
      %total = reduce_sum(%x, _) {keepdims=false}
      %mean = reduce_mean(%x, _) {keepdims=false}
      %y = reciprocal(%total)
      return %y, %mean
    }
    """
    found = said(text, x=(1, 2))
    assert found["total"].low == 1
    assert found["total"].high > 1e9
    assert 0.9 < found["mean"].low <= 1
    assert found.forward == {}


def test_a_size_that_is_not_known_is_at_least_one() -> None:
    text = """
    graph(%x: f32[n, 3]) {
      %size = size(%x)
      %count = cast(%size) {to=f32}
      %y = reciprocal(%count)
      return %y
    }
    """
    found = said(text, x=(0, 1))
    assert found["size"].low == 3
    assert found.forward == {}


def test_a_mean_of_a_tensor_of_unknown_rank_overflows_where_its_sum_does() -> None:
    text = """
    graph(%x: f32[...]) {
      constant %axis = i64[1] [0]
      %mean = reduce_mean(%x, %axis) {keepdims=true}
      return %mean
    }
    """
    assert said(text, x=(0, 3e38)).forward == {"mean": "arithmetic-overflow"}
    found = said(text, x=(0.1, 0.1))
    assert found.forward == {}
    assert found["mean"].low < 0.1 < found["mean"].high


def test_of_no_elements_there_is_a_sum_but_no_mean() -> None:
    text = """
    graph(%x: f32[0, 3]) {
      constant %axis = i64[1] [0]
      %total = reduce_sum(%x, %axis) {keepdims=false}
      %mean = reduce_mean(%x, %axis) {keepdims=false}
      return %total, %mean
    }
    """
    found = said(text, x=(1, 2))
    assert found["total"] == Interval(0, 0)
    assert found.forward == {"mean": "not-a-number"}


def test_weights_that_are_not_numbers_are_told() -> None:
    text = """
    parameter %w: f32[2] name="w" data=f32[2] [nan, 1.0]
    graph(%x: f32[2]) {
      %y = mul(%x, %w)
      return %y
    }
    """
    found = said(text, x=(0, 1))
    ((value, interval),) = found.analysis.not_finite
    assert value.name == "w"
    assert interval.nan


class TestConstants:
    """NaN that is computed from constants alone is a failure once it is used."""

    TEXT = """
    graph(%x: f32[2], %c: bool[2]) {{
      constant %zero = f32[] [0.0]
      constant %keep = bool[2] [{keep}]
      constant %values = f32[2] [0.0, 4.0]
      %logs = log(%values)
      %chosen = where(%keep, %logs, %zero)
      %y = add(%x, %{used})
      return %y
    }}
    """

    def test_selected_away_it_is_none(self) -> None:
        found = said(self.TEXT.format(keep="false, true", used="chosen"), x=(0, 1))
        assert found.forward == {}
        assert found.verdict("logs") is Verdict.GUARDED
        assert found["y"].finite

    def test_kept_it_is(self) -> None:
        assert said(self.TEXT.format(keep="true, true", used="chosen"), x=(0, 1)).forward == {
            "logs": "log-of-nonpositive"
        }

    def test_used_besides_it_is(self) -> None:
        assert said(self.TEXT.format(keep="false, true", used="logs"), x=(0, 1)).forward == {
            "logs": "log-of-nonpositive"
        }


def test_the_range_of_an_input_is_its_type_if_nothing_else_is_known() -> None:
    found = said("graph(%x: f16[2], %i: i8[2], %b: bool[2]) {\n %y = neg(%x)\n return %y\n}")
    assert found["x"] == Interval(-65504, 65504)
    assert found["i"] == Interval(-128, 127)
    assert found["b"] == Interval(0, 1)
    assert inf not in found["x"]
