"""Operators that add a border or cut one off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.layout import Array, axes_of, ints_of, layout, permutation
from mlvet.ops.numeric import ByMode, Numeric, Selection
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

MODES = ("constant", "reflect", "edge", "wrap", "symmetric")


def infer_pad(
    x: Tensor,
    pads: Tensor,
    constant_value: Tensor | None = None,
    axes: Tensor | None = None,
    *,
    require: Require,
    mode: str = "constant",
) -> Tensor:
    """Each dim grows by what is added before and after it; negative pads cut."""
    require.holds(mode in MODES, f"pad has no mode {mode!r}")
    require.same_dtype(x, constant_value)
    named = require.known_ints(axes)
    widths = require.ints(pads)
    if widths is None or (axes is not None and named is None):
        return require.unknown_tensor(x.dtype, x.rank)
    places = list(range(x.rank)) if named is None else axes_of(require, named, x.rank)
    because = f"pad needs two widths for each of {len(places)} axes of {x}, but has {len(widths)}"
    if not require.holds(
        len(widths) == 2 * len(places) and all(p < x.rank for p in places), because, "illegal-argument"
    ):
        return require.unknown_tensor(x.dtype, x.rank)
    dims: list[Dim] = list(x.dims)
    for number, place in enumerate(places):
        before, after = widths[number], widths[number + len(places)]
        if mode in ("reflect", "symmetric"):
            for width in (before, after):
                if isinstance(width, int) and width > 0:
                    room = dims[place] - 1 if mode == "reflect" else dims[place]
                    require.at_least(
                        room, width, f"{mode} padding of dim {place} must be within it", "illegal-argument"
                    )
        dims[place] = dims[place] + before + after
        require.at_least(dims[place], 0, f"padding leaves dim {place} of {x} negative", "illegal-argument")
    return x.with_shape(dims)


def _pad(
    x: Array, pads: Array, constant_value: Array | None = None, axes: Array | None = None, *, mode: str = "constant"
) -> Array:
    widths = ints_of(pads)
    places = list(range(x.ndim)) if axes is None else [axis % x.ndim for axis in ints_of(axes)]
    both = [(0, 0)] * x.ndim
    for number, place in enumerate(places):
        both[place] = (widths[number], widths[number + len(places)])
    for place, (before, after) in enumerate(both):
        keep = slice(max(-before, 0), x.shape[place] - max(-after, 0))
        x = x[(slice(None),) * place + (keep,)]
    grow = [(max(before, 0), max(after, 0)) for before, after in both]
    if mode != "constant":
        return np.pad(x, grow, mode=mode)  # type: ignore[call-overload, no-any-return]
    fill: Any = 0 if constant_value is None else np.ravel(constant_value).tolist()[0]
    result = np.full([low + dim + high for dim, (low, high) in zip(x.shape, grow, strict=True)], fill, dtype=x.dtype)
    result[tuple(slice(low, low + dim) for dim, (low, _) in zip(x.shape, grow, strict=True))] = x
    return result


def _sample_pad(draw: Draw) -> Sample:
    dims = draw.shape(1, 3, low=3)
    mode = draw.choice(MODES)
    places = permutation(draw, len(dims))[: draw.integer(1, len(dims))] if draw.choice((True, False)) else None
    count = len(dims) if places is None else len(places)
    low = -1 if mode == "constant" else 0
    widths = [draw.integer(low, 2) for _ in range(2 * count)]
    value = draw.choice((None, draw.array((), low=-2, high=2))) if mode == "constant" else None
    axes = None if places is None else integers([p - len(dims) if draw.choice((True, False)) else p for p in places])
    return Sample((draw.array(dims), integers(widths), value, axes), {"mode": mode})


def kind_of_pad(mode: str = "constant", **_: Any) -> Numeric:
    """Only constant padding adds something to the elements."""
    return Selection((0, 2), 0.0) if mode == "constant" else Selection((0,))


pad = layout("pad", infer_pad, _pad, _sample_pad, operands=(0, 2), numeric=ByMode(kind_of_pad), folds=True)


def infer_center_crop_pad(x: Tensor, shape: Tensor, *, require: Require, axes: Sequence[int] | None = None) -> Tensor:
    """The named dims become the target's, by cropping or padding both sides alike; a negative target leaves it open."""
    places = list(range(x.rank)) if axes is None else axes_of(require, axes, x.rank)
    targets = require.ints(shape)
    dims: list[Dim] = list(x.dims)
    if targets is not None and len(targets) != len(places):
        require.holds(False, f"center_crop_pad needs {len(places)} sizes, but has {len(targets)}", "rank-differs")
        targets = None
    for number, place in enumerate(places):
        target = targets[number] if targets is not None else -1
        dims[place] = require.unknown() if isinstance(target, int) and target < 0 else target
    return x.with_shape(dims)


def _center_crop_pad(x: Array, shape: Array, *, axes: Sequence[int] | None = None) -> Array:
    places = range(x.ndim) if axes is None else [axis % x.ndim for axis in axes]
    source: list[slice] = [slice(None)] * x.ndim
    target: list[slice] = [slice(None)] * x.ndim
    dims = list(x.shape)
    for place, size in zip(places, ints_of(shape), strict=True):
        dim = x.shape[place]
        dims[place] = size
        gap = abs(size - dim) // 2
        if size < dim:
            source[place] = slice(gap, gap + size)
        else:
            target[place] = slice(gap, gap + dim)
    result = np.zeros(dims, dtype=x.dtype)
    result[tuple(target)] = x[tuple(source)]
    return result


def _sample_center_crop_pad(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    if draw.choice((True, False)):
        return Sample((draw.array(dims), integers([draw.integer(1, 7) for _ in dims])))
    places = permutation(draw, len(dims))[: draw.integer(1, len(dims))]
    axes = tuple(place - len(dims) if draw.choice((True, False)) else place for place in places)
    return Sample((draw.array(dims), integers([draw.integer(1, 7) for _ in axes])), {"axes": axes})


center_crop_pad = layout("center_crop_pad", infer_center_crop_pad, _center_crop_pad, _sample_center_crop_pad, fill=0.0)
