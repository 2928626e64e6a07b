"""The distances of the paper, by its own definitions and examples [CRADLE III-B]."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.compare.distances import (
    Thresholds,
    class_distances,
    class_edges,
    inconsistent,
    mad_distances,
    pattern,
    scores,
    top_accuracy,
    triggering,
)
from mlvet.analyses.compare.pairs import Truth, pairs

LABEL = np.array([0])


def ranked(rank: int, classes: int = 10) -> np.ndarray:
    """An output in which class 0 has a rank."""
    order = np.linspace(1.0, 0.1, classes)
    return np.concatenate([[order[rank - 1]], np.delete(order, rank - 1)])[None]


@pytest.mark.parametrize(("rank", "score"), [(1, 16), (2, 8), (3, 4), (4, 2), (5, 1), (6, 0), (10, 0)])
def test_a_rank_scores_a_power_of_two(rank: int, score: int) -> None:
    assert scores(ranked(rank), LABEL, 5).tolist() == [score]


def test_petri_dish_first_on_one_backend_and_not_among_five_on_the_other_is_16_apart() -> None:
    assert class_distances(ranked(1), ranked(7), LABEL, 5).tolist() == [16]
    assert class_distances(ranked(1), ranked(2), LABEL, 5).tolist() == [8]


def test_ranks_beyond_k_are_not_told_apart() -> None:
    assert class_distances(ranked(6), ranked(9), LABEL, 5).tolist() == [0]


def test_mad_distance_of_a_steering_angle() -> None:
    right, first, second = np.array([[0.3]]), np.array([[0.4]]), np.array([[0.1]])
    assert mad_distances(first, second, right) == pytest.approx([(0.2 - 0.1) / 0.3])


def test_mad_distance_is_1_if_one_backend_is_exactly_right() -> None:
    assert mad_distances(np.array([[1.0]]), np.array([[3.0]]), np.array([[1.0]])) == pytest.approx([1.0])


def test_both_right_are_not_apart() -> None:
    assert mad_distances(np.array([[1.0]]), np.array([[1.0]]), np.array([[1.0]])).tolist() == [0.0]


def test_outputs_next_to_the_label_that_differ_by_rounding_are_not_apart() -> None:
    right, first, second = np.array([[1.0]]), np.array([[1.0 + 1e-9]]), np.array([[1.0 + 7e-9]])
    assert mad_distances(first, second, right)[0] > 0.4
    assert mad_distances(first, second, right, floor=1e-6).tolist() == [0.0]


def test_a_threshold_is_reached_at_its_own_value() -> None:
    assert triggering(np.array([8.0, 4.0, 0.0]), 8.0).tolist() == [True, False, False]


def test_a_threshold_of_nothing_still_wants_a_difference() -> None:
    assert triggering(np.array([0.0, 0.1]), 0.0).tolist() == [False, True]


def test_a_share_of_the_examples_can_be_asked_for() -> None:
    distances = np.array([16.0, 0.0, 0.0, 0.0])
    assert inconsistent(distances, 8.0, 0.0)
    assert inconsistent(distances, 8.0, 0.25)
    assert not inconsistent(distances, 8.0, 0.5)
    assert not inconsistent(np.zeros(4), 8.0, 0.0)


def test_equal_distributions_are_one_pattern_whatever_the_order() -> None:
    edges = class_edges(5)
    assert pattern(np.array([16.0, 0, 8, 8]), edges) == pattern(np.array([8.0, 8, 16, 0]), edges)
    assert pattern(np.array([16.0, 0, 8, 8]), edges) != pattern(np.array([16.0, 16, 8, 0]), edges)
    assert sum(pattern(np.array([16.0, 15, 1, 0]), edges)) == 4


def test_top_k_accuracy_cannot_tell_what_the_class_distance_tells() -> None:
    labels = np.array([0, 0])
    first = np.concatenate([ranked(1), ranked(6)])
    second = np.concatenate([ranked(6), ranked(1)])
    assert top_accuracy(first, labels, 5) == top_accuracy(second, labels, 5)
    assert class_distances(first, second, labels, 5).tolist() == [16, 16]


def test_outputs_that_count_no_examples_are_compared_as_wholes() -> None:
    right = [np.ones((1, 1)), np.ones((2, 1, 8))]
    wrong = [np.ones((1, 1)), np.full((2, 1, 8), 2.0)]
    (pair,) = pairs({"a": right, "b": wrong}, Truth("mlvet", outputs=right), Thresholds())
    assert pair.inconsistent
    assert len(pair.distances) == 1
