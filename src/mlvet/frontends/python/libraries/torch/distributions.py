"""torch.distributions: samples have the sample shape before the batch shape before the event shape."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.shapes import Shape
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import ranked_dims
from mlvet.frontends.python.libraries.torch.creation import tensor
from mlvet.frontends.python.libraries.torch.element_types import default_float
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown


def _tensor(value: Any) -> TensorValue:
    if isinstance(value, TensorValue):
        return value
    from mlvet.frontends.python.libraries.binding import as_tensor

    return as_tensor(value, "torch") if isinstance(value, Unknown) else tensor(value, dtype=default_float())


@model("torch.distributions.Distribution", "torch.distributions.distribution.Distribution")
class Distribution(Object):
    """A distribution of a batch of events."""

    __slots__ = ()
    integer = False

    def settle(self, parameters: TensorValue, events: int = 0) -> None:
        """Take the shape of the parameters, of which the last dims are the event's."""
        self.cells["@like"] = parameters
        self.cells["@events"] = events

    def _dims(self) -> tuple[Any, ...]:
        return ranked_dims(self.cells["@like"])

    @property
    def batch_shape(self) -> Any:
        dims = self._dims()
        return Shape(dims[: len(dims) - self.cells["@events"]])

    @property
    def event_shape(self) -> Any:
        dims = self._dims()
        return Shape(dims[len(dims) - self.cells["@events"] :])

    def _type(self) -> DType | None:
        return dtypes.i64 if self.integer else dtype_of(self.cells["@like"])

    def _made(self, name: str, dims: tuple[Any, ...], dtype: DType | None = None) -> Tensor:
        return opaque(name, [self.cells["@like"]], Type(dtype or self._type(), dims), Tensor)

    def sample(self, sample_shape: Sizes = ()) -> Tensor:
        return self._made("sample", (*sample_shape, *self._dims()))

    def rsample(self, sample_shape: Sizes = ()) -> Tensor:
        return self._made("rsample", (*sample_shape, *self._dims()))

    def sample_n(self, n: Any) -> Tensor:
        return self.sample((n,))

    def log_prob(self, value: Any) -> Tensor:
        """One number per event of the value."""
        given = _tensor(value)
        both = made("add", cast_to(given, self.cells["@like"]), self.cells["@like"])
        dims = ranked_dims(both)
        return self._made("log_prob", dims[: len(dims) - self.cells["@events"]], dtype_of(self.cells["@like"]))

    def cdf(self, value: Any) -> Tensor:
        return self.log_prob(value)

    def icdf(self, value: Any) -> Tensor:
        return self.log_prob(value)

    def entropy(self) -> Tensor:
        return self._made("entropy", tuple(self.batch_shape), dtype_of(self.cells["@like"]))

    def perplexity(self) -> Tensor:
        return self.entropy()

    @property
    def mean(self) -> Any:
        return self._made("mean", self._dims(), dtype_of(self.cells["@like"]))

    @property
    def variance(self) -> Any:
        return self._made("variance", self._dims(), dtype_of(self.cells["@like"]))

    @property
    def stddev(self) -> Any:
        return self._made("stddev", self._dims(), dtype_of(self.cells["@like"]))

    @property
    def mode(self) -> Any:
        return self._made("mode", self._dims(), dtype_of(self.cells["@like"]))

    def expand(self, batch_shape: Sizes, _instance: Any = None) -> Any:
        wider = type(self).__new__(type(self))
        wider.cells.update(self.cells)
        wider.cells["@like"] = self._made("expand", (*batch_shape, *self.event_shape), dtype_of(self.cells["@like"]))
        return wider


def cast_to(x: TensorValue, like: TensorValue) -> Any:
    from mlvet.frontends.python.arrays.arithmetic import cast

    return cast(x, dtype_of(like))


class LocationScale(Distribution):
    """Two parameters that broadcast."""

    __slots__ = ()

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = _tensor(loc), _tensor(scale)
        self.settle(combined("add", self.loc, self.scale))


for _name in ("Normal", "Laplace", "Cauchy", "Gumbel", "LogNormal"):
    _kind = type(
        _name, (LocationScale,), {"__slots__": (), "__module__": __name__, "__doc__": f"{_name} distributions."}
    )
    _part = "log_normal" if _name == "LogNormal" else _name.lower()
    model(f"torch.distributions.{_name}", f"torch.distributions.{_part}.{_name}")(_kind)
    globals()[_name] = _kind


