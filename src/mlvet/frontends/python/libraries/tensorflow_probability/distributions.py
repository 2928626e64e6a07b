"""tensorflow_probability.distributions: batches of distributions over events."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import store
from mlvet.frontends.python.arrays.arithmetic import binary
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import tensorflow as tensorflow
from mlvet.frontends.python.libraries.binding import as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("tensorflow_probability.distributions.Distribution")
class Distribution(Object):
    """A batch of distributions; `@like` has the shape of one sample of all."""

    __slots__ = ()
    parameters: ClassVar[tuple[str, ...]] = ("loc", "scale")
    events: ClassVar[int] = 0
    drawn: ClassVar[DType | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = dict(zip(self.parameters, args, strict=False)) | kwargs
        values = [given[name] for name in self.parameters if given.get(name) is not None]
        if any(isinstance(each, Unknown) for each in values) or not values:
            raise Undecided(Reason.EXTERNAL_DATA, "parameters of a distribution")
        whole = array(values[0])
        for each in values[1:]:
            whole = binary("add", whole, array(each))
        store(self.cells, "@like", whole)

    def _event_rank(self) -> int:
        """How many of the last dims are those of one event."""
        return self.events

    def _dims(self) -> tuple[Dim, ...]:
        dims = dims_of(self.cells["@like"])
        if dims is None:
            raise Undecided(Reason.EXTERNAL_DATA, "a distribution of unknown rank")
        return dims

    def _made(self, name: str, dims: tuple[Dim, ...], dtype: DType | None = None) -> Any:
        like = self.cells["@like"]
        return opaque(f"distributions.{name}", [like], Known(dtype or dtype_of(like), dims), type(like))

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = "sample") -> Any:
        several = isinstance(sample_shape, tuple | ListValue)
        outer = as_sizes(sample_shape) if several else (as_size(sample_shape, "samples"),)
        return self._made("sample", (*outer, *self._dims()), self.cells.get("@drawn", self.drawn))

    def log_prob(self, value: Any, name: Any = "log_prob") -> Any:
        made = array(value)
        given, own = dims_of(made), self._dims()
        if given is None:
            raise Undecided(Reason.EXTERNAL_DATA, "a value of unknown rank")
        dims = given if len(given) >= len(own) else own
        kind = type(made)
        like = Known(dtype_of(self.cells["@like"]), dims[: len(dims) - self._event_rank()])
        return opaque("distributions.log_prob", [self.cells["@like"], made], like, kind)

    prob = cdf = log_prob

    def mean(self, name: Any = "mean") -> Any:
        return self._made("mean", self._dims())

    stddev = variance = mode = mean

    def entropy(self, name: Any = "entropy") -> Any:
        dims = self._dims()
        return self._made("entropy", dims[: len(dims) - self._event_rank()])

    def kl_divergence(self, other: Any, name: Any = "kl") -> Any:
        return self.entropy()

    @property
    def batch_shape(self) -> Any:
        dims = self._dims()
        return dims[: len(dims) - self._event_rank()]

    @property
    def event_shape(self) -> Any:
        dims = self._dims()
        return dims[len(dims) - self._event_rank() :]

    def as_tensor(self) -> Any:
        return self.sample()


for _name, _parameters, _events in (
    ("Normal", ("loc", "scale"), 0), ("Laplace", ("loc", "scale"), 0), ("Uniform", ("low", "high"), 0),
    ("Gamma", ("concentration", "rate"), 0), ("Beta", ("concentration1", "concentration0"), 0),
    ("LogNormal", ("loc", "scale"), 0), ("Bernoulli", ("logits", "probs"), 0), ("Poisson", ("rate", "log_rate"), 0),
    ("MultivariateNormalDiag", ("loc", "scale_diag"), 1), ("Dirichlet", ("concentration",), 1),
    ("MultivariateNormalTriL", ("loc",), 1), ("OneHotCategorical", ("logits", "probs"), 1),
):  # fmt: skip
    _cells = {"__slots__": (), "__module__": __name__, "parameters": _parameters, "events": _events}
    _cells["drawn"] = dtypes.i32 if _name in ("OneHotCategorical", "Bernoulli") else None
    model(f"tensorflow_probability.distributions.{_name}")(type(_name, (Distribution,), _cells))


@model("tensorflow_probability.distributions.Categorical")
class Categorical(Distribution):
    """A choice of one of the places along the last dim of the parameters."""

    __slots__ = ()
    parameters = ("logits", "probs")

    def _dims(self) -> tuple[Dim, ...]:
        return super()._dims()[:-1]

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = "sample") -> Any:
        several = isinstance(sample_shape, tuple | ListValue)
        outer = as_sizes(sample_shape) if several else (as_size(sample_shape, "samples"),)
        return self._made("sample", (*outer, *self._dims()), dtypes.i32)


@model("tensorflow_probability.distributions.Mixture")
class Mixture(Distribution):
    """One of several distributions, drawn first."""

    __slots__ = ()

    def __init__(self, cat: Any, components: Any, **kwargs: Any) -> None:
        found = as_items(components)
        first = found[0] if found else None
        if not isinstance(first, Distribution):
            raise Undecided(Reason.EXTERNAL_DATA, "a mixture of unknown parts")
        store(self.cells, "@like", first.cells["@like"])
        store(self.cells, "@events", first.events)

    def log_prob(self, value: Any, name: Any = "log_prob") -> Any:
        made = array(value)
        dims = dims_of(made) or self._dims()
        kept = dims[: len(dims) - self.cells["@events"]]
        return opaque("distributions.log_prob", [self.cells["@like"], made], Known(dtypes.f32, kept), type(made))


@model("tensorflow_probability.distributions.Independent")
class Independent(Distribution):
    __slots__ = ()

    def __init__(self, distribution: Any, reinterpreted_batch_ndims: Any = None, **kwargs: Any) -> None:
        if not isinstance(distribution, Distribution):
            raise Undecided(Reason.EXTERNAL_DATA, "a distribution")
        store(self.cells, "@like", distribution.cells["@like"])
        store(self.cells, "@drawn", distribution.drawn)
        inner = distribution._event_rank()
        count = reinterpreted_batch_ndims
        count = max(len(self._dims()) - inner - 1, 0) if count is None else count
        if not isinstance(count, int):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "how many dims are those of one event")
        store(self.cells, "@events", inner + count)

    def _event_rank(self) -> int:
        found: int = self.cells["@events"]
        return found


@model("tensorflow_probability.distributions.kl_divergence")
def kl_divergence(distribution_a: Any, distribution_b: Any, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(distribution_a, Distribution):
        raise Undecided(Reason.EXTERNAL_DATA, "a distribution")
    return distribution_a.entropy()


def sample_of(value: Any) -> TensorValue:
    """A distribution where a tensor is wanted is one sample of it."""
    return array(value.sample() if isinstance(value, Distribution) else value)
