"""Patterns of real models in random graphs, each with a slip now and then.

They are where an analysis is clever: maxima subtracted, squares, guards, masks, sums that cancel. A slip, such as
another axis or another operand in one place, makes the clever answer wrong.
"""

from __future__ import annotations

import numpy as np
from pooled_draw import Unfit
from random_graphs import Growth, Known

UNSAFE = (
    "log", "sqrt", "rsqrt", "reciprocal", "exp", "log1p", "log2", "acos", "asin", "atanh", "logit", "acosh", "tan",
    "expm1", "sinh", "digamma", "lgamma", "log10", "exp2", "erfinv", "square", "cosh",
)  # fmt: skip


def slip(g: Growth, x: Known) -> Known:
    """The value itself, or now and then a copy, a rearrangement of it, or another value in its place."""
    kind = g.rng.random()
    if kind < 0.7:
        return x
    if kind < 0.76:
        return g.apply(g.rng.choice(["identity", "stop_gradient"]), x)
    if kind < 0.82 and x.array.ndim:
        return g.apply("flip", x, axes=(axis_of(g, x),))
    if kind < 0.86 and x.array.ndim:
        return g.apply("roll", x, shifts=(1,), axes=(axis_of(g, x),))
    if kind < 0.88:
        return g.apply("mul", x, g.scalar(x, 1.0, 2.0, -1.0, 0.5))
    if kind < 0.9:
        return g.apply("add", x, g.scalar(x, 0.0, 1.0, 1e-5))
    if kind < 0.92 and x.array.ndim:
        flat = g.apply("reshape", x, g.constant([-1]))
        return g.apply("reshape", flat, g.constant(x.shape))
    if kind < 0.94 and x.array.ndim > 1:
        turned = g.apply("transpose", x, perm=tuple(range(x.array.ndim))[::-1])
        return g.apply("reshape", turned, g.constant(x.shape))
    return g.fit(g.pick(), x.shape, x.dtype)


def axis_of(g: Growth, x: Known) -> int:
    """Any axis of a tensor."""
    return g.rng.randrange(x.array.ndim)


def _axes(g: Growth, x: Known, usual: int) -> Known:
    axis = usual if g.rng.random() < 0.85 else axis_of(g, x)
    return g.constant([axis if g.rng.random() < 0.8 else axis - x.array.ndim])


def tensor(g: Growth) -> Known:
    """A value that has an axis."""
    return g.pick(low_rank=1)


def epsilon(g: Growth, x: Known) -> Known:
    """The sum of a value and a small number, which may be too small to matter."""
    return g.apply("add", x, g.scalar(x, 1e-5, 1e-3, 1e-12, 1e-10, 1e-7, 0.0, 1.0, 1e-40))


def unsafe(g: Growth, x: Known) -> Known:
    """An operator that fails for some operands, on this one."""
    return g.apply(g.rng.choice(UNSAFE), x)


def divided(g: Growth, x: Known, y: Known) -> Known:
    """A quotient, or a product with a reciprocal."""
    if g.rng.random() < 0.2:
        return g.apply("mul", x, g.apply("reciprocal", y))
    return g.apply("div", x, y)


def _exponentials(g: Growth, x: Known, axis: int) -> tuple[Known, Known, Known]:
    """The maximum along an axis, the exponentials of what lies below it, and their sum."""
    how = g.rng.choices(["reduce_max", "reduce_min", "reduce_mean", "reduce_log_sum_exp"], [16, 1, 1, 1])[0]
    top = g.apply(how, slip(g, x), _axes(g, x, axis), keepdims=True)
    if g.rng.random() < 0.15:
        flat = g.apply("squeeze", top, g.constant([axis] if top.shape[axis] == 1 else []))
        place = g.constant([g.rng.randrange(flat.array.ndim + 1)])
        top = flat if g.rng.random() < 0.5 else g.apply("unsqueeze", flat, place)
    below = g.apply("sub", slip(g, x), slip(g, top))
    if g.rng.random() < 0.15:
        below = g.apply("mul", below, g.scalar(below, 0.5, 2.0, 10.0, -1.0))
    if g.rng.random() < 0.1:
        below = masked(g, below)
    high = g.apply(g.rng.choices(["exp", "exp2", "expm1"], [10, 1, 1])[0], below)
    return top, high, g.apply("reduce_sum", slip(g, high), _axes(g, x, axis), keepdims=True)


