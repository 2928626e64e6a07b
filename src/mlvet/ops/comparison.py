"""Relations between elements, logic on truth values, and the choice between two operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains import dims
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import bool_, f32, i32
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops.derivative import Partials, Zero
from mlvet.ops.index_map import Elementwise
from mlvet.ops.layout import same_dims
from mlvet.ops.numeric import Predicate, Selection
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import Array
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples, Tensors, broadcasting

TRUTHS = Tensors(count=2, dtype=bool_)


def infer_relation(*operands: Tensor, require: Require, incompatible_shape_error: bool = True, **_: Any) -> Tensor:
    """The operands broadcast and have one dtype; the result is truth values.

    Where incompatible shapes are no error, they make the result a single truth value.
    """
    require.same_dtype(*operands)
    if not incompatible_shape_error:
        trial = Require(require.name)
        shape = trial.broadcast_tensors(*operands)
        if trial.violated:
            return Tensor(bool_, ())
        return require.unknown_tensor(bool_) if trial.constraints else Tensor(bool_, shape)
    return Tensor(bool_, require.broadcast_tensors(*operands))


def infer_where(condition: Tensor, x: Tensor, y: Tensor, *, require: Require) -> Tensor:
    """All three operands broadcast; the result has the dtype of the two to choose from."""
    require.dtype(condition, [bool_], what="condition")
    return Tensor(require.same_dtype(x, y), require.broadcast_tensors(condition, x, y))


def infer_select(condition: Tensor, x: Tensor, y: Tensor, *, require: Require) -> Tensor:
    """Both have the shape of the result; the condition has it too, or is a single truth value, or one per row."""
    require.dtype(condition, [bool_], what="condition")
    dtype = require.same_dtype(x, y)
    if not x.ranked or not y.ranked:
        return Tensor(dtype, x.shape if x.ranked else y.shape)
    shape = same_dims(require, x.dims, y.dims, "both sides of a selection have one shape")
    if condition.ranked and condition.rank:
        wanted = shape[:1] if condition.rank == 1 else shape
        same_dims(require, condition.dims, wanted, "the condition has the shape of what it selects, or is one per row")
    return Tensor(dtype, shape)


def _alike(draw: Draw) -> Sample:
    """Two operands that broadcast and agree in places, of floats or integers."""
    dtype = draw.choice([f32, i32])
    a, b = (draw.array(shape, dtype=dtype) for shape in broadcasting(draw, 2))
    return Sample((a, np.where(a > 0, a, b).astype(a.dtype)) if draw.integer(0, 1) else (a, b))


def predicate(
    name: str,
    function: Callable[..., Any],
    *,
    samples: Samples,
    sizes: Callable[[Dim, Dim], bool | None] | None = None,
) -> Op:
    """An operator whose result is the truth of a relation; `sizes` decides it on symbolic sizes, if it can."""

    def run(*operands: Array, incompatible_shape_error: bool = True, **attributes: Any) -> Array:
        if sizes is not None and any(operand.dtype == object for operand in operands):
            decided = np.frompyfunc(lambda a, b: _decided(name, a, b, sizes), 2, 1)
            return np.asarray(decided(*(operand.astype(object) for operand in operands)), dtype=bool)
        return np.asarray(function(*operands, **attributes)).astype(bool)

    return pure(
        name,
        infer_relation,
        run,
        samples,
        family="comparison",
        numeric=Predicate(name),
        index_map=Elementwise(),
        derivative=Zero(),
        folds=sizes is not None,
    )


def _decided(name: str, a: Any, b: Any, sizes: Callable[[Dim, Dim], bool | None]) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool((a == b) == (name == "equal"))
    truth = sizes(a, b)
    if truth is None:
        raise UnknownValue(f"{name}({a}, {b})")
    return truth


def _negated(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


equal = predicate("equal", np.equal, samples=_alike, sizes=dims.equal)
not_equal = predicate("not_equal", np.not_equal, samples=_alike, sizes=lambda a, b: _negated(dims.equal(a, b)))
less = predicate("less", np.less, samples=_alike, sizes=lambda a, b: _negated(dims.at_least(a, b)))
less_or_equal = predicate("less_or_equal", np.less_equal, samples=_alike, sizes=lambda a, b: dims.at_least(b, a))
greater = predicate("greater", np.greater, samples=_alike, sizes=lambda a, b: _negated(dims.at_least(b, a)))
greater_or_equal = predicate("greater_or_equal", np.greater_equal, samples=_alike, sizes=dims.at_least)
logical_and = predicate("and", np.logical_and, samples=TRUTHS)
logical_or = predicate("or", np.logical_or, samples=TRUTHS)
logical_xor = predicate("xor", np.logical_xor, samples=TRUTHS)
logical_not = predicate("not", np.logical_not, samples=Tensors(dtype=bool_))


def _special(draw: Draw) -> Any:
    """Floats, some of them NaN or infinite."""
    x = draw.array(draw.shape())
    odd = draw.array(x.shape, low=0, high=7, dtype=i32)
    return np.choose(
        np.minimum(odd, 3), [np.full_like(x, np.nan), np.full_like(x, np.inf), np.full_like(x, -np.inf), x]
    )


def _infinite(x: Array, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    return (np.isposinf(x.astype(np.float64)) & bool(detect_positive)) | (
        np.isneginf(x.astype(np.float64)) & bool(detect_negative)
    )


is_nan = predicate("is_nan", np.isnan, samples=lambda draw: Sample((_special(draw),)))
is_finite = predicate("is_finite", np.isfinite, samples=lambda draw: Sample((_special(draw),)))
is_inf = predicate(
    "is_inf",
    _infinite,
    samples=lambda draw: Sample(
        (_special(draw),), {"detect_negative": draw.integer(0, 1), "detect_positive": draw.integer(0, 1)}
    ),
)
is_close = predicate(
    "is_close",
    lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan),
    samples=_alike,
)


def _where(condition: Array, x: Array, y: Array) -> Array:
    chosen = np.where(condition, x, y)
    return chosen if object in (x.dtype, y.dtype) else chosen.astype(x.dtype)


def _where_samples(draw: Draw) -> Sample:
    condition, x, y = broadcasting(draw, 3)
    return Sample((draw.array(condition, dtype=bool_), draw.array(x), draw.array(y)))


where = pure(
    "where",
    infer_where,
    _where,
    _where_samples,
    family="comparison",
    numeric=Selection((1, 2)),
    index_map=Elementwise(),
    derivative=Partials(lambda condition, *_: (None, condition * 1.0, ~condition * 1.0)),
    folds=True,
)


def _select(condition: Array, x: Array, y: Array) -> Array:
    return _where(condition.reshape(condition.shape + (1,) * (x.ndim - condition.ndim)), x, y)


def _select_samples(draw: Draw) -> Sample:
    shape = draw.shape()
    condition = draw.choice([shape, shape[:1], ()])
    return Sample((draw.array(condition, dtype=bool_), draw.array(shape), draw.array(shape)))


select = pure(
    "select", infer_select, _select, _select_samples, family="comparison", numeric=Selection((1, 2)), danger=()
)
