"""Errors of a layer in units of its own noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlvet.analyses.compare.accuracies import accuracy
from mlvet.analyses.compare.clustering import clusters
from mlvet.analyses.compare.interpolation import placing
from mlvet.analyses.compare.local_errors import local_errors
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.terms import summing, terms

LAYER = Layer("dense", "Dense", ("x",), ("dense",), {"units": 8})
RANDOM = np.random.default_rng(0)
EXACT = RANDOM.normal(size=(16, 64))
ULP = 2.0**-24


def off_by(times: float) -> dict[str, np.ndarray]:
    """Results that are as far off as so many roundings."""
    noise = RANDOM.normal(size=EXACT.shape) * times * ULP * float(np.sqrt(np.mean(EXACT**2)))
    return {"dense": EXACT + noise}


def errors(**results: dict[str, np.ndarray]) -> dict[str, bool]:
    found = local_errors(LAYER, {"dense": EXACT}, results, [off_by(1)])
    return {error.backend: error.wrong for error in found}


def test_rounding_is_no_error() -> None:
    assert errors(torch=off_by(1), jax=off_by(2)) == {"torch": False, "jax": False}


def test_several_times_the_noise_are_an_error_of_that_backend_alone() -> None:
    assert errors(torch=off_by(8), jax=off_by(1), numpy=off_by(1)) == {"torch": True, "jax": False, "numpy": False}


def test_noise_that_all_backends_have_is_noise() -> None:
    assert errors(torch=off_by(8), jax=off_by(8), numpy=off_by(8)) == {"torch": False, "jax": False, "numpy": False}


def test_backends_that_share_a_flaw_do_not_make_it_noise() -> None:
    flawed = {"dense": EXACT + 0.01}
    assert errors(torch=flawed, jax=flawed, numpy=off_by(1)) == {"torch": True, "jax": True, "numpy": False}


def test_numbers_where_there_should_be_none_are_wrong() -> None:
    broken = {"dense": np.where(EXACT > 2, np.nan, EXACT)}
    assert errors(torch=broken, jax=off_by(1)) == {"torch": True, "jax": False}


def test_another_shape_is_wrong() -> None:
    assert errors(torch={"dense": EXACT[:, :8]}, jax=off_by(1)) == {"torch": True, "jax": False}


def test_a_layer_of_zeros_has_no_noise() -> None:
    zeros = np.zeros((4, 4))
    found = local_errors(LAYER, {"dense": zeros}, {"a": {"dense": zeros}, "b": {"dense": zeros + 1e-30}}, [])
    assert [error.wrong for error in found] == [False, True]


@pytest.mark.parametrize(("shift", "sign"), [(0.5, "too large"), (-0.5, "too small")])
def test_the_sign_of_an_error_is_told(shift: float, sign: str) -> None:
    (found,) = local_errors(LAYER, {"dense": EXACT}, {"torch": {"dense": EXACT + shift}}, [])
    assert found.sign == sign


def test_layers_that_differ_only_in_size_are_one_cause() -> None:
    wide = Layer("wide", "Dense", ("dense",), ("wide",), {"units": 64})
    relu = Layer("relu", "Dense", ("wide",), ("relu",), {"units": 64, "activation": "relu"})
    found = [local_errors(layer, {"v": EXACT}, {"torch": {"v": EXACT + 1}}, [])[0] for layer in (LAYER, wide, relu)]
    assert [[error.layer.name for error in cluster] for cluster in clusters(found)] == [["dense", "wide"], ["relu"]]


def test_errors_of_both_signs_or_without_end_are_no_cause_of_their_own() -> None:
    wild, endless = EXACT * np.where(np.arange(EXACT.size).reshape(EXACT.shape) % 2, 2, 0), EXACT * np.nan
    yields = {"large": EXACT + 1, "wild": wild, "endless": endless, "small": EXACT - 1}
    found = [
        local_errors(replace(LAYER, name=name), {"v": EXACT}, {"torch": {"v": array}}, [])[0]
        for name, array in yields.items()
    ]
    told = [[error.layer.name for error in cluster] for cluster in clusters(found)]
    assert told == [["large", "wild", "endless"], ["small"]]
    assert [[error.layer.name for error in cluster] for cluster in clusters(found[1:3])] == [["wild", "endless"]]


@pytest.mark.parametrize(
    ("kind", "config", "shape", "expected"),
    [
        ("Dense", {"units": 8}, (4, 4096), 4096),
        ("Conv2D", {"kernel_size": [3, 3], "data_format": "channels_last"}, (4, 8, 8, 64), 576),
        ("Conv", {"kernel_shape": [3, 3]}, (4, 64, 8, 8), 576),
        ("AveragePooling2D", {"pool_size": [2, 2]}, (4, 8, 8, 64), 4),
        ("Conv2DTranspose", {"kernel_size": [4, 4], "strides": [2, 2]}, (4, 8, 8, 64), 256),
        ("conv2d", {"kernel_size": [3, 3], "groups": 2}, (4, 64, 8, 8), 288),
        ("avg_pool2d", {"kernel_size": [3, 3]}, (4, 64, 8, 8), 9),
        ("linear", {}, (4, 4096), 4096),
        ("CONV_2D", {"kernel_size": [3, 3]}, (4, 8, 8, 64), 576),
        ("DEPTHWISE_CONV_2D", {"kernel_size": [3, 3]}, (4, 8, 8, 64), 9),
        ("FULLY_CONNECTED", {}, (4, 4096), 4096),
        ("ReLU", {}, (4, 4096), 1),
    ],
)
def test_the_terms_of_a_sum_are_known(
    kind: str, config: dict[str, object], shape: tuple[int, ...], expected: int
) -> None:
    layer = Layer("layer", kind, ("x",), ("layer",), config)
    assert terms(layer, [shape]) == expected
    assert summing(layer, [shape]) == ((expected / 6) ** 0.5 if expected > 64 else 0.0)


def test_a_long_sum_may_be_off_further() -> None:
    results = {name: {"dense": off_by(times)["dense"].astype(np.float32)} for name, times in (("a", 6), ("b", 20))}
    found = local_errors(LAYER, {"dense": EXACT}, results, [off_by(1)], roundings=4.0)
    assert [error.wrong for error in found] == [False, True]


def test_numbers_that_a_precision_cannot_hold_are_infinite_there() -> None:
    exact = {"dense": np.array([1.0, 1e39, -1e39])}
    own = {"dense": np.array([1.0, np.inf, -np.inf], np.float32)}
    wrong = {"dense": np.array([1.0, np.inf, 3e38], np.float32)}
    found = local_errors(LAYER, exact, {"jax": own, "torch": wrong}, [])
    assert [error.wrong for error in found] == [False, True]


def test_zero_for_less_than_the_least_normal_number_is_no_error() -> None:
    (found,) = local_errors(LAYER, {"dense": np.full(4, 1e-40)}, {"jax": {"dense": np.zeros(4, np.float32)}}, [])
    assert not found.wrong


@pytest.mark.parametrize(
    ("kind", "config", "expected"),
    [
        ("Sigmoid", {}, (3.0, 0.0)),
        ("aten.tanh.default", {}, (2.5, 0.0)),
        ("Dense", {"activation": "elu"}, (3.0, 1.0)),
        ("LogSoftmax", {}, (3.0, 0.0)),
        ("Dense", {"activation": "relu"}, (0.0, 0.0)),
        ("Conv", {}, (0.0, 0.0)),
    ],
)
def test_functions_need_not_be_exact(kind: str, config: dict[str, object], expected: tuple[float, float]) -> None:
    assert accuracy(Layer("layer", kind, ("x",), ("layer",), config)) == expected


def test_small_results_may_be_off_by_what_is_lost_on_the_way() -> None:
    small = np.full(8, 1e-3)
    results = {name: {"y": (small + off * ULP).astype(np.float32)} for name, off in (("jax", 1), ("torch", 9))}
    found = local_errors(LAYER, {"y": small}, results, [], magnitude=1.0)
    assert [error.wrong for error in found] == [False, True]


@pytest.mark.parametrize(
    ("kind", "config", "roundings"),
    [
        ("Resize", {"mode": "cubic"}, 10.0),
        ("Resize", {"mode": "nearest"}, 0.0),
        ("Resizing", {"interpolation": "bilinear"}, 15.0),
        ("UpSampling2D", {"interpolation": "bilinear"}, 0.0),
    ],
)
def test_places_between_elements_are_rounded(kind: str, config: dict[str, object], roundings: float) -> None:
    assert placing(Layer("up", kind, ("x",), ("y",), config), [(2, 30, 20, 8)]) == roundings
