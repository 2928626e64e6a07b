"""Symbolic sizes: the normal form means what the arithmetic that made it means."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlvet.domains.dims import (
    Dim,
    at_least,
    bounds,
    ceil_div,
    equal,
    evaluate,
    floor_div,
    maximum,
    may_be_empty,
    minimum,
    modulo,
    product,
    substitute,
    symbol,
    symbols,
    total,
)  # fmt: skip

RANGES = {"h": (0, 9), "n": (1, 12), "k": (-4, 5)}
Meaning = Callable[[dict[str, int]], int]
Pair = tuple[Dim, Meaning]


def leaf(name: str) -> Pair:
    return symbol(name, *RANGES[name]), lambda known: known[name]


def number(value: int) -> Pair:
    return value, lambda _: value


def both(function: Callable[..., Dim], meaning: Callable[[int, int], int]) -> Callable[[Pair, Pair], Pair]:
    return lambda a, b: (function(a[0], b[0]), lambda known: meaning(a[1](known), b[1](known)))


OPERATIONS = [
    both(lambda a, b: a + b, lambda a, b: a + b),
    both(lambda a, b: a - b, lambda a, b: a - b),
    both(lambda a, b: a * b, lambda a, b: a * b),
    both(floor_div, lambda a, b: a // b),
    both(modulo, lambda a, b: a % b),
    both(maximum, max),
    both(minimum, min),
]
pairs = st.recursive(
    st.one_of(st.sampled_from(sorted(RANGES)).map(leaf), st.integers(-7, 7).map(number)),
    lambda inner: st.builds(lambda f, a, b: f(a, b), st.sampled_from(OPERATIONS), inner, inner),
    max_leaves=8,
)
assignments = st.fixed_dictionaries({name: st.integers(*ends) for name, ends in RANGES.items()})


def meant(pair: Pair, known: dict[str, int]) -> int:
    try:
        return pair[1](known)
    except ZeroDivisionError:
        assume(False)
        raise


@given(pairs, assignments)
def test_the_normal_form_has_the_value_of_what_made_it(pair: Pair, known: dict[str, int]) -> None:
    value = meant(pair, known)
    assert evaluate(pair[0], known) == value


@given(pairs, assignments)
def test_the_printed_form_is_python_of_the_same_value(pair: Pair, known: dict[str, int]) -> None:
    value = meant(pair, known)
    code = compile(ast.parse(str(pair[0]), mode="eval"), "dim", "eval")
    try:
        assert eval(code, {"max": max, "min": min, **known}) == value
    except ZeroDivisionError:
        assume(False)


@given(pairs, assignments)
def test_bounds_hold(pair: Pair, known: dict[str, int]) -> None:
    low, high = bounds(pair[0])
    assert low <= meant(pair, known) <= high


@given(pairs, pairs, assignments)
def test_comparisons_are_sound(left: Pair, right: Pair, known: dict[str, int]) -> None:
    a, b = meant(left, known), meant(right, known)
    assert equal(left[0], right[0]) in (a == b, None)
    assert at_least(left[0], right[0]) in (a >= b, None)


@given(pairs, pairs, pairs)
def test_ring_laws_hold_for_the_objects_themselves(a: Pair, b: Pair, c: Pair) -> None:
    x, y, z = a[0], b[0], c[0]
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x * y == y * x
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x - x == 0
    assert hash(x + y) == hash(y + x)


def test_only_counts_of_elements_may_be_zero() -> None:
    found, batch = symbol("nonzero.1", counted=True), symbol("batch")
    assert may_be_empty(0)
    assert may_be_empty(found)
    assert may_be_empty(found * batch)
    assert may_be_empty(minimum(found, 3))
    assert not may_be_empty(found + 1)
    assert not may_be_empty(found + batch)
    assert not may_be_empty(maximum(found, 1))
    assert not may_be_empty(batch - 3)
    assert not may_be_empty(4)


@given(pairs, pairs, pairs)
def test_max_and_min_do_not_mind_order_or_repetition(a: Pair, b: Pair, c: Pair) -> None:
    for extreme in (maximum, minimum):
        assert extreme(a[0], a[0]) == a[0]
        assert extreme(a[0], extreme(a[0], b[0])) == extreme(a[0], b[0])
        known = {"h": 3, "n": 5, "k": -1}
        try:
            left = evaluate(extreme(extreme(a[0], b[0]), c[0]), known)
            right = evaluate(extreme(c[0], extreme(b[0], a[0])), known)
        except ZeroDivisionError:
            assume(False)
        assert left == right


@given(pairs, pairs, assignments)
def test_substitution_puts_one_size_into_another(outer: Pair, inner: Pair, known: dict[str, int]) -> None:
    replaced = meant(inner, known)
    assume(RANGES["h"][0] <= replaced <= RANGES["h"][1])
    value = meant(outer, {**known, "h": replaced})
    try:
        assert evaluate(substitute(outer[0], {"h": inner[0]}), known) == value
    except ZeroDivisionError:
        assume(False)


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(1, 9), st.integers(1, 9))
def test_nested_quotients_are_one_quotient(counts: list[int], first: int, second: int) -> None:
    size = counts[0] * symbol("h") + counts[1] * symbol("n") + counts[2]
    assert floor_div(floor_div(size, first), second) == floor_div(size, first * second)


h, n = symbol("h"), symbol("n", 1)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ((h // 2) // 2, "h//4"),
        ((5 * h + 7) // 2, "(h + 1)//2 + 2*h + 3"),
        ((2 * h) // 4, "h//2"),
        ((2 * h + 1) // 4, "h//2"),
        ((2 * h) % 4, "2*(h%2)"),
        ((6 * h + 5) % 4, "2*(h%2) + 1"),
        (-(h // 2), "-(h//2)"),
        (n - h // 2, "-(h//2) + n"),
        (ceil_div(h, 2), "(h + 1)//2"),
        (maximum(n, 0), "n"),
        (maximum(maximum(n, 3), n), "max(3, n)"),
        ((3 * n * h + 3 * n) // (n * h + n), "3"),
        ((h * h - 1) // (h + 1), "h - 1"),
        (h // (h + 1), "0"),
        (h % (h + 1), "h"),
        (0 // n, "0"),
    ],
    ids=str,
)
def test_normal_form(size: Dim, text: str) -> None:
    assert str(size) == text


def test_sums_products_and_symbols() -> None:
    assert total([h, 1, h]) == 2 * h + 1
    assert product([h, n, 2]) == 2 * h * n
    assert {found.name for found in symbols((h + 1) // 2 + maximum(n, 3))} == {"h", "n"}


def test_sizes_beyond_floats_do_not_overflow() -> None:
    huge = 10**400
    assert bounds(huge * h + huge) == (huge, inf)
    assert equal(huge * n, 0) is False


def test_truth_of_an_unknown_size_cannot_be_asked() -> None:
    with pytest.raises(TypeError, match="h"):
        bool(h)


def test_quotients_that_share_a_symbol_are_compared_together() -> None:
    n = symbol("n")
    assert at_least(160 * (n // 441) + 160, (160 * n + 440) // 441) is True
    assert at_least((n + 1) // 2, n // 2) is True
    assert at_least(2 * (n // 2), n + 1) is False
    assert equal((n + 1) // 2, n // 2 + 1) is None
