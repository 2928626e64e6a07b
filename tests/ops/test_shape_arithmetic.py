"""What gradients compute of shapes, on TensorFlow's own answers."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.domains.dims import symbol
from mlvet.domains.tensors import UnknownValue
from mlvet.ops import REGISTRY


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        ([1, 3], [1, 3], ([], [])),
        ([2, 1, 3], [1], ([1], [0, 1, 2])),
        ([1, 1], [2, 3], ([0, 1], [])),
        ([], [2, 1], ([0, 1], [1])),
        ([0, 1], [1, 0], ([1], [0])),
        ([1], [1, 1], ([0, 1], [0, 1])),
    ],
)
def test_axes_that_were_broadcast(first: list[int], second: list[int], axes: tuple[list[int], list[int]]) -> None:
    reference = REGISTRY["broadcast_gradient_args"].reference
    assert reference is not None
    found = reference(np.asarray(first, np.int32), np.asarray(second, np.int32))
    assert tuple(part.tolist() for part in found) == axes


def test_a_size_that_may_be_one_leaves_the_axes_open() -> None:
    reference = REGISTRY["broadcast_gradient_args"].reference
    assert reference is not None
    n = symbol("n")
    same = np.asarray([n, 4], object)
    assert [part.tolist() for part in reference(same, same)] == [[], []]
    with pytest.raises(UnknownValue):
        reference(same, np.asarray([4], object))
