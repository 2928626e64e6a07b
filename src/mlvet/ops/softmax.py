"""Operators that turn scores along an axis into weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, AllAt, Danger, Outside
from mlvet.ops.derivative import Derivative, Jvp, Zero
from mlvet.ops.enclosures_normalising import LOG_SOFTMAX, SOFTMAX
from mlvet.ops.index_map import AlongAxis
from mlvet.ops.numeric import Bounded, Numeric, Range
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import Array, keeping_dtype
from mlvet.ops.reduction import log_sum_exp
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

INFINITY = Outside(Range(open_high=True), rule="outside-domain")
NOTHING = AllAt(-inf, rule="all-masked-softmax")


def infer_along(x: Tensor, *, require: Require, axis: int = -1) -> Tensor:
    """The result is like x; the axis must be one of its axes."""
    if x.ranked:
        require.axis(axis, x.rank)
    return x.without_value()


def _samples(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1), distinct=True)
    return Sample((x,), {"axis": draw.integer(-x.ndim, x.ndim - 1)} if draw.integer(0, 3) else {})


def _register(
    name: str, reference: Callable[..., Any], numeric: Numeric, derivative: Derivative, *danger: Danger
) -> Op:
    return pure(
        name,
        infer_along,
        keeping_dtype(reference),
        _samples,
        family="softmax",
        numeric=numeric,
        index_map=AlongAxis(),
        danger=danger,
        derivative=derivative,
    )


def softmax_of(x: Array, axis: int = -1) -> Any:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def log_softmax_of(x: Array, axis: int = -1) -> Any:
    shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return shifted - log_sum_exp(shifted, axis, True)


def _hardmax(x: Array, axis: int = -1) -> Any:
    first = np.expand_dims(np.argmax(x, axis=axis), axis)
    result = np.zeros_like(x)
    np.put_along_axis(result, first, 1, axis)
    return result


def _softmax_jvp(operands: Sequence[Any], directions: Sequence[Any], axis: int = -1) -> Any:
    return softmax_of(operands[0], axis) * log_softmax_along(operands[0], directions[0], axis)


def log_softmax_along(x: Array, along: Array, axis: int = -1) -> Any:
    """How log_softmax changes as its operand moves along a direction."""
    return along - np.sum(softmax_of(x, axis) * along, axis=axis, keepdims=True)


def _log_softmax_jvp(operands: Sequence[Any], directions: Sequence[Any], axis: int = -1) -> Any:
    return log_softmax_along(operands[0], directions[0], axis)


softmax = _register("softmax", softmax_of, SOFTMAX, Jvp(_softmax_jvp), INFINITY, NOTHING)
log_softmax = _register(
    "log_softmax",
    log_softmax_of,
    LOG_SOFTMAX,
    Jvp(_log_softmax_jvp),
    INFINITY,
    NOTHING,
    OVERFLOW,
)
hardmax = _register("hardmax", _hardmax, Bounded(Range(0, 1)), Zero())
