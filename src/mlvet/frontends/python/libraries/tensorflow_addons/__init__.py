"""tensorflow_addons: layers, losses, optimizers and functions on pictures that keep shapes; tensorflow_io's audio."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import tensorflow as tensorflow
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.directories import tensor_class
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.metrics import Metric
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.tensor import array, combined
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.values.objects import Object
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
    def __init__(self, layer: Any, data_init: Any = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer
        self.built = True

    def call(self, inputs: Any) -> Any:
        return machine().call(held(self)["layer"], inputs)


@model("tensorflow_addons.layers.StochasticDepth")
class StochasticDepth(Layer):
    """The first of two branches and sometimes the sum of both."""

    def __init__(self, survival_probability: Any = 0.5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.built = True

    def call(self, x: Any, training: Any = None) -> Any:
        shortcut, residual = as_items(x)
        return combined("add", shortcut, residual)


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
       "tensorflow_addons.losses.triplet_hard_loss")  # fmt: skip
def npairs_loss(y_true: ArrayLike, y_pred: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    made = array(y_pred)
    return opaque("npairs_loss", [array(y_true), made], Known(dtypes.f32, ()), type(made))


@model("tensorflow_addons.losses.contrastive_loss")
def contrastive_loss(y_true: ArrayLike, y_pred: ArrayLike, margin: Any = 1.0) -> Tensor:
    return combined("add", y_pred, y_true)


@model("tensorflow_addons.losses.SigmoidFocalCrossEntropy")
class SigmoidFocalCrossEntropy(Object):
    """A loss of each row, unless it is told to reduce them."""

    def __init__(self, *args: Any, reduction: Any = "none", **kwargs: Any) -> None:
        del args, kwargs
        self.reduction = reduction

    def __call__(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: Any = None) -> Tensor:
        each = combined("add", y_pred, y_true)
        dims = ranked_dims(each)[:-1] if self.reduction == "none" else ()
        return opaque("SigmoidFocalCrossEntropy", [each], Known(dtypes.f32, dims), type(each))


@model("tensorflow_addons.metrics.CohenKappa", "tensorflow_addons.metrics.RSquare")
@model("tensorflow_addons.metrics.HammingLoss")
class Score(Metric):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("dtype"), kwargs.get("name"))


@model("tensorflow_addons.metrics.F1Score")
class F1Score(Score):
    """A score of each class, or one number if they are averaged."""

    def __init__(self, num_classes: Any, average: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.num_classes, self.average = num_classes, average

    def result(self) -> Any:
        if held(self)["average"] is not None:
            return super().result()
        return source("f1_score", Known(dtypes.f32, (as_size(held(self)["num_classes"], "classes"),)), tensor_class())


@model("tensorflow_io.audio.dbscale")
def dbscale(input: ArrayLike, top_db: Any, name: Any = None) -> Tensor:
    """Loudness of each element."""
    return _kept(input)


@model("tensorflow_io.audio.resample")
def resample(input: ArrayLike, rate_in: Any, rate_out: Any, name: Any = None) -> Tensor:
    """Another number of samples of the same channels."""
    made = array(input)
    dims = dims_of(made)
    if dims is None or len(dims) < 2:
        raise Undecided(Reason.EXTERNAL_DATA, "audio of unknown rank")
    samples = symbol(machine().fresh("samples"))
    return opaque("resample", [made], Known(dtypes.f32, (*dims[:-2], samples, dims[-1])), type(made))
