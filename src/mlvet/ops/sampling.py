"""Operators that read a grid at places between its points."""

from __future__ import annotations

from itertools import product as every
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import SameMap
from mlvet.ops.enclosures_sums import CUBIC, GRID, overshooting
from mlvet.ops.layout import Array, ints_of, length_of, proper
from mlvet.ops.numeric import ByMode, Convex
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

MODES = ("nearest", "linear", "cubic")
PADDING = ("zeros", "border", "reflection")


def infer_grid_sample(
    x: Tensor,
    grid: Tensor,
    *,
    require: Require,
    mode: str = "linear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Batch and channels of the operand, then the places of the grid."""
    del align_corners
    require.holds(mode in MODES, f"grid_sample has no mode {mode!r}")
    require.holds(padding_mode in PADDING, f"grid_sample has no padding {padding_mode!r}")
    if not require.rank_at_least(x, 3) or not require.rank(grid, x.rank, "the grid"):
        return require.unknown_tensor(x.dtype, x.rank if x.ranked else None)
    require.equal(grid.dims[-1], x.rank - 2, f"a grid over {x} has {x.rank - 2} coordinates")
    batch = require.equal(x.dims[0], grid.dims[0], "operand and grid have one batch")
    return x.with_shape((batch, x.dims[1], *grid.dims[1:-1]))


def _reflected(at: Array, low: float, high: float) -> Array:
    width = high - low
    if width <= 0:
        return np.zeros_like(at)
    beyond = np.where(at < low, low - at, at - high)
    turns = np.floor(beyond / width)
    rest = beyond - turns * width
    from_low = (at < low) == (turns % 2 == 0)
    return np.where((at >= low) & (at <= high), at, np.where(from_low, low + rest, high - rest))


def _keys(at: Array, a: float = -0.75) -> list[Array]:
    """Keys' weights of the four neighbours of a place that is `at` past the second."""
    outer = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (at + 1, 2 - at)]
    inner = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (at, 1 - at)]
    return [outer[0], *inner, outer[1]]


def _grid_sample(
    x: Array, grid: Array, *, mode: str = "linear", padding_mode: str = "zeros", align_corners: bool = False
) -> Array:
    space = x.shape[2:]
    neighbours: list[list[tuple[Array, Array]]] = []
    for number, dim in enumerate(space):
        at = grid[..., len(space) - 1 - number].astype(np.float64)
        at = (at + 1) / 2 * (dim - 1) if align_corners else ((at + 1) * dim - 1) / 2
        low, high = (0.0, dim - 1.0) if align_corners else (-0.5, dim - 0.5)
        if mode == "nearest":
            at = np.rint(at)
        if padding_mode == "border":
            at = np.where((at < low) | (at > high), np.clip(at, 0, dim - 1), at)
        elif padding_mode == "reflection":
            at = _reflected(at, low, high)
        base = np.trunc(at) if mode == "nearest" else np.floor(at)
        rest = at - base
        weights = {"nearest": [np.ones_like(at)], "linear": [1 - rest, rest], "cubic": _keys(rest)}[mode]
        first = -1 if mode == "cubic" else 0
        axis = []
        for step, weight in enumerate(weights):
            index = base + first + step
            if padding_mode == "zeros":
                axis.append((np.clip(index, 0, dim - 1).astype(np.int64), weight * ((index >= 0) & (index < dim))))
                continue
            if padding_mode == "reflection":
                index = np.trunc(_reflected(index, low, high))
            axis.append((np.clip(index, 0, dim - 1).astype(np.int64), weight))
        neighbours.append(axis)
    result = np.zeros((x.shape[0], *grid.shape[1:-1], x.shape[1]))
    batch = np.arange(x.shape[0]).reshape(-1, *[1] * (grid.ndim - 2))
    last = np.moveaxis(x, 1, -1).astype(np.float64)
    for corner in every(*neighbours):
        weight = np.prod([part for _, part in corner], axis=0)
        result += last[(batch, *(index for index, _ in corner))] * weight[..., None]
    return np.moveaxis(result, -1, 1).astype(x.dtype)


def _sample_grid_sample(draw: Draw) -> Sample:
    space = draw.shape(1, 3, 2, 4)
    batch = draw.integer(1, 2)
    x = draw.array((batch, draw.integer(1, 2), *space))
    grid = draw.array((batch, *draw.shape(len(space), len(space), 1, 3), len(space)), low=-1.4, high=1.4)
    attributes: dict[str, Any] = {"mode": draw.choice(MODES), "padding_mode": draw.choice(PADDING)}
    return Sample((x, grid), {**attributes, "align_corners": draw.choice((True, False))})


grid_sample = pure(
    "grid_sample",
    infer_grid_sample,
    _grid_sample,
    _sample_grid_sample,
    family="image",
    numeric=ByMode(lambda mode="linear", **_: overshooting(CUBIC) if mode == "cubic" else Convex()),
    derivative=SameMap((0,)),
)


def infer_affine_grid(theta: Tensor, size: Tensor, *, require: Require, align_corners: bool = False) -> Tensor:
    """One place per point of the wanted size: [batch, space, number of coordinates]."""
    del align_corners
    dims = require.ints(size)
    count = len(dims) if dims is not None else length_of(size)
    if count is None or not require.holds(count in (4, 5), f"affine_grid makes 4 or 5 dims, not {count}"):
        return require.unknown_tensor(theta.dtype)
    if theta.ranked and require.rank(theta, 3, "theta"):
        require.equal(theta.dims[1], count - 2, "theta has one row per coordinate")
        require.equal(theta.dims[2], count - 1, "theta has one column per coordinate and one more")
        if dims is not None:
            require.equal(theta.dims[0], dims[0], "theta and size have one batch")
    if dims is None:
        return require.unknown_tensor(theta.dtype, count)
    return theta.with_shape((*proper(require, [dims[0], *dims[2:]]), count - 2))


def _affine_grid(theta: Array, size: Array, *, align_corners: bool = False) -> Array:
    space = ints_of(size)[2:]
    axes = []
    for dim in space:
        points = np.linspace(-1, 1, dim) if align_corners else (2 * np.arange(dim) + 1) / dim - 1
        axes.append(points)
    grid = np.stack([*np.meshgrid(*axes, indexing="ij")[::-1], np.ones(space)], axis=-1)
    return np.asarray(np.einsum("...k,nck->n...c", grid, theta.astype(np.float64)), dtype=theta.dtype)


def _sample_affine_grid(draw: Draw) -> Sample:
    space = draw.shape(2, 3, 2, 4)
    size = [draw.integer(1, 2), draw.integer(1, 3), *space]
    theta = draw.array((size[0], len(space), len(space) + 1))
    return Sample((theta, integers(size)), {"align_corners": draw.choice((True, False))})


affine_grid = pure(
    "affine_grid",
    infer_affine_grid,
    _affine_grid,
    _sample_affine_grid,
    family="image",
    numeric=GRID,
    danger=(OVERFLOW,),
    derivative=SameMap((0,)),
)
