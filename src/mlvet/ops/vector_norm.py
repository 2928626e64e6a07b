"""The norm of any order along axes, as PyTorch has it: its gradient is 0, not NaN, where the norm is."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.index_map import Reduces
from mlvet.ops.numeric import Composite
from mlvet.ops.op import pure
from mlvet.ops.pointwise import Array
from mlvet.ops.reduction import along_axes, over_axes, reduced_shape, reductions
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample


def infer_vector_norm(
    x: Tensor, axes: Tensor | None = None, *, require: Require, order: float = 2.0, keepdims: bool = True
) -> Tensor:
    """The dtype stays; the axes go, or become 1."""
    del order
    return Tensor(x.dtype, reduced_shape(x, axes, require=require, keepdims=keepdims))


def _norm(x: Array, axis: tuple[int, ...], keepdims: bool, order: float = 2.0) -> Any:
    size = np.abs(x)
    if order == 2:
        return np.sqrt(np.sum(size * size, axis=axis, keepdims=keepdims))
    if order == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdims)
    if abs(order) == inf:
        extreme = np.max if order > 0 else np.min
        return extreme(size, axis=axis, keepdims=keepdims, initial=0 if order > 0 else inf)
    return np.sum(size**order, axis=axis, keepdims=keepdims) ** (1 / order)


def _along(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool, order: float = 2.0) -> Any:
    norm = _norm(x, axis, True, order)
    if order == 0:
        return np.zeros_like(_norm(x, axis, keepdims, order), dtype=x.dtype)
    if abs(order) == inf:
        best = np.abs(x) == norm
        share: Any = np.sign(x) * best / np.sum(best, axis=axis, keepdims=True)
    else:
        with np.errstate(all="ignore"):
            share = np.where((norm == 0) | (x == 0), 0, np.sign(x) * (np.abs(x) / norm) ** (order - 1))
    return np.sum(share * along, axis=axis, keepdims=keepdims)


def _decompose(build: Any, x: Any, axes: Any = None, *, order: float = 2.0, keepdims: bool = True) -> Any:
    if order in (1, 2):
        return build.add(f"reduce_l{int(order)}", x, axes, keepdims=keepdims)
    if order == 0:
        zero = build.add("cast_like", build.constant("zero", 0.0), x)
        present = build.add("cast_like", build.add("not_equal", x, zero), x)
        return build.add("reduce_sum", present, axes, keepdims=keepdims)
    size = build.add("abs", x)
    if abs(order) == inf:
        return build.add("reduce_max" if order > 0 else "reduce_min", size, axes, keepdims=keepdims)
    exponent, root = (build.add("cast_like", build.constant("order", p), x) for p in (order, 1 / order))
    return build.add("pow", build.add("reduce_sum", build.add("pow", size, exponent), axes, keepdims=keepdims), root)


def _sample(draw: Draw) -> Sample:
    sample = reductions(noop=False)(draw)
    order = draw.choice([2.0, 2.0, 1.0, 3.0, 0.5, 0.0, inf, -inf])
    return Sample(sample.operands, {**sample.attributes, "order": order})


vector_norm = pure(
    "vector_norm",
    infer_vector_norm,
    over_axes(_norm),
    _sample,
    family="reduction",
    numeric=Composite(_decompose),
    index_map=Reduces(),
    danger=(OVERFLOW,),
    derivative=along_axes(_along),
)
