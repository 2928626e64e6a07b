"""Products of tensors: dims of the operands are matched by number or by meaning, multiplied and summed away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import product
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.contraction import INNER, contraction
from mlvet.ops.enclosures_sums import CROSS
from mlvet.ops.multilinear import product_rule, sum_of_products
from mlvet.ops.numeric import Multilinear
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

DimensionNumbers = tuple[tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]]


def infer_dot_general(
    a: Tensor,
    b: Tensor,
    *,
    require: Require,
    dimension_numbers: DimensionNumbers,
    preferred_element_type: DType | None = None,
) -> Tensor:
    """JAX's product: batch dims first, then what is left of `a`, then what is left of `b`."""
    dtype = preferred_element_type or require.same_dtype(a, b)
    (left, right), (left_batch, right_batch) = dimension_numbers
    if not (_within((*left, *left_batch), a, require) and _within((*right, *right_batch), b, require)):
        return require.unknown_tensor(dtype)
    left, left_batch = ([axis % a.rank for axis in axes] for axes in (left, left_batch))
    right, right_batch = ([axis % b.rank for axis in axes] for axes in (right, right_batch))
    for i, j in zip(left, right, strict=False):
        require.equal(a.dims[i], b.dims[j], because="dot_general contracts these two dims", rule=INNER)
    batch = [
        require.equal(a.dims[i], b.dims[j], because="dot_general runs over these two dims together")
        for i, j in zip(left_batch, right_batch, strict=False)
    ]
    rows = [dim for i, dim in enumerate(a.dims) if i not in (*left, *left_batch)]
    columns = [dim for j, dim in enumerate(b.dims) if j not in (*right, *right_batch)]
    return Tensor(dtype, (*batch, *rows, *columns))


def _within(axes: Sequence[int], operand: Tensor, require: Require) -> bool:
    """Whether the operand has all of these axes, as it must."""
    rank = operand.rank
    outside = [axis for axis in axes if not -rank <= axis < rank]
    return require.holds(not outside, f"{operand} has no axes {outside}", rule="axis-out-of-range")


def dot_general_reference(
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    dimension_numbers: DimensionNumbers,
    preferred_element_type: DType | None = None,
) -> NDArray[Any]:
    (left, right), (left_batch, right_batch) = dimension_numbers
    letters = list(range(a.ndim))
    others = list(range(a.ndim, a.ndim + b.ndim))
    for i, j in zip((*left, *left_batch), (*right, *right_batch), strict=True):
        others[j] = letters[i]
    rows = [letters[i] for i in range(a.ndim) if i not in (*left, *left_batch)]
    columns = [others[j] for j in range(b.ndim) if j not in (*right, *right_batch)]
    dtype = preferred_element_type.numpy if preferred_element_type else a.dtype
    with np.errstate(all="ignore"):
        x, y = wide(a), wide(b)
        if preferred_element_type and preferred_element_type.bits > 8 * x.itemsize:
            x, y = x.astype(dtype), y.astype(dtype)
        result = np.einsum(x, letters, y, others, [*(letters[i] for i in left_batch), *rows, *columns])
        return np.asarray(result).astype(dtype)


def sample_dot_general(draw: Draw) -> Sample:
    batch, m, k, l_, n = (draw.integer(1, 4) for _ in range(5))
    a, b = draw.array((batch, m, k, l_)), draw.array((l_, n, batch, k))
    numbers = draw.choice(
        [(((2, 3), (3, 0)), ((0,), (2,))), (((3, 2), (0, 3)), ((0,), (2,))), (((2, 3, 0), (3, 0, 2)), ((), ()))]
    )
    return Sample((a, b), {"dimension_numbers": numbers})


dot_general = sum_of_products(
    "dot_general",
    infer_dot_general,
    dot_general_reference,
    sample_dot_general,
    family="contraction",
    terms=lambda a, *_, dimension_numbers, **__: product(a.dims[i] for i in dimension_numbers[0][0]),
)


def contracted_axes(axes: int | Sequence[Any], left: int) -> tuple[list[int], list[int]]:
    """The axes of `tensordot` as two lists: a number means the last ones of the left and the first of the right."""
    if isinstance(axes, int):
        return list(range(left - axes, left)), list(range(axes))
    first, second = ([axis] if isinstance(axis, int) else list(axis) for axis in axes)
    return first, second


def infer_tensordot(a: Tensor, b: Tensor, *, require: Require, axes: int | Sequence[Any] = 2) -> Tensor:
    """The axes listed are contracted; what is left of `a`, then what is left of `b`."""
    dtype = require.same_dtype(a, b)
    if isinstance(axes, int) and not require.holds(
        0 <= axes <= min(a.rank, b.rank), f"{a} and {b} have not {axes} dims to contract", rule="axis-out-of-range"
    ):
        return require.unknown_tensor(dtype)
    left, right = contracted_axes(axes, a.rank)
    require.holds(len(left) == len(right), "tensordot contracts as many axes of one operand as of the other")
    if not (_within(left, a, require) and _within(right, b, require)):
        return require.unknown_tensor(dtype)
    left, right = [axis % a.rank for axis in left], [axis % b.rank for axis in right]
    for i, j in zip(left, right, strict=False):
        require.equal(a.dims[i], b.dims[j], because="tensordot contracts these two dims", rule=INNER)
    rows = [dim for i, dim in enumerate(a.dims) if i not in left]
    columns = [dim for j, dim in enumerate(b.dims) if j not in right]
    return Tensor(dtype, (*rows, *columns))


