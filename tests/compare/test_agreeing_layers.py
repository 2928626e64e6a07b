"""When backends agree on a layer that no oracle knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.compare.agreement import agreeing

LONG = np.linspace(-1, 1, 1000)


@pytest.mark.parametrize(
    ("entering", "first", "second", "agree"),
    [
        (np.float32([1]), np.int8([3, 4]), np.int8([4, 4]), True),
        (np.float32([1]), np.int8([3, 4]), np.int8([5, 4]), False),
        (np.float32([1]), np.int32([3, 4]), np.int32([4, 4]), False),
        (np.float32([1]), np.float32(LONG), np.float32(LONG * (1 + 1e-7)), True),
        (np.float32([1]), np.float32(LONG), np.float32(LONG + 1e-5), False),
        (np.int8([1]), np.float32(LONG), np.float32(LONG + 1e-5), True),
        (np.int8([1]), np.float32(LONG), np.float32(LONG + 4e-3), False),
        (np.float32([1]), np.float32([[1, 2]]), np.float32([1, 2]), False),
        (np.float32([1]), np.float32([1, 2]), np.float64([1, 2]), False),
    ],
)
def test_backends_agree_up_to_rounding(tmp_path: Path, entering: Any, first: Any, second: Any, agree: bool) -> None:
    paths = {}
    for name, array in (("entering", entering), ("a", first), ("b", second)):
        paths[name] = tmp_path / f"{name}.npy"
        np.save(paths[name], array)
    found = agreeing([paths["entering"]], {"a": {"v": paths["a"]}, "b": {"v": paths["b"]}})
    assert found == ({frozenset("ab")} if agree else set())
