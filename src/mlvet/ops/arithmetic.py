"""Arithmetic on operands that broadcast, also on symbolic sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mlvet.domains import dims
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.dtypes import i32, u32
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops.danger import OVERFLOW, AllAt, Danger, GradientAt, Near, Outside
from mlvet.ops.derivative import Derivative, Partials, ProductRule, SameMap, Zero
from mlvet.ops.enclosures_elementwise import AND, ANGLE, HYPOTENUSE, OR, REMAINDER, SHIFTED, XOR
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import NONNEGATIVE, Affine, Composite, Lattice, Numeric, Power, Product, Quotient
from mlvet.ops.op import Infer, Op, pure
from mlvet.ops.pointwise import Array, keeping_dtype
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples, Tensors, broadcasting

PAIR = Tensors(count=2)
BY_ZERO = Near(0, rule="division-by-zero")


def infer_broadcast(*operands: Tensor, require: Require, **_: Any) -> Tensor:
    """The operands broadcast, and have one dtype, which is the result's."""
    return Tensor(require.same_dtype(*operands), require.broadcast_tensors(*operands))


def infer_power(x: Tensor, exponent: Tensor, *, require: Require) -> Tensor:
    """The operands broadcast; the exponent may have a dtype of its own."""
    return Tensor(x.dtype, require.broadcast_tensors(x, exponent))


def apart(draw: Draw, count: int = 2, low: float = 1, high: float = 5) -> tuple[Array, ...]:
    """Operands that broadcast, of which all but the first keep away from 0 on either side."""
    shapes = broadcasting(draw, count)
    first = draw.array(shapes[0], low=-8, high=8)
    others = [draw.array(shape, low=low, high=high) for shape in shapes[1:]]
    return (first, *(other * draw.choice([-1, 1]) for other in others))


def several(draw: Draw) -> Sample:
    """One to four operands that broadcast."""
    return Sample(tuple(draw.array(shape) for shape in broadcasting(draw, draw.integer(1, 4))))


