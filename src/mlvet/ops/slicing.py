"""Operators that cut a box out of a tensor, at places given by operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.dims import Dim, Expr, at_least, bounds, ceil_div, maximum, minimum
from mlvet.domains.tensors import Tensor
from mlvet.ops.layout import Array, axes_of, ints_of, layout, length_of, permutation, proper
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

ENDLESS = 2**31 - 1
"""Ends at or beyond this mean the end of the axis, whatever its size."""


def sliced(dim: Dim, start: Dim | None, end: Dim | None, step: int, require: Require) -> Dim:
    """How many elements `[start:end:step]` takes of a dim; None stands for the end of the axis in that direction."""
    if isinstance(dim, int) and not isinstance(start, Expr) and not isinstance(end, Expr):
        return len(range(dim)[slice(start, end, step)])
    if isinstance(start, int) and abs(start) >= ENDLESS:
        if (start > 0) == (step > 0):
            return 0
        start = None
    if isinstance(end, int) and abs(end) >= ENDLESS:
        if (end > 0) != (step > 0):
            return 0
        end = None
    signs = [None if bound is None else _negative(bound) for bound in (start, end)]
    if any(bound is not None and sign is None for bound, sign in zip((start, end), signs, strict=True)):
        return require.counted()
    if step > 0:
        last = dim if end is None else maximum(dim + end, 0) if signs[1] else minimum(end, dim)
        if start is not None and signs[0]:
            count = minimum(-start, dim) if end is None or last == dim else last - maximum(dim + start, 0)
        else:
            count = last - (0 if start is None else start)
        return maximum(ceil_div(count, step), 0)
    first = dim - 1 if start is None else maximum(dim + start, -1) if signs[0] else minimum(start, dim - 1)
    if start == -1:
        first = dim - 1
    stop = -1 if end is None else maximum(dim + end, -1) if signs[1] else minimum(end, dim - 1)
    return maximum(ceil_div(first - stop, -step), 0)


def _negative(bound: Dim) -> bool | None:
    low, high = bounds(bound)
    return False if low >= 0 else True if high < 0 else None


def infer_slice(
    x: Tensor,
    starts: Tensor,
    ends: Tensor,
    axes: Tensor | None = None,
    steps: Tensor | None = None,
    *,
    require: Require,
) -> Tensor:
    """Of each axis named the elements from start to end, both counted from either end and clamped, by steps."""
    named = require.known_ints(axes)
    count = next((n for n in map(length_of, (starts, ends, axes, steps)) if n is not None), None)
    if (axes is not None and named is None) or count is None:
        return require.unknown_tensor(x.dtype, x.rank)
    places = axes_of(require, named if named is not None else list(range(count)), x.rank)
    firsts, lasts, strides = require.ints(starts), require.ints(ends), require.known_ints(steps)
    lengths = {len(given) for given in (places, firsts, lasts, strides) if given is not None}
    because = f"slice needs one start, end and step per axis, but has {sorted(lengths)}"
    if not require.holds(len(lengths) == 1, because, "rank-differs"):
        return require.unknown_tensor(x.dtype, x.rank)
    dims: list[Dim] = list(x.dims)
    for number, place in enumerate(places):
        step = 1 if steps is None else None if strides is None else strides[number]
        if step == 0:
            require.holds(False, "the step of a slice cannot be 0")
        if place >= len(dims):
            continue
        if firsts is None or lasts is None or not step:
            dims[place] = require.counted()
        else:
            dims[place] = sliced(dims[place], firsts[number], lasts[number], step, require)
    return x.with_shape(dims)


def _slice(x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None) -> Array:
    firsts, lasts = ints_of(starts), ints_of(ends)
    places = list(range(len(firsts))) if axes is None else ints_of(axes)
    strides = [1] * len(firsts) if steps is None else ints_of(steps)
    cuts = [slice(None)] * x.ndim
    for place, first, last, step in zip(places, firsts, lasts, strides, strict=True):
        dim = x.shape[place]
        cuts[place] = slice(first, None if step < 0 and last < -dim else last, step)
    return x[tuple(cuts)].copy()


def _sample_slice(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    places = permutation(draw, len(dims))[: draw.integer(1, len(dims))]
    if ordered := draw.choice((True, False)):
        places = list(range(draw.integer(1, len(dims))))
    steps = [draw.choice((1, 1, 2, -1, -2)) for _ in places] if draw.choice((True, False)) else None
    starts = [draw.choice((0, draw.integer(-6, 6), -1, 2**31 - 1)) for _ in places]
    ends = [draw.choice((draw.integer(-6, 6), 2**63 - 1, 2**31 - 1, -(2**63))) for _ in places]
    axes = None if ordered else integers([p - len(dims) if draw.choice((True, False)) else p for p in places])
    return Sample(
        (draw.array(dims), integers(starts), integers(ends), axes, None if steps is None else integers(steps))
    )


slice_ = layout("slice", infer_slice, _slice, _sample_slice, folds=True)


def _entries(
    count: int, rank: int, begin_mask: int, end_mask: int, ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int
) -> list[tuple[str, int, bool, bool]]:
    """What each position of TensorFlow's sparse slice means: its kind, its number, whether begin and end are open."""
    places = [number for number in range(count) if ellipsis_mask >> number & 1][:1]
    used = sum(1 for n in range(count) if n not in places and not new_axis_mask >> n & 1)
    entries: list[tuple[str, int, bool, bool]] = []
    for n in range(count):
        if n in places:
            entries += [("whole", n, True, True)] * max(rank - used, 0)
        elif new_axis_mask >> n & 1:
            entries.append(("new", n, True, True))
        elif shrink_axis_mask >> n & 1:
            entries.append(("pick", n, False, False))
        else:
            entries.append(("cut", n, bool(begin_mask >> n & 1), bool(end_mask >> n & 1)))
    if not places:
        entries += [("whole", 0, True, True)] * max(rank - used, 0)
    return entries


