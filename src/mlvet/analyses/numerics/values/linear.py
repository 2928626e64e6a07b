"""Sums of products: exact weights give each result channel its own bounds, otherwise terms are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.values import elementwise
from mlvet.analyses.numerics.values.abstract import Abstract, regridded, shape_of, uniform
from mlvet.analyses.numerics.values.layout import per_channel
from mlvet.analyses.numerics.values.refusals import REFUSED
from mlvet.domains import boxes, dtypes, grids
from mlvet.domains.boxes import Box
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY, Op
from mlvet.ops.convolution import front_kernel
from mlvet.ops.numeric import Affine, Bilinear, Convex, Multilinear

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer

_ZERO = Interval(0.0, 0.0)
_AT_MOST = frozenset(
    kind.terms for name in ("conv", "conv_transpose", "conv_transpose_to")
    if isinstance(kind := REGISTRY[name].numeric, Bilinear)
)  # fmt: skip
"""Counts of products of which borders have fewer."""


def bilinear(
    run: Transfer, op: Op, kind: Bilinear, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x, y = (operands[index] for index in kind.operands)
    assert x is not None
    assert y is not None
    found = _with_weights(run, op, x, y, attributes, out) if run.most > 1 else None
    if found is None and run.relational and op.name in ("matmul", "batch_matmul") and x.shares == x.rank - 1 >= 0:
        found = _mean_of(run, y, out)
    if found is None:
        found = _counted(run, kind, [x, y], operands, attributes, out)
    scale = float(attributes.get(kind.scale, 1.0)) if kind.scale else 1.0
    plus = operands[kind.plus] if kind.plus is not None and kind.plus < len(operands) else None
    found = _scaled(run, found, scale)
    if plus is None:
        return found
    added = _scaled(run, plus, float(attributes.get(kind.plus_scale, 1.0)) if kind.plus_scale else 1.0)
    if op.name.startswith("conv"):
        added = beside_channels(run, added, found, attributes)
    return elementwise.affine(run, REGISTRY["add"], Affine((1.0, 1.0)), [found, added], {}, out)


def multilinear(
    run: Transfer, op: Op, kind: Multilinear, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    factors = [x for index, x in enumerate(operands) if x is not None and index != kind.plus]
    found = _counted(run, kind, factors, operands, attributes, out)
    plus = operands[kind.plus] if kind.plus is not None and kind.plus < len(operands) else None
    if plus is None:
        return found
    return elementwise.affine(run, REGISTRY["add"], Affine((1.0, 1.0)), [found, plus], {}, out)


def convex(
    run: Transfer, op: Op, kind: Convex, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x = operands[kind.of]
    assert x is not None
    wide = _with_zero(x)
    infinite = np.isinf(wide.box.low) | np.isinf(wide.box.high)
    wide = replace(wide, box=replace(wide.box, nan=wide.box.nan | infinite))
    if kind.terms is not None:
        wide = _summed_first(run, kind, wide, operands, attributes)
    return _rounded(per_channel(run, wide, out) or uniform(out, wide.interval, run.fresh()))


def _summed_first(
    run: Transfer, kind: Convex, x: Abstract, operands: Sequence[Abstract | None], attributes: Any
) -> Abstract:
    """Elements whose sum may leave the element type before it is divided."""
    assert kind.terms is not None
    try:
        terms = kind.terms(*(None if each is None else run.tensor(each) for each in operands), **attributes)
    except REFUSED:
        terms = None
    count = float(terms) if isinstance(terms, int) else float(grids.MANY)
    limit = max(float(x.dtype.largest), float(dtypes.f32.largest)) if x.dtype.is_float else inf
    with np.errstate(all="ignore"):
        low = np.where(x.box.low * count < -limit, -inf, x.box.low)
        high = np.where(x.box.high * count > limit, inf, x.box.high)
    both = np.isinf(low) & np.isinf(high)
    return replace(x, box=Box(low, high, x.box.nan | both))


def _mean_of(run: Transfer, values: Abstract, out: Tensor) -> Abstract:
    """Weights that are not negative and sum to at most one stay within the values, or 0."""
    hull = values.interval.join(_ZERO)
    return _rounded(uniform(out, hull, run.fresh()), share=1e-2)


def _rounded(x: Abstract, share: float = 1e-3) -> Abstract:
    """What rounding can add to a mean of many elements."""
    low, high = x.box.low, x.box.high
    with np.errstate(all="ignore"):
        slack = share * np.maximum(np.abs(low), np.abs(high))
        least = np.where(low >= 0, np.maximum(low - slack, 0), low - slack)
        box = boxes.fused(least, high + slack, x.box.nan, x.dtype)
    limit = float(x.dtype.largest)
    was = np.isfinite(x.box.low) & np.isfinite(x.box.high)
    least, most = np.maximum(box.low, -limit), np.minimum(box.high, limit)
    return replace(x, box=Box(np.where(was, least, low), np.where(was, most, high), x.box.nan))


def _counted(
    run: Transfer, kind: Bilinear | Multilinear, factors: Sequence[Abstract], operands: Sequence[Abstract | None],
    attributes: Any, out: Tensor,
) -> Abstract:  # fmt: skip
    """So many products of anything in one operand and anything in the other."""
    dtype, dims = shape_of(out)
    tensors = [None if operand is None else run.tensor(operand) for operand in operands]
    terms: Any = grids.MANY
    if kind.terms is not None:
        try:
            terms = kind.terms(*tensors, **attributes)
        except REFUSED:
            terms = grids.MANY
    known = isinstance(terms, int)
    wide = factors[0].dtype if not dtype.is_float else dtype
    product: Box | None = None
    for factor in factors:
        box = boxes.of_interval(factor.interval, (1,))
        product = box if product is None else boxes.mul(product, box, wide)
    assert product is not None
    if len(factors) > 2:
        product = _in_any_order(factors, product, wide)
    count = float(max(terms, 1)) if known else float(grids.MANY)
    sums = boxes.total(product, np.array([count]), dtype, (0,))
    if not known:
        sums = boxes.join(sums, product.map(lambda array: array[0]))
    if isinstance(kind, Multilinear) or not known or kind.terms in _AT_MOST:
        sums = boxes.join(sums, boxes.of_interval(_ZERO))
    return run.made(out, grids.uncut(0 if dims is None else len(dims)), sums)


def _in_any_order(factors: Sequence[Abstract], product: Box, dtype: DType) -> Box:
    """A product of several factors, some of which may leave the element type before the others bring it back."""
    size = 1.0
    for factor in factors:
        size *= max(1.0, abs(factor.interval.low), abs(factor.interval.high))
    if not dtype.is_float or size <= float(dtype.largest):
        return product
    shape = product.low.shape
    return Box(np.full(shape, -inf), np.full(shape, inf), np.ones(shape, bool))


def _scaled(run: Transfer, x: Abstract, factor: float) -> Abstract:
    if factor == 1.0:
        return x
    scaled = boxes.mul(x.box, boxes.of_interval(Interval(factor, factor)), x.dtype)
    return Abstract(x.dtype, x.dims, x.cuts, scaled, run.fresh())


def _with_weights(run: Transfer, op: Op, x: Abstract, y: Abstract, attributes: Any, out: Tensor) -> Abstract | None:
    """Bounds per result channel, where one operand's elements are known."""
    dims = shape_of(out)[1]
    if dims is None or x.dims is None or y.dims is None:
        return None
    name = op.name
    if name == "conv":
        return _convolved(run, x, y, attributes, out)
    if name not in ("matmul", "linear", "gemm") or not shape_of(out)[0].is_float:
        return None
    if y.exact is not None and y.exact.ndim == 2 and x.rank >= 1:
        weights = y.exact.T if name == "linear" or attributes.get("transB") else y.exact
        if name == "gemm" and attributes.get("transA"):
            return None
        if len(dims) != x.rank or (isinstance(x.dims[-1], int) and x.dims[-1] != weights.shape[0]):
            return None
        return _channels(run, x, x.rank - 1, weights, out, dims, len(dims) - 1)
    if x.exact is not None and x.exact.ndim == 2 and name == "matmul" and y.rank >= 2 and len(dims) == y.rank:
        if isinstance(y.dims[-2], int) and y.dims[-2] != x.exact.shape[1]:
            return None
        return _channels(run, y, y.rank - 2, x.exact.T, out, dims, len(dims) - 2)
    return None