def on_sizes(function: Callable[[Dim, Dim], Dim], numbers: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that is `numbers` on numbers, and `function` where there are symbolic sizes."""
    ufunc = np.frompyfunc(function, 2, 1)

    def run(a: Array, b: Array, **attributes: Any) -> Any:
        if a.dtype == object or np.asarray(b).dtype == object:
            return ufunc(a.astype(object), b.astype(object))
        return numbers(a, b, **attributes)

    return run


def _keep_object(function: Callable[..., Any]) -> Callable[..., Any]:
    """Sizes stay objects if any operand has them, else the first operand's dtype is kept."""
    kept = keeping_dtype(function)

    def run(*operands: Array, **attributes: Any) -> Array:
        if any(a is not None and a.dtype == object for a in operands):
            if any(a is not None and a.dtype.kind not in "Oiu" for a in operands):
                raise UnknownValue("sizes among numbers that are not whole")
            return np.asarray(function(*operands, **attributes), dtype=object)
        return np.asarray(kept(*operands, **attributes))

    return run


def elementwise(
    name: str,
    reference: Callable[..., Any],
    numeric: Numeric,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
    samples: Samples = PAIR,
    folds: bool = False,
    infer: Infer = infer_broadcast,
) -> Op:
    """An operator on elements of operands that broadcast, of one dtype."""
    return pure(
        name,
        infer,
        _keep_object(reference),
        samples,
        family="arithmetic",
        numeric=numeric,
        index_map=Elementwise(),
        danger=danger,
        derivative=derivative,
        folds=folds,
    )


def _truncated(a: Array, b: Array) -> Any:
    """The quotient; of integers, cut off towards zero."""
    if a.dtype.kind not in "iub":
        return a / b
    with np.errstate(all="ignore"):
        below = a // b
        return below + ((a % b != 0) & ((a < 0) != (b < 0)))


def _truncated_size(a: Dim, b: Dim) -> Dim:
    if isinstance(a, int) and isinstance(b, int) and b:
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    both = dims.at_least(a, 0) and dims.at_least(b, 0)
    if b != 0 and (both or dims.modulo(a, b) == 0):
        return dims.floor_div(a, b)
    raise UnknownValue(f"{a} / {b}")


def _floored_size(a: Dim, b: Dim) -> Dim:
    if b == 0:
        raise UnknownValue(f"{a} // {b}")
    return dims.floor_div(a, b)


def _remainder_size(a: Dim, b: Dim) -> Dim:
    if b == 0:
        raise UnknownValue(f"{a} % {b}")
    return dims.modulo(a, b)


def _power_size(a: Dim, b: Dim) -> Dim:
    if isinstance(b, Expr) or not 0 <= b <= 8:
        raise UnknownValue(f"{a} ** {b}")
    return dims.product([a] * int(b))


def _power(x: Array, exponent: Array) -> Any:
    if x.dtype.kind in "iu" and exponent.dtype.kind in "iu" and (exponent >= 0).all():
        return np.power(x, exponent.astype(x.dtype))
    with np.errstate(all="ignore"):
        return np.power(x.astype(np.float64), exponent) if x.dtype.kind in "iu" else np.power(x, exponent)


def _power_samples(draw: Draw) -> Sample:
    base, other = broadcasting(draw, 2)
    exponent = draw.array(other, low=-3, high=3)
    whole = draw.array(other, low=0, high=3, dtype=i32)
    return Sample((draw.array(base, low=0.2, high=4), draw.choice([exponent, whole])))


def _mod(a: Array, b: Array, fmod: int = 0) -> Any:
    with np.errstate(all="ignore"):
        return np.fmod(a, b) if fmod else np.mod(a, b)


def _all_of(build: Any, name: str, operands: tuple[Any, ...]) -> Any:
    return (
        reduce(lambda a, b: build.add(name, a, b), operands) if len(operands) > 1 else build.add("identity", *operands)
    )


def _decompose_mean(build: Any, *operands: Any) -> Any:
    count = build.add("cast_like", build.constant("count", float(len(operands))), operands[0])
    return build.add("div", _all_of(build, "add", operands), count)


def _extreme(numbers: Callable[..., Any], sizes: Callable[[Dim, Dim], Dim]) -> Callable[..., Any]:
    one = on_sizes(sizes, numbers)
    return lambda *operands: reduce(lambda a, b: np.asarray(one(np.asarray(a), np.asarray(b))), operands)


def _whose(extreme: Callable[..., Any]) -> Partials:
    def partials(*operands: Array) -> tuple[Array, ...]:
        best = reduce(extreme, operands)
        return tuple((operand == best).astype(best.dtype) for operand in operands)

    return Partials(partials)


def _quotient_partials(a: Array, b: Array) -> tuple[Any, Any]:
    return 1 / b, -a / (b * b)


def _power_partials(x: Array, exponent: Array) -> tuple[Any, Any]:
    result = np.power(x, exponent)
    return exponent * np.power(x, exponent - 1.0), result * np.log(x) if exponent.dtype.kind == "f" else None


add = elementwise("add", np.add, Affine((1.0, 1.0)), danger=[OVERFLOW], derivative=SameMap((0, 1)), folds=True)
sub = elementwise("sub", np.subtract, Affine((1.0, -1.0)), danger=[OVERFLOW], derivative=SameMap((0, 1)), folds=True)
mul = elementwise("mul", np.multiply, Product(), danger=[OVERFLOW], derivative=ProductRule(), folds=True)
div = elementwise(
    "div",
    on_sizes(_truncated_size, _truncated),
    Quotient(),
    danger=[BY_ZERO, OVERFLOW],
    derivative=Partials(_quotient_partials),
    samples=lambda draw: Sample(apart(draw)),
    folds=True,
)
floor_div = elementwise(
    "floor_div",
    on_sizes(_floored_size, np.floor_divide),
    Composite(lambda build, a, b: build.add("floor", build.add("div", a, b))),
    danger=[BY_ZERO, OVERFLOW],
    derivative=Zero(),
    samples=lambda draw: Sample(apart(draw)),
    folds=True,
)
mod = elementwise(
    "mod",
    on_sizes(_remainder_size, _mod),
    REMAINDER,
    danger=[BY_ZERO],
    derivative=Partials(lambda a, b, fmod=0: (np.ones_like(a), -np.trunc(a / b) if fmod else -np.floor(a / b))),
    samples=lambda draw: Sample(apart(draw), {"fmod": draw.integer(0, 1)}),
)
remainder = elementwise(
    "remainder",
    on_sizes(_remainder_size, np.mod),
    REMAINDER,
    danger=[BY_ZERO],
    derivative=Partials(lambda a, b: (np.ones_like(a), -np.floor(a / b))),
    samples=lambda draw: Sample(apart(draw)),
    folds=True,
)
power = elementwise(
    "pow",
    on_sizes(_power_size, _power),
    Power(),
    danger=[
        Outside(NONNEGATIVE, rule="outside-domain"),
        Near(0, rule="division-by-zero", operand=0),
        OVERFLOW,
        GradientAt(0, rule="infinite-gradient", below=(1, 1.0)),
    ],
    derivative=Partials(_power_partials),
    samples=_power_samples,
    folds=True,
    infer=infer_power,
)
maximum = elementwise(
    "max",
    _extreme(np.maximum, dims.maximum),
    Lattice(maximum=True),
    derivative=_whose(np.maximum),
    samples=several,
    folds=True,
)
minimum = elementwise(
    "min",
    _extreme(np.minimum, dims.minimum),
    Lattice(maximum=False),
    derivative=_whose(np.minimum),
    samples=several,
    folds=True,
)
total = elementwise(
    "sum",
    lambda *operands: reduce(np.add, operands),
    Composite(lambda build, *operands: _all_of(build, "add", operands)),
    danger=[OVERFLOW],
    derivative=Partials(lambda *operands: (1.0,) * len(operands)),
    samples=several,
    folds=True,
)
mean = elementwise(
    "mean",
    lambda *operands: reduce(np.add, operands) / len(operands),
    Composite(_decompose_mean),
    danger=[OVERFLOW],
    derivative=Partials(lambda *operands: (1.0 / len(operands),) * len(operands)),
    samples=several,
)
atan2 = elementwise(
    "atan2",
    np.arctan2,
    ANGLE,
    danger=[AllAt(0, rule="infinite-gradient", gradient=True)],
    derivative=Partials(lambda y, x: (x / (x * x + y * y), -y / (x * x + y * y))),
    samples=lambda draw: Sample(apart(draw)),
)
hypot = elementwise(
    "hypot",
    np.hypot,
    HYPOTENUSE,
    danger=[OVERFLOW, AllAt(0, rule="infinite-gradient", gradient=True)],
    derivative=Partials(lambda a, b: (a / np.hypot(a, b), b / np.hypot(a, b))),
    samples=lambda draw: Sample(apart(draw)),
)
squared_difference = elementwise(
    "squared_difference",
    lambda a, b: (a - b) * (a - b),
    Composite(lambda build, a, b: build.add("square", build.add("sub", a, b))),
    danger=[OVERFLOW],
    derivative=Partials(lambda a, b: (2 * (a - b), 2 * (b - a))),
)


def _bits(name: str, function: Callable[..., Any], numeric: Numeric) -> Op:
    return elementwise(
        name, function, numeric, derivative=Zero(), samples=Tensors(low=-100, high=100, count=2, dtype=i32)
    )


bitwise_and = _bits("bitwise_and", np.bitwise_and, AND)
bitwise_or = _bits("bitwise_or", np.bitwise_or, OR)
bitwise_xor = _bits("bitwise_xor", np.bitwise_xor, XOR)


def _shifted(a: Array, b: Array, direction: str) -> Any:
    return np.left_shift(a, b) if direction == "LEFT" else np.right_shift(a, b)


bit_shift = elementwise(
    "bit_shift",
    _shifted,
    SHIFTED,
    derivative=Zero(),
    samples=lambda draw: Sample(
        (draw.array(shape := draw.shape(), low=0, high=99, dtype=u32), draw.array(shape, low=0, high=7, dtype=u32)),
        {"direction": draw.choice(["LEFT", "RIGHT"])},
    ),
)


def infer_clip(x: Tensor, low: Tensor | None = None, high: Tensor | None = None, *, require: Require) -> Tensor:
    """The result is like x; the bounds broadcast to it."""
    dtype = require.same_dtype(x, low, high)
    given = [bound for bound in (low, high) if bound is not None]
    return Tensor(dtype, require.broadcast_tensors(x, *given) if given else x.shape)


def _clip(x: Array, low: Array | None = None, high: Array | None = None) -> Any:
    raised = x if low is None else maximum_of(x, low)
    return raised.copy() if high is None else minimum_of(raised, high)


maximum_of, minimum_of = _extreme(np.maximum, dims.maximum), _extreme(np.minimum, dims.minimum)


def _decompose_clip(build: Any, x: Any, low: Any = None, high: Any = None) -> Any:
    raised = build.add("identity", x) if low is None else build.add("max", x, low)
    return raised if high is None else build.add("min", raised, high)


def _clip_partials(x: Array, low: Array | None = None, high: Array | None = None) -> tuple[Any, ...]:
    raised = x if low is None else np.maximum(x, low)
    below = np.zeros(x.shape, bool) if low is None else x < low
    above = np.zeros(x.shape, bool) if high is None else raised > high
    partials = ((~below & ~above) * 1.0, (below & ~above) * 1.0, above * 1.0)
    return tuple(None if bound is None else partial for bound, partial in zip((x, low, high), partials, strict=True))


def _clip_samples(draw: Draw) -> Sample:
    low = draw.array((), low=-3, high=0) if draw.integer(0, 2) else None
    high = draw.array((), low=-1, high=3) if draw.integer(0, 2) else None
    return Sample((draw.array(draw.shape()), low, high))


clip = elementwise(
    "clip",
    _clip,
    Composite(_decompose_clip),
    derivative=Partials(_clip_partials),
    samples=_clip_samples,
    folds=True,
    infer=infer_clip,
)
