"""jax.scipy and jax.image, as far as training programs use them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import binary
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Sizes
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, as_jax, inexact
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

UNARY = {"expit": "sigmoid", "logit": "logit", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "gammaln": "lgamma",
    "digamma": "digamma", "log_ndtr": "log_sigmoid", "ndtr": "sigmoid", "ndtri": "logit", "i0": "exp", "i1": "exp",
    "entr": "neg", "gamma": "exp"}  # fmt: skip


def _unary(op: str) -> Any:
    def function(x: ArrayLike) -> Tensor:
        x = inexact(x)
        if op in ("sigmoid", "erf", "erfc", "erfinv", "lgamma", "digamma", "logit"):
            return emit(op, x)
        return opaque(op, [x], tensor_of(x).without_value(), Array)

    return function


for _name, _op in UNARY.items():
    model(f"jax.scipy.special.{_name}")(_unary(_op))


@model("jax.scipy.special.xlogy", "jax.scipy.special.xlog1py", "jax.scipy.special.betaln", "jax.scipy.special.zeta",
    "jax.scipy.special.gammainc", "jax.scipy.special.polygamma", "jax.scipy.special.rel_entr",
    "jax.scipy.special.kl_div")  # fmt: skip
def xlogy(x: ArrayLike, y: ArrayLike) -> Tensor:
    return _together("xlogy", inexact(x), inexact(y))


DENSITIES = {
    "norm": "logpdf pdf cdf logcdf ppf sf logsf", "logistic": "logpdf pdf cdf ppf sf", "laplace": "logpdf pdf cdf",
    "cauchy": "logpdf pdf cdf logcdf ppf sf logsf", "expon": "logpdf pdf cdf logcdf ppf sf logsf",
    "uniform": "logpdf pdf cdf ppf", "truncnorm": "logpdf pdf cdf logcdf sf logsf",
    "gamma": "logpdf pdf cdf logcdf sf logsf", "beta": "logpdf pdf cdf logcdf sf logsf", "poisson": "logpmf pmf cdf",
    "bernoulli": "logpmf pmf cdf ppf", "t": "logpdf pdf", "chi2": "logpdf pdf cdf logcdf sf logsf",
}  # fmt: skip


@model(*(f"jax.scipy.stats.{_law}.{_way}" for _law, _ways in DENSITIES.items() for _way in _ways.split()))
def logpdf(x: ArrayLike, *parameters: ArrayLike, **named: ArrayLike) -> Tensor:
    """The value and all parameters broadcast."""
    return _together("logpdf", *(inexact(each) for each in (x, *parameters, *named.values())))


@model("jax.scipy.stats.multivariate_normal.logpdf", "jax.scipy.stats.multivariate_normal.pdf")
def multivariate_logpdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike, allow_singular: Any = None) -> Tensor:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return opaque("logpdf", [x, mean, cov], Known(dtypes.f32, dims[:-1]), Array)


def _together(name: str, *operands: Any) -> Tensor:
    total = operands[0]
    for each in operands[1:]:
        total = binary("add", total, as_jax(each), kind=Array)
    return opaque(name, operands, tensor_of(total).without_value(), Array)


@model("jax.image.ResizeMethod")
class ResizeMethod(Object):
    """How pixels are interpolated."""

    NEAREST = "nearest"
    LINEAR = "linear"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    CUBIC = "cubic"


@model("jax.image.resize")
def resize(image: ArrayLike, shape: Sizes, method: Any, antialias: bool = True, precision: Any = None) -> Tensor:
    dims = dims_of(image)
    demand(dims is None or len(dims) == len(shape), f"{len(shape)} sizes for {tensor_of(image)}", "rank-differs")
    known = dtype_of(image)
    to = known if method == "nearest" or (known is not None and known.is_float) else dtypes.f32
    return opaque("resize", [image], Known(to, shape), Array)


@model("jax.image.scale_and_translate")
def scale_and_translate(
    image: ArrayLike, shape: Sizes, spatial_dims: Any, scale: Any, translation: Any, method: Any, **_: Any
) -> Tensor:
    return opaque("resize", [image], Known(dtype_of(inexact(image)), shape), Array)


@model("jax.scipy.ndimage.map_coordinates")
def map_coordinates(input: ArrayLike, coordinates: Any, order: int, mode: Any = "constant", cval: Any = 0.0) -> Tensor:
    points = dims_of(as_jax(coordinates))
    if points is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "coordinates of unknown rank")
    rest: tuple[Dim, ...] = points[1:]
    return opaque("map_coordinates", [input], Known(dtype_of(inexact(input)), rest), Array)


@model(
    "jax.scipy.signal.convolve",
    "jax.scipy.signal.convolve2d",
    "jax.scipy.signal.correlate2d",
    "jax.scipy.signal.fftconvolve",
)
def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full", *rest: Any, **options: Any) -> Tensor:
    first, second = dims_of(in1), dims_of(in2)
    if first is None or second is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    lengths: Any = {"full": lambda m, n: m + n - 1, "same": lambda m, n: m, "valid": lambda m, n: m - n + 1}[mode]
    sizes = tuple(lengths(m, n) for m, n in zip(first, second, strict=True))
    return opaque("convolve", [in1, in2], Known(dtype_of(inexact(in1)), sizes), Array)
