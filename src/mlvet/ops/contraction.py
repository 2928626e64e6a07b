"""Products of matrices: the last dim of one operand meets a dim of the other, and is summed away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.multilinear import product_rule, sum_of_products
from mlvet.ops.numeric import Bilinear
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

INNER = "matmul-inner-dims"

contraction = partial(pure, family="contraction", danger=(OVERFLOW,))


def infer_matmul(a: Tensor, b: Tensor, *, require: Require) -> Tensor:
    """NumPy's rule: the last dim of `a` meets the last but one of `b`, the dims before broadcast."""
    dtype = require.same_dtype(a, b)
    for operand, what in ((a, "left operand"), (b, "right operand")):
        if not require.rank_at_least(operand, 1, what) and operand.ranked:
            return require.unknown_tensor(dtype)
    return Tensor(dtype, _matmul_dims(a, b, require))


def _matmul_dims(a: Tensor, b: Tensor, require: Require) -> tuple[Dim, ...]:
    because = "matmul contracts the last dim of the left operand with the last but one of the right"
    if a.ranked or b.ranked:
        require.equal(a.dim(-1), b.dim(-2 if b.rank > 1 else -1), because=because, rule=INNER)
    batch = require.broadcast(a.dims[:-2], b.dims[:-2])
    rows = a.dims[-2:-1]
    columns = b.dims[-1:] if b.rank > 1 else ()
    return (*batch, *rows, *columns)


