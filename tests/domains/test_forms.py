"""Affine forms, checked against the numbers that their symbols can stand for."""

from __future__ import annotations

from math import ceil

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlvet.domains import forms, grids
from mlvet.domains.boxes import Box
from mlvet.domains.forms import Form, Symbol
from mlvet.domains.grids import Cuts

Array = NDArray[np.float64]

SIZE = 6
small = st.integers(-8, 8).map(float)
cuts = st.sets(st.integers(1, SIZE - 1)).map(lambda cut: (tuple(sorted(cut)),))


def over(cells: Array, where: Cuts) -> Array:
    """What an array over cells, or a single number, says of every element."""
    return np.repeat(np.broadcast_to(cells, grids.cells(where)), grids.element_counts(where[0], SIZE).astype(int))


@st.composite
def symbols(draw: st.DrawFn) -> Symbol:
    where = draw(cuts)
    count = grids.cell_count(where)
    ends = np.array(draw(st.lists(st.tuples(small, small), min_size=count, max_size=count)))
    return Symbol(Box(ends.min(axis=1), ends.max(axis=1), np.zeros(count, bool)), where)


@st.composite
def held(draw: st.DrawFn, where: Cuts) -> Array:
    """Coefficients over cells, or one for all."""
    count = grids.cell_count(where)
    if draw(st.booleans()):
        return np.asarray(draw(small))
    return np.array(draw(st.lists(small, min_size=count, max_size=count)))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Cuts, list[Form], dict[Symbol, Array]]:
    """Two forms on one grid over shared symbols, and elements of these symbols."""
    where = draw(cuts)
    known = draw(st.lists(symbols(), min_size=1, max_size=3))
    made = []
    for _ in range(2):
        terms = {symbol: draw(held(where)) for symbol in known if draw(st.booleans())}
        made.append(Form(terms, draw(held(where)), np.asarray(draw(st.sampled_from((0.0, 0.5))))))
    places = draw(st.lists(st.floats(0, 1), min_size=SIZE, max_size=SIZE))
    elements = {}
    for symbol in known:
        low, high = over(symbol.box.low, symbol.cuts), over(symbol.box.high, symbol.cuts)
        elements[symbol] = low + np.roll(places, symbol.serial % SIZE) * (high - low)
    return where, made, elements


def value(form: Form, where: Cuts, elements: dict[Symbol, Array]) -> Array:
    """The sum that a form stands for, element by element, without its error."""
    total = over(form.constant, where)
    for symbol, coefficient in form.terms.items():
        total = total + over(coefficient, where) * elements[symbol]
    return total


def between(low: Array, x: Array, high: Array) -> bool:
    return bool((low <= x).all() and (x <= high).all())


@given(worlds())
def test_bounds_hold_what_a_form_can_be(world: tuple[Cuts, list[Form], dict[Symbol, Array]]) -> None:
    where, (form, _), elements = world
    low, high = (over(np.asarray(end), where) for end in forms.bounds(form, where))
    exact = value(form, where, elements)
    error = over(form.error, where)
    assert between(low, exact - error, high)
    assert between(low, exact + error, high)
    low, high = (over(np.asarray(end), where) for end in forms.bounds(form, where, exactly=True))
    assert between(low, exact, high)


@given(worlds())
def test_a_single_symbol_has_its_own_bounds(world: tuple[Cuts, list[Form], dict[Symbol, Array]]) -> None:
    _, _, elements = world
    for symbol in elements:
        low, high = forms.bounds(forms.of_symbol(symbol), symbol.cuts)
        assert np.allclose(low, symbol.box.low)
        assert np.allclose(high, symbol.box.high)
        assert forms.of_symbol(symbol).single is symbol


@given(worlds(), small, small, small)
def test_combinations_are_linear(
    world: tuple[Cuts, list[Form], dict[Symbol, Array]], a: float, b: float, constant: float
) -> None:
    where, (left, right), elements = world
    found = forms.combined([(a, left), (b, right)], constant)
    assert found is not None
    expected = a * value(left, where, elements) + b * value(right, where, elements) + constant
    assert np.allclose(value(found, where, elements), expected)
    assert np.allclose(over(found.error, where), abs(a) * over(left.error, where) + abs(b) * over(right.error, where))


@given(worlds())
def test_a_form_minus_itself_has_no_terms(world: tuple[Cuts, list[Form], dict[Symbol, Array]]) -> None:
    _, (form, _), _ = world
    found = forms.combined([(1.0, form), (-1.0, form)])
    assert found is not None
    assert not found.terms
    assert not found.constant.any()