@model("torch.distributions.Uniform", "torch.distributions.uniform.Uniform")
class Uniform(Distribution):
    __slots__ = ()

    def __init__(self, low: Any, high: Any, validate_args: Any = None) -> None:
        self.low, self.high = _tensor(low), _tensor(high)
        self.settle(combined("add", self.low, self.high))


@model("torch.distributions.Beta", "torch.distributions.beta.Beta")
class Beta(Distribution):
    __slots__ = ()

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: Any = None) -> None:
        self.settle(combined("add", _tensor(concentration1), _tensor(concentration0)))


@model("torch.distributions.Gamma", "torch.distributions.gamma.Gamma")
class Gamma(Distribution):
    __slots__ = ()

    def __init__(self, concentration: Any, rate: Any, validate_args: Any = None) -> None:
        self.settle(combined("add", _tensor(concentration), _tensor(rate)))


@model("torch.distributions.Exponential", "torch.distributions.exponential.Exponential")
class Exponential(Distribution):
    __slots__ = ()

    def __init__(self, rate: Any, validate_args: Any = None) -> None:
        self.rate = _tensor(rate)
        self.settle(self.rate)


@model("torch.distributions.Poisson", "torch.distributions.poisson.Poisson")
class Poisson(Exponential):
    __slots__ = ()


@model("torch.distributions.Dirichlet", "torch.distributions.dirichlet.Dirichlet")
class Dirichlet(Distribution):
    __slots__ = ()

    def __init__(self, concentration: Any, validate_args: Any = None) -> None:
        self.settle(_tensor(concentration), 1)


class Probabilities(Distribution):
    """Given as probabilities or as logits."""

    __slots__ = ()

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        demand((probs is None) != (logits is None), "either probs or logits must be given")
        given = _tensor(probs if logits is None else logits)
        self.cells["@given"] = given
        self.settle(given)

    @property
    def probs(self) -> Any:
        return self._made("probs", ranked_dims(self.cells["@given"]), dtype_of(self.cells["@given"]))

    @property
    def logits(self) -> Any:
        return self._made("logits", ranked_dims(self.cells["@given"]), dtype_of(self.cells["@given"]))


@model("torch.distributions.Bernoulli", "torch.distributions.bernoulli.Bernoulli")
class Bernoulli(Probabilities):
    __slots__ = ()


@model("torch.distributions.Geometric", "torch.distributions.geometric.Geometric")
class Geometric(Probabilities):
    __slots__ = ()


@model("torch.distributions.Categorical", "torch.distributions.categorical.Categorical")
class Categorical(Probabilities):
    """Samples are classes, over the last dim of the parameters."""

    __slots__ = ()
    integer = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        demand((probs is None) != (logits is None), "either probs or logits must be given")
        given = _tensor(probs if logits is None else logits)
        demand(dims_of(given) != (), "a categorical distribution needs at least 1 dim", "rank-differs")
        dims = ranked_dims(given)
        self.cells["@given"] = given
        self.settle(opaque("classes", [given], Type(tensor_of(given).dtype, dims[:-1]), Tensor))


@model("torch.distributions.OneHotCategorical", "torch.distributions.one_hot_categorical.OneHotCategorical")
class OneHotCategorical(Probabilities):
    __slots__ = ()

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        given = _tensor(probs if logits is None else logits)
        self.cells["@given"] = given
        self.settle(given, 1)


@model("torch.distributions.MultivariateNormal", "torch.distributions.multivariate_normal.MultivariateNormal")
class MultivariateNormal(Distribution):
    __slots__ = ()

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: Any = None,
    ) -> None:  # fmt: skip
        mean = _tensor(loc)
        matrix = next((each for each in (covariance_matrix, precision_matrix, scale_tril) if each is not None), None)
        if isinstance(matrix, TensorValue):
            rows = opaque("rows", [matrix], Type(dtype_of(matrix), ranked_dims(matrix)[:-1]), Tensor)
            mean = combined("add", mean, rows)
        self.settle(mean, 1)


@model("torch.distributions.Independent", "torch.distributions.independent.Independent")
class Independent(Distribution):
    """The last dims of the batch counted as part of the event."""

    __slots__ = ()

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: Any, validate_args: Any = None) -> None:
        self.cells.update(base_distribution.cells)
        self.base_dist = base_distribution
        self.cells["@events"] = base_distribution.cells["@events"] + reinterpreted_batch_ndims


@model("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
def kl_divergence(p: Any, q: Any) -> Tensor:
    both = combined("add", p.entropy(), q.entropy())
    return opaque("kl_divergence", [both], tensor_of(both).without_value(), Tensor)
