"""Operators that draw at random, dropout among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType, bool_, f32, i32
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Danger
from mlvet.ops.derivative import Derivative, Zero
from mlvet.ops.enclosures_counting import CLASSES
from mlvet.ops.enclosures_learning import NORMAL, NORMAL_LIKE, UNIFORM, UNIFORM_LIKE
from mlvet.ops.numeric import Bounded, Composite, Numeric, Range
from mlvet.ops.op import Effects, Infer, Op, Reference, register
from mlvet.ops.pointwise import Array
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples, integers


def _generator(seed: float | None) -> np.random.RandomState:
    return np.random.RandomState(None if seed is None else int(seed))


def infer_filled(shape: Tensor, *, require: Require, dtype: DType = f32, **_: Any) -> Tensor:
    """The elements of the operand are the dims of the result."""
    known = require.ints(shape)
    if known is not None:
        return Tensor(dtype, tuple(known))
    rank = shape.size
    return require.unknown_tensor(dtype, rank if isinstance(rank, int) else None)


def infer_like(x: Tensor, *, require: Require, dtype: DType | None = None, **_: Any) -> Tensor:
    """The shape is that of x, and the dtype unless another is asked for."""
    del require
    return x.with_dtype(dtype or x.dtype)


def drawing(
    name: str,
    infer: Infer,
    reference: Reference,
    numeric: Numeric,
    samples: Samples,
    *danger: Danger,
    derivative: Derivative | None = None,
) -> Op:
    """An operator with results of its own making."""
    return register(
        Op(
            name,
            "random",
            infer=infer,
            numeric=numeric,
            danger=danger,
            derivative=derivative,
            effects=Effects.RANDOM,
            reference=reference,
            samples=samples,
        )
    )


def _normal(generator: Any, shape: tuple[int, ...], mean: float = 0.0, scale: float = 1.0) -> Any:
    return generator.normal(mean, scale, shape)


def _uniform(generator: Any, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> Any:
    return generator.uniform(low, high, shape)


def _filled(distribution: Callable[..., Any]) -> Reference:
    def run(shape: Array, dtype: DType = f32, seed: float | None = None, **figures: float) -> Array:
        dims = tuple(int(dim) for dim in shape)
        return np.asarray(distribution(_generator(seed), dims, **figures)).astype(dtype.numpy)

    return run


def _like(distribution: Callable[..., Any]) -> Reference:
    def run(x: Array, dtype: DType | None = None, seed: float | None = None, **figures: float) -> Array:
        kept = x.dtype if dtype is None else dtype.numpy
        return np.asarray(distribution(_generator(seed), x.shape, **figures)).astype(kept)

    return run


def _shapes(draw: Draw) -> Sample:
    return Sample((integers(draw.shape()),), {"dtype": draw.choice([f32, i32])} if draw.integer(0, 1) else {})


def _examples(draw: Draw) -> Sample:
    return Sample((draw.array(draw.shape()),), {"dtype": i32} if draw.integer(0, 1) else {})


random_normal = drawing("random_normal", infer_filled, _filled(_normal), NORMAL, _shapes, derivative=Zero())
random_uniform = drawing("random_uniform", infer_filled, _filled(_uniform), UNIFORM, _shapes, derivative=Zero())
random_normal_like = drawing(
    "random_normal_like", infer_like, _like(_normal), NORMAL_LIKE, _examples, derivative=Zero()
)
random_uniform_like = drawing(
    "random_uniform_like", infer_like, _like(_uniform), UNIFORM_LIKE, _examples, derivative=Zero()
)


def _bernoulli(x: Array, dtype: DType | None = None, seed: float | None = None) -> Array:
    drawn = _generator(seed).uniform(0, 1, x.shape) < x
    return np.asarray(drawn).astype(x.dtype if dtype is None else dtype.numpy)


bernoulli = drawing(
    "bernoulli",
    infer_like,
    _bernoulli,
    Bounded(Range(0, 1)),
    lambda draw: Sample((draw.array(draw.shape(), low=0, high=1),), {"dtype": draw.choice([f32, i32, bool_])}),
    derivative=Zero(),
)


def infer_multinomial(
    x: Tensor, *, require: Require, dtype: DType = i32, sample_size: int = 1, seed: float | None = None
) -> Tensor:
    """`sample_size` classes for each row of scores."""
    del seed
    rows = x.dim(0) if require.rank(x, 2, "scores") else require.unknown()
    return Tensor(dtype, (rows, sample_size))


def _multinomial(x: Array, dtype: DType = i32, sample_size: int = 1, seed: float | None = None) -> Array:
    """The class of the greatest score plus Gumbel noise."""
    noise = _generator(seed).gumbel(size=(x.shape[0], sample_size, x.shape[1]))
    return np.asarray(np.argmax(x[:, None, :] + noise, axis=-1)).astype(dtype.numpy)


multinomial = drawing(
    "multinomial",
    infer_multinomial,
    _multinomial,
    CLASSES,
    lambda draw: Sample((draw.array(draw.shape(2, 2)),), {"sample_size": draw.integer(1, 5)}),
    derivative=Zero(),
)


def infer_dropout(
    x: Tensor, ratio: Tensor | None = None, training_mode: Tensor | None = None, *, require: Require, **_: Any
) -> tuple[Tensor, Tensor]:
    """The result is like x; the mask says which elements are kept."""
    for what, operand in (("ratio", ratio), ("training_mode", training_mode)):
        if operand is not None and operand.ranked:
            require.equal(operand.size, 1, f"{what} is one number", rule="rank-differs")
    return x.without_value(), x.with_dtype(bool_)


def _dropout(
    x: Array, ratio: Array | None = None, training_mode: Array | None = None, seed: float | None = None
) -> tuple[Array, Array]:
    share = 0.5 if ratio is None else float(np.ravel(ratio)[0])
    if training_mode is None or not np.ravel(training_mode)[0] or share == 0:
        return x.copy(), np.ones(x.shape, bool)
    kept = np.asarray(_generator(seed).uniform(0, 1.0, x.shape) >= share)
    return (kept * x * (1 / (1 - share) if share < 1 else 0)).astype(x.dtype), kept


def _decompose_dropout(build: Any, x: Any, ratio: Any = None, training_mode: Any = None, **_: Any) -> Any:
    if training_mode is None:
        return build.add("identity", x)
    share = build.add("cast_like", build.constant("ratio", 0.5) if ratio is None else ratio, x)
    kept = build.add("cast_like", build.add("greater_or_equal", build.add("random_uniform_like", x), share), x)
    one = build.add("cast_like", build.constant("one", 1.0), x)
    thinned = build.add("div", build.add("mul", x, kept), build.add("sub", one, share))
    return build.add("where", training_mode, thinned, x)


def _dropout_samples(draw: Draw) -> Sample:
    ratio = draw.array((), low=0, high=0.9) if draw.integer(0, 1) else None
    mode = np.asarray(bool(draw.integer(0, 1))) if draw.integer(0, 1) else None
    return Sample((draw.array(draw.shape()), ratio, mode))


dropout = drawing(
    "dropout",
    infer_dropout,
    _dropout,
    Composite(_decompose_dropout),
    _dropout_samples,
    OVERFLOW,
)