def multiply(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The matrix product in the dtype of `a`."""
    with np.errstate(all="ignore"):
        return narrow(np.matmul(wide(a), wide(b)), a)


def sample_matmul(draw: Draw) -> Sample:
    m, k, n = (draw.integer(1, 5) for _ in range(3))
    batch = draw.shape(0, 2)
    left, right = draw.choice(["matrices", "vector-left", "vector-right", "vectors"]), draw.broadcastable(batch)
    a: tuple[int, ...] = (k,) if left in ("vector-left", "vectors") else (*batch, m, k)
    b: tuple[int, ...] = (k,) if left in ("vector-right", "vectors") else (*right, k, n)
    return Sample((draw.array(a), draw.array(b)))


matmul = sum_of_products(
    "matmul", infer_matmul, multiply, sample_matmul, family="contraction", terms=lambda a, *_: a.dim(-1)
)


def infer_batch_matmul(a: Tensor, b: Tensor, *, require: Require, adj_x: bool = False, adj_y: bool = False) -> Tensor:
    """The matrix product of the last two dims, either operand first transposed (and conjugated) where asked."""
    dtype = require.same_dtype(a, b)
    if not (require.rank_at_least(a, 2, "left operand") and require.rank_at_least(b, 2, "right operand")):
        return require.unknown_tensor(dtype)
    left, right = (_transposed(x) if adjoint else x for x, adjoint in ((a, adj_x), (b, adj_y)))
    return Tensor(dtype, _matmul_dims(left, right, require))


def _transposed(x: Tensor) -> Tensor:
    return x.with_shape((*x.dims[:-2], x.dims[-1], x.dims[-2]))


def batch_multiply(a: NDArray[Any], b: NDArray[Any], *, adj_x: bool = False, adj_y: bool = False) -> NDArray[Any]:
    left, right = (
        np.conjugate(np.swapaxes(x, -1, -2)) if adjoint else x for x, adjoint in ((wide(a), adj_x), (wide(b), adj_y))
    )
    with np.errstate(all="ignore"):
        return narrow(np.matmul(left, right), a)


def sample_batch_matmul(draw: Draw) -> Sample:
    m, k, n = (draw.integer(1, 5) for _ in range(3))
    batch = draw.shape(0, 2)
    adj_x, adj_y = draw.choice([False, True]), draw.choice([False, True])
    a = (*batch, k, m) if adj_x else (*batch, m, k)
    b = (*batch, n, k) if adj_y else (*batch, k, n)
    return Sample((draw.array(a), draw.array(b)), {"adj_x": adj_x, "adj_y": adj_y})


batch_matmul = sum_of_products(
    "batch_matmul",
    infer_batch_matmul,
    batch_multiply,
    sample_batch_matmul,
    family="contraction",
    terms=lambda a, *_, adj_x=False, **__: a.dims[-2 if adj_x else -1],
)


def infer_gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    require: Require,
    transA: bool = False,  # noqa: N803
    transB: bool = False,  # noqa: N803
    **_: Any,
) -> Tensor:
    """alpha * a @ b + beta * c for matrices, either of them transposed where asked; c broadcasts to the product."""
    dtype = require.same_dtype(a, b, c)
    if not (require.rank(a, 2, "left operand") and require.rank(b, 2, "right operand")):
        return require.unknown_tensor(dtype, 2)
    rows, inner = reversed(a.dims) if transA else a.dims
    other, columns = reversed(b.dims) if transB else b.dims
    require.equal(inner, other, because="gemm contracts these two dims", rule=INNER)
    if c is not None and c.ranked:
        _broadcast_into(c.dims, (rows, columns), require)
    return Tensor(dtype, (rows, columns))


def _broadcast_into(dims: Sequence[Dim], target: Sequence[Dim], require: Require) -> None:
    """The dims must broadcast to the target without changing it."""
    fits = len(dims) <= len(target)
    require.holds(fits, f"{len(dims)} dims do not broadcast to {len(target)}", rule="broadcast-mismatch")
    for dim, wanted in zip(reversed(dims), reversed(target), strict=False):
        if dim != 1:
            require.broadcast((dim,), (wanted,))


def gemm_reference(
    a: NDArray[Any],
    b: NDArray[Any],
    c: NDArray[Any] | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,  # noqa: N803
    transB: bool = False,  # noqa: N803
) -> NDArray[Any]:
    left, right = wide(a).T if transA else wide(a), wide(b).T if transB else wide(b)
    with np.errstate(all="ignore"):
        result = np.matmul(left, right)
        if alpha != 1:
            result = result * np.asarray(alpha, result.dtype)
        if c is not None:
            result = result + wide(c) * np.asarray(beta, result.dtype)
        return narrow(result, a)


def sample_gemm(draw: Draw) -> Sample:
    m, k, n = (draw.integer(1, 5) for _ in range(3))
    trans_a, trans_b = draw.choice([False, True]), draw.choice([False, True])
    a, b = draw.array((k, m) if trans_a else (m, k)), draw.array((n, k) if trans_b else (k, n))
    c = draw.array(draw.choice([(m, n), (n,), (1, n), (m, 1), ()])) if draw.choice([True, False]) else None
    alpha, beta = draw.choice([1.0, 0.5]), draw.choice([1.0, 0.25])
    return Sample((a, b, c), {"alpha": alpha, "beta": beta, "transA": trans_a, "transB": trans_b})


gemm = contraction(
    "gemm",
    infer_gemm,
    gemm_reference,
    sample_gemm,
    numeric=Bilinear(
        plus=2,
        terms=lambda a, *_, transA=False, **__: a.dims[0 if transA else 1],  # noqa: N803
        scale="alpha",
        plus_scale="beta",
    ),
    derivative=product_rule(gemm_reference, plus=2),
)


def infer_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, require: Require) -> Tensor:
    """x @ weight.T + bias, for a weight of [out, in], or of [in] alone, which drops the last dim."""
    dtype = require.same_dtype(x, weight, bias)
    if not require.rank_at_least(x, 1, "input") and x.ranked:
        return require.unknown_tensor(dtype)
    if not require.holds(weight.rank in (1, 2), f"weight must have 1 or 2 dims, but is {weight}", rule="rank-differs"):
        return require.unknown_tensor(dtype)
    require.equal(x.dim(-1), weight.dims[-1], because="linear multiplies the features by the weight", rule=INNER)
    out = weight.dims[:-1]
    if bias is not None and bias.ranked:
        _broadcast_into(bias.dims, out, require)
    return Tensor(dtype, (*x.dims[:-1], *out))


def linear_reference(x: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any] | None = None) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        result = np.matmul(wide(x), wide(weight).T)
        return narrow(result if bias is None else result + wide(bias), x)


def sample_linear(draw: Draw) -> Sample:
    features, out = draw.integer(1, 5), draw.integer(1, 5)
    x = draw.array((*draw.shape(0, 3), features))
    bias = draw.choice([None, draw.array((out,))])
    return Sample((x, draw.array((out, features)), bias))


linear = sum_of_products(
    "linear",
    infer_linear,
    linear_reference,
    sample_linear,
    family="contraction",
    plus=2,
    terms=lambda *operands: operands[1].dims[-1],
)
