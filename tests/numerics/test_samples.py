"""Ranges from the arrays of a data file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import Sample
from mlvet.analyses.numerics.assumptions.samples import measured
from mlvet.core.errors import UsageError


def saved(folder: Path, **arrays: Any) -> Path:
    path = folder / "samples.npz"
    np.savez(path, **arrays)
    return path


def test_every_array_has_its_extremes(tmp_path: Path) -> None:
    path = saved(
        tmp_path, x=np.asarray([[-1.5, 2], [0, 1]], np.float32), ids=np.asarray([3, 9, 4]), one=np.asarray(True)
    )
    assert measured(path) == {
        "x": Sample(-1.5, 2, 2, False, str(path)),
        "ids": Sample(3, 9, 3, True, str(path)),
        "one": Sample(1, 1, 1, True, str(path)),
    }


def test_floats_that_are_whole_are_told_apart(tmp_path: Path) -> None:
    assert measured(saved(tmp_path, x=np.asarray([1.0, 2.0])))["x"].whole


def test_infinity_is_an_extreme(tmp_path: Path) -> None:
    assert measured(saved(tmp_path, x=np.asarray([-np.inf, 0])))["x"].low == -np.inf


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        (np.asarray([1, np.nan]), "the array `x` has NaN"),
        (np.asarray([]), "the array `x` has no elements"),
        (np.asarray(["a"]), "is made of <U1, not of"),
        (np.asarray([1j]), "is made of complex128, not of"),
        (np.asarray([object()]), "the array `x` cannot be read"),
    ],
)
def test_an_array_without_a_range(tmp_path: Path, array: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        measured(saved(tmp_path, x=array))


def test_files_that_are_no_archives_of_arrays(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "empty.npz").touch()
    (tmp_path / "torn.npz").write_bytes(saved(tmp_path, x=np.zeros(999)).read_bytes()[:500])
    np.save(tmp_path / "one.npy", np.zeros(3))
    np.savez(tmp_path / "none.npz")
    for name, complaint in {
        "text.npz": "not an .npz file",
        "empty.npz": "not an .npz file",
        "torn.npz": "not an .npz file",
        "one.npy": "one array without a name",
        "none.npz": "no arrays in it",
        "missing.npz": "no such data file",
        "": "not an .npz file",
    }.items():
        with pytest.raises(UsageError, match=complaint):
            measured(tmp_path / name)