def tensordot_reference(a: NDArray[Any], b: NDArray[Any], *, axes: int | Sequence[Any] = 2) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.tensordot(wide(a), wide(b), axes=contracted_axes(axes, a.ndim)), a)


def sample_tensordot(draw: Draw) -> Sample:
    m, k, l_, n = (draw.integer(1, 4) for _ in range(4))
    axes, right = draw.choice([(2, (k, l_, n)), (((1, 2), (1, 0)), (l_, k, n)), (((-1, 1), (0, -1)), (l_, n, k))])
    return Sample((draw.array((m, k, l_)), draw.array(right)), {"axes": axes})


tensordot = sum_of_products(
    "tensordot",
    infer_tensordot,
    tensordot_reference,
    sample_tensordot,
    family="contraction",
    terms=lambda a, *_, axes=2: product(a.dims[i] for i in contracted_axes(axes, a.rank)[0]),
)


def infer_bilinear(x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None, *, require: Require) -> Tensor:
    """y[..., o] = x1[..., i] weight[o, i, j] x2[..., j] + bias[o]."""
    dtype = require.same_dtype(x1, x2, weight, bias)
    if not (require.rank(weight, 3, "weight") and require.rank_at_least(x1, 1) and require.rank_at_least(x2, 1)):
        return require.unknown_tensor(dtype)
    out, left, right = weight.dims
    require.equal(x1.dims[-1], left, because="bilinear contracts the features of its first input", rule=INNER)
    require.equal(x2.dims[-1], right, because="bilinear contracts the features of its second input", rule=INNER)
    require.holds(x1.rank == x2.rank, f"the inputs {x1} and {x2} differ in rank", rule="rank-differs")
    pairs = zip(x1.dims[:-1], x2.dims[:-1], strict=False)
    batch = [require.equal(a, b, because="bilinear runs over its inputs together") for a, b in pairs]
    if bias is not None and require.rank(bias, 1, "bias"):
        require.equal(bias.dims[0], out, because="the bias has one element per output feature")
    return Tensor(dtype, (*batch, out))


def bilinear_reference(
    x1: NDArray[Any], x2: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any] | None = None
) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        result = np.einsum("...i,oij,...j->...o", wide(x1), wide(weight), wide(x2))
        return narrow(result if bias is None else result + wide(bias), x1)


def sample_bilinear(draw: Draw) -> Sample:
    batch, (i, j, out) = draw.shape(0, 2), (draw.integer(1, 4) for _ in range(3))
    bias = draw.choice([None, draw.array((out,))])
    return Sample((draw.array((*batch, i)), draw.array((*batch, j)), draw.array((out, i, j)), bias))


bilinear = contraction(
    "bilinear",
    infer_bilinear,
    bilinear_reference,
    sample_bilinear,
    numeric=Multilinear(plus=3, terms=lambda x1, x2, *_: x1.dim(-1) * x2.dim(-1)),
    derivative=product_rule(bilinear_reference, (0, 1, 2), plus=3),
)


def infer_outer(a: Tensor, b: Tensor, *, require: Require) -> Tensor:
    """Every element of one with every element of the other, both flattened."""
    return Tensor(require.same_dtype(a, b), (a.size, b.size))


def outer_reference(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.outer(wide(a), wide(b)), a)


outer = sum_of_products(
    "outer",
    infer_outer,
    outer_reference,
    lambda draw: Sample((draw.array(draw.shape(0, 2)), draw.array(draw.shape(0, 2)))),
    family="contraction",
    terms=lambda *_: 1,
)


def infer_cross(a: Tensor, b: Tensor, *, require: Require, axis: int = -1) -> Tensor:
    """The product of vectors in space, which lie along `axis`; the other dims broadcast."""
    dtype = require.same_dtype(a, b)
    dims = require.broadcast(a.dims, b.dims)
    for operand in (a, b):
        if require.rank_at_least(operand, 1):
            length = operand.dims[require.axis(axis, operand.rank)]
            require.equal(length, 3, because="cross multiplies vectors of three elements")
    return Tensor(dtype, dims)


def cross_reference(a: NDArray[Any], b: NDArray[Any], *, axis: int = -1) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.cross(wide(a), wide(b), axis=axis), a)


def sample_cross(draw: Draw) -> Sample:
    batch = draw.shape(0, 2)
    place = draw.integer(0, len(batch))
    shape = (*batch[:place], 3, *batch[place:])
    axis = draw.choice([place, place - len(shape)])
    return Sample((draw.array(shape), draw.array(shape)), {"axis": axis})


cross = contraction(
    "cross", infer_cross, cross_reference, sample_cross, numeric=CROSS, derivative=product_rule(cross_reference)
)
