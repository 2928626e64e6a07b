"""Special functions, distances, distributions, linear algebra and files."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import minimum, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, emit, opaque, source
from mlvet.frontends.python.libraries.binding import TENSORS, Tensor
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, axes_of, ndarray
from mlvet.frontends.python.libraries.numpy.creation import sizes_of
from mlvet.frontends.python.libraries.numpy.element_types import averaged_of, floating_of
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

SPECIAL = {
    "expit": "sigmoid",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "logit": "logit",
    "gammaln": "lgamma",
    "digamma": "digamma",
}


def _special(name: str, op: str) -> None:
    @model(f"scipy.special.{name}")
    def apply(x: Any, /, out: Any = None) -> Tensor:
        array = as_ndarray(x)
        wanted = floating_of(dtype_of(array))
        return emit(op, cast(array, dtypes.f64 if wanted is dtypes.f16 else wanted))


for _name, _op in SPECIAL.items():
    _special(_name, _op)


def _along(name: str, op: str) -> None:
    @model(f"scipy.special.{name}")
    def apply(x: Any, axis: Any = None) -> Tensor:
        array = as_ndarray(x)
        wide = cast(array, averaged_of(dtype_of(array)))
        axes = axes_of(axis)
        if axes is None or len(axes) != 1:
            return opaque(name, [wide], tensor_of(wide).without_value(), ndarray)
        return emit(op, wide, axis=axes[0])


_along("softmax", "softmax")
_along("log_softmax", "log_softmax")


@model("scipy.special.logsumexp")
def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    array = as_ndarray(a)
    return emit("reduce_log_sum_exp", cast(array, averaged_of(dtype_of(array))), axes_of(axis), keepdims=int(keepdims))


@model("scipy.spatial.distance.cdist")
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", **rest: Any) -> Any:
    left, right = as_ndarray(XA), as_ndarray(XB)
    dims, others = dims_of(left), dims_of(right)
    if dims is None or others is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    if isinstance(dims[-1], int) and isinstance(others[-1], int):
        demand(dims[-1] == others[-1], f"points of {dims[-1]} and {others[-1]} coordinates", "dims-differ")
    return opaque("cdist", [left, right], Type(dtypes.f64, (dims[0], others[0])), ndarray)


def _distance(name: str) -> None:
    @model(f"scipy.spatial.distance.{name}")
    def apply(u: Any, v: Any, *args: Any, **rest: Any) -> Any:
        return Scalar(float)


for _name in ("cosine", "euclidean", "cityblock", "correlation"):
    _distance(_name)


@model("scipy.optimize.linear_sum_assignment")
def linear_sum_assignment(cost_matrix: Any, maximize: Any = False) -> Any:
    array = as_ndarray(cost_matrix)
    dims = dims_of(array)
    if dims is None or len(dims) != 2:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a matrix of costs")
    count = minimum(*dims)
    return tuple(opaque("assignment", [array], Type(dtypes.i64, (count,)), ndarray) for _ in range(2))


class Distribution(Object):
    """A distribution of scipy.stats."""

    def __call__(self, *args: Any, **rest: Any) -> Any:
        return Distribution()

    def rvs(self, *args: Any, size: Any = 1, **rest: Any) -> Any:
        return opaque("rvs", [], Type(dtypes.f64, sizes_of(size)), ndarray)

    def pdf(self, x: Any, *args: Any, **rest: Any) -> Any:
        array = as_ndarray(x)
        return opaque("density", [array], Type(dtypes.f64, tensor_of(array).shape), ndarray)

    logpdf = cdf = logcdf = sf = ppf = isf = pdf

    def mean(self, *args: Any, **rest: Any) -> Any:
        return Scalar(float)

    std = var = median = mean


for _name in ("norm", "uniform", "expon", "gamma", "beta", "t", "chi2", "lognorm", "laplace", "truncnorm"):
    model(f"scipy.stats.{_name}")(Distribution())


def _pair_of_figures(name: str) -> None:
    @model(f"scipy.stats.{name}")
    def apply(x: Any, y: Any = None, *args: Any, **rest: Any) -> Any:
        return Scalar(float), Scalar(float)


for _name in ("pearsonr", "spearmanr", "kendalltau", "ttest_ind"):
    _pair_of_figures(_name)


@model("scipy.stats.zscore")
def zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    array = as_ndarray(a)
    return opaque("zscore", [array], Type(averaged_of(dtype_of(array)), tensor_of(array).shape), ndarray)


@model("scipy.io.loadmat")
def loadmat(file_name: Any, mdict: Any = None, appendmat: Any = True, **rest: Any) -> Any:
    return DictValue({}, source("mat", unknown(machine().fresh("mat")), ndarray))


@model("scipy.io.wavfile.read")
def read_wav(filename: Any, mmap: Any = False) -> Any:
    rate, samples = (symbol(machine().fresh(name)) for name in ("rate", "samples"))
    return rate, source("wave", Type(None, (samples,)), ndarray)


@model("scipy.io.wavfile.write", "scipy.io.savemat")
def write(*args: Any, **rest: Any) -> None:
    """Writes a file."""


@model("scipy.linalg.sqrtm", "scipy.linalg.expm", "scipy.linalg.logm")
def of_matrix(A: Any, *args: Any, **rest: Any) -> Any:
    array = as_ndarray(A)
    return opaque("of matrix", [array], Type(None, tensor_of(array).shape), ndarray)


for _name in ("inv", "pinv", "det", "norm", "solve", "cholesky", "svd", "eigh", "lstsq", "qr"):
    alias(f"scipy.linalg.{_name}", f"numpy.linalg.{_name}")

TENSORS["scipy"] = ndarray
