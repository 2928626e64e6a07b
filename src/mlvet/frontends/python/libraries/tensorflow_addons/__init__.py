"""tensorflow_addons: layers, losses, optimizers and functions on pictures that keep shapes; tensorflow_io's audio."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import tensorflow as tensorflow
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.metrics import Metric
from mlvet.frontends.python.libraries.keras.tensor import array, combined
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.values.tensors import dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

for _name in (
    "AdamW",
    "LAMB",
    "LazyAdam",
    "RectifiedAdam",
    "NovoGrad",
    "SGDW",
    "COCOB",
    "AdaBelief",
    "Lookahead",
    "SWA",
):
    _kind = "SGD" if _name == "SGDW" else "AdamW" if _name == "AdamW" else "Adam"
    model(f"tensorflow_addons.optimizers.{_name}")(find(f"keras.optimizers.{_kind}"))


@model("tensorflow_addons.layers.InstanceNormalization", "tensorflow_addons.layers.GELU")
class Kept(Layer):
    """A layer that keeps the shape of what it is given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.built = True

    def call(self, inputs: Any, training: Any = None) -> Any:
        return _kept(inputs)


@model("tensorflow_addons.layers.WeightNormalization")
class WeightNormalization(Layer):
    """A layer whose weights are kept of one length."""

    def __init__(self, layer: Any, data_init: Any = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer

    def call(self, inputs: Any) -> Any:
        return machine().call(held(self)["layer"], inputs)


@model("tensorflow_addons.layers.StochasticDepth")
class StochasticDepth(Layer):
    """A shortcut and a residual added up, or only the shortcut."""

    def __init__(self, survival_probability: Any = 0.5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.survival_probability = survival_probability
        self.built = True

    def call(self, x: Any, training: Any = None) -> Any:
        shortcut, residual = as_items(x)
        return combined("add", array(shortcut), array(residual))


model("tensorflow_addons.layers.GroupNormalization")(find("keras.layers.GroupNormalization"))


@model(
    "tensorflow_addons.image.gaussian_filter2d", "tensorflow_addons.image.rotate", "tensorflow_addons.image.translate",
    "tensorflow_addons.image.random_cutout", "tensorflow_addons.image.cutout", "tensorflow_addons.image.equalize",
    "tensorflow_addons.image.mean_filter2d", "tensorflow_addons.image.median_filter2d",
    "tensorflow_addons.image.transform",
    "tensorflow_addons.image.sharpness", "tensorflow_addons.activations.gelu", "tensorflow_addons.activations.mish",
)  # fmt: skip
def same(image: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    return _kept(image)


def _kept(value: Any) -> Any:
    made = array(value)
    return opaque("tensorflow_addons", [made], made.graph_value.declared.without_value(), type(made))


@model("tensorflow_addons.losses.npairs_loss", "tensorflow_addons.losses.triplet_semihard_loss",
       "tensorflow_addons.losses.triplet_hard_loss", "tensorflow_addons.losses.contrastive_loss")  # fmt: skip
def npairs_loss(y_true: ArrayLike, y_pred: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    made = array(y_pred)
    return opaque("npairs_loss", [array(y_true), made], Known(dtypes.f32, ()), type(made))


model("tensorflow_addons.losses.SigmoidFocalCrossEntropy")(find("keras.losses.BinaryFocalCrossentropy"))


@model("tensorflow_addons.metrics.F1Score", "tensorflow_addons.metrics.CohenKappa", "tensorflow_addons.metrics.RSquare",
       "tensorflow_addons.metrics.HammingLoss")  # fmt: skip
class Score(Metric):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("dtype"), kwargs.get("name"))


@model("tensorflow_io.audio.dbscale")
def dbscale(input: ArrayLike, top_db: Any, name: Any = None) -> Tensor:
    """Loudness of each element."""
    return _kept(input)


@model("tensorflow_io.audio.resample")
def resample(input: ArrayLike, rate_in: Any, rate_out: Any, name: Any = None) -> Tensor:
    """Another number of samples of the same channels."""
    made = array(input)
    dims = dims_of(made)
    if not dims:
        raise Undecided(Reason.EXTERNAL_DATA, "audio of unknown rank")
    return opaque("resample", [made], Known(dtypes.f32, (symbol(machine().fresh("samples")), *dims[1:])), type(made))