def infer_strided_slice(
    x: Tensor,
    begin: Tensor,
    end: Tensor,
    strides: Tensor | None = None,
    *,
    require: Require,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """TensorFlow's slice: bits of the masks open an end, stand for all other axes, add an axis or drop one."""
    count = next((n for n in map(length_of, (begin, end, strides)) if n is not None), None)
    if count is None:
        return require.unknown_tensor(x.dtype)
    entries = _entries(count, x.rank, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    taken = sum(kind != "new" for kind, *_ in entries)
    because = f"slice names {taken} axes, but {x} has {x.rank}"
    if not require.holds(taken <= x.rank, because, "axis-out-of-range"):
        return require.unknown_tensor(x.dtype)
    firsts, lasts, steps = require.ints(begin), require.ints(end), require.known_ints(strides)
    lengths = {len(given) for given in (firsts, lasts, steps) if given is not None} | {count}
    if not require.holds(len(lengths) == 1, f"begin, end and strides differ in length: {sorted(lengths)}"):
        return require.unknown_tensor(x.dtype)
    dims: list[Dim] = []
    source = iter(x.dims)
    for kind, n, open_begin, open_end in entries:
        if kind == "new":
            dims.append(1)
            continue
        dim = next(source)
        if kind == "whole":
            dims.append(dim)
        elif kind == "pick":
            first = firsts[n] if firsts is not None else None
            if isinstance(first, int) and isinstance(dim, int):
                inside = -dim <= first < dim
                require.holds(inside, f"index {first} is out of range for size {dim}", "size-out-of-range")
        else:
            step = 1 if strides is None else None if steps is None else steps[n]
            lacks = (not open_begin and firsts is None) or (not open_end and lasts is None)
            if lacks or not require.holds(step != 0, "the step of a slice cannot be 0") or step is None:
                dims.append(require.counted())
                continue
            first = None if open_begin or firsts is None else firsts[n]
            last = None if open_end or lasts is None else lasts[n]
            dims.append(sliced(dim, first, last, step, require))
    return x.with_shape(dims)


def _strided_slice(
    x: Array,
    begin: Array,
    end: Array,
    strides: Array | None = None,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    count = int(np.size(begin))
    steps = [1] * count if strides is None else ints_of(strides)
    key: list[Any] = []
    firsts: Any = np.ravel(begin)
    lasts: Any = np.ravel(end)
    for kind, n, open_begin, open_end in _entries(
        count, x.ndim, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    ):
        if kind == "new":
            key.append(None)
        elif kind == "pick":
            key.append(int(firsts[n]))
        elif kind == "whole":
            key.append(slice(None))
        else:
            dim = x.shape[sum(part is not None for part in key)]
            last = None if open_end else int(lasts[n])
            last = None if last is not None and steps[n] < 0 and last < -dim else last
            key.append(slice(None if open_begin else int(firsts[n]), last, steps[n]))
    return x[(*key, Ellipsis)].copy()


def _sample_strided_slice(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    masks = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    begin: list[int] = []
    end: list[int] = []
    steps: list[int] = []
    where = draw.integer(0, len(dims)) if draw.choice((True, False)) else None
    skipped = draw.integer(0, len(dims) - where) if where is not None else 0
    dim = 0
    while dim < len(dims):
        n = len(begin)
        kind = draw.choice(("cut", "cut", "pick", "new"))
        if where == dim and not masks["ellipsis_mask"]:
            kind = "ellipsis"
        if kind == "cut":
            masks["begin_mask"] |= draw.integer(0, 1) << n
            masks["end_mask"] |= draw.integer(0, 1) << n
        elif kind != "pick":
            masks[f"{kind}_mask" if kind == "ellipsis" else "new_axis_mask"] |= 1 << n
        else:
            masks["shrink_axis_mask"] |= 1 << n
        begin.append(draw.integer(-dims[dim], dims[dim] - 1) if kind == "pick" else draw.integer(-6, 6))
        end.append(draw.integer(-6, 6))
        steps.append(1 if kind == "pick" else draw.choice((1, 2, -1)))
        dim += {"cut": 1, "pick": 1, "new": 0, "ellipsis": skipped}[kind]
        if dim < len(dims) and draw.choice((False, False, True)) and where is None:
            break
    return Sample((draw.array(dims), integers(begin), integers(end), integers(steps)), masks)


strided_slice = layout("strided_slice", infer_strided_slice, _strided_slice, _sample_strided_slice, folds=True)


def infer_slice_sizes(x: Tensor, starts: Tensor, sizes: Tensor, *, require: Require) -> Tensor:
    """A box from the starts on; a size of -1 means up to the end."""
    wanted, begins = require.ints(sizes), require.ints(starts)
    if wanted is None or (x.ranked and len(wanted) != x.rank):
        require.holds(wanted is None, f"a slice of {x} needs {x.rank if x.ranked else ''} sizes", "rank-differs")
        return require.unknown_tensor(x.dtype, x.rank if x.ranked else None)
    dims: list[Dim] = []
    for place, size in enumerate(wanted):
        if isinstance(size, int) and size >= 0:
            dims.append(size)
        elif isinstance(size, int) and begins is not None and len(begins) == len(wanted) and x.ranked:
            dims.append(maximum(x.dims[place] - begins[place], 0))
        else:
            dims.append(size if at_least(size, 0) is True else require.counted())
        if x.ranked and isinstance(size, int) and size >= 0:
            require.at_least(x.dims[place], size, f"a slice of {size} does not fit dim {place} of {x}")
    return x.with_shape(tuple(dims))


def _slice_sizes(x: Array, starts: Array, sizes: Array) -> Array:
    boxes = zip(ints_of(starts), ints_of(sizes), strict=True)
    return x[tuple(slice(start, None if size < 0 else start + size) for start, size in boxes)]


def _sample_slice_sizes(draw: Draw) -> Sample:
    shape = draw.shape(1)
    starts = [draw.integer(0, size) for size in shape]
    sizes = [draw.choice([-1, draw.integer(0, size - start)]) for size, start in zip(shape, starts, strict=True)]
    return Sample((draw.array(shape), integers(starts), integers(sizes)))


slice_sizes = layout("slice_sizes", infer_slice_sizes, _slice_sizes, _sample_slice_sizes, folds=True)


def infer_dynamic_slice(x: Tensor, *starts: Tensor, require: Require, sizes: Sequence[int] = ()) -> Tensor:
    """A box of the given sizes; starts are clamped so that it fits."""
    if x.ranked and require.holds(len(sizes) == x.rank, f"dynamic_slice of {x} needs {x.rank} sizes", "rank-differs"):
        for place, size in enumerate(sizes):
            because = f"a slice of {size} does not fit dim {place} of {x}"
            require.at_least(x.dims[place], size, because, "size-out-of-range")
        require.holds(len(starts) == x.rank, f"dynamic_slice of {x} needs {x.rank} starts", "rank-differs")
    return x.with_shape(proper(require, sizes))


def _corner(x: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[slice, ...]:
    """The box of these sizes at the starts, moved so that it lies within; negative starts count from the end."""
    cut = []
    for dim, start, size in zip(x.shape, starts, sizes, strict=True):
        first = int(np.ravel(start)[0])
        first = min(max(first + dim if first < 0 else first, 0), dim - size)
        cut.append(slice(first, first + size))
    return tuple(cut)


def _dynamic_slice(x: Array, *starts: Array, sizes: Sequence[int] = ()) -> Array:
    return x[_corner(x, starts, sizes)].copy()


def _sample_dynamic_slice(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    starts = [np.asarray(draw.integer(-dim, dim), dtype=np.int32) for dim in dims]
    return Sample((draw.array(dims), *starts), {"sizes": tuple(draw.integer(1, dim) for dim in dims)})


dynamic_slice = layout("dynamic_slice", infer_dynamic_slice, _dynamic_slice, _sample_dynamic_slice)


def infer_dynamic_update_slice(x: Tensor, update: Tensor, *starts: Tensor, require: Require) -> Tensor:
    """The first operand with a box overwritten by the second; starts are clamped so that it fits."""
    dtype = require.same_dtype(x, update)
    if x.ranked and update.ranked and require.rank(update, x.rank, "update"):
        for place, (dim, size) in enumerate(zip(x.dims, update.dims, strict=True)):
            because = f"an update of {size} does not fit dim {place} of {x}"
            require.at_least(dim, size, because, "size-out-of-range")
        require.holds(len(starts) == x.rank, f"dynamic_update_slice of {x} needs {x.rank} starts", "rank-differs")
    return Tensor(dtype, x.shape)


def _dynamic_update_slice(x: Array, update: Array, *starts: Array) -> Array:
    result = x.copy()
    result[_corner(x, starts, update.shape)] = update
    return result


def _sample_dynamic_update_slice(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    starts = [np.asarray(draw.integer(-dim, dim), dtype=np.int32) for dim in dims]
    return Sample((draw.array(dims), draw.array([draw.integer(1, dim) for dim in dims]), *starts))


dynamic_update_slice = layout(
    "dynamic_update_slice",
    infer_dynamic_update_slice,
    _dynamic_update_slice,
    _sample_dynamic_update_slice,
    operands=(0, 1),
)
