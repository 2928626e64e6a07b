"""Boxes hold in each cell what computing in the element type yields."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mlvet.domains import boxes, dtypes, intervals
from mlvet.domains.boxes import Box
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import EMPTY, Interval, point

FLOATS = [dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64, dtypes.f8e4m3fn, dtypes.f8e5m2]
WIDE = FLOATS[:4]
INTEGERS = [dtypes.i8, dtypes.u8, dtypes.i32]
EXACT: dict[str, Callable[..., Fraction]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
}  # fmt: skip
BINARY: dict[str, Callable[..., Any]] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
numbers = (
    st.floats(allow_nan=False) | st.floats(-4, 4) | st.floats(-3e-38, 3e-38) | st.integers(-300, 300).map(float)
    | st.sampled_from([0.0, 1.0, -1.0, 0.5, 65504.0, 3e38, -3e38, 1e-40, -6e-8, inf, -inf])
)  # fmt: skip


pytestmark = pytest.mark.filterwarnings("error")


def silently(function: Callable[..., Any], *operands: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*operands)


def rounded(value: float, dtype: DType) -> float:
    return float(silently(np.float64(value).astype, dtype.numpy))


def flushed(value: float, dtype: DType) -> float:
    """What a backend computes with that has no subnormal numbers."""
    return 0.0 if abs(value) < dtype.smallest else value


def cell(low: float, high: float, has_nan: bool = False, shape: tuple[int, ...] = (1,)) -> Box:
    return boxes.of_interval(Interval(low, high, has_nan), shape)


def about(box: Box) -> Box:
    """A box whose ends are told to two places."""
    return Box(np.round(box.low, 2), np.round(box.high, 2), box.nan)


def inside(value: float, box: Box) -> bool:
    return value in boxes.smashed(box)


@st.composite
def drawn(draw: st.DrawFn, dtype: DType, values: st.SearchStrategy[float] = numbers) -> tuple[Interval, float]:
    """An interval of values of the element type, and one of them."""
    found = sorted(value for value in (rounded(draw(values), dtype) for _ in range(3)) if not isnan(value))
    assume(found)
    has_nan = draw(st.integers(0, 9)) == 0
    return Interval(found[0], found[-1], has_nan), draw(st.sampled_from([*found, nan] if has_nan else found))


def boxed(interval: Interval, dtype: DType) -> Box:
    """A box of an interval as the engine meets it: in its element type."""
    return boxes.fused([interval.low], [interval.high], [interval.nan], dtype)


@settings(max_examples=800)
@given(st.data())
def test_operators_hold_what_the_element_type_computes(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATS))
    name = data.draw(st.sampled_from(list(BINARY)))
    (x, a), (y, b) = data.draw(drawn(dtype)), data.draw(drawn(dtype))
    found = getattr(boxes, name)(boxed(x, dtype), boxed(y, dtype), dtype)
    with np.errstate(all="ignore"):
        result = float(BINARY[name](np.asarray(a, dtype.numpy), np.asarray(b, dtype.numpy)))
        low, high = (np.asarray(flushed(value, dtype), dtype.numpy) for value in (a, b))
        without_subnormals = flushed(float(BINARY[name](low, high)), dtype)
    assert inside(result, found)
    assert inside(without_subnormals, found)


@settings(max_examples=400)
@given(st.data())
def test_ends_enclose_the_exact_result_and_are_next_to_it(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([dtypes.f64, dtypes.f32]))
    name = data.draw(st.sampled_from(list(BINARY)))
    values = st.floats(1e-9, 1e9) | st.floats(-1e9, -1e-9) | st.integers(-1000, 1000).map(float)
    a, b = data.draw(values), data.draw(values)
    assume(b != 0 or name != "div")
    exact = EXACT[name](Fraction(a), Fraction(b))
    assume(not exact or abs(exact) > 1e-30)
    found = boxes.smashed(getattr(boxes, name)(cell(a, a), cell(b, b), dtype))
    assert Fraction(found.low) <= exact <= Fraction(found.high)
    assert found.high - found.low <= 2 * dtype.epsilon * abs(float(exact))
    if name in ("add", "sub") and rounded(float(exact), dtype) == exact:
        assert found.low == found.high


@settings(max_examples=400)
@given(st.data())
def test_operators_are_as_narrow_as_those_of_single_intervals(data: st.DataObject) -> None:
    """Up to the numbers that are not normal, and up to products that need more than 53 bits."""
    dtype = data.draw(st.sampled_from([dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f8e4m3fn, dtypes.i8, dtypes.i32]))
    name = data.draw(st.sampled_from(list(BINARY)))
    values = st.integers(-200, 200).map(float) if dtype.is_integer else numbers
    (x, _), (y, _) = (data.draw(drawn(dtype, values)) for _ in range(2))
    if dtype.is_float:
        ends = [end for end in (x.low, x.high, y.low, y.high) if end]
        assume(all(abs(end) >= dtype.smallest for end in ends))
    else:
        x, y = Interval(x.low, x.high), Interval(y.low, y.high)
    wanted = getattr(intervals, name)(x, y, dtype)
    found = boxes.smashed(getattr(boxes, name)(boxed(x, dtype), boxed(y, dtype), dtype))
    near = dtype.smallest if dtype.is_float else 0.0
    assert found.nan == wanted.nan
    assert found.low >= wanted.low or (found.low == 0 and 0 < wanted.low < near)
    assert found.high <= wanted.high or (found.high == 0 and 0 > wanted.high > -near)


@settings(max_examples=400)
@given(st.data())
def test_integers_wrap(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(INTEGERS))
    name = data.draw(st.sampled_from(["add", "sub", "mul"]))
    values = st.integers(int(dtype.least), int(dtype.largest)) | st.integers(0, 12)
    low, a, high = sorted(data.draw(st.tuples(values, values, values)))
    b = data.draw(values)
    result = silently(BINARY[name], np.array([a], dtype.numpy), np.array([b], dtype.numpy))[0]
    assert inside(float(result), getattr(boxes, name)(cell(low, high), cell(b, b), dtype))


@settings(max_examples=300)
@given(st.data())
def test_unary_operators(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([*FLOATS, *INTEGERS]))
    values = numbers if dtype.is_float else st.integers(int(dtype.least), int(dtype.largest)).map(float)
    x, a = data.draw(drawn(dtype, values))
    assume(dtype.is_float or not isnan(a))
    operand = np.asarray(a, dtype.numpy)
    for name, concrete in (("neg", np.negative), ("absolute", np.abs), ("square", lambda v: v * v)):
        assert inside(float(silently(concrete, operand)), getattr(boxes, name)(boxed(x, dtype), dtype))


@given(st.data())
def test_the_smaller_and_the_greater(data: st.DataObject) -> None:
    (x, a), (y, b) = data.draw(drawn(dtypes.f32)), data.draw(drawn(dtypes.f32))
    for name, concrete in (("minimum", np.minimum), ("maximum", np.maximum)):
        found = getattr(boxes, name)(boxes.of_interval(x), boxes.of_interval(y))
        assert inside(float(concrete(np.float64(a), np.float64(b))), found)
        assert boxes.smashed(found) == getattr(intervals, name)(x, y)


@settings(max_examples=400)
@given(st.data())
def test_powers(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(WIDE))
    exponents = st.sampled_from([0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 5.0, 2.5]) | st.floats(-3, 3)
    x, a = data.draw(drawn(dtype))
    y, b = data.draw(drawn(dtype, exponents))
    if data.draw(st.booleans()):
        y = point(b)
    found = boxes.power(boxed(x, dtype), boxed(y, dtype) if not isnan(b) else cell(inf, -inf, True), dtype)
    for base in (a, flushed(a, dtype)):
        assert inside(rounded(float(silently(np.power, np.float64(base), np.float64(b))), dtype), found)
        assert inside(float(silently(np.power, np.asarray(base, dtype.numpy), np.asarray(b, dtype.numpy))), found)


@settings(max_examples=400)
@given(st.data())
def test_powers_of_integers(data: st.DataObject) -> None:
    low, a, high = sorted(data.draw(st.tuples(*[st.integers(-40, 40)] * 3)))
    b = data.draw(st.integers(0, 8))
    result = int(np.power(np.array([a], np.int32), np.int32(b))[0])
    assert inside(float(result), boxes.power(cell(low, high), cell(b, b), dtypes.i32))


@settings(max_examples=400)
@given(st.data())
def test_remainders(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([*WIDE, dtypes.i8, dtypes.i32]))
    values = numbers if dtype.is_float else st.integers(-100, 100).map(float)
    (x, a), (y, b) = data.draw(drawn(dtype, values)), data.draw(drawn(dtype, values))
    assume(dtype.is_float or (b != 0 and not isnan(a) and not isnan(b)))
    for floored, concrete in ((True, np.mod), (False, np.fmod)):
        found = boxes.remainder(boxed(x, dtype), boxed(y, dtype), dtype, floored=floored)
        exact = np.float64 if dtype.bits == 16 else dtype.numpy
        assert inside(rounded(float(silently(concrete, np.asarray(a, exact), np.asarray(b, exact))), dtype), found)


@settings(max_examples=300)
@given(st.data())
def test_conversions(data: st.DataObject) -> None:
    source, target = (data.draw(st.sampled_from([*FLOATS, *INTEGERS, dtypes.bool_])) for _ in range(2))
    values = numbers if source.is_float else st.integers(int(source.least), int(source.largest)).map(float)
    x, a = data.draw(drawn(source, values))
    assume(source.is_float or not isnan(a))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = float(np.asarray(a, source.numpy).astype(target.numpy))
    assert inside(result, boxes.cast(boxed(x, source), source, target))


FUNCTIONS: list[tuple[Callable[..., Any], tuple[float, ...], dict[str, Any]]] = [
    (np.exp, (), {"image": Interval(0, inf)}), (np.log, (), {"domain": Interval(0, inf)}),
    (np.log, (), {"domain": (0.0, inf, True, False)}), (np.tanh, (), {"image": Interval(-1, 1)}),
    (np.sqrt, (), {"domain": Interval(0, inf), "image": Interval(0, inf)}),
    (lambda x: 1 / (1 + np.exp(x)), (), {"increasing": False, "image": Interval(0, 1)}),
    (lambda x: x * x - x, (0.5,), {}), (lambda x: np.abs(np.abs(x) - 1), (-1.0, 0.0, 1.0), {"image": Interval(0, inf)}),
]  # fmt: skip


@settings(max_examples=400)
@given(st.data())
def test_functions_known_by_their_turns(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(WIDE))
    function, turns, options = data.draw(st.sampled_from(FUNCTIONS))
    x, a = data.draw(drawn(dtype))
    if turns:
        found = boxes.piecewise(function, turns, boxed(x, dtype), dtype, **options)
    else:
        found = boxes.monotone(function, boxed(x, dtype), dtype, **options)
    for value in (a, flushed(a, dtype)):
        assert inside(rounded(float(silently(function, np.float64(value))), dtype), found)


@settings(max_examples=400)
@given(st.data())
def test_sums_hold_whichever_order_they_are_computed_in(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(WIDE))
    terms = [data.draw(drawn(dtype)) for _ in range(data.draw(st.integers(1, 6)))]
    counts = [data.draw(st.integers(0, 4)) for _ in terms]
    values = [member for (_, member), count in zip(terms, counts, strict=True) for _ in range(count)]
    x = boxes.fused([x.low for x, _ in terms], [x.high for x, _ in terms], [x.nan for x, _ in terms], dtype)
    found = boxes.total(x, np.array(counts, np.float64), dtype, 0)
    order = [np.asarray(value, dtype.numpy) for value in data.draw(st.permutations(values))]
    zero = np.asarray(0, dtype.numpy)
    middle = data.draw(st.integers(0, len(order)))

    def plus(a: Any, b: Any) -> Any:
        return np.asarray(flushed(float(a + b), dtype), dtype.numpy) if flushing else a + b

    for flushing in (False, True):
        if flushing:
            order = [np.asarray(flushed(float(value), dtype), dtype.numpy) for value in order]
        chain = silently(reduce, plus, order, zero)
        halves = [silently(reduce, plus, half, zero) for half in (order[:middle], order[middle:])]
        assert inside(float(chain), found)
        assert inside(float(silently(plus, *halves)), found)


@settings(max_examples=300)
@given(st.data())
def test_sums_of_one_sign_keep_it(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(WIDE))
    lows = [rounded(data.draw(st.floats(0, 1e4)), dtype) for _ in range(3)]
    lows = [flushed(low, dtype) for low in lows]
    x = boxes.fused(lows, [inf] * 3, [False] * 3, dtype)
    for count in (1.0, 1e3, 1e30):
        assert boxes.total(x, count, dtype, 0).low.item() >= max(lows)
        assert boxes.total(boxes.neg(x, dtype), count, dtype, 0).high.item() <= -max(lows)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (boxes.add(cell(1, 1), cell(1, 1), dtypes.f32), point(2)),
        (boxes.add(cell(0.1, 0.2), cell(0, 0), dtypes.f64), Interval(0.1, 0.2)),
        (boxes.add(cell(65504, 65504), cell(16, 16), dtypes.f16), Interval(65504, inf)),
        (boxes.sub(cell(0, inf), cell(0, inf), dtypes.f32), Interval(-inf, inf, True)),
        (boxes.mul(cell(-2, 3), cell(-5, 7), dtypes.f32), Interval(-15, 21)),
        (boxes.mul(cell(0, 0), cell(0, inf), dtypes.f32), Interval(0, 0, True)),
        (boxes.mul(cell(0, 0), cell(-inf, inf), dtypes.f32), Interval(0, 0, True)),
        (boxes.mul(cell(0, 1), cell(0.1, 0.3), dtypes.f64), Interval(0, 0.3)),
        (boxes.mul(cell(1e-30, 1), cell(1e-30, 1), dtypes.f32), Interval(0, 1)),
        (boxes.square(cell(-3, 2), dtypes.f32), Interval(0, 9)),
        (boxes.div(cell(1, 1), cell(2, 4), dtypes.f32), Interval(0.25, 0.5)),
        (boxes.div(cell(1, 2), cell(-4, -2), dtypes.f32), Interval(-1, -0.25)),
        (boxes.div(cell(1, 1), cell(0, 4), dtypes.f32), Interval(-inf, inf)),
        (boxes.div(cell(1, 1), cell(1e-40, 4), dtypes.f32), Interval(-inf, inf)),
        (boxes.div(cell(1, 1), cell(2.0**-140, 4), dtypes.f64), Interval(0.25, 2.0**140)),
        (boxes.div(cell(0, 0), cell(0, 4), dtypes.f32), Interval(-inf, inf, True)),
        (boxes.div(cell(1, inf), cell(1, inf), dtypes.f32), Interval(0, inf, True)),
        (boxes.div(cell(6, 6), cell(3, 3), dtypes.i32), point(2)),
        (boxes.add(cell(100, 120), cell(10, 10), dtypes.i8), Interval(-128, 127)),
        (boxes.add(cell(448, 448), cell(448, 448), dtypes.f8e4m3fn), Interval(448, 448, True)),
        (boxes.add(cell(inf, -inf, True), cell(1, 1), dtypes.f32), Interval(inf, -inf, True)),
        (boxes.power(cell(-3, 2), cell(2, 2), dtypes.f32), Interval(0, 9)),
        (boxes.power(cell(-2, -1), cell(-2, -2), dtypes.i32), Interval(0, 1)),
        (about(boxes.power(cell(0, 4), cell(-0.5, -0.5), dtypes.f32)), Interval(0.5, inf)),
        (boxes.power(cell(-4, -1), cell(0.5, 0.5), dtypes.f32), Interval(inf, -inf, True)),
        (boxes.remainder(cell(0, 100), cell(7, 7), dtypes.i32), Interval(0, 6)),
        (boxes.remainder(cell(-100, 100), cell(7, 7), dtypes.i32, floored=False), Interval(-6, 6)),
        (boxes.remainder(cell(1, 3), cell(4, 5), dtypes.f32), Interval(1, 3)),
        (boxes.remainder(cell(1, 3), cell(0, 5), dtypes.f32), Interval(0, 3, True)),
        (boxes.monotone(np.log, cell(-1, 1), dtypes.f32, domain=Interval(0, inf), steps=0), Interval(-inf, 0, True)),
        (boxes.monotone(np.log, cell(1e-40, 1), dtypes.f32, domain=Interval(0, inf), steps=0), Interval(-inf, 0)),
        (boxes.monotone(np.log, cell(-2, -1), dtypes.f32, domain=Interval(0, inf)), Interval(inf, -inf, True)),
        (about(boxes.piecewise(np.cos, [0.0], cell(-1, 1), dtypes.f32)), Interval(0.54, 1)),
        (boxes.monotone(np.exp, cell(800, 900), dtypes.f64), Interval(float(dtypes.f64.largest), inf)),
        (boxes.add(cell(1.5e308, 1.5e308), cell(1e308, 1e308), dtypes.f64), Interval(float(dtypes.f64.largest), inf)),
        (boxes.mul(cell(1e300, 1e300), cell(1e300, 1e300), dtypes.f64), Interval(float(dtypes.f64.largest), inf)),
        (boxes.cast(cell(-1, 300), dtypes.i32, dtypes.u8), Interval(0, 255)),
        (boxes.cast(cell(-0.5, 1.5), dtypes.f32, dtypes.i32), Interval(0, 1)),
        (boxes.cast(cell(0.1, 1.5), dtypes.f32, dtypes.bool_), point(1)),
        (boxes.cast(cell(0, 0), dtypes.f32, dtypes.bool_), point(0)),
        (boxes.cast(cell(-1, 1), dtypes.f32, dtypes.bool_), Interval(0, 1)),
        (boxes.cast(cell(1, 70000), dtypes.f32, dtypes.f16), Interval(1, inf)),
        (boxes.total(cell(1, 1), 512.0, dtypes.f16, 0), point(512)),
        (boxes.total(cell(0, 1), 1e30, dtypes.i64, 0), Interval(-(2.0**63), 2.0**63)),
        (boxes.total(boxes.of_array(np.array([1e38, -1e38])), 10.0, dtypes.f32, 0), Interval(-inf, inf, True)),
        (boxes.total(boxes.of_array(np.array([1.0, -inf])), 3.0, dtypes.f32, 0), point(-inf)),
        (boxes.total(boxes.of_array(np.array([inf, -inf])), np.array([3.0, 0.0]), dtypes.f32, 0), point(inf)),
        (boxes.total(boxes.of_array(np.zeros((0, 1))), 3.0, dtypes.f32, 0), point(0)),
        (boxes.of_array(np.array([1.0, nan, -2.0])), Interval(-2, 1, True)),
        (boxes.of_array(np.array(["a"])), Interval(-inf, inf, True)),
        (boxes.of_array(np.array([2.0**-140], np.float32)), Interval(0, 2.0**-140)),
        (boxes.of_array(np.array([2**63 - 1])), Interval(2.0**63 - 1024, 2.0**63 + 2048)),
        (boxes.whole(dtypes.bool_), Interval(0, 1)),
        (boxes.whole(dtypes.f8e4m3fn), Interval(-448, 448, True)),
        (boxes.finite(dtypes.f16), Interval(-65504, 65504)),
        (boxes.cut_to_finite(cell(1, inf, True), dtypes.f16), Interval(1, 65504)),
        (boxes.cut_to_finite(cell(inf, inf), dtypes.f16), Interval(-65504, 65504)),
        (boxes.fused([1.0], [2.0], [False], dtypes.f16, steps=1), Interval(1 - 2**-10, 2 + 2**-9)),
        (boxes.hull(boxes.of_array(np.array([[1.0, 2.0], [3.0, nan]])), 0), Interval(1, 3, True)),
    ],
)  # fmt: skip
def test_values(found: Box, wanted: Interval) -> None:
    assert boxes.smashed(found) == wanted


@given(st.data())
def test_join_and_meet_form_a_lattice(data: st.DataObject) -> None:
    (x, a), (y, b) = data.draw(drawn(dtypes.f32)), data.draw(drawn(dtypes.f32))
    p, q = boxes.of_interval(x, (2,)), boxes.of_interval(y, (2,))
    assert inside(a, boxes.join(p, q))
    assert inside(b, boxes.join(p, q))
    assert inside(a, boxes.meet(p, q)) == (a in y)
    assert boxes.covers(boxes.join(p, q), p)
    assert boxes.covers(p, boxes.meet(p, q))
    assert boxes.covers(p, q) == x.covers(y)
    assert boxes.smashed(boxes.join(p, boxes.of_interval(EMPTY))) == x
    assert boxes.covers(boxes.meet(p, p), boxes.narrow(p, q))


@given(st.data())
def test_widening_holds_both_and_ends(data: st.DataObject) -> None:
    thresholds = np.array([-100.0, -1.0, 0.0, 1.0, 100.0])
    state, changes = boxes.of_interval(point(0.5)), 0
    for _ in range(12):
        new, _ = data.draw(drawn(dtypes.f32))
        wider = boxes.widen(state, boxes.of_interval(new), thresholds)
        assert boxes.covers(wider, state)
        assert boxes.covers(wider, boxes.of_interval(new))
        changes += boxes.smashed(wider) != boxes.smashed(state)
        state = wider
    assert changes <= 2 * (len(thresholds) + 1) + 1


def test_widening_jumps_to_the_next_threshold() -> None:
    thresholds = np.array([-10.0, 0.0, 10.0])
    found = boxes.widen(cell(1, 2), cell(1, 3), thresholds)
    assert boxes.smashed(found) == Interval(1, 10)
    assert boxes.smashed(boxes.widen(cell(1, 2), cell(-11, 2), thresholds)) == Interval(-inf, 2)
    assert boxes.smashed(boxes.widen(cell(inf, -inf), cell(1, 3), thresholds)) == Interval(1, 3)


@settings(max_examples=60)
@given(st.data())
def test_cells_do_not_influence_each_other(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64, dtypes.f8e4m3fn]))
    pairs = [(data.draw(drawn(dtype))[0], data.draw(drawn(dtype))[0]) for _ in range(5)]
    pairs.append((EMPTY, pairs[0][0]))
    left, right = ([boxes.smashed(boxed(pair[side], dtype)) for pair in pairs] for side in (0, 1))
    x, y = (
        Box(np.array([i.low for i in side]), np.array([i.high for i in side]), np.array([i.nan for i in side]))
        for side in (left, right)
    )
    for name in ("add", "sub", "mul", "div", "remainder"):  # NumPy's powers of one and of many differ in the last place
        together = getattr(boxes, name)(x, y, dtype)
        for i in range(len(pairs)):
            alone = getattr(boxes, name)(boxes.of_interval(left[i]), boxes.of_interval(right[i]), dtype)
            assert alone.shape == ()
            assert isinstance(alone.low, np.ndarray)
            assert boxes.smashed(alone) == boxes.smashed(together.map(lambda array, i=i: array[i]))


def test_shapes_broadcast() -> None:
    x, y = cell(0, 1, shape=(3, 1)), cell(1, 2, shape=(4,))
    for name in ("add", "sub", "mul", "div", "power", "remainder"):
        found = getattr(boxes, name)(x, y, dtypes.f32)
        assert found.low.shape == found.high.shape == found.nan.shape == (3, 4)
    assert boxes.total(x, 2.0, dtypes.f32, (0,), keepdims=True).shape == (1, 1)
    assert boxes.hull(x, (0, 1), keepdims=False).shape == ()


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_no_element_type_is_refused(dtype: DType) -> None:
    x, y = boxes.whole(dtype), boxes.cut_to_finite(boxes.whole(dtype), dtype)
    for name in ("add", "sub", "mul", "div", "power", "remainder"):
        assert boxes.covers(boxes.whole(dtype), getattr(boxes, name)(x, y, dtype))
    for name in ("neg", "absolute", "square"):
        assert boxes.covers(boxes.whole(dtype), getattr(boxes, name)(y, dtype))
    for other in dtypes.ALL:
        assert boxes.covers(boxes.whole(other), boxes.cast(x, dtype, other))
    assert boxes.covers(boxes.whole(dtype), boxes.total(y, 3.0, dtype, None))
    assert boxes.covers(boxes.whole(dtype), boxes.monotone(np.exp, x, dtype))


def test_complex_numbers_are_boxed_with_both_parts() -> None:
    found = boxes.of_array(np.array([1 + 9j, -3 + 2j, complex(nan, 4)]))
    assert found.low.tolist() == [1, -3, 4]
    assert found.high.tolist() == [9, 2, 4]
    assert found.nan.tolist() == [False, False, True]
