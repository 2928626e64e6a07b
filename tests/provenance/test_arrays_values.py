"""Traced arrays are the program's arrays: views, scalars, printing, comparisons, and what they cost in places."""

# ruff: noqa: ARG005

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from array_checks import check, clear
from hypothesis import given, settings
from hypothesis import strategies as st

from mlvet.runtime.provenance.arrays import TracedArray, array_store, as_float, install, uninstall, wrap_array
from mlvet.runtime.provenance.breaks import BREAKS
from mlvet.runtime.provenance.numbers import TracedFloat, traced
from mlvet.runtime.provenance.predicates import PREDICATES
from mlvet.runtime.provenance.tape import TAPE


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    clear()
    yield
    uninstall()
    PREDICATES.forced = {}


STEPS: list[Any] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - 0.5 * b,
    lambda a, b: a / (2.0 + b * b),
    lambda a, b: np.sin(a),
    np.maximum,
    lambda a, b: a[::-1] + b,
    lambda a, b: np.roll(a, 1) * b,
    lambda a, b: np.where(a > b, a, b * 2),
    lambda a, b: a - a.mean(),
    lambda a, b: np.cumsum(a) * 0.1,
    lambda a, b: np.outer(a, b) @ a * 0.1,
    lambda a, b: np.sort(a),
    lambda a, b: np.concatenate((a[2:], b[:2])),
    lambda a, b: a.reshape(2, 3).T.ravel(),
    lambda a, b: np.full_like(a, a[0]) + b,
    lambda a, b: np.tanh(a) * b.sum(),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, len(STEPS) - 1), min_size=1, max_size=6), st.integers(0, 10_000))
def test_programs_of_steps(steps: list[int], seed: int) -> None:
    inputs = np.random.default_rng(seed).normal(size=6)

    def program(x: Any) -> Any:
        a, b = x, x[::-1] * 1.5
        for step in steps:
            a, b = STEPS[step](a, b), a.copy()
            a[1] += b[2]
        return a

    check(program, inputs, 1e-4)


def test_views_share_places() -> None:
    install()
    array = np.zeros((3, 4))
    assert type(array) is TracedArray
    assert array.places is None
    column = array[:, 2]
    column[1] = traced(5.0, TAPE.inputs(1))
    assert array[1, 2].i == 1
    assert array.T[2][1].i == 1
    assert array.reshape(-1)[6].i == 1
    array[1] = 0.0
    assert column.places is not None
    assert not column.places.any()


def test_scalars_are_numpys() -> None:
    array = wrap_array(np.array([0.0, 2.0]))
    value = array[1]
    assert isinstance(value, np.float64)
    assert repr(value) == "np.float64(2.0)"
    with np.errstate(divide="ignore"):
        assert value / array[0] == np.inf
    assert value.item() == 2.0
    assert type(value.item()) is TracedFloat
    assert type(as_float(value)) is TracedFloat
    assert (1.0 + value).i > 2
    assert (np.float64(1.0) + value).i > 2
    assert (traced(1.0, 1) * value).i > 2
    assert value.sum().i > 2
    assert value.dtype == np.float64


def test_what_leaves_is_plain() -> None:
    array = wrap_array(np.arange(3.0))
    assert type(pickle.loads(pickle.dumps(array))) is np.ndarray
    assert copy.deepcopy(array).places.tolist() == [1, 2, 3]
    assert repr(array) == repr(np.arange(3.0))
    assert f"{array}" == f"{np.arange(3.0)}"


def test_comparisons_keep_the_nearest() -> None:
    array = wrap_array(np.linspace(-1.0, 1.0, 101))
    assert (array > 0.005).sum() == 50
    nearest = PREDICATES.all()[0]
    assert nearest.margin == pytest.approx(-0.005)
    assert nearest.parents == ((51, 1.0),)
    assert nearest.place[0] == __file__


def test_forced_comparison() -> None:
    def program(x: Any) -> Any:
        return np.where(x > 0.0, x, -1.0)

    program(wrap_array(np.array([0.5, -0.1, 0.3])))
    nearest = PREDICATES.all()[0]
    clear()
    PREDICATES.forced = {nearest.place: {nearest.ordinal: lambda outcome, margin: not outcome}}
    assert program(wrap_array(np.array([0.5, -0.1, 0.3]))).tolist() == [0.5, -0.1, 0.3]


def test_choices_are_comparisons() -> None:
    array = wrap_array(np.array([3.0, 1.0, 2.9]))
    assert array.argmax() == 0
    assert PREDICATES.all()[0].margin == pytest.approx(0.1)
    assert np.argsort(array).tolist() == [1, 2, 0]


def test_breaks_are_told() -> None:
    array = wrap_array(np.eye(3) * 2)
    values = np.fft.rfft(array[0])
    assert values.tolist() == [2.0, 2.0]
    ((path, _, what),) = BREAKS
    assert path == __file__
    assert "rfft" in what


def test_stores_into_plain_arrays_are_told() -> None:
    array = np.zeros(3)
    array_store(array, 1, traced(2.0, TAPE.inputs(1)))
    assert array.tolist() == [0.0, 2.0, 0.0]
    assert len(BREAKS) == 1


def test_numpy_is_as_before() -> None:
    before = {name: getattr(np, name) for name in ("array", "zeros", "exp", "sum", "concatenate")}
    install()
    assert np.zeros is not before["zeros"]
    uninstall()
    assert {name: getattr(np, name) for name in before} == before
    assert type(np.zeros(2)) is np.ndarray
