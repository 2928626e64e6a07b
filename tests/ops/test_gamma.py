"""The gamma functions are right to the last places, and their intervals hold around poles and turns."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np
import pytest

from mlvet.domains.dtypes import f32, f64
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY
from mlvet.ops.gamma import digamma_of, log_gamma, trigamma_of
from mlvet.ops.numeric import Enclosure


def enclosed(name: str, low: float, high: float, dtype: object = f64) -> Interval:
    kind = REGISTRY[name].numeric
    assert isinstance(kind, Enclosure)
    (found,) = kind.of([Interval(low, high)], [Tensor(dtype, ())])  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1.0, -0.5772156649015329),
        (2.0, 0.42278433509846713),
        (0.5, -1.9635100260214235),
        (-0.5, 0.03648997397857652),
        (-3.25, 4.46627587235028),
        (100.0, 4.600161852738087),
    ],
)
def test_digamma_is_right_to_the_last_places(x: float, value: float) -> None:
    assert digamma_of(x) == pytest.approx(value, rel=4e-16, abs=8e-16)


def test_trigamma_is_reflected() -> None:
    assert trigamma_of(-0.5) == pytest.approx(8.934802200544679, rel=1e-14)
    assert trigamma_of(0.25) == pytest.approx(17.197329154507, rel=1e-13)


@pytest.mark.parametrize(
    ("name", "function"), [("lgamma", log_gamma), ("digamma", digamma_of)], ids=["lgamma", "digamma"]
)
@pytest.mark.parametrize("at", [(-0.9, -0.1), (-2.9, -2.05), (-7.3, -7.2), (1.0, 2.0), (0.3, 9.0), (-6e5, 4e7)])
def test_intervals_hold_what_lies_in_them(name: str, function: object, at: tuple[float, float]) -> None:
    found = enclosed(name, *at)
    for x in np.linspace(*at, 1001).tolist():
        assert function(x) in found  # type: ignore[operator]


def test_log_gamma_is_followed_between_poles() -> None:
    found = enclosed("lgamma", -2.9, -2.1)
    assert found.low == pytest.approx(log_gamma(-2.610720868), abs=1e-7)
    assert found.high == pytest.approx(max(log_gamma(-2.9), log_gamma(-2.1)))
    assert enclosed("lgamma", -1.2, -0.8).high == inf
    assert enclosed("lgamma", 0.0, 1.0).high == inf
    assert enclosed("lgamma", -519464.5625, 3.0, f32).low < -6316983


def test_digamma_is_anything_only_around_poles() -> None:
    assert enclosed("digamma", -0.9, -0.1).finite
    assert not enclosed("digamma", -1.0, -0.1).finite
    assert enclosed("digamma", nextafter(-1.0, 0), -0.5).finite
    assert enclosed("digamma", 1.0, 2.0).covers(Interval(-0.5772156649015329, 0.42278433509846713))
