"""Operators that keep the elements and give them another shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlvet.domains.dims import Dim, Expr, floor_div, product
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ops.layout import Array, any_axis, axes_of, ints_of, is_one, layout, length_of, permutation
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def infer_reshape(x: Tensor, shape: Tensor, *, require: Require, allowzero: bool = False) -> Tensor:
    """One target may be -1 and is what is left; 0 copies the dim at its place unless `allowzero`."""
    targets = require.ints(shape)
    if targets is None:
        return require.unknown_tensor(x.dtype, length_of(shape))
    dims: list[Dim] = []
    for place, target in enumerate(targets):
        if target == 0 and not allowzero:
            known = x.ranked and require.holds(
                place < x.rank, f"target {place} of {targets} copies a dim that {x} lacks", "reshape-size"
            )
            dims.append(x.dims[place] if known else require.unknown())
        else:
            dims.append(target)
    wild = [place for place, dim in enumerate(dims) if dim == -1]
    bad = [dim for dim in dims if isinstance(dim, int) and dim < -1]
    require.holds(not bad, f"a size of {targets} is negative", "reshape-size")
    if len(wild) > 1 or bad:
        require.holds(len(wild) <= 1, f"only one size of {targets} can be -1", "reshape-size")
        return x.with_shape(require.unknown() if isinstance(d, int) and d < 0 else d for d in dims)
    if not wild:
        require.equal(
            x.size, product(dims), f"reshape of {x} to {_show(dims)} keeps the number of elements", "reshape-size"
        )
        return x.with_shape(dims)
    size, rest = _without_common(x, [dim for dim in dims if dim != -1])
    if rest == 0:
        dims[wild[0]] = 0 if x.size == 0 and not allowzero else require.unknown()
        return x.with_shape(dims)
    because = f"reshape of {x} to {_show(dims)} leaves a whole number for -1"
    require.divisible(size, rest, because, "reshape-size")
    dims[wild[0]] = floor_div(size, rest)
    return x.with_shape(dims)


def _without_common(x: Tensor, targets: Sequence[Dim]) -> tuple[Dim, Dim]:
    """The number of elements and that of the targets, sizes that both have left out; an unknown 0 would be an error."""
    if isinstance(x.shape, Unranked):
        return x.size, product(targets)
    left, right = list(x.dims), []
    for target in targets:
        if isinstance(target, Expr) and target in left:
            left.remove(target)
        else:
            right.append(target)
    return product(left), product(right)


def _show(dims: Sequence[Dim]) -> str:
    return f"[{', '.join(map(str, dims))}]"


def _reshape(x: Array, shape: Array, *, allowzero: bool = False) -> Array:
    targets = ints_of(shape)
    if not allowzero:
        targets = [x.shape[place] if target == 0 else target for place, target in enumerate(targets)]
    if -1 in targets and x.size == 0:
        rest = int(np.prod([target for target in targets if target != -1]))
        targets[targets.index(-1)] = x.size // rest if rest else 0
    return x.reshape(targets)


def _sample_reshape(draw: Draw) -> Sample:
    dims = draw.shape()
    target = [dims[place] for place in permutation(draw, len(dims))]
    merged = draw.choice((True, False))
    if len(target) > 1 and merged:
        target[:2] = [target[0] * target[1]]
    allowzero = draw.choice((True, False))
    for place in range(min(len(target), len(dims))):
        if target[place] == dims[place] and not allowzero and draw.choice((True, False, False)):
            target[place] = 0
    wild = draw.choice((True, False))
    if target and wild:
        target[draw.integer(0, len(target) - 1)] = -1
    return Sample((draw.array(dims), integers(target)), {"allowzero": allowzero})


reshape = layout("reshape", infer_reshape, _reshape, _sample_reshape, folds=True)


def infer_flatten(x: Tensor, *, require: Require, axis: int = 1) -> Tensor:
    """Two dims: the product of those before the axis and the product of the rest."""
    if isinstance(x.shape, Unranked):
        return x.with_shape((1, x.size)) if axis == 0 else x.with_shape((require.unknown(), require.unknown()))
    rank = x.rank
    ok = require.holds(-rank <= axis <= rank, f"axis {axis} is out of range for {rank} dims", "axis-out-of-range")
    place = (axis + rank if axis < 0 else axis) if ok else rank
    return x.with_shape((product(x.dims[:place]), product(x.dims[place:])))


def _flatten(x: Array, *, axis: int = 1) -> Array:
    place = axis + x.ndim if axis < 0 else axis
    return x.reshape(int(np.prod(x.shape[:place])), int(np.prod(x.shape[place:])))


def _sample_flatten(draw: Draw) -> Sample:
    dims = draw.shape(1)
    return Sample((draw.array(dims),), {"axis": draw.integer(-len(dims), len(dims))})


flatten = layout("flatten", infer_flatten, _flatten, _sample_flatten, folds=True)


def infer_squeeze(x: Tensor, axes: Tensor | None = None, *, require: Require, strict: bool = True) -> Tensor:
    """Dims of size 1 go: all of them, or those named. Unless `strict`, named dims of another size stay.

    An axis named twice goes once.
    """
    wanted = require.known_ints(axes)
    if axes is not None and wanted is None:
        count = length_of(axes)
        rank = None if count is None or not strict or not x.ranked else x.rank - count
        return require.unknown_tensor(x.dtype, rank if rank is not None and rank >= 0 else None)
    places = set(range(x.rank)) if wanted is None else set(axes_of(require, list(dict.fromkeys(wanted)), x.rank))
    if wanted is not None and strict:
        for place in sorted(places & set(range(x.rank))):
            require.equal(x.dims[place], 1, f"squeeze of {x} removes dim {place}, which must be 1", "dims-differ")
        return x.with_shape(dim for place, dim in enumerate(x.dims) if place not in places)
    ones = {place: is_one(x.dims[place]) for place in places if place < x.rank}
    if None in ones.values():
        return require.unknown_tensor(x.dtype)
    return x.with_shape(dim for place, dim in enumerate(x.dims) if not ones.get(place))


def _squeeze(x: Array, axes: Array | None = None, *, strict: bool = True) -> Array:
    if axes is None:
        return np.squeeze(x)
    places = tuple(ints_of(axes))
    if not strict:
        places = tuple(place for place in places if x.shape[place] == 1)
    return np.squeeze(x, axis=places)


def _sample_squeeze(draw: Draw) -> Sample:
    dims = [1 if draw.choice((True, False)) else dim for dim in draw.shape(1)]
    strict = draw.choice((True, False))
    ones = [place for place, dim in enumerate(dims) if dim == 1]
    named = [place - len(dims) if draw.choice((True, False)) else place for place in ones if draw.choice((True, False))]
    if not strict and len(ones) < len(dims):
        named += [next(place for place, dim in enumerate(dims) if dim != 1)]
    if not strict:
        return Sample((draw.array(dims), integers(named)), {"strict": False})
    return Sample((draw.array(dims), draw.choice((None, integers(named)))))


squeeze = layout("squeeze", infer_squeeze, _squeeze, _sample_squeeze, folds=True)


def infer_unsqueeze(x: Tensor, axes: Tensor, *, require: Require) -> Tensor:
    """Dims of size 1 appear at the axes, which count in the result."""
    wanted = require.known_ints(axes)
    if wanted is None:
        count = length_of(axes)
        return require.unknown_tensor(x.dtype, None if count is None else x.rank + count)
    rank = x.rank + len(wanted)
    places = set(axes_of(require, wanted, rank))
    rest = iter(x.dims)
    return x.with_shape(1 if place in places else next(rest, 1) for place in range(rank))


def _unsqueeze(x: Array, axes: Array) -> Array:
    return np.asarray(np.expand_dims(x, tuple(ints_of(axes))))


def _sample_unsqueeze(draw: Draw) -> Sample:
    dims = draw.shape(0, 3)
    count = draw.integer(0, 2)
    places = permutation(draw, len(dims) + count)[:count]
    axes = [place - len(dims) - count if draw.choice((True, False)) else place for place in places]
    return Sample((draw.array(dims), integers(axes)))


unsqueeze = layout("unsqueeze", infer_unsqueeze, _unsqueeze, _sample_unsqueeze, folds=True)


def infer_transpose(x: Tensor, *, require: Require, perm: Sequence[int] | None = None) -> Tensor:
    """Dims in the order of `perm`, reversed by default."""
    if perm is None:
        return x.with_shape(reversed(x.dims))
    if isinstance(x.shape, Unranked):
        return require.unknown_tensor(x.dtype, len(perm))
    because = f"transpose of {x} needs each of its axes once, but perm is {list(perm)}"
    places = [place + x.rank if place < 0 else place for place in perm]
    if not require.holds(sorted(places) == list(range(x.rank)), because, "illegal-argument"):
        return require.unknown_tensor(x.dtype, len(perm))
    return x.with_shape(x.dims[place] for place in places)


def _transpose(x: Array, *, perm: Sequence[int] | None = None) -> Array:
    return np.transpose(x, perm)


def _sample_transpose(draw: Draw) -> Sample:
    dims = draw.shape()
    perm = tuple(permutation(draw, len(dims)))
    return Sample((draw.array(dims),), draw.choice(({}, {"perm": perm})))


transpose = layout("transpose", infer_transpose, _transpose, _sample_transpose, folds=True)


def infer_expand(x: Tensor, shape: Tensor, *, require: Require) -> Tensor:
    """The common shape of operand and target, either of which may have dims of 1 to stretch."""
    targets = require.ints(shape)
    if targets is None:
        count = length_of(shape)
        return require.unknown_tensor(x.dtype, None if count is None or not x.ranked else max(count, x.rank))
    if any(isinstance(target, int) and target < 0 for target in targets):
        require.holds(False, f"expand to {_show(targets)} has a negative size", "broadcast-mismatch")
        return require.unknown_tensor(x.dtype)
    return x.with_shape(require.broadcast(x.dims, targets))


def _expand(x: Array, shape: Array) -> Array:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(ints_of(shape)))).copy()


def _sample_expand(draw: Draw) -> Sample:
    dims = draw.shape()
    return Sample((draw.array(draw.broadcastable(dims)), integers(draw.broadcastable(dims))))


expand = layout("expand", infer_expand, _expand, _sample_expand, folds=True)


def infer_broadcast_to(x: Tensor, shape: Tensor, *, require: Require) -> Tensor:
    """Exactly the target shape; only dims of the operand stretch. A target of -1 keeps the operand's dim."""
    targets = require.ints(shape)
    if targets is None:
        return require.unknown_tensor(x.dtype, length_of(shape))
    if any(isinstance(target, int) and target < -1 for target in targets):
        require.holds(False, f"broadcast to {_show(targets)} has a negative size", "broadcast-mismatch")
        return require.unknown_tensor(x.dtype, len(targets))
    if isinstance(x.shape, Unranked):
        return x.with_shape(require.unknown() if target == -1 else target for target in targets)
    because = f"{x} does not broadcast to {_show(targets)}"
    if not require.holds(x.rank <= len(targets), because, "broadcast-mismatch"):
        return require.unknown_tensor(x.dtype, len(targets))
    lead = len(targets) - x.rank
    dims: list[Dim] = []
    for target, dim in zip(targets, (1,) * lead + x.dims, strict=True):
        if target == -1:
            require.holds(len(dims) >= lead, f"-1 of {_show(targets)} has no dim of {x} to keep", "broadcast-mismatch")
            dims.append(dim)
            continue
        if target == 1:
            require.equal(dim, 1, because, "broadcast-mismatch")
        else:
            require.broadcast((dim,), (target,))
        dims.append(dim if isinstance(target, Expr) and isinstance(dim, int) and dim != 1 else target)
    return x.with_shape(dims)


def _broadcast_to(x: Array, shape: Array) -> Array:
    targets = ints_of(shape)
    lead = len(targets) - x.ndim
    kept = [x.shape[place - lead] if target == -1 else target for place, target in enumerate(targets)]
    return np.broadcast_to(x, kept).copy()


def _sample_broadcast_to(draw: Draw) -> Sample:
    dims = draw.shape()
    x = draw.array(draw.broadcastable(dims))
    target = list(dims)
    if x.ndim and draw.choice((True, False)):
        place = any_axis(draw, x.ndim) % x.ndim - x.ndim
        target[place] = -1
    return Sample((x, integers(target)))


broadcast_to = layout("broadcast_to", infer_broadcast_to, _broadcast_to, _sample_broadcast_to, folds=True)
