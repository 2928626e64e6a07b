"""Operators of one operand, element by element: powers, roots, exponentials and logarithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Expr, at_least
from mlvet.domains.dims import maximum as larger
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops.danger import OVERFLOW, Danger, GradientAt, Near, Outside, Overflow
from mlvet.ops.derivative import Derivative, Partials, SameMap, Zero
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import NONNEGATIVE, POSITIVE, Affine, Monotone, Numeric, Piecewise, Range, Selection
from mlvet.ops.op import Op, Reference, pure
from mlvet.ops.samples import Samples, Tensors

Array = NDArray[Any]

ANY = Tensors()
WIDER_THAN_ONE = Range(low=-1.0, open_low=True)


def infer_pointwise(x: Tensor, **_: Any) -> Tensor:
    """The result has the operand's shape and dtype."""
    return x.without_value()


def is_narrow(array: Array) -> bool:
    """Whether an array holds floats of fewer than 32 bits, on which arithmetic is done in 32."""
    return array.dtype.itemsize < 4 and "float" in array.dtype.name


def keeping_dtype(function: Callable[..., Any]) -> Reference:
    """The function computed in at least f32 for floats, and rounded to the first operand's dtype."""

    @wraps(function)
    def run(x: Array, *others: Array | None, **attributes: Any) -> Array:
        x = np.asarray(x)
        operands = [x, *others]
        if is_narrow(x):
            operands = [a.astype(np.float32) if a is not None and is_narrow(a) else a for a in operands]
        return np.asarray(function(*operands, **attributes)).astype(x.dtype)

    return run


def elements(function: Callable[..., Any]) -> Reference:
    """A function of Python numbers made to work on arrays, as NumPy lacks it."""
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(ufunc(x), dtype=np.float64).astype(x.dtype)


def pointwise(
    name: str,
    reference: Callable[..., Any],
    numeric: Numeric,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
    samples: Samples = ANY,
    folds: bool = False,
) -> Op:
    """An operator that maps each element to one of the same dtype."""
    return pure(
        name,
        infer_pointwise,
        keeping_dtype(reference),
        samples,
        family="pointwise",
        numeric=numeric,
        index_map=Elementwise(),
        danger=danger,
        derivative=derivative,
        folds=folds,
    )


def _sign(x: Array) -> Any:
    return np.frompyfunc(_sign_of, 1, 1)(x) if x.dtype == object else np.sign(x)


def _sign_of(size: Any) -> int:
    if not isinstance(size, Expr):
        return int(size > 0) - int(size < 0)
    if at_least(size, 1):
        return 1
    if at_least(-1, size):
        return -1
    raise UnknownValue(f"the sign of {size}")


def _absolute(x: Array) -> Any:
    return np.frompyfunc(lambda size: larger(size, -size), 1, 1)(x) if x.dtype == object else np.abs(x)


identity = pointwise("identity", lambda x: x.copy(), Selection((0,)), derivative=SameMap(), folds=True)
neg = pointwise("neg", np.negative, Affine((-1.0,)), derivative=SameMap(), folds=True)
absolute = pointwise(
    "abs",
    _absolute,
    Piecewise((0.0,), image=NONNEGATIVE),
    derivative=Partials(lambda x: (np.sign(x),)),
    folds=True,
)
sign = pointwise("sign", _sign, Monotone(image=Range(-1, 1)), derivative=Zero(), folds=True)
square = pointwise(
    "square",
    lambda x: x * x,
    Piecewise((0.0,), image=NONNEGATIVE),
    danger=[OVERFLOW],
    derivative=Partials(lambda x: (2 * x,)),
    folds=True,
)
reciprocal = pointwise(
    "reciprocal",
    lambda x: 1 / x,
    Piecewise((0.0,)),
    danger=[Near(0, rule="division-by-zero", operand=0)],
    derivative=Partials(lambda x: (-1 / (x * x),)),
    samples=Tensors(low=0.1, high=10),
)
sqrt = pointwise(
    "sqrt",
    np.sqrt,
    Monotone(domain=NONNEGATIVE, image=NONNEGATIVE),
    danger=[Outside(NONNEGATIVE, rule="sqrt-of-negative"), GradientAt(0, rule="infinite-gradient")],
    derivative=Partials(lambda x: (0.5 / np.sqrt(x),)),
    samples=Tensors(low=1e-2, high=1e3),
)
rsqrt = pointwise(
    "rsqrt",
    lambda x: 1 / np.sqrt(x),
    Monotone(increasing=False, domain=POSITIVE, image=NONNEGATIVE),
    danger=[Outside(POSITIVE, rule="rsqrt-of-nonpositive"), Near(0, rule="rsqrt-of-nonpositive", operand=0)],
    derivative=Partials(lambda x: (-0.5 / (x * np.sqrt(x)),)),
    samples=Tensors(low=0.1, high=100),
)
exp = pointwise(
    "exp",
    np.exp,
    Monotone(image=NONNEGATIVE),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.exp(x),)),
)
exp2 = pointwise(
    "exp2",
    np.exp2,
    Monotone(image=NONNEGATIVE),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.exp2(x) * np.log(2.0),)),
)
expm1 = pointwise(
    "expm1",
    np.expm1,
    Monotone(image=Range(low=-1)),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.exp(x),)),
)


def _logarithm(name: str, reference: Callable[..., Any], scale: float) -> Op:
    return pointwise(
        name,
        reference,
        Monotone(domain=POSITIVE),
        danger=[Outside(POSITIVE, rule="log-of-nonpositive"), GradientAt(0, rule="infinite-gradient")],
        derivative=Partials(lambda x: (1 / (x * scale),)),
        samples=Tensors(low=1e-1, high=1e3),
    )


log = _logarithm("log", np.log, 1.0)
log2 = _logarithm("log2", np.log2, float(np.log(2.0)))
log10 = _logarithm("log10", np.log10, float(np.log(10.0)))
log1p = pointwise(
    "log1p",
    np.log1p,
    Monotone(domain=WIDER_THAN_ONE),
    danger=[Outside(WIDER_THAN_ONE, rule="log-of-nonpositive"), GradientAt(-1, rule="infinite-gradient")],
    derivative=Partials(lambda x: (1 / (1 + x),)),
    samples=Tensors(low=-0.9, high=1e3),
)
cube_root = pointwise(
    "cube_root",
    np.cbrt,
    Monotone(),
    danger=[GradientAt(0, rule="infinite-gradient")],
    derivative=Partials(lambda x: (1 / (3 * np.cbrt(x) ** 2),)),
    samples=Tensors(low=0.1, high=10),
)
nan_to_num = pointwise(
    "nan_to_num",
    lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    Monotone(),
    derivative=Partials(lambda x, **_: (np.isfinite(x).astype(x.dtype),)),
)
stop_gradient = pointwise("stop_gradient", lambda x: x.copy(), Selection((0,)), derivative=None, folds=True)
