"""The range of a parameter from its initialiser, held against what the frameworks draw."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.initialisers import fans, first_elements, of
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, unknown
from mlvet.frontends.keras.initialisers import initialiser as of_keras
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Initialiser, Parameter

SHAPE = (3, 3, 16, 32)


def parameter(name: str, shape: tuple[int, ...] = SHAPE, **figures: float) -> Parameter:
    builder = Builder()
    builder.parameter("w", Tensor(dtypes.f32, shape), initialiser=Initialiser(name, tuple(figures.items())))
    return builder.graph([]).parameters[0]


def first(name: str, shape: tuple[int, ...] = SHAPE, **figures: float) -> Interval | None:
    return first_elements(Initialiser(name, tuple(figures.items())), Tensor(dtypes.f32, shape))


@pytest.mark.parametrize(
    ("name", "figures", "low", "high"),
    [
        ("zeros", {}, 0, 0),
        ("ones", {}, 1, 1),
        ("constant", {"value": -0.5}, -0.5, -0.5),
        ("elements", {"low": -2.0, "high": 3.0}, -2, 3),
        ("uniform", {"low": -0.5, "high": 0.25}, -0.5, 0.25),
        ("random_uniform", {"minval": 0.0, "maxval": 2.0}, 0, 2),
        ("normal", {"mean": 1.0, "stddev": 0.5}, -2, 4),
        ("truncated_normal", {"mean": 1.0, "stddev": 0.5}, 0, 2),
        ("orthogonal", {"gain": 2.0}, -2, 2),
    ],
)
def test_the_first_elements_of_a_distribution(name: str, figures: dict[str, float], low: float, high: float) -> None:
    assert first(name, **figures) == Interval(low, high)


@pytest.mark.parametrize(
    "name",
    ["glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal", "orthogonal",
     "random_normal", "random_uniform", "truncated_normal", "zeros", "ones", "identity"],
)  # fmt: skip
@pytest.mark.parametrize("shape", [SHAPE, (64, 10), (5,)])
def test_what_keras_draws_is_in_the_range(name: str, shape: tuple[int, ...]) -> None:
    """The draw is a fixed one: on PyTorch, Keras draws about one in 400,000 elements beyond where it means to cut."""
    import keras

    keras.utils.set_random_seed(20)
    if len(shape) != 2 and name in ("identity", "orthogonal"):
        shape = (64, 10)
    made = keras.initializers.get(name)
    drawn = np.asarray(made(shape, dtype="float32"))
    found = of_keras(keras.initializers.serialize(made))
    assert found is not None
    interval = first_elements(found, Tensor(dtypes.f32, shape))
    assert interval is not None
    assert drawn.min() >= interval.low - 1e-6
    assert drawn.max() <= interval.high + 1e-6
    assert interval.high - interval.low <= 40 * max(drawn.std(), np.abs(drawn).max(), 1e-9), "far too wide"


@pytest.mark.parametrize("mode", ["fan_in", "fan_out", "fan_avg"])
@pytest.mark.parametrize("distribution", ["truncated_normal", "untruncated_normal", "uniform"])
def test_scaled_variances_of_keras(mode: str, distribution: str) -> None:
    import keras

    made: Any = keras.initializers.VarianceScaling(2.0, mode, distribution, seed=1)
    drawn = np.asarray(made(SHAPE, dtype="float32"))
    found = of_keras(keras.initializers.serialize(made))
    assert found is not None
    interval = first_elements(found, Tensor(dtypes.f32, SHAPE))
    assert interval is not None
    assert interval.low <= drawn.min() <= drawn.max() <= interval.high
    share = {"uniform": 0.99, "truncated_normal": 0.98, "untruncated_normal": 0.5}[distribution]
    assert drawn.max() >= share * interval.high


def test_training_moves_a_parameter_by_its_own_size() -> None:
    assert _range(parameter("constant", value=100.0)) == Interval(0, 200)


def test_training_moves_a_small_parameter_by_one() -> None:
    assert _range(parameter("ones")) == Interval(0, 2)
    assert _range(parameter("zeros")) == Interval(-1, 1)


@pytest.mark.parametrize("name", ["nonsense", "variance", ""])
def test_an_unknown_initialiser_says_nothing(name: str) -> None:
    assert of(parameter(name), Tensor(dtypes.f32, SHAPE), learned=True) is None


def test_figures_that_are_no_numbers_say_nothing() -> None:
    assert of(parameter("constant", value=math.nan), Tensor(dtypes.f32, SHAPE), learned=True) is None
    assert of(parameter("normal", stddev=math.inf), Tensor(dtypes.f32, SHAPE), learned=True) is None
    assert of(parameter("variance_scaling_fan_in_uniform", scale=-1.0), Tensor(dtypes.f32, SHAPE), learned=True) is None


def test_unknown_sizes_give_the_widest_range() -> None:
    assert fans(Tensor(dtypes.f32, (symbol("n"), 4))) == (1, 4)
    assert fans(unknown("w")) == (1, 1)
    assert first_elements(Initialiser("he_uniform"), unknown("w")) == Interval(-math.sqrt(6), math.sqrt(6))


def _range(given: Parameter) -> Interval:
    found = of(given, given.value.declared, learned=True)
    assert found is not None
    return found.interval
