"""Random arrays: the functions of numpy.random, RandomState and Generator, which share most methods."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, product, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import drawn
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, local, ndarray
from mlvet.frontends.python.libraries.numpy.creation import sizes_of
from mlvet.frontends.python.libraries.numpy.element_types import element_type
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _figure(value: Any, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default


def _shape(size: Any, *parameters: Any) -> tuple[Dim, ...]:
    """The shape that is asked for, else that of the parameters taken together."""
    if size is not None:
        return sizes_of(size)
    shaped = [as_ndarray(each) for each in parameters if isinstance(each, TensorValue | ListValue | tuple)]
    if not shaped:
        return ()
    common = shaped[0]
    for other in shaped[1:]:
        common = emit("add", common, other)
    dims = dims_of(common)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "parameters of unknown rank")
    return dims


def _drawn_like(size: Any, dtype: DType, *parameters: Any) -> Any:
    """Numbers of a distribution that has no operator of its own."""
    sizes = _shape(size, *parameters)
    return one(dtype) if size is None and sizes == () else opaque("random", [], Type(dtype, sizes), ndarray)


def one(dtype: DType) -> Any:
    """One random number of Python's own; integers are not negative, as far as programs draw them."""
    return symbol(machine().fresh("draw")) if dtype.is_integer else Scalar(float)


def _numbers(op: str, size: Any, parameters: tuple[Any, ...], figures: dict[str, float]) -> Any:
    sizes = _shape(size, *parameters)
    return one(dtypes.f64) if size is None and sizes == () else drawn(op, sizes, dtypes.f64, ndarray, **figures)


def _cast(x: Any, dtype: Any) -> Any:
    return cast(x, element_type(dtype)) if isinstance(x, TensorValue) else x


class _Draws(Object):
    """What RandomState, Generator and the module itself have in common."""

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        figures = {"mean": _figure(loc, 0.0), "scale": _figure(scale, 1.0)}
        return _numbers("random_normal", size, (loc, scale), figures)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
        figures = {"low": _figure(low, 0.0), "high": _figure(high, 1.0)}
        return _numbers("random_uniform", size, (low, high), figures)

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        return _cast(self.uniform(0.0, 1.0, size), dtype)

    def shuffle(self, x: Any, axis: Any = 0) -> None:
        """The same elements in another order; those of a list are told apart no more."""
        if isinstance(x, TensorValue):
            become(x, opaque("shuffle", [x], tensor_of(x).without_value(), type(x)))

    def permutation(self, x: Any, axis: Any = 0) -> Tensor:
        if isinstance(x, int | Expr | Scalar | Unknown):
            return opaque("permutation", [], Type(dtypes.i64, (as_size(x, "items"),)), ndarray)
        array = as_ndarray(x)
        return opaque("permutation", [array], tensor_of(array).without_value(), ndarray)

    def choice(
        self, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: int = 0, shuffle: Any = True
    ) -> Tensor:
        sizes = () if size is None else sizes_of(size)
        if replace is False and isinstance(a, int) and isinstance(drawn := product(sizes), int):
            demand(drawn <= a, f"{drawn} different ones are drawn of {a}", "size-out-of-range")
        if isinstance(a, int | Expr | Unknown | Scalar):
            if size is None:
                return one(dtypes.i64)
            return opaque("choice", [], Type(dtypes.i64, sizes), ndarray)
        array = as_ndarray(a)
        dims = dims_of(array)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
        return opaque("choice", [array], Type(dtype_of(array), (*sizes, *dims[1:])), ndarray)

    def multivariate_normal(self, mean: ArrayLike, cov: Any, size: Any = None, **rest: Any) -> Tensor:
        sizes = () if size is None else sizes_of(size)
        return opaque("multivariate_normal", [mean], Type(dtypes.f64, (*sizes, tensor_of(mean).dim(0))), ndarray)

    def multinomial(self, n: Any, pvals: ArrayLike, size: Any = None) -> Tensor:
        sizes = () if size is None else sizes_of(size)
        return opaque("multinomial", [pvals], Type(dtypes.i64, (*sizes, tensor_of(pvals).dim(-1))), ndarray)

    def dirichlet(self, alpha: ArrayLike, size: Any = None) -> Tensor:
        sizes = () if size is None else sizes_of(size)
        return opaque("dirichlet", [alpha], Type(dtypes.f64, (*sizes, tensor_of(alpha).dim(0))), ndarray)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.i64, n, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.i64, lam)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, scale)

    def beta(self, a: Any, b: Any, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, a, b)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, shape, scale)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, mean, sigma)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, loc, scale)

    def geometric(self, p: Any, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.i64, p)

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
        return _cast(self.normal(0.0, 1.0, size), dtype)

    def standard_exponential(self, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64)

    def bytes(self, length: Any) -> Any:
        return Scalar(bytes)

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.f64, scale)


@model("numpy.random.RandomState")
class RandomState(_Draws):
    """The older generator, whose methods are the functions of numpy.random."""

    def __init__(self, seed: Any = None) -> None:
        """Any seed gives arrays of the same shapes."""

    def seed(self, seed: Any = None) -> None:
        """Begins again."""

    def rand(self, *args: Any) -> Tensor:
        return self.uniform(0.0, 1.0, tuple(args) or None)

    def randn(self, *args: Any) -> Tensor:
        return self.normal(0.0, 1.0, tuple(args) or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Tensor:
        return _drawn_like(size, element_type(dtype) or dtypes.i64, low, high)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Tensor:
        return _drawn_like(size, dtypes.i64, low, high)

    def random_sample(self, size: Any = None) -> Tensor:
        return self.uniform(0.0, 1.0, size)

    def get_state(self, legacy: Any = True) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, "the state of a random generator")

    def set_state(self, state: Any) -> None:
        """Sets the state."""


@model("numpy.random.Generator")
class Generator(_Draws):
    """The newer generator."""

    def __init__(self, bit_generator: Any = None) -> None:
        """Any generator of bits gives arrays of the same shapes."""

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int, endpoint: Any = False) -> Tensor:
        return _drawn_like(size, element_type(dtype) or dtypes.i64, low, high)

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Tensor:
        return local(self.permutation(x))

    def spawn(self, n_children: Any) -> Any:
        return ListValue(Generator() for _ in range(n_children)) if isinstance(n_children, int) else Generator()


@model("numpy.random.default_rng")
def default_rng(seed: Any = None) -> Any:
    return seed if isinstance(seed, Generator) else Generator()


@model("numpy.random.SeedSequence", "numpy.random.PCG64", "numpy.random.Philox", "numpy.random.MT19937")
class Bits(Object):
    """A source of random bits."""


MODULE = RandomState()


def _register(name: str) -> None:
    model(f"numpy.random.{name}")(getattr(MODULE, name))


for _name in dir(RandomState):
    if not _name.startswith("_") and callable(getattr(RandomState, _name)) and _name not in ("cells", "kind"):
        _register(_name)
for _name in ("ranf", "sample"):
    model(f"numpy.random.{_name}")(MODULE.random_sample)