def stable_softmax(g: Growth) -> None:
    x = tensor(g)
    _, high, total = _exponentials(g, x, axis_of(g, x))
    share = divided(g, high, total)
    if g.rng.random() < 0.4:
        g.apply("log", share if g.rng.random() < 0.5 else epsilon(g, share))


def log_sum_exp(g: Growth) -> None:
    x = tensor(g)
    top, _, total = _exponentials(g, x, axis_of(g, x))
    whole = g.apply("add", g.apply("log", total), top)
    if g.rng.random() < 0.5:
        g.apply("sub", x, whole)


def masked(g: Growth, x: Known) -> Known:
    """The value where a mask holds, else -inf or a large negative number; or the sum with such a mask."""
    low = g.scalar(x, -np.inf, -np.inf, -1e9, float(x.dtype.least), -1e4)
    if g.rng.random() < 0.6:
        return g.apply("where", g.truth(x.shape), x, low)
    mask = np.where(g.numbers.random(x.shape) < 0.4, low.array, x.dtype.numpy.type(0)).astype(x.dtype.numpy)
    if x.array.ndim and g.rng.random() < 0.5:
        mask[..., 0] = 0
    return g.apply("add", x, g.constant(mask))


def masked_softmax(g: Growth) -> None:
    x = tensor(g)
    scores = masked(g, x)
    axis = axis_of(g, x)
    kind = g.rng.random()
    if kind < 0.4:
        g.apply(g.rng.choice(["softmax", "log_softmax"]), scores, axis=axis)
    elif kind < 0.5:
        g.apply("reduce_log_sum_exp", scores, g.constant([axis]), keepdims=True)
    else:
        _, high, total = _exponentials(g, scores, axis)
        divided(g, high, total)


def layer_norm(g: Growth) -> None:
    x = tensor(g)
    axis = axis_of(g, x)
    mean = g.apply("reduce_mean", slip(g, x), _axes(g, x, axis), keepdims=True)
    gap = g.apply("sub", x, mean)
    square = g.apply("square", gap) if g.rng.random() < 0.3 else g.apply("mul", gap, slip(g, gap))
    if g.rng.random() < 0.1:
        square = g.apply("pow", gap, g.scalar(gap, 2.0, 2.0, 3.0, 4.0))
    variance = g.apply("reduce_mean", square, _axes(g, x, axis), keepdims=True)
    kept = epsilon(g, variance)
    if g.rng.random() < 0.5:
        g.apply("mul", gap, g.apply("rsqrt", kept))
    else:
        divided(g, gap, g.apply("sqrt", kept))


def moments(g: Growth) -> None:
    """The variance as the mean of squares less the square of the mean, which rounding can make negative."""
    x = tensor(g)
    axes = _axes(g, x, axis_of(g, x))
    mean = g.apply("reduce_mean", x, axes, keepdims=True)
    squares = g.apply("reduce_mean", g.apply("mul", x, slip(g, x)), axes, keepdims=True)
    variance = g.apply("sub", squares, g.apply("mul", mean, slip(g, mean)))
    if g.rng.random() < 0.3:
        variance = g.apply("relu", variance)
    g.apply(g.rng.choice(["sqrt", "rsqrt", "log"]), epsilon(g, variance) if g.rng.random() < 0.7 else variance)


def rectangle(g: Growth) -> None:
    """Corners from a centre and an offset, joined and split again; the centre cancels in width and height."""
    centre = g.pick(low_rank=1)
    offset = g.fit(g.pick(), centre.shape, centre.dtype)
    if g.rng.random() < 0.6:
        offset = g.apply("max", offset, g.scalar(offset, 1.0, 0.5, 0.0, 1e-3))
    axis = axis_of(g, centre)
    low = g.apply("sub", centre, slip(g, offset))
    high = g.apply("add", slip(g, centre), offset)
    corners = g.apply("concat", low, high, axis=axis)
    size = centre.shape[axis]
    cut = size if g.rng.random() < 0.85 else g.rng.randint(0, 2 * size)
    first, second = g.apply_all("split", [corners, g.constant([cut, 2 * size - cut])], {"axis": axis})
    width = g.apply("sub", second, first)
    if g.rng.random() < 0.5:
        width = g.apply("mul", width, slip(g, width))
    g.apply(g.rng.choice(["reciprocal", "log", "sqrt", "rsqrt"]), width)


