"""Partitions of tensors, checked against the elements that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlvet.domains import grids
from mlvet.domains.grids import Cuts

Array = NDArray[np.float64]

sizes = st.lists(st.integers(1, 7), min_size=1, max_size=3)


@st.composite
def cuts_of(draw: st.DrawFn, shape: list[int]) -> Cuts:
    return tuple(
        tuple(sorted(draw(st.sets(st.integers(1, size - 1)) if size > 1 else st.just(set())))) for size in shape
    )


@st.composite
def partitions(draw: st.DrawFn, count: int) -> tuple[list[int], list[Cuts]]:
    """A shape, and partitions of it."""
    shape = draw(sizes)
    return shape, [draw(cuts_of(shape)) for _ in range(count)]


@st.composite
def cell_arrays(draw: st.DrawFn) -> tuple[list[int], Cuts, Cuts, Array]:
    """An array over the cells of a partition, and another partition."""
    shape, (old, new) = draw(partitions(2))
    count = grids.cell_count(old)
    numbers = draw(st.lists(st.integers(-9, 9), min_size=count, max_size=count))
    return shape, old, new, np.array(numbers, np.float64).reshape(grids.cells(old))


def elements(array: Array, cuts: Cuts, shape: list[int]) -> Array:
    """What an array over cells says of every element."""
    for axis, (cut, size) in enumerate(zip(cuts, shape, strict=True)):
        array = np.repeat(array, grids.element_counts(cut, size).astype(int), axis=axis)
    return array


def boxes(cuts: Cuts, shape: list[int]) -> list[tuple[slice, ...]]:
    """The indices of each cell, in order."""
    edges = [(0, *cut, size) for cut, size in zip(cuts, shape, strict=True)]
    return [
        tuple(slice(edge[i], edge[i + 1]) for edge, i in zip(edges, place, strict=True))
        for place in np.ndindex(*grids.cells(cuts))
    ]


@given(partitions(1))
def test_cells_hold_every_element_once(drawn: tuple[list[int], list[Cuts]]) -> None:
    shape, (cuts,) = drawn
    seen = np.zeros(shape, int)
    for box in boxes(cuts, shape):
        assert seen[box].size
        seen[box] += 1
    assert (seen == 1).all()
    for cut, size in zip(cuts, shape, strict=True):
        assert grids.element_counts(cut, size).sum() == size


@given(cell_arrays())
def test_a_coarser_reading_is_the_hull_of_what_it_covers(drawn: tuple[list[int], Cuts, Cuts, Array]) -> None:
    shape, old, new, array = drawn
    whole = elements(array, old, shape)
    for merge, reduce in ((np.minimum, np.min), (np.maximum, np.max)):
        found = grids.regrid(array, old, new, merge)
        assert found.shape == grids.cells(new)
        expected = [reduce(whole[box]) for box in boxes(new, shape)]
        assert found.reshape(-1).tolist() == expected


@given(cell_arrays())
def test_a_finer_reading_says_the_same_of_every_element(drawn: tuple[list[int], Cuts, Cuts, Array]) -> None:
    shape, old, other, array = drawn
    finer = tuple(grids.union(a, b) for a, b in zip(old, other, strict=True))
    there = grids.regrid(array, old, finer, np.minimum)
    assert np.array_equal(elements(there, finer, shape), elements(array, old, shape))
    assert np.array_equal(grids.regrid(there, finer, old, np.maximum), array)


@given(cell_arrays())
def test_one_axis_can_be_refined_alone(drawn: tuple[list[int], Cuts, Cuts, Array]) -> None:
    shape, old, other, array = drawn
    both = grids.union(old[0], other[0])
    found = grids.refine(array, 0, old[0], both)
    assert np.array_equal(elements(found, (both, *old[1:]), shape), elements(array, old, shape))


@given(partitions(2))
def test_the_union_of_partitions_is_the_coarsest_that_refines_both(drawn: tuple[list[int], list[Cuts]]) -> None:
    _, (first, second) = drawn
    for a, b in zip(first, second, strict=True):
        both = grids.union(a, b)
        assert list(both) == sorted(set(a) | set(b))
        assert both == grids.union(b, a)


@given(cell_arrays())
def test_boundaries_are_where_elements_change(drawn: tuple[list[int], Cuts, Cuts, Array]) -> None:
    shape, old, _, array = drawn
    whole = elements(array, old, shape)
    found = grids.boundaries(whole, shape)
    assert np.array_equal(elements(grids.sample(whole, found), found, shape), whole)
    for axis, cut in enumerate(found):
        assert set(cut) <= set(old[axis])
        for position in cut:
            fewer = tuple(
                tuple(each for each in kept if (index, each) != (axis, position)) for index, kept in enumerate(found)
            )
            assert any(len(np.unique(whole[box])) > 1 for box in boxes(fewer, shape))


@given(partitions(1), st.integers(1, 60))
def test_too_many_cells_lose_whole_axes(drawn: tuple[list[int], list[Cuts]], most: int) -> None:
    _, (cuts,) = drawn
    found = grids.limited(cuts, most)
    assert grids.cell_count(found) <= most
    assert all(kept in (had, ()) for kept, had in zip(found, cuts, strict=True))
    if grids.cell_count(cuts) <= most:
        assert found == cuts


def test_nan_is_a_change_at_every_element() -> None:
    values: NDArray[Any] = np.array([1.0, np.nan, np.nan, 2.0, 2.0])
    assert grids.boundaries(values, (5,)) == ((1, 2, 3),)


def test_an_axis_of_unknown_size_has_one_cell_of_many() -> None:
    from mlvet.domains.dims import symbol

    assert grids.element_counts((), symbol("n")).tolist() == [float(grids.MANY)]
    assert grids.cells(grids.uncut(3)) == (1, 1, 1)
