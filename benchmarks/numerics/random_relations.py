"""Patterns in which two results are ordered or bounded by what they are made of, each with a slip now and then."""

from __future__ import annotations

from random_graphs import Growth, Known
from random_motifs import axis_of, divided, epsilon, masked, slip, tensor, unsafe

from mlvet.domains import dtypes


def pairwise_maximum(g: Growth) -> None:
    """exp(a - max(a, b)) + exp(b - max(a, b)), which is at least 1."""
    a = g.pick()
    b = g.fit(g.pick(), a.shape, a.dtype)
    top = g.apply(g.rng.choices(["max", "min"], [6, 1])[0], slip(g, a), b)
    parts = [g.apply("exp", g.apply("sub", slip(g, x), top)) for x in (a, b)]
    total = g.apply("add", *parts)
    if g.rng.random() < 0.5:
        g.apply("add", top, g.apply("log", total))
    else:
        divided(g, parts[0], total)


def ordered(g: Growth) -> None:
    """The difference of two results, one of which is mathematically never below the other, before a root or log."""
    x = tensor(g)
    axes = g.constant([axis_of(g, x)])
    match g.rng.randrange(9):
        case 0:
            high, low = (g.apply(how, x, axes, keepdims=True) for how in ("reduce_max", "reduce_min"))
        case 1:
            high, low = (g.apply(how, x, axes, keepdims=True) for how in ("reduce_max", "reduce_mean"))
        case 2:
            high, low = x, g.apply("reduce_min", x, axes, keepdims=True)
        case 3:
            high, low = g.apply(g.rng.choice(["abs", "relu", "softplus", "ceil", "exp"]), x), x
        case 4:
            high, low = x, g.apply(g.rng.choice(["floor", "log", "log1p", "sin", "tanh"]), x)
        case 5:
            other = g.fit(g.pick(), x.shape, x.dtype)
            high, low = g.apply("max", x, other), g.apply(g.rng.choice(["min", "max"]), other, x)
        case 6:
            high = g.apply("reduce_log_sum_exp", x, axes, keepdims=True)
            low = g.apply("reduce_max", x, axes, keepdims=True)
        case 7:
            square = g.apply("mul", x, slip(g, x))
            high, low = g.apply("sqrt", square), x
        case _:
            total = g.apply("cum_sum", g.apply("abs", x), g.constant(0))
            high, low = total, g.apply("abs", x)
    gap = g.apply("sub", slip(g, high), slip(g, low))
    if g.rng.random() < 0.3:
        gap = epsilon(g, gap)
    g.apply(g.rng.choice(["sqrt", "sqrt", "log1p", "log", "rsqrt", "reciprocal"]), gap)


def bounded(g: Growth) -> None:
    """1 - y*y or 1 - y, where y lies between -1 and 1, before a root, log or quotient."""
    x = g.pick()
    y = g.apply(g.rng.choice(["sin", "cos", "tanh", "sigmoid", "erf", "softsign", "hard_sigmoid", "sign"]), x)
    square = g.apply("mul", y, slip(g, y)) if g.rng.random() < 0.6 else y
    if g.rng.random() < 0.2:
        other = g.apply("cos", x)
        square = g.apply("add", square, g.apply("mul", other, other))
    rest = g.apply("sub", g.scalar(x, 1.0, 1.0, 1.0001, 2.0), slip(g, square))
    unsafe(g, epsilon(g, rest) if g.rng.random() < 0.4 else rest)


def normalised(g: Growth) -> None:
    """A tensor over its norm, sum or largest element, before an operator that is defined between -1 and 1."""
    x = tensor(g)
    axes = g.constant([axis_of(g, x)])
    kind = g.rng.randrange(4)
    if kind == 0:
        length = g.apply("sqrt", epsilon(g, g.apply("reduce_sum", g.apply("mul", x, slip(g, x)), axes, keepdims=True)))
    elif kind == 1:
        length = epsilon(g, g.apply("reduce_max", g.apply("abs", slip(g, x)), axes, keepdims=True))
    elif kind == 2:
        length = g.apply("reduce_l2", slip(g, x), axes, keepdims=True)
        length = g.apply("max", length, g.scalar(length, 1e-12, 1e-5, 0.0))
    else:
        low = g.apply("reduce_min", x, axes, keepdims=True)
        length = epsilon(g, g.apply("sub", g.apply("reduce_max", x, axes, keepdims=True), low))
        x = g.apply("sub", x, low)
    unit = divided(g, x, length)
    if g.rng.random() < 0.3:
        unit = g.apply("reduce_sum", g.apply("mul", unit, slip(g, unit)), axes, keepdims=True)
    g.apply(g.rng.choice(["acos", "asin", "atanh", "sqrt", "log", "log1p"]), unit)