def relu_identity(g: Growth) -> None:
    """relu(a) - relu(-a), which is a."""
    a = g.pick()
    left, right = g.apply("relu", a), g.apply("relu", g.apply("neg", slip(g, a)))
    back = g.apply(g.rng.choices(["sub", "add"], [4, 1])[0], left, right)
    rest = g.apply(g.rng.choice(["sub", "add"]), back, slip(g, a))
    unsafe(g, g.apply("add", rest, g.scalar(rest, 1.0, 0.5, 1e-3, 0.0)))


def guard(g: Growth) -> None:
    """An unsafe operator whose result a selection discards, or on operands that a selection replaced."""
    x = g.pick()
    relation = g.rng.choice(["greater", "greater_or_equal", "less", "less_or_equal", "equal", "not_equal"])
    bound = g.scalar(x, 0.0, 0.0, 0.0, 1e-5, 1.0, -1.0, 1e-40)
    operands = [slip(g, x), bound] if g.rng.random() < 0.8 else [bound, slip(g, x)]
    condition = g.apply(relation, *operands)
    if g.rng.random() < 0.2:
        condition = g.apply("not", condition)
    if g.rng.random() < 0.2:
        other = g.apply(g.rng.choice(["less", "greater"]), x, g.scalar(x, 1.0, 10.0, 80.0, -1.0))
        condition = g.apply(g.rng.choice(["and", "or"]), condition, other)
    spare = g.scalar(x, 1.0, 0.0, 0.5, 2.0)
    kind = g.rng.random()
    choose = g.rng.choice(["where", "where", "select"])
    if kind < 0.5:
        risky = unsafe(g, x) if g.rng.random() < 0.7 else g.apply("div", g.fit(g.pick(), x.shape, x.dtype), x)
        if g.rng.random() < 0.3:
            risky = g.apply(g.rng.choice(["mul", "add"]), risky, g.scalar(risky, 2.0, 0.0, -1.0))
        pair = [risky, g.fit(spare, risky.shape, risky.dtype) if choose == "select" else spare]
        g.apply(choose, condition, *(pair if g.rng.random() < 0.8 else pair[::-1]))
    else:
        pair = [x, g.fit(spare, x.shape, x.dtype) if choose == "select" else spare]
        unsafe(g, g.apply(choose, condition, *(pair if g.rng.random() < 0.8 else pair[::-1])))


def clipped(g: Growth) -> None:
    x = g.pick()
    match g.rng.randrange(5):
        case 0:
            ends = g.scalar(x, 1e-7, 1e-12, 0.0, -1.0, -80.0, 1e-40), g.scalar(x, 1.0, 80.0, 1e4, 0.999)
            held = g.apply("clip", x, *ends)
        case 1:
            held = g.apply("max", slip(g, x), g.scalar(x, 1e-7, 0.0, 1.0, 1e-40, -1.0))
        case 2:
            held = g.apply("min", slip(g, x), g.scalar(x, 80.0, 10.0, 0.0, 100.0, -1e-7))
        case 3:
            held = epsilon(g, g.apply(g.rng.choice(["abs", "relu", "softplus", "exp", "sigmoid"]), x))
        case _:
            held = g.apply(g.rng.choice(["relu6", "sigmoid", "tanh", "hard_sigmoid", "cos", "erf", "softsign"]), x)
    unsafe(g, held)


def same_operand(g: Growth) -> None:
    """Expressions that read one value twice."""
    x = g.pick()
    y = slip(g, x)
    match g.rng.randrange(9):
        case 0:
            divided(g, x, g.apply("add", g.apply("mul", x, y), g.scalar(x, 1.0, 1e-5, 0.0)))
        case 1:
            part = g.apply("sub", g.apply("mul", x, y), g.apply("mul", g.scalar(x, 2.0, 1.0), x))
            g.apply("sqrt", g.apply("add", part, g.scalar(x, 1.0, 2.0, 0.5)))
        case 2:
            divided(g, x, g.apply(g.rng.choice(["reduce_sum", "reduce_l2", "reduce_max", "reduce_l1"]), y, None))
        case 3:
            divided(g, x, y)
        case 4:
            unsafe(g, g.apply(g.rng.choice(["sub", "div", "mul", "add"]), x, y))
        case 5:
            p = g.apply("sigmoid", x)
            inner = g.apply("sub", g.scalar(p, 1.0), slip(g, p))
            g.apply("log", epsilon(g, inner) if g.rng.random() < 0.7 else inner)
        case 6:
            total = g.apply("reduce_sum", g.apply("mul", x, y), None, keepdims=True)
            divided(g, x, g.apply("sqrt", epsilon(g, total)))
        case 7:
            divided(g, x, epsilon(g, g.apply("abs", y)))
        case _:
            g.apply("mul", y, g.apply("log", x))