def _channels(
    run: Transfer, x: Abstract, axis: int, weights: NDArray[Any], out: Tensor, dims: Any, place: int
) -> Abstract:
    """x summed along an axis with weights of [in, out]; the result's axis `place` runs through `out`."""
    kept = tuple(cut if index == axis else () for index, cut in enumerate(x.cuts))
    box = regridded(x, kept)
    low, high = box.low.reshape(-1), box.high.reshape(-1)
    matrix = np.asarray(weights, dtype=np.float64)
    counts = grids.element_counts(x.cuts[axis], matrix.shape[0]).astype(np.int64)
    if len(low) == 1:
        positive, negative = np.maximum(matrix, 0).sum(axis=0)[None], np.minimum(matrix, 0).sum(axis=0)[None]
    else:
        low, high = np.repeat(low, counts), np.repeat(high, counts)
        positive, negative = np.maximum(matrix, 0), np.minimum(matrix, 0)
    dtype, _ = shape_of(out)
    sums = weighted(low, high, positive, negative, matrix.shape[0], bool(box.nan.any()), dtype)
    for fact in x.attained if x.interval.low >= 0 else ():
        if fact.axes == {axis} and fact.interval.low > 0:
            least = matrix.min(axis=0) * fact.interval.low * (1 - dtype.epsilon)
            share = np.where((matrix >= 0).all(axis=0), least, 0.0)
            sums = Box(np.minimum(np.maximum(sums.low, share), sums.high), sums.high, sums.nan)
    return _placed(run, sums, out, dims, place)


