"""Intervals hold what computing in the element type yields."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mlvet.domains import dtypes, intervals
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import ANY, EMPTY, Interval, cast, div, monotone, mul, of_array, point, whole

FLOATS = [dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64, dtypes.f8e4m3fn, dtypes.f8e5m2]
INTEGERS = [dtypes.i8, dtypes.u8, dtypes.i32, dtypes.bool_]
BINARY: list[tuple[Callable[..., Interval], Callable[..., float]]] = [
    (intervals.add, np.add), (intervals.sub, np.subtract), (intervals.mul, np.multiply), (intervals.div, np.divide),
    (lambda x, y, _: intervals.minimum(x, y), np.minimum), (lambda x, y, _: intervals.maximum(x, y), np.maximum),
]  # fmt: skip
UNARY = [(intervals.neg, np.negative), (intervals.absolute, np.abs)]
numbers = st.floats(allow_nan=False) | st.floats(-4, 4) | st.sampled_from([0.0, 1.0, -1.0, inf, -inf])


def rounded(value: float, dtype: DType) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(value).astype(dtype.numpy))


@st.composite
def boxes(draw: st.DrawFn, dtype: DType) -> tuple[Interval, float]:
    """An interval of values of the element type, and one of them."""
    values = sorted(value for value in (rounded(draw(numbers), dtype) for _ in range(3)) if not isnan(value))
    assume(values)
    has_nan = draw(st.booleans())
    member = draw(st.sampled_from([*values, nan] if has_nan else values))
    return Interval(values[0], values[-1], has_nan), member


@settings(max_examples=400)
@given(st.data())
def test_operators_hold_what_the_element_type_computes(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATS))
    abstract, concrete = data.draw(st.sampled_from(BINARY))
    (x, a), (y, b) = data.draw(boxes(dtype)), data.draw(boxes(dtype))
    with np.errstate(all="ignore"):
        result = concrete(np.asarray(a, dtype.numpy), np.asarray(b, dtype.numpy))
    assert float(result) in abstract(x, y, dtype)


@given(st.data())
def test_unary_operators(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATS))
    abstract, concrete = data.draw(st.sampled_from(UNARY))
    x, a = data.draw(boxes(dtype))
    assert float(concrete(np.asarray(a, dtype.numpy))) in abstract(x, dtype)


@settings(max_examples=300)
@given(st.data())
def test_integers_wrap(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([dtypes.i8, dtypes.u8, dtypes.i16]))
    abstract, concrete = data.draw(st.sampled_from([BINARY[0], BINARY[1], BINARY[2], *BINARY[4:]]))
    values = st.integers(int(dtype.least), int(dtype.largest))
    low, a, high = sorted(data.draw(st.tuples(values, values, values)))
    b = data.draw(values)
    with np.errstate(all="ignore"):
        result = concrete(np.array([a], dtype.numpy), np.array([b], dtype.numpy))[0]
    assert float(result) in abstract(Interval(low, high), point(b), dtype)


@settings(max_examples=300)
@given(st.data())
def test_rounding_is_outward_and_tight(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f8e5m2]))
    value = data.draw(st.floats(-40000, 40000) | st.floats(-1e-6, 1e-6))
    found = cast(point(value), dtype)
    assert value in found
    assert rounded(found.low, dtype) == found.low
    assert rounded(found.high, dtype) == found.high
    middle = found.low + (found.high - found.low) / 2
    assert rounded(middle, dtype) in (found.low, found.high)


FUNCTIONS = [
    (np.exp, {"image": Interval(0, inf)}), (np.log, {"domain": Interval(0, inf)}),
    (np.sqrt, {"domain": Interval(0, inf), "image": Interval(0, inf)}), (np.tanh, {"image": Interval(-1, 1)}),
    (lambda x: 1 / (1 + np.exp(x)), {"increasing": False, "image": Interval(0, 1)}),
]  # fmt: skip


@settings(max_examples=300)
@given(st.data())
def test_monotone_functions(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64]))
    function, options = data.draw(st.sampled_from(FUNCTIONS))
    x, a = data.draw(boxes(dtype))
    with np.errstate(all="ignore"):
        result = float(function(np.asarray(a, dtype.numpy)))
        wide = rounded(float(function(np.float64(a))), dtype)
    found = monotone(function, x, dtype, **options)
    assert wide in found
    if function is not FUNCTIONS[-1][0]:
        assert result in found


@given(st.data())
def test_join_and_meet_form_a_lattice(data: st.DataObject) -> None:
    (x, a), (y, b) = data.draw(boxes(dtypes.f32)), data.draw(boxes(dtypes.f32))
    assert a in x.join(y)
    assert b in x.join(y)
    assert (a in x.meet(y)) == (a in y)
    assert x.join(y).covers(x)
    assert x.covers(x.meet(y))
    assert x.join(EMPTY) == x == x.meet(ANY)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (intervals.add(point(1), point(1), dtypes.f32), point(2)),
        (intervals.add(point(65504), point(16), dtypes.f16), Interval(65504, inf)),
        (intervals.sub(Interval(0, inf), Interval(0, inf), dtypes.f32), Interval(-inf, inf, True)),
        (mul(Interval(-2, 3), Interval(-5, 7), dtypes.f32), Interval(-15, 21)),
        (mul(point(0), Interval(0, inf), dtypes.f32), Interval(0, 0, True)),
        (div(point(1), Interval(2, 4), dtypes.f32), Interval(0.25, 0.5)),
        (div(point(1), Interval(0, 4), dtypes.f32), Interval(-inf, inf)),
        (div(point(0), Interval(0, 4), dtypes.f32), Interval(-inf, inf, True)),
        (intervals.add(Interval(100, 120), point(10), dtypes.i8), Interval(-128, 127)),
        (intervals.add(point(448), point(448), dtypes.f8e4m3fn), Interval(448, 448, True)),
        (monotone(np.log, Interval(-1, 1), dtypes.f32, domain=Interval(0, inf), steps=0), Interval(-inf, 0, True)),
        (monotone(np.log, Interval(-2, -1), dtypes.f32, domain=Interval(0, inf)), Interval(inf, -inf, True)),
        (cast(Interval(-1, 300), dtypes.u8), Interval(0, 255)),
        (cast(Interval(0.5, 1.5), dtypes.i32), Interval(0, 2)),
        (of_array(np.array([1.0, nan, -2.0])), Interval(-2, 1, True)),
        (whole(dtypes.bool_), Interval(0, 1)),
    ],
)  # fmt: skip
def test_examples(found: Interval, wanted: Interval) -> None:
    assert found == wanted


def test_large_integers_stay_inside() -> None:
    edge = 2**63 - 1
    found = of_array(np.array([edge]))
    assert found.low <= edge <= found.high
    assert found.low < found.high


def test_complex_numbers_are_held_in_both_parts() -> None:
    assert of_array(np.array([1 + 9j, -3 + 2j, 4 - 5j])) == Interval(-5, 9)
    assert of_array(np.array([complex(1, nan)])) == Interval(1, 1, True)
    assert whole(dtypes.c64) == ANY
    assert cast(Interval(0.5, 0.5), dtypes.c128) == Interval(0.5, 0.5)
    assert cast(Interval(0.0, 1e300), dtypes.c64) == Interval(0.0, inf)


def test_text_holds_no_number() -> None:
    assert whole(dtypes.text) == EMPTY
    assert cast(Interval(0.0, 1.0), dtypes.text) == EMPTY


def test_words() -> None:
    assert str(Interval(0, 1.5, True)) == "[0, 1.5] or NaN"
    assert str(EMPTY) == "no number"
    assert Interval(0, 2).width == 2
    assert not Interval(0, inf).finite