def shares(g: Growth) -> None:
    """A softmax, its sum, its complement or its entropy."""
    x = tensor(g) if g.rng.random() < 0.7 else masked(g, tensor(g))
    axis = axis_of(g, x)
    p = g.apply("softmax", x, axis=axis)
    match g.rng.randrange(4):
        case 0:
            rest = g.apply("sub", g.scalar(p, 1.0), p)
            g.apply("log", epsilon(g, rest) if g.rng.random() < 0.6 else rest)
        case 1:
            total = g.apply("reduce_sum", slip(g, p), g.constant([axis]), keepdims=True)
            g.apply(g.rng.choice(["reciprocal", "log"]), total)
        case 2:
            g.apply("mul", p, g.apply("log", epsilon(g, slip(g, p))))
        case _:
            g.apply("mul", p, g.apply("log_softmax", slip(g, x), axis=axis))


def inverse(g: Growth) -> None:
    """An operator and its inverse, one after the other, with a slip between."""
    x = g.pick()
    pairs = [("exp", "log"), ("log", "exp"), ("square", "sqrt"), ("sqrt", "square"), ("reciprocal", "reciprocal"),
             ("tanh", "atanh"), ("sin", "asin"), ("cos", "acos"), ("expm1", "log1p"), ("log1p", "expm1"),
             ("sigmoid", "logit"), ("erf", "erfinv"), ("neg", "neg"), ("cosh", "acosh"), ("exp", "neg")]  # fmt: skip
    first, second = g.rng.choice(pairs)
    back = g.apply(second, slip(g, g.apply(first, x)))
    unsafe(g, g.apply("add", g.apply("sub", back, x), g.scalar(x, 1.0, 0.0, 1e-3)))


def narrowed(g: Growth) -> None:
    """A value against itself in a narrower or integer type."""
    x = g.pick()
    narrow = g.rng.choice([dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.i32, dtypes.f8e4m3fn, dtypes.f8e5m2, dtypes.i64])
    back = g.apply("cast", g.apply("cast", slip(g, x), to=narrow), to=x.dtype)
    rest = g.apply(g.rng.choice(["sub", "div", "add"]), x, back)
    unsafe(g, g.apply("add", rest, g.scalar(rest, 1.0, 0.5, 0.0)))


def counted(g: Growth) -> None:
    """A sum over a size or a count, which is an integer until it is cast."""
    x = tensor(g)
    total = g.apply("reduce_sum", x, None, keepdims=False)
    kind = g.rng.random()
    if kind < 0.4:
        count: Known = g.apply("size", slip(g, x))
    elif kind < 0.7:
        mask = g.truth(x.shape)
        count = g.apply("reduce_sum", g.apply("cast", mask, to=dtypes.i64), None, keepdims=False)
    else:
        count = g.apply("reduce_max", g.apply("cast", slip(g, x), to=dtypes.i64), None, keepdims=False)
    if g.rng.random() < 0.3:
        count = g.apply("sub", count, g.constant(g.rng.randint(0, 2)))
    if g.rng.random() < 0.3:
        count = g.apply("max", count, g.constant(g.rng.choice([0, 1])))
    divided(g, total, g.apply("cast", count, to=total.dtype))


def updated(g: Growth) -> None:
    """A tensor with a part overwritten or masked to zero, then read as if it had not been."""
    x = tensor(g)
    match g.rng.randrange(3):
        case 0:
            mask = g.apply("cast", g.truth(x.shape), to=x.dtype)
            held = g.apply("mul", x, mask)
            held = g.apply("add", held, g.apply("sub", g.scalar(x, 1.0), slip(g, mask)))
        case 1:
            held = g.apply("trilu", x, upper=g.rng.random() < 0.5) if x.array.ndim > 1 else x
            held = g.apply("add", held, g.scalar(x, 0.0, 1.0, 1e-3))
        case _:
            indices = g.input(x.shape, dtypes.i64, (0, x.shape[0] - 1))
            new = g.apply("add", g.apply("abs", g.fit(g.pick(), x.shape, x.dtype)), g.scalar(x, 1.0))
            held = g.apply("scatter_elements", x, indices, new, axis=0)
    unsafe(g, held)


RELATIONS = [
    pairwise_maximum, ordered, ordered, bounded, normalised, shares, inverse, narrowed, counted, updated,
]  # fmt: skip
