"""Shapes and meaning of operators that pick and write elements by index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shape_rules import inferred, only, shaped, written

from mlvet.domains.dims import Dim, may_be_empty, symbol
from mlvet.domains.dtypes import bool_, i64
from mlvet.domains.tensors import Tensor, constant, of_dims
from mlvet.ops import REGISTRY

batch, steps = symbol("batch"), symbol("steps")


def places(*dims: Dim) -> Tensor:
    """Indices of which only the shape is known."""
    return Tensor(i64, dims)


def known(values: Any) -> Tensor:
    return constant(np.asarray(values, dtype=np.int64))


def run(op: str, *operands: Any, **attributes: Any) -> Any:
    reference = REGISTRY[op].reference
    assert reference is not None
    return reference(*operands, **attributes)


def test_gather_puts_the_shape_of_the_indices_in_place_of_the_axis() -> None:
    assert only("gather", shaped(batch, 9, 4), places(steps, 2), axis=1) == "f32[batch, steps, 2, 4]"
    assert only("gather", shaped(batch, 9), places(), axis=-1) == "f32[batch]"


@pytest.mark.parametrize("index", [3, -4])
def test_gather_records_an_index_out_of_range(index: int) -> None:
    assert written("gather", shaped(3, 4), known([0, index]))[1] == ["size-out-of-range"]


def test_gather_says_nothing_of_an_index_into_an_unknown_size() -> None:
    assert written("gather", shaped(batch, 4), known([1000]))[1] == []


def test_gather_records_an_axis_that_is_not_there_and_indices_that_are_no_integers() -> None:
    assert written("gather", shaped(3, 4), known([0]), axis=2)[1] == ["axis-out-of-range"]
    assert written("gather", shaped(3, 4), shaped(2))[1] == ["dtype-differs"]


def test_gather_nd_appends_what_the_coordinates_leave() -> None:
    assert only("gather_nd", shaped(3, 4, 5), places(steps, 2)) == "f32[steps, 5]"
    assert only("gather_nd", shaped(batch, 4, 5), places(batch, steps, 1), batch_dims=1) == "f32[batch, steps, 5]"
    assert written("gather_nd", shaped(3, 4), places(steps, 3))[1] == ["rank-differs"]


def test_advanced_indices_broadcast_and_stand_first_when_they_are_apart() -> None:
    x = shaped(batch, 4, 5, 6)
    assert only("index", x, None, places(steps, 1), places(7)) == "f32[batch, steps, 7, 6]"
    assert only("index", x, None, places(7), None, places(7)) == "f32[7, batch, 5]"
    assert only("index", x, places(3)) == "f32[3, 4, 5, 6]"


def test_a_mask_counts_as_its_coordinates() -> None:
    x = shaped(batch, 4, 5)
    assert only("index", x, Tensor(bool_, (batch, 4))) == "f32[index.1, 5]"
    assert written("index", x, Tensor(bool_, (batch, 3)))[1] == ["dims-differ"]
    assert written("index", x, *[places(2)] * 4)[1] == ["rank-differs"]


def test_embedding_checks_known_tokens_against_the_rows() -> None:
    assert only("embedding", shaped(100, 16), places(batch, steps)) == "f32[batch, steps, 16]"
    assert written("embedding", shaped(100, 16), known([5, 100]))[1] == ["size-out-of-range"]
    assert written("embedding", shaped(100, 16), known([-1]))[1] == ["size-out-of-range"]


def test_top_k_cannot_take_more_than_there_is() -> None:
    assert written("top_k", shaped(batch, 9), known([3]))[0] == ["f32[batch, 3]", "i64[batch, 3]"]
    assert written("top_k", shaped(batch, 2), known([3]))[1] == ["size-out-of-range"]
    assert written("top_k", shaped(batch, steps), of_dims([steps], i64))[0] == [
        "f32[batch, steps]",
        "i64[batch, steps]",
    ]


def test_top_k_prefers_the_first_of_equal_elements() -> None:
    values, indices = run("top_k", np.asarray([1, 3, 3, 2]), np.asarray([3]))
    assert values.tolist() == [3, 3, 2]
    assert indices.tolist() == [1, 2, 3]


def test_one_hot_leaves_rows_off_whose_index_is_out_of_range() -> None:
    assert only("one_hot", places(batch), known([7]), shaped(2), axis=0) == "f32[7, batch]"
    hot = run("one_hot", np.asarray([1, -1, 5]), np.asarray(3), np.asarray([0, 1]))
    assert hot.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_scatter_keeps_the_shape_and_demands_updates_that_fit() -> None:
    assert only("scatter_nd", shaped(batch, 4), places(steps, 1), shaped(steps, 4)) == "f32[batch, 4]"
    assert written("scatter_nd", shaped(batch, 4), places(steps, 1), shaped(steps, 5))[1] == ["dims-differ"]
    assert written("scatter_elements", shaped(3, 4), places(2, 2), shaped(2, 3))[1] == ["dims-differ"]
    assert written("scatter_elements", shaped(3, 4), known([[9, 0]]), shaped(1, 2))[1] == ["size-out-of-range"]


@pytest.mark.parametrize(
    ("reduction", "result"),
    [("none", [7, 2]), ("add", [13, 2]), ("mul", [35, 2]), ("max", [7, 2]), ("min", [1, 2])],
)
def test_scatter_reduces_updates_of_one_place(reduction: str, result: list[int]) -> None:
    x, updates = np.asarray([1, 2]), np.asarray([5, 7])
    assert run("scatter_nd", x, np.asarray([[0], [0]]), updates, reduction=reduction).tolist() == result


def test_sizes_that_depend_on_data_are_unknown_but_named() -> None:
    assert only("nonzero", shaped(batch, 4)) == "i64[2, nonzero.1]"
    assert only("masked_select", shaped(batch), Tensor(bool_, (batch,))) == "f32[masked_select.1]"
    assert written("unique", shaped(batch, 4), axis=1)[0] == [
        "f32[batch, unique.1]",
        "i64[unique.1]",
        "i64[4]",
        "i64[unique.1]",
    ]


def test_segments_are_counted_by_the_operand_if_there_is_one() -> None:
    assert only("segment_sum", shaped(steps, 4), places(steps), known(6)) == "f32[6, 4]"
    assert only("segment_sum", shaped(steps, 4), places(steps)) == "f32[segment_sum.1, 4]"
    assert written("segment_sum", shaped(5, 4), places(3))[1] == ["dims-differ"]


def test_sizes_move_through_indexing() -> None:
    sizes = np.empty(3, dtype=object)
    sizes[:] = [batch, steps, 768]
    assert run("gather", sizes, np.asarray(1)).item() == steps
    assert run("scatter_elements", sizes, np.asarray([0]), np.asarray([-1])).tolist() == [-1, steps, 768]
    assert run("slice", sizes, np.asarray([-2]), np.asarray([2**63 - 1])).tolist() == [steps, 768]


def test_values_that_broadcast_are_added_at_every_place() -> None:
    places = np.asarray([0, 1, 1, 0, 2])
    for values in (np.asarray([2.0]), np.asarray(2.0), np.full(5, 2.0)):
        assert run("index_put", np.zeros(3), values, places, accumulate=True).tolist() == [4, 4, 2]
    rows = run("index_put", np.zeros((2, 3)), np.asarray([1.0, 2, 3]), np.asarray([1, 1]), accumulate=True)
    assert rows.tolist() == [[0, 0, 0], [2, 4, 6]]


@pytest.mark.parametrize(
    ("op", "operands", "axis"),
    [
        ("compress", (shaped(batch), Tensor(bool_, (batch,))), 0),
        ("masked_select", (shaped(batch), Tensor(bool_, (batch,))), 0),
        ("nonzero", (shaped(batch),), 1),
        ("slice", (shaped(9), places(1), places(1)), 0),
        ("range", (places(), places(), places()), 0),
        ("index", (shaped(batch), Tensor(bool_, (batch,))), 0),
    ],
)
def test_sizes_that_elements_decide_may_be_zero(op: str, operands: tuple[Tensor, ...], axis: int) -> None:
    result, _ = inferred(op, *operands)
    assert may_be_empty(result.dims[axis])


def test_distinct_elements_of_something_are_not_nothing() -> None:
    (found, *_), _ = inferred("unique", shaped(batch))
    assert not may_be_empty(found.dims[0])
    (none, *_), _ = inferred("unique", inferred("masked_select", shaped(batch), Tensor(bool_, (batch,)))[0])
    assert may_be_empty(none.dims[0])


@pytest.mark.parametrize("limit", [np.inf, np.nan, -np.inf])
def test_a_range_without_an_end_is_a_mistake(limit: float) -> None:
    ends = [constant(np.asarray(end, np.float32)) for end in (0.0, limit, 1.0)]
    _, broken = inferred("range", *ends)
    assert broken == ["illegal-argument"]