@given(worlds(), cuts)
def test_a_form_is_read_on_other_cells_or_not_at_all(
    world: tuple[Cuts, list[Form], dict[Symbol, Array]], other: Cuts
) -> None:
    where, (form, _), elements = world
    found = forms.regridded(form, where, other)
    if found is None:
        assert other[0] != grids.union(where[0], other[0])
    else:
        assert np.allclose(value(found, other, elements), value(form, where, elements))
        assert (over(found.error, other) >= over(form.error, where)).all()


@given(worlds(), st.booleans())
def test_relu_of_both_signs_differ_by_the_form(
    world: tuple[Cuts, list[Form], dict[Symbol, Array]], first: bool
) -> None:
    where, (drawn, _), elements = world
    form, minus = forms.combined([(1.0, drawn)]), forms.combined([(-1.0, drawn)])
    assert form is not None
    assert minus is not None
    known: dict[object, Symbol] = {}

    def make(upright: Form) -> Symbol:
        low, high = forms.bounds(upright, where)
        shape = grids.cells(where)
        ends = [np.broadcast_to(np.maximum(end, 0), shape) for end in (low, high)]
        made = Symbol(Box(ends[0], ends[1], np.zeros(shape, bool)), where)
        elements[made] = np.maximum(value(upright, where, elements), 0)
        return made

    order = (form, minus) if first else (minus, form)
    results = [forms.relu_of(each, make, known) for each in order]
    if form.error.any() or not form.terms:
        assert results == [None, None]
        return
    if all(coefficient.all() for coefficient in form.terms.values()):
        assert len(known) == 1
    for each, result in zip(order, results, strict=True):
        assert result is not None
        assert np.allclose(value(result, where, elements), np.maximum(value(each, where, elements), 0))


@given(small, small, small, small, st.integers(0, 32))
def test_a_parabola_is_bounded_by_its_turn(steepness: float, slope: float, a: float, b: float, at: int) -> None:
    low, high = min(a, b), max(a, b)
    root = Symbol(Box(np.array([low]), np.array([high]), np.zeros(1, bool)), ((),))
    squares = np.array([low, high, 0.0 if low <= 0 <= high else low]) ** 2
    square = Symbol(Box(squares.min(keepdims=True), squares.max(keepdims=True), np.zeros(1, bool)), ((),), root)
    terms = {square: np.asarray(steepness), root: np.asarray(slope)}
    least, most = forms.bounds(Form(terms, forms.ZERO, forms.ZERO), ((),))
    t = low + (high - low) * at / 32
    assert least[0] <= steepness * t * t + slope * t <= most[0]
    if steepness > 0 and low <= -slope / (2 * steepness) <= high:
        assert np.isclose(least[0], -slope * slope / (4 * steepness))


def test_forms_of_many_terms_or_huge_numbers_are_given_up() -> None:
    box = Box(np.zeros(1), np.ones(1), np.zeros(1, bool))
    many = [(1.0, forms.of_symbol(Symbol(box, ((),)))) for _ in range(forms.TERMS + 1)]
    assert forms.combined(many) is None
    assert forms.combined(many[:-1]) is not None
    huge = Form({}, np.asarray(1e308), forms.ZERO)
    assert forms.combined([(10.0, huge)]) is None


def test_equal_moves_of_a_symbol_are_one_symbol() -> None:
    box = Box(np.arange(3.0), np.arange(3.0) + 1, np.zeros(3, bool))
    symbol = Symbol(box, ((1, 2),))

    def flip(array: Array) -> Array:
        return array[::-1]

    first = symbol.moved("flip", ((1, 2),), flip)
    assert first is symbol.moved("flip", ((1, 2),), flip)
    assert first is not symbol.moved("other", ((1, 2),), flip)
    assert first.box.low.tolist() == [2, 1, 0]


def test_the_square_that_turns_at_a_power_of_two_is_bounded_without_rounding() -> None:
    root = Symbol(Box(np.array([-10.0]), np.array([10.0]), np.zeros(1, bool)), ((),))
    square = Symbol(Box(np.array([0.0]), np.array([100.0]), np.zeros(1, bool)), ((),), root, 1e-3)
    for slope, certain in ((-2.0, True), (-4.0, True), (0.5, True), (-6.0, False)):
        form = Form({square: np.ones(()), root: np.asarray(slope)}, np.asarray(slope * slope / 4), forms.ZERO)
        low, _ = forms.bounds(form, ((),))
        assert (ceil(float(low[0]) * 1e6) >= 0) is certain
