"""Random tensors, and tensors refilled with random numbers."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import drawn
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Size, as_size, as_sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import rank
from mlvet.frontends.python.libraries.torch.creation import spread, with_gradient
from mlvet.frontends.python.libraries.torch.element_types import default_float, wants_floats
from mlvet.frontends.python.libraries.torch.placement import factory
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made, method
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.Generator")
class Generator(Object):
    """A source of random numbers."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device

    def manual_seed(self, seed: Any) -> Any:
        return self

    def seed(self) -> Any:
        return self.initial_seed()

    def initial_seed(self) -> Any:
        return as_size(Scalar(int, "seed"))

    def get_state(self) -> Any:
        return get_rng_state()

    def set_state(self, new_state: Any) -> None:
        return None


@model("torch.manual_seed", "torch.random.manual_seed")
def manual_seed(seed: Any) -> Generator:
    return Generator()


@model("torch.seed", "torch.initial_seed")
def seed() -> Any:
    return as_size(Scalar(int, "seed"))


@model("torch.get_rng_state", "torch.cuda.get_rng_state", "torch.random.get_rng_state")
def get_rng_state(device: Any = None) -> Tensor:
    return opaque("get_rng_state", [], Type(dtypes.u8, (5056,)), Tensor)


@model("torch.set_rng_state", "torch.cuda.set_rng_state", "torch.random.set_rng_state")
def set_rng_state(new_state: Any, device: Any = None) -> None:
    return None


model("torch.default_generator")(None)


def _drawing(op: str, **figures: float) -> Any:
    def function(
        *sizes: Any, size: Any = None, generator: Any = None, out: Any = None, dtype: DType | None = None,
        layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: Any = None, names: Any = None,
    ) -> Tensor:  # fmt: skip
        to = dtype or default_float()
        demand(not to.is_integer, f"random numbers of {to} need randint", "dtype-differs")
        return with_gradient(drawn(op, spread(sizes, size), to, Tensor, **figures), requires_grad)

    return function


rand = factory("torch.rand")(_drawing("random_uniform", low=0.0, high=1.0))
randn = factory("torch.randn")(_drawing("random_normal", mean=0.0, scale=1.0))


def _like(op: str) -> Any:
    def function(
        input: Tensor, *, dtype: DType | None = None, layout: Any = None, device: Any = None, generator: Any = None,
        requires_grad: bool = False, memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        if dtype is None:
            wants_floats(input, op)
        return with_gradient(made(op, input, dtype=dtype or dtype_of(input)), requires_grad)

    return function


rand_like = factory("torch.rand_like", beside=True)(_like("random_uniform_like"))
randn_like = factory("torch.randn_like", beside=True)(_like("random_normal_like"))


def integers(low: Any, high: Any, sizes: Any, to: DType) -> Tensor:
    """Whole numbers from low to below high."""
    if not isinstance(low, int) or not isinstance(high, int):
        return opaque("randint", [], Type(to, tuple(sizes)), Tensor)
    demand(low < high, f"randint needs a low below high, but gets {low} and {high}")
    numbers = drawn("random_uniform", sizes, dtypes.f64, Tensor, low=float(low), high=float(high))
    return made("cast", made("floor", numbers), to=to)


@factory("torch.randint")
def randint(
    *args: Any, low: Any = None, high: Any = None, size: Any = None, generator: Any = None, out: Any = None,
    dtype: DType | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """randint(high, size) or randint(low, high, size)."""
    given = [*args, *(each for each in (low, high) if each is not None), *([] if size is None else [size])]
    if len(given) not in (2, 3):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "randint")
    first, last = (0, given[0]) if len(given) == 2 else given[:2]
    return integers(first, last, as_sizes(given[-1]), dtype or dtypes.i64)


@factory("torch.randint_like", beside=True)
def randint_like(input: Tensor, *args: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    return opaque("randint_like", [input], Type(dtype or dtype_of(input), tensor_of(input).shape), Tensor)


@factory("torch.randperm")
def randperm(
    n: Size, *, generator: Any = None, out: Any = None, dtype: DType | None = dtypes.i64, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: Any = None,
) -> Tensor:  # fmt: skip
    return opaque("randperm", [], Type(dtype or dtypes.i64, (n,)), Tensor)


@factory("torch.normal", beside=True)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, out: Any = None,
    dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    if size is not None:
        figures = {"mean": mean, "scale": std}
        known = {name: float(figure) for name, figure in figures.items() if isinstance(figure, int | float)}
        return drawn("random_normal", as_sizes(size), dtype or default_float(), Tensor, **known)
    from mlvet.frontends.python.libraries.torch.arithmetic import combined

    both = combined("add", mean, std)
    return opaque("normal", [each for each in (mean, std) if isinstance(each, TensorValue)], tensor_of(both), Tensor)


@method("torch.bernoulli")
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    if p is None:
        wants_floats(input, "bernoulli")
    return made("bernoulli", input, dtype=dtype_of(input))


@model("torch.poisson", "torch.binomial")
def poisson(input: Tensor, prob: Any = None, generator: Any = None) -> Tensor:
    return opaque("poisson", [input], tensor_of(input).without_value(), Tensor)


@method("torch.multinomial")
def multinomial(
    input: Tensor, num_samples: Size, replacement: bool = False, *, generator: Any = None, out: Any = None
) -> Tensor:
    wants_floats(input, "multinomial")
    dims = dims_of(input)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    demand(rank(input) in (1, 2), "multinomial needs a tensor of 1 or 2 dims", "rank-differs")
    if dims and isinstance(dims[-1], int) and isinstance(num_samples, int) and not replacement:
        demand(num_samples <= dims[-1], "multinomial without replacement draws at most as many as there are")
    return opaque("multinomial", [input], Type(dtypes.i64, (*dims[:-1], num_samples)), Tensor)


def _refilling(op: str) -> Any:
    def function(self: Tensor, *args: Any, generator: Any = None, **keywords: Any) -> Tensor:
        if op != "random" and op != "bernoulli":
            wants_floats(self, f"{op}_")
        found: Tensor = become(self, _drawn_like(op, self, args, keywords))
        return found

    return function


def _drawn_like(op: str, x: TensorValue, args: Any, keywords: Any) -> Tensor:
    names = {"uniform": ("from", "to"), "normal": ("mean", "std")}.get(op, ())
    figures = dict(zip(names, args, strict=False)) | {name: each for name, each in keywords.items() if name in names}
    values = [float(figures[name]) if isinstance(figures.get(name), int | float) else None for name in names]
    if op == "uniform":
        low, high = values
        return made("random_uniform_like", x, low=0.0 if low is None else low, high=1.0 if high is None else high)
    if op == "normal":
        mean, scale = values
        return made("random_normal_like", x, mean=0.0 if mean is None else mean, scale=1.0 if scale is None else scale)
    return opaque(op, [x], tensor_of(x).without_value(), Tensor)


for _name in ("uniform", "normal", "random", "bernoulli", "exponential", "cauchy", "log_normal", "geometric"):
    attach(f"{_name}_", _refilling(_name))


def refilled(x: Tensor, other: TensorValue) -> Tensor:
    """The tensor with other contents of its own element type."""
    found: Tensor = become(x, cast(other, dtype_of(x)))
    return found


@model("torch.quasirandom.SobolEngine")
class SobolEngine(Object):
    def __init__(self, dimension: Size, scramble: bool = False, seed: Any = None) -> None:
        self.dimension = dimension

    def draw(self, n: Size = 1, out: Any = None, dtype: DType | None = None) -> Tensor:
        return opaque("sobol", [], Type(dtype or default_float(), (n, self.dimension)), Tensor)
