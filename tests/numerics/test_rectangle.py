"""The paper's example: corners are centre minus and plus offset, so width and height are twice the offset."""

from __future__ import annotations

import pytest
from written import COMBINATIONS, Said, said

from mlvet.analyses.numerics.hazard import Verdict
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction
from mlvet.domains.intervals import Interval

RECTANGLE = """
graph(%center: f32[100, 2], %offset: f32[100, 2]) {
  %low = sub(%center, %offset)
  %high = add(%center, %offset)
  %corners = concat(%low, %high) {axis=1}
  %left, %bottom, %right, %top = split(%corners) {axis=1, num_outputs=4}
  %width = sub(%right, %left)
  %height = sub(%top, %bottom)
  %area = mul(%width, %height)
  %inverse = reciprocal(%area)
  return %inverse
}
"""

BEST = Settings(TensorAbstraction.PARTITIONING, NumericAbstraction.AFFINE)
SUCCEED = {BEST, Settings(TensorAbstraction.EXPANSION, NumericAbstraction.AFFINE)}


def rectangle(settings: Settings, low: float) -> Said:
    return said(RECTANGLE, settings, center=(-1000, 1000), offset=(low, 10))


def test_the_centre_cancels_out() -> None:
    found = rectangle(BEST, 1)
    assert 1.99 < found["width"].low <= 2
    assert 20 <= found["width"].high < 20.01
    assert found.verdict("inverse") is Verdict.SAFE
    assert found.forward == {}


def test_an_offset_of_zero_is_an_alarm() -> None:
    found = rectangle(BEST, 0)
    assert found.forward == {"inverse": "division-by-zero"}
    assert 0 in found.hazard("inverse").interval


@pytest.mark.parametrize("settings", COMBINATIONS, ids=str)
def test_it_takes_both_partitions_and_equalities(settings: Settings) -> None:
    assert rectangle(settings, 0).forward == {"inverse": "division-by-zero"}
    assert rectangle(settings, 1).forward == ({} if settings in SUCCEED else {"inverse": "division-by-zero"})


@pytest.mark.parametrize("settings", COMBINATIONS, ids=str)
def test_without_equalities_the_width_can_be_anything_between(settings: Settings) -> None:
    width = rectangle(settings, 1)["width"]
    assert width.covers(Interval(2, 20))
    assert (width.low > 0) is (settings in SUCCEED)


def test_a_gather_of_known_columns_splits_as_well() -> None:
    found = said(
        """
        graph(%center: f32[n, 2], %offset: f32[n, 2]) {
          constant %first: i64[2] = i64[2] [0, 1]
          constant %last: i64[2] = i64[2] [2, 3]
          %low = sub(%center, %offset)
          %high = add(%center, %offset)
          %corners = concat(%low, %high) {axis=1}
          %lows = gather(%corners, %first) {axis=1}
          %highs = gather(%corners, %last) {axis=1}
          %size = sub(%highs, %lows)
          %inverse = reciprocal(%size)
          return %inverse
        }
        """,
        center=(-1000, 1000),
        offset=(1, 10),
    )
    assert found.forward == {}
