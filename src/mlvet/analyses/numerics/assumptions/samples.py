"""Ranges from data: the extremes of the arrays of an .npz file."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from mlvet.analyses.numerics.assumptions.ranges import Sample
from mlvet.core.errors import UsageError


def measured(path: Path) -> dict[str, Sample]:
    """The extremes of every array of a file. Raises UsageError if it cannot be read or an array has no range."""
    if not path.exists():
        raise UsageError(f"{path}: no such data file")
    try:
        archive = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path}: not an .npz file of arrays") from error
    if not isinstance(archive, NpzFile):
        raise UsageError(f"{path}: one array without a name; save it by np.savez under the name of the input")
    found = {}
    with archive:
        for name in archive:
            try:
                array = archive[name]
            except (OSError, ValueError, EOFError, zipfile.BadZipFile, MemoryError) as error:
                raise UsageError(f"{path}: the array `{name}` cannot be read: {error}") from error
            found[name] = extremes(name, array, str(path))
    if not found:
        raise UsageError(f"{path}: no arrays in it")
    return found


def extremes(name: str, array: NDArray[Any], file: str) -> Sample:
    """The range of one array. Raises UsageError if it has no numbers, or NaN among them."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        kind = array.dtype if isinstance(array, np.ndarray) else "bytes"
        raise UsageError(f"{file}: the array `{name}` is made of {kind}, not of bools, integers or floats")
    if not array.size:
        raise UsageError(f"{file}: the array `{name}` has no elements")
    low, high = float(array.min()), float(array.max())
    if np.isnan(low):
        raise UsageError(f"{file}: the array `{name}` has NaN, which has no range")
    whole = array.dtype.kind in "biu" or bool((array == np.floor(array)).all())
    return Sample(low, high, array.shape[0] if array.ndim else 1, whole, file)