def weighted(low: Any, high: Any, positive: Any, negative: Any, terms: int, nan: bool, dtype: DType) -> Box:
    """Sums of elements within [low, high] times weights, given by their positive and negative parts, and rounding."""
    with np.errstate(all="ignore"):
        least, most = low @ positive + high @ negative, high @ positive + low @ negative
        size = np.maximum(np.abs(low), np.abs(high))
        magnitude = size @ (positive - negative)
        if not np.isfinite(magnitude).all():
            unsure = ~np.isfinite(magnitude)
            least, most = np.where(unsure, -inf, least), np.where(unsure, inf, most)
        slack = terms * (dtype.epsilon if dtype.is_float else 0.0) * magnitude + terms * 1e-15 * magnitude
        slack = slack + terms * (dtype.smallest if dtype.is_float else 0.0)
        rise = np.maximum(high, 0) @ positive + np.minimum(low, 0) @ negative
        fall = np.minimum(low, 0) @ positive + np.maximum(high, 0) @ negative
        over, under = ~(rise + slack <= dtype.largest), ~(fall - slack >= dtype.least)
        bottom, top = np.where(fall >= 0, np.maximum(least - slack, 0), least - slack), most + slack
        top = np.where(rise <= 0, np.minimum(top, 0), top)
    if not dtype.is_float:
        return boxes.fused(bottom, top, nan, dtype)
    found = boxes.fused(bottom, top, np.zeros(least.shape, bool), dtype)
    return Box(np.where(under, -inf, found.low), np.where(over, inf, found.high), (over & under) | nan)