def cancelling(g: Growth) -> None:
    """Linear combinations in which a part cancels, before something unsafe."""
    x = g.pick()
    y = g.fit(g.pick(), x.shape, x.dtype)
    total = g.apply(g.rng.choice(["add", "sub"]), x, y)
    for _ in range(g.rng.randint(1, 3)):
        term = slip(g, g.rng.choice([x, y, total]))
        if g.rng.random() < 0.4:
            term = g.apply("mul", term, g.scalar(term, 2.0, -1.0, 0.5, 3.0))
        total = g.apply(g.rng.choice(["sub", "add"]), total, term)
    unsafe(g, total if g.rng.random() < 0.3 else g.apply("add", total, g.scalar(total, 1.0, 0.5, 1e-3)))


def moved(g: Growth) -> None:
    """A tensor against a rearrangement of itself, where element by element equalities no longer hold."""
    x = tensor(g)
    axis = axis_of(g, x)
    size = x.shape[axis]
    match g.rng.randrange(5):
        case 0:
            other = g.apply("flip", x, axes=(axis,))
        case 1:
            order = g.constant(g.numbers.integers(0, size, size))
            other = g.apply("gather", x, order, axis=axis)
        case 2 if size > 1:
            cut = g.rng.randint(1, size - 1)
            parts = g.apply_all("split", [x, g.constant([cut, size - cut])], {"axis": axis})
            other = g.apply("concat", *(parts if g.rng.random() < 0.5 else parts[::-1]), axis=axis)
        case 3 if size > 1:
            ends = [g.apply("slice", x, *map(g.constant, ([a], [b], [axis]))) for a, b in ((0, size - 1), (1, size))]
            x, other = ends
        case _:
            turned = g.apply("transpose", x, perm=tuple(g.rng.sample(range(x.array.ndim), x.array.ndim)))
            other = turned if turned.shape == x.shape else g.apply("reshape", turned, g.constant(x.shape))
    rest = g.apply(g.rng.choice(["sub", "div", "add"]), x, other)
    if g.rng.random() < 0.7:
        unsafe(g, g.apply("add", rest, g.scalar(rest, 1.0, 0.5, 0.0)))


def patchwork(g: Growth) -> None:
    """Parts of different ranges joined, moved and taken apart again, so that each part keeps its own range."""
    x = tensor(g)
    axis = axis_of(g, x)
    other = g.apply("add", g.apply("abs", g.fit(g.pick(), x.shape, x.dtype)), g.scalar(x, 1.0, 1e-3))
    joined = g.apply(g.rng.choice(["concat", "concat", "stack"]), x, other, axis=axis)
    whole = joined.shape
    if g.rng.random() < 0.4:
        joined = g.apply(g.rng.choice(["exp", "neg", "square", "relu"]), joined)
    if g.rng.random() < 0.3 and joined.array.ndim > 1:
        joined = g.apply("transpose", joined, perm=tuple(g.rng.sample(range(joined.array.ndim), joined.array.ndim)))
    if g.rng.random() < 0.3:
        joined = g.apply("reshape", joined, g.constant([joined.shape[0], -1]))
    axis = g.rng.randrange(joined.array.ndim)
    size = joined.shape[axis]
    start = g.rng.randint(0, size - 1)
    step = g.rng.choice([1, 1, 1, 2])
    part = g.apply("slice", joined, *map(g.constant, ([start], [g.rng.randint(start + 1, size)], [axis], [step])))
    if not part.array.size or len(whole) > 4:
        raise Unfit
    unsafe(g, part)


def arithmetic(g: Growth) -> None:
    """One step of plain arithmetic."""
    x = g.pick()
    y = g.fit(g.pick(), x.shape, x.dtype) if g.rng.random() < 0.6 else g.scalar(x, 0.5, 2.0, -1.0, 1.0, 0.0, 1e-5)
    g.apply(g.rng.choice(["add", "sub", "mul", "div", "max", "min", "pow", "squared_difference"]), x, y)


def anything(g: Growth) -> None:
    """An unsafe operator on whatever is there."""
    unsafe(g, g.pick())


MOTIFS = [
    stable_softmax, log_sum_exp, masked_softmax, layer_norm, moments, rectangle, relu_identity, guard, guard, clipped,
    same_operand, cancelling, moved, patchwork, arithmetic, arithmetic, anything,
]  # fmt: skip
