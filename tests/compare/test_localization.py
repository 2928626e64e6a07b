"""The localization map of the paper [CRADLE III-C]."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.compare.localization import deviation, localization_map, looked_at
from mlvet.analyses.compare.subject import Layer, last_uses


def chain(*names: str) -> list[Layer]:
    return [Layer(name, "Dense", (before,), (name,)) for before, name in zip(("x", *names), names, strict=False)]


def test_the_rate_is_the_growth_of_the_deviation_over_what_comes_in() -> None:
    places = localization_map(chain("a", "b"), {"a": 0.5, "b": 2.0})
    assert [place.rate for place in places] == pytest.approx([0.5 / 1e-7, 1.5 / (0.5 + 1e-7)])


def test_the_greatest_deviation_of_several_inputs_counts() -> None:
    layers = [*chain("a"), Layer("c", "Dense", ("x",), ("c",)), Layer("sum", "Add", ("a", "c"), ("sum",))]
    assert localization_map(layers, {"a": 1.0, "c": 3.0, "sum": 4.0})[-1].rate == pytest.approx(1 / 3)


def test_layers_above_the_third_quartile_are_red() -> None:
    names = "abcdefgh"
    deltas = dict.fromkeys(names, 1e-08) | {"e": 0.1, "f": 0.1, "g": 0.1, "h": 0.1}
    places = localization_map(chain(*names), deltas)
    assert places[4].red
    assert max(places, key=lambda place: place.rate).layer.name == "e"
    assert looked_at(places) == (8, sum(place.red for place in places))


def test_equal_states_of_infinities_do_not_deviate_and_other_shapes_do() -> None:
    states = np.array([np.inf, np.nan, 1.0])
    assert deviation(states, states.copy()) == 0.0
    assert deviation(states, np.array([np.inf, np.nan, 2.0])) == pytest.approx(1 / 3)
    assert deviation(np.zeros(2), np.zeros(3)) == float("inf")


def test_a_value_is_dropped_after_its_last_use() -> None:
    layers = [*chain("a", "b"), Layer("sum", "Add", ("a", "b"), ("sum",))]
    assert last_uses(layers, ("sum",)) == [["x"], [], ["a", "b"]]
