"""Shares of influence: their order, and that asking for the first gives the same as ordering all."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.provenance.influence import first, influences, scales
from mlvet.runtime.provenance.inputs import Inputs


def inputs(values: list[float]) -> Inputs:
    return Inputs([("x", "[", index) for index in range(len(values))], list(range(1, len(values) + 1)), values)


@pytest.mark.parametrize("top", [1, 2, 5, 11, 12, 40])
def test_the_first_are_the_first_of_all(top: int) -> None:
    chance = np.random.default_rng(9)
    found = inputs([1.0] * 12)
    adjoint = np.concatenate([[0.0], chance.choice([0.0, 0.25, -0.25, 0.5], 12)])
    known = influences(1.0, adjoint, found)
    assert known.order(top).tolist() == known.order().tolist()[:top]


def test_inputs_that_are_added_later_count() -> None:
    found = inputs([1.0, 2.0])
    assert scales(found.all_values(), found).tolist() == [1.0, 2.0]
    found.paths.append(("x", "[", 2))
    found.places.append(3)
    found.values.append(0.0)
    assert found.all_places().tolist() == [1, 2, 3]
    assert scales(found.all_values(), found).tolist() == [1.0, 2.0, 1.5]


def test_shares_and_the_residual() -> None:
    found = inputs([2.0, 2.0, 2.0])
    listed, residual = first(influences(2.0, np.array([0.0, 0.5, 0.25, -0.25]), found), found, 1)
    assert [each.share for each in listed] == [0.5]
    assert residual == pytest.approx(0.5)
