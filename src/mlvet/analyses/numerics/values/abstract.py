"""An abstract tensor: cells of indices, what the elements of each cell can be, and how they relate to others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.settings import TensorAbstraction
from mlvet.domains import boxes, dtypes, grids
from mlvet.domains.boxes import Box
from mlvet.domains.dtypes import DType
from mlvet.domains.forms import Form
from mlvet.domains.grids import Cuts
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Dims, Tensor, Unranked

CELLS = {
    TensorAbstraction.PARTITIONING: 4096,
    TensorAbstraction.SMASHING: 1,
    TensorAbstraction.EXPANSION: 1 << 18,
}
"""The most cells that a tensor is cut into; one that would need more loses its finest cuts."""


@dataclass(frozen=True, slots=True)
class Attained:
    """In every slice along `axes` at least one element is within `interval`."""

    axes: frozenset[int]
    interval: Interval


@dataclass(frozen=True, slots=True)
class Extreme:
    """The greatest (or least) element of the tensor numbered `of` along `axes`, or something beyond it.

    `attains` says that an element really has this value, as the maximum has and a sum of what is not negative has not.
    With `magnitude` it bounds absolute values, as a norm does; with a `factor`, only after multiplication by it, and
    with `slack`, only after adding that. With `inverse` it is one over such a bound. A `total`
    bounds the sum of the elements, with `magnitude` their Euclidean norm.
    """

    of: int
    axes: frozenset[int]
    greatest: bool = True
    attains: bool = True
    magnitude: bool = False
    factor: float = 1.0
    inverse: bool = False
    slack: float = 0.0
    total: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """At every position the elements along an axis, each divided by its `scale`, have a norm of at most `bound`."""

    axis: int
    bound: float
    scale: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Abstract:
    """What is known of one tensor.

    `dims` is None when its rank is unknown; there is then one cell without axes. `number` is the same for two tensors
    that surely hold the same elements. `form` relates elements to those of other tensors, `exact` has the elements
    themselves where the file tells them. Along the axis `shares` they are not negative and sum to at most 1;
    none is nearer to 0 than `away`. A handle `holds` one of these stores.
    """

    dtype: DType
    dims: Dims | None
    cuts: Cuts
    box: Box
    number: int
    form: Form | None = None
    exact: NDArray[Any] | None = None
    attained: tuple[Attained, ...] = ()
    extremes: tuple[Extreme, ...] = ()
    shares: int | None = None
    away: float = 0.0
    norm: Norm | None = None
    holds: frozenset[str] = frozenset()

    @property
    def interval(self) -> Interval:
        """All elements together."""
        return boxes.smashed(self.box)

    @property
    def rank(self) -> int:
        return len(self.cuts)

    def axis(self, axis: int) -> int:
        return axis + self.rank if axis < 0 else axis


_MOST_DIMS = 32


def shape_of(tensor: Tensor) -> tuple[DType, Dims | None]:
    """Element type and dims, if NumPy can have so many; an unknown element type is taken for a float."""
    dims = None if isinstance(tensor.shape, Unranked) or len(tensor.shape) > _MOST_DIMS else tensor.shape
    return tensor.dtype or dtypes.f32, dims


def uniform(tensor: Tensor, interval: Interval, number: int) -> Abstract:
    """A tensor of one cell, all of whose elements are within an interval."""
    dtype, dims = shape_of(tensor)
    cuts = grids.uncut(0 if dims is None else len(dims))
    return Abstract(dtype, dims, cuts, boxes.of_interval(interval, grids.cells(cuts)), number)


def of_array(array: NDArray[Any], dtype: DType, number: int, most: int) -> Abstract:
    """A tensor whose elements are known: a cell for each where that is few enough, fewer cells where not."""
    dims = tuple(array.shape)
    values = np.asarray(array)
    if values.dtype.kind not in "fiubc":
        values = values.astype(np.float64)
    if values.size == 0:
        cuts = grids.uncut(len(dims))
        return Abstract(dtype, dims, cuts, boxes.of_interval(Interval(0.0, 0.0), grids.cells(cuts)), number)
    if values.size <= most and most > 1:
        if most <= CELLS[TensorAbstraction.PARTITIONING]:
            cuts = grids.boundaries(values, dims)
        else:
            cuts = tuple(grids.everywhere(size) for size in dims)
        box = boxes.of_array(grids.sample(values, cuts))
    else:
        cuts = grids.limited(tuple(grids.everywhere(size) for size in dims), most)
        reduced = tuple(axis for axis, kept in enumerate(cuts) if not kept and dims[axis] > 1)
        box = _hull(values, reduced) if reduced else boxes.of_array(values)
    if has_subnormals(values, dtype):
        box = boxes.fused(box.low, box.high, box.nan, dtype)
    return Abstract(dtype, dims, cuts, box, number, exact=array)


def has_subnormals(values: NDArray[Any], dtype: DType) -> bool:
    """Whether some element may be replaced by zero because it is not normal."""
    if not dtype.is_float:
        return False
    size = np.abs(np.asarray(values, dtype=np.float64) if values.dtype.kind != "f" else values)
    return bool(((size < dtype.smallest) & (size > 0)).any())


def _hull(values: NDArray[Any], axes: tuple[int, ...]) -> Box:
    """Bounds along axes without a point for every element."""
    if values.dtype.kind == "f" and values.dtype.itemsize >= 2 and not np.isnan(values).any():
        low = values.min(axis=axes, keepdims=True).astype(np.float64)
        high = values.max(axis=axes, keepdims=True).astype(np.float64)
        return Box(low, high, np.zeros(low.shape, dtype=bool))
    return boxes.hull(boxes.of_array(values), axes)


def regridded(tensor: Abstract, cuts: Cuts) -> Box:
    """The cells of a tensor on another grid of its shape."""
    return regrid_box(tensor.box, tensor.cuts, cuts)


def regrid_box(box: Box, old: Cuts, new: Cuts) -> Box:
    if old == new:
        return box
    return Box(
        grids.regrid(box.low, old, new, np.minimum),
        grids.regrid(box.high, old, new, np.maximum),
        grids.regrid(box.nan, old, new, np.logical_or),
    )


def smashed(tensor: Abstract) -> Abstract:
    """The tensor as one cell."""
    cuts = grids.uncut(tensor.rank)
    return tensor if tensor.cuts == cuts else replace(tensor, cuts=cuts, box=regridded(tensor, cuts), form=None)
