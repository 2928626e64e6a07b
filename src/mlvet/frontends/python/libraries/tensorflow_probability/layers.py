"""tensorflow_probability.layers: layers whose weights or outputs are drawn."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_size, as_sizes
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.layers.dense import Dense
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("tensorflow_probability.layers.DenseVariational")
class DenseVariational(Dense):
    """A dense layer whose weights are drawn anew each time."""

    def __init__(
        self, units: Any, make_posterior_fn: Any = None, make_prior_fn: Any = None, kl_weight: Any = None,
        kl_use_exact: Any = False, activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation=activation, use_bias=use_bias, **kwargs)


model("tensorflow_probability.layers.DenseFlipout", "tensorflow_probability.layers.DenseReparameterization")(Dense)


@model("tensorflow_probability.layers.VariableLayer")
class VariableLayer(Layer):
    """A variable, whatever the input is."""

    def __init__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        wanted = as_sizes(shape) if isinstance(shape, tuple) else (as_size(shape, "parameters"),)
        store(self.cells, "@shape", wanted)
        self.built = True

    def call(self, inputs: Any = None) -> Any:
        return opaque("VariableLayer", [], Known(dtypes.f32, self.cells["@shape"]), KerasTensor)


class Drawn(Layer):
    """A distribution whose parameters are the input; as a tensor it is a sample."""

    def __init__(self, event_shape: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        self.event_shape, self.built = event_shape, True

    def call(self, inputs: ArrayLike) -> Tensor:
        made = array(inputs)
        dims = dims_of(made)
        event = self.cells["event_shape"]
        if dims is None or event is None:
            raise Undecided(Reason.EXTERNAL_DATA, "a distribution of unknown shape")
        inner = as_sizes(event) if isinstance(event, tuple) else (as_size(event, "event"),)
        return opaque(type(self).__name__, [made], Known(dtype_of(made), (*dims[:-1], *inner)), type(made))


@model("tensorflow_probability.layers.IndependentNormal")
class IndependentNormal(Drawn):
    @staticmethod
    def params_size(event_shape: Size, *args: Any, **kwargs: Any) -> Any:
        return 2 * event_shape


@model("tensorflow_probability.layers.MultivariateNormalTriL")
class MultivariateNormalTriL(Drawn):
    @staticmethod
    def params_size(event_size: Size, *args: Any, **kwargs: Any) -> Any:
        return event_size + event_size * (event_size + 1) // 2


@model("tensorflow_probability.layers.DistributionLambda")
class DistributionLambda(Layer):
    """What a function of the program makes of the input."""

    def __init__(self, make_distribution_fn: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        self.make, self.built = make_distribution_fn, True

    def call(self, inputs: Any) -> Any:
        return machine().call(self.cells["make"], inputs)
