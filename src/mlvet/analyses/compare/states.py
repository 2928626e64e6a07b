"""States of layers in files, read and written block by block, so that no more than a few blocks are ever in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

Array = NDArray[Any]
BLOCK = 1 << 20
"""Elements that are in memory at once."""
MASK = ".mask.npy"


@dataclass(frozen=True, slots=True)
class State:
    """An array in a file of which only shape and element type are in memory."""

    path: Path
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    start: int
    fortran: bool

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


def state(path: Path) -> State:
    """The state that a file holds."""
    with path.open("rb") as file:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read(file)
        return State(path, shape, dtype, file.tell(), fortran and len(shape) > 1)


def blocks(array: Array | State) -> Iterator[Array]:
    """The elements of an array in order, flat, some at a time."""
    if isinstance(array, State) and array.fortran:
        array = np.load(array.path)
    if isinstance(array, State):
        for first in range(0, array.size, BLOCK):
            count = min(BLOCK, array.size - first)
            yield np.fromfile(array.path, array.dtype, count, offset=array.start + first * array.dtype.itemsize)
    else:
        flat = np.ascontiguousarray(array).reshape(-1)
        for first in range(0, flat.size, BLOCK):
            yield flat[first : first + BLOCK]


def rewrite(old: Path, new: Path, change: Callable[[Array], Array], dtype: np.dtype[Any]) -> Path:
    """Write a changed array, and the mask of the old one beside it. The old file may be the new one."""
    source = state(old)
    beside = new.with_suffix(".part")
    with beside.open("wb") as file:
        npy.write_array_header_1_0(
            file, {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": source.shape}
        )
        for block in blocks(source):
            change(block).astype(dtype).tofile(file)
    beside.rename(new)
    if mask_of(old).exists() and old != new:
        mask_of(new).write_bytes(mask_of(old).read_bytes())
    return new


def to_bfloat16(block: Array) -> Array:
    """The nearest numbers that bfloat16 holds, in single precision."""
    single = np.ascontiguousarray(block, np.float32)
    bits = single.view(np.uint32)
    nearest = ((bits + (0x7FFF + ((bits >> 16) & 1))) & np.uint32(0xFFFF0000)).astype(np.uint32)
    return np.where(np.isfinite(single), nearest.view(np.float32), single)


def remove(path: Path) -> None:
    """Drop a state and its mask."""
    path.unlink(missing_ok=True)
    mask_of(path).unlink(missing_ok=True)


def mask_of(path: Path) -> Path:
    """Where the mask of a state lies, if it has one."""
    return Path(f"{path}{MASK}")


def remove_masks(values: Iterable[Path]) -> None:
    """Drop the masks of states."""
    for path in values:
        mask_of(path).unlink(missing_ok=True)


def root_mean_square(array: Array | State) -> float:
    """Of the finite elements."""
    total, count = 0.0, 0
    for block in blocks(array):
        finite = block[np.isfinite(block)].astype(np.float64)
        with np.errstate(over="ignore"):
            total += float(np.sum(np.square(finite)))
        count += finite.size
    return float(np.sqrt(total / count)) if count else 0.0


@dataclass(frozen=True, slots=True)
class Difference:
    """How two arrays differ: root mean square, greatest and mean of what one has more, and mean of its size.

    Equal values differ by nothing, infinities and NaN among them; a number where there should be none, or none where
    there should be one, differs infinitely.
    """

    rms: float
    greatest: float
    bias: float
    deviation: float


def holds_nan(array: Array | State) -> bool:
    """Whether some number is none."""
    return array.dtype.kind == "f" and any(bool(np.isnan(block).any()) for block in blocks(array))


def difference(
    own: Array | State, right: Array | State, held_in: np.dtype[Any] | None = None, *, numbers: bool = False
) -> Difference:
    """How arrays of one shape differ; what is right beyond the reach of a precision is infinite in it.

    `numbers` compares only what is a number in both: what becomes of NaN that enters a layer is nowhere laid down.
    """
    greatest, squares, total, sizes, count = 0.0, 0.0, 0.0, 0.0, 0
    limit = float(np.finfo(held_in).max) if held_in is not None and held_in.kind == "f" else np.inf
    for one, other in zip(blocks(own), blocks(right), strict=True):
        first, second = one.astype(np.float64), other.astype(np.float64)
        second = np.where(np.abs(second) > limit, np.copysign(np.inf, second), second)
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        if numbers:
            same |= np.isnan(first) | np.isnan(second)
        with np.errstate(invalid="ignore", over="ignore"):
            errors = np.where(same, 0.0, first - second)
            errors = np.where(np.isnan(errors), np.inf, errors)
            largest = np.abs(errors)
            greatest = max(greatest, float(np.max(largest, initial=0.0)))
            squares += float(np.sum(np.square(errors)))
            total += float(np.sum(errors))
            sizes += float(np.sum(largest))
        count += one.size
    if not count:
        return Difference(0.0, 0.0, 0.0, 0.0)
    if not np.isfinite(greatest):
        return Difference(greatest, greatest, total / count, greatest)
    rms = float(np.sqrt(squares / count)) if np.isfinite(squares) and squares > 0 else greatest
    return Difference(rms, greatest, total / count, sizes / count)