def _placed(run: Transfer, sums: Box, out: Tensor, dims: Any, place: int) -> Abstract:
    """Bounds per channel as the cells of one axis, or their hull if they are too many."""
    size = sums.low.shape[0]
    rank = len(dims)
    if size > run.most or dims[place] != size:
        return uniform(out, boxes.smashed(sums), run.fresh())
    shape = [1] * rank
    shape[place] = size
    cuts = tuple(grids.everywhere(size) if axis == place else () for axis in range(rank))
    return run.made(out, cuts, sums.map(lambda array: array.reshape(shape)))


def _convolved(run: Transfer, x: Abstract, w: Abstract, attributes: Any, out: Tensor) -> Abstract | None:
    dtype, dims = shape_of(out)
    if w.exact is None or x.dims is None or dims is None or x.rank < 3:
        return None
    kernel, group = front_kernel(w.exact, attributes.get("kernel_format", "OI"), int(attributes.get("group", 1)))
    channel = channel_axis(attributes, x.rank)
    wide = _with_zero(x) if _pads(attributes) else x
    cuts = tuple(cut if axis == channel else () for axis, cut in enumerate(x.cuts))
    box = regridded(wide, cuts)
    per_group = kernel.shape[1]
    channels = x.dims[channel]
    if group == 0:
        group = channels // per_group if isinstance(channels, int) and per_group else 1
    if kernel.shape[0] % max(group, 1) or (isinstance(channels, int) and channels != per_group * group):
        return None
    low, high = box.low.reshape(-1), box.high.reshape(-1)
    counts = grids.element_counts(x.cuts[channel], per_group * group).astype(np.int64)
    low, high = np.repeat(low, counts), np.repeat(high, counts)
    space = tuple(range(2, kernel.ndim))
    kernel = kernel.astype(np.float64, copy=False)
    positive, negative = np.maximum(kernel, 0).sum(axis=space), np.minimum(kernel, 0).sum(axis=space)
    terms = int(np.prod(kernel.shape[1:]))
    many = kernel.shape[0] // group
    parts = [
        weighted(
            low[index * per_group : (index + 1) * per_group],
            high[index * per_group : (index + 1) * per_group],
            positive[index * many : (index + 1) * many].T,
            negative[index * many : (index + 1) * many].T,
            terms, bool(box.nan.any()), dtype,
        )
        for index in range(group)
    ]  # fmt: skip
    sums = Box(
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.nan for part in parts]),
    )
    return _placed(run, sums, out, dims, channel_axis(attributes, len(dims)))


def channel_axis(attributes: Any, rank: int) -> int:
    layout = str(attributes.get("data_format", "NC"))
    if layout == "NC":
        return 1
    return layout.index("C") if "C" in layout and len(layout) == rank else rank - 1 if layout.endswith("C") else 1


def _pads(attributes: Any) -> bool:
    pads = attributes.get("pads")
    return bool(pads and any(pads)) or str(attributes.get("auto_pad", "NOTSET")) not in ("NOTSET", "VALID")


def _with_zero(x: Abstract) -> Abstract:
    """The elements and the zeros that pad them."""
    return replace(x, box=Box(np.minimum(x.box.low, 0.0), np.maximum(x.box.high, 0.0), x.box.nan))


def beside_channels(run: Transfer, bias: Abstract, result: Abstract, attributes: Any) -> Abstract:
    """A bias per channel, in the layout of the result."""
    if bias.rank != 1 or result.dims is None:
        return Abstract(bias.dtype, (), (), boxes.of_interval(bias.interval), run.fresh())
    axis = channel_axis(attributes, len(result.dims))
    dims = tuple(bias.dims[0] if bias.dims and index == axis else 1 for index in range(len(result.dims)))
    cuts = tuple(bias.cuts[0] if index == axis else () for index in range(len(dims)))
    box = bias.box.map(lambda array: array.reshape(grids.cells(cuts)))
    return Abstract(bias.dtype, dims, cuts, box, run.fresh())
