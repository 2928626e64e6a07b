"""jax.random: keys, and arrays drawn with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import product
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.creation import drawn
from mlvet.frontends.python.emission import demand, demand_same, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, SizeOrSizes
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, ShapeLike, Tensor, as_jax, canonical, inexact
from mlvet.frontends.python.libraries.jax.numpy.creation import sized
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("jax.random.key")
def key(seed: Any, *, impl: Any = None) -> Tensor:
    """A key is an array without an element type of ours."""
    return opaque("key", [], Known(None, ()), Array)


@model("jax.random.PRNGKey")
def prng_key(seed: Any, *, impl: Any = None) -> Tensor:
    return opaque("key", [], Known(dtypes.u32, (2,)), Array)


def _old(key: TensorValue) -> bool:
    """Whether a key is of the kind whose last dim is the key itself."""
    return dtype_of(key) is dtypes.u32


@model("jax.random.split")
def split(key: Tensor, num: SizeOrSizes = 2) -> Tensor:
    dims = dims_of(key)
    if dims is None:
        dims = (2,) if _old(key) else ()
    return opaque("split", [key], Known(dtype_of(key), (*sized(num), *dims)), Array)


@model("jax.random.fold_in", "jax.random.clone")
def fold_in(key: Tensor, data: Any = None) -> Tensor:
    return opaque("fold_in", [key], tensor_of(key).without_value(), Array)


@model("jax.random.key_data")
def key_data(keys: Tensor) -> Tensor:
    return opaque("key_data", [keys], Known(dtypes.u32, (*(dims_of(keys) or ()), 2)), Array)


@model("jax.random.wrap_key_data")
def wrap_key_data(key_bits_array: Tensor, *, impl: Any = None) -> Tensor:
    return opaque("key", [key_bits_array], Known(None, (dims_of(key_bits_array) or (2,))[:-1]), Array)


def draw(op: str, key: Any, shape: Any, dtype: Any, **figures: Any) -> Any:
    """Random numbers of a shape; one key makes them."""
    del key
    return drawn(op, sized(shape), canonical(dtype) or dtypes.f32, Array, **figures)


@model("jax.random.normal")
def normal(key: Tensor, shape: ShapeLike = (), dtype: DType | None = None, *, out_sharding: Any = None) -> Tensor:
    return draw("random_normal", key, shape, dtype)


@model("jax.random.uniform")
def uniform(
    key: Tensor, shape: ShapeLike = (), dtype: DType | None = None, minval: Number = 0.0, maxval: Number = 1.0, *,
    out_sharding: Any = None,
) -> Tensor:  # fmt: skip
    figures = {"low": minval, "high": maxval} if all(isinstance(v, int | float) for v in (minval, maxval)) else {}
    for bound in (minval, maxval):
        if isinstance(bound, TensorValue):
            emit("broadcast_to", as_jax(bound), sized(shape))
    return draw("random_uniform", key, shape, dtype, **{n: float(v) for n, v in figures.items()})


@model("jax.random.truncated_normal")
def truncated_normal(
    key: Tensor, lower: Any, upper: Any, shape: ShapeLike | None = None, dtype: DType | None = None, **_: Any
) -> Tensor:
    return draw("random_uniform", key, () if shape is None else shape, dtype, low=-2.0, high=2.0)


@model("jax.random.randint")
def randint(
    key: Tensor, shape: ShapeLike, minval: Any, maxval: Any, dtype: DType | None = None, *, out_sharding: Any = None
) -> Tensor:
    return opaque("randint", [], Known(canonical(dtype) or dtypes.i32, sized(shape)), Array)


@model("jax.random.bits")
def bits(key: Tensor, shape: ShapeLike = (), dtype: DType | None = None, *, out_sharding: Any = None) -> Tensor:
    return opaque("bits", [], Known(canonical(dtype) or dtypes.u32, sized(shape)), Array)


@model("jax.random.bernoulli")
def bernoulli(key: Tensor, p: ArrayLike = 0.5, shape: ShapeLike | None = None, mode: Any = None, **_: Any) -> Tensor:
    share = as_jax(p)
    if shape is None:
        return opaque("bernoulli", [share], Known(dtypes.bool_, tensor_of(share).shape), Array)
    emit("broadcast_to", share, sized(shape))
    return opaque("bernoulli", [share], Known(dtypes.bool_, sized(shape)), Array)


SHAPED = {  # name: how many parameters come before the shape
    "exponential": 0, "gumbel": 0, "laplace": 0, "logistic": 0, "cauchy": 0, "rademacher": 0, "rayleigh": 1,
    "gamma": 1, "loggamma": 1, "chisquare": 1, "pareto": 1, "t": 1, "poisson": 1, "geometric": 1, "beta": 2,
    "binomial": 2, "weibull_min": 2, "f": 2, "generalized_normal": 1, "maxwell": 0, "double_sided_maxwell": 2,
}  # fmt: skip
WHOLE = ("rademacher", "poisson", "geometric")


def _shaped(name: str, count: int) -> Callable[..., Any]:
    whole = dtypes.i32 if name in WHOLE else dtypes.f32

    def plain(key: Tensor, shape: ShapeLike = (), dtype: DType | None = None) -> Tensor:
        return opaque(name, [], Known(canonical(dtype) or whole, sized(shape)), Array)

    def of_one(key: Tensor, a: ArrayLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
        to = canonical(dtype) or whole
        return opaque(name, [a], Known(to, tensor_of(a).shape if shape is None else sized(shape)), Array)

    def of_two(
        key: Tensor, a: ArrayLike, b: ArrayLike, shape: ShapeLike | None = None, dtype: DType | None = None
    ) -> Tensor:
        both = emit("add", inexact(a), inexact(b), kind=Array)
        to = canonical(dtype) or whole
        return opaque(name, [a, b], Known(to, tensor_of(both).shape if shape is None else sized(shape)), Array)

    return (plain, of_one, of_two)[count]


for _name, _count in SHAPED.items():
    model(f"jax.random.{_name}")(_shaped(_name, _count))


@model("jax.random.categorical")
def categorical(
    key: Tensor,
    logits: ArrayLike,
    axis: int = -1,
    shape: ShapeLike | None = None,
    replace: bool = True,
    mode: Any = None,
) -> Tensor:
    dims = dims_of(logits)
    if dims is None and shape is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "logits of unknown rank")
    if dims is not None:
        demand(-len(dims) <= axis < len(dims), f"axis {axis} of {len(dims)} dims", "axis-out-of-range")
    if shape is not None:
        return opaque("categorical", [logits], Known(dtypes.i32, sized(shape)), Array)
    rest = list(dims or ())
    if rest:
        del rest[axis]
    return opaque("categorical", [logits], Known(dtypes.i32, tuple(rest)), Array)


@model("jax.random.permutation")
def permutation(key: Tensor, x: Any, axis: int = 0, independent: bool = False, **_: Any) -> Tensor:
    if isinstance(x, TensorValue) and dims_of(x) != ():
        return opaque("permutation", [as_jax(x)], tensor_of(as_jax(x)).without_value(), Array)
    from mlvet.frontends.python.libraries.binding import as_size

    return opaque("permutation", [], Known(dtypes.i32, (as_size(x, "n"),)), Array)


@model("jax.random.shuffle")
def shuffle(key: Tensor, x: ArrayLike, axis: int = 0) -> Tensor:
    return permutation(key, x, axis)


@model("jax.random.choice")
def choice(
    key: Tensor, a: Any, shape: ShapeLike = (), replace: bool = True, p: Any = None, axis: int = 0, mode: Any = None
) -> Tensor:
    wanted = sized(shape)
    values = as_jax(a)
    dims = dims_of(values)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "choices of unknown rank")
    count, drawn = a if isinstance(a, int) else dims[axis % len(dims)] if dims else None, product(wanted)
    if replace is False and isinstance(count, int) and isinstance(drawn, int):
        demand(drawn <= count, f"{drawn} different ones are drawn of {count}", "size-out-of-range")
    if not dims:
        return opaque("choice", [], Known(dtypes.i32, wanted), Array)
    at = axis % len(dims)
    return opaque("choice", [values], Known(dtype_of(values), (*dims[:at], *wanted, *dims[at + 1 :])), Array)


@model("jax.random.multivariate_normal")
def multivariate_normal(
    key: Tensor, mean: ArrayLike, cov: ArrayLike, shape: ShapeLike | None = None, dtype: DType | None = None,
    method: Any = "cholesky",
) -> Tensor:  # fmt: skip
    middle = dims_of(mean)
    if middle is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a mean of unknown rank")
    batch = middle[:-1] if shape is None else sized(shape)
    spread = dims_of(cov)
    if spread is not None and middle:
        demand_same(
            spread[-2:], (middle[-1], middle[-1]), f"the covariance of {middle[-1]} numbers is a square of them"
        )
    return opaque(
        "multivariate_normal", [mean, cov], Known(canonical(dtype) or dtypes.f32, (*batch, *middle[-1:])), Array
    )


@model("jax.random.dirichlet")
def dirichlet(key: Tensor, alpha: ArrayLike, shape: ShapeLike | None = None, dtype: DType | None = None) -> Tensor:
    dims = dims_of(alpha) or ()
    batch = dims[:-1] if shape is None else sized(shape)
    return opaque("dirichlet", [alpha], Known(canonical(dtype) or dtypes.f32, (*batch, *dims[-1:])), Array)


@model("jax.random.orthogonal")
def orthogonal(key: Tensor, n: Any, shape: ShapeLike = (), dtype: DType | None = None, m: Any = None) -> Tensor:
    sides = (n, n if m is None else m)
    return opaque("orthogonal", [], Known(canonical(dtype) or dtypes.f32, (*sized(shape), *sides)), Array)


@model("jax.random.ball")
def ball(key: Tensor, d: Any, p: Any = 2, shape: ShapeLike = (), dtype: DType | None = None) -> Tensor:
    return opaque("ball", [], Known(canonical(dtype) or dtypes.f32, (*sized(shape), d)), Array)
