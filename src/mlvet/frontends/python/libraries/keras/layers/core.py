"""Layers that apply a function, change nothing, or hide steps: Activation, Lambda, Identity, Masking, Dropout."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import emit
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items
from mlvet.frontends.python.libraries.keras.activations import alike, applied, rectified
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import TRAINING, Layer
from mlvet.frontends.python.libraries.keras.layers.normalization import places, size_at, small
from mlvet.frontends.python.libraries.keras.tensor import combined, floating
from mlvet.frontends.python.libraries.limits import fraction
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import FunctionValue
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of
from mlvet.frontends.python.values.unknown import Unknown


@model("keras.layers.Activation")
class Activation(Layer):
    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activation
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        made = applied(held(self)["activation"], inputs)
        return emit("identity", inputs) if made is inputs else made


@model("keras.layers.Identity")
class Identity(Layer):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        return emit("identity", inputs) if isinstance(inputs, TensorValue) else inputs


@model("keras.layers.Lambda")
class Lambda(Layer):
    def __init__(
        self, function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.function = function
        self.arguments = arguments
        store(self.cells, "@output_shape", output_shape)
        self.built = True

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        function = held(self)["function"]
        given = held(self)["arguments"]
        settled = {str(key): value for key, value in given.cells.items()} if isinstance(given, DictValue) else {}
        if isinstance(function, FunctionValue):
            names = [each.arg for each in function.node.args.args]
            if "training" in names and "training" not in settled:
                settled["training"] = TRAINING.get() or False
        result = machine().call(function, inputs, **settled)
        shape = held(self)["@output_shape"]
        if isinstance(result, Unknown) and shape is not None and not isinstance(shape, Unknown):
            from mlvet.domains.tensors import Tensor as Known
            from mlvet.frontends.python.emission import opaque
            from mlvet.frontends.python.libraries.keras.inputs import any_batch, sizes_of
            from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

            return opaque("layers.Lambda", [], Known(self._compute, (any_batch(), *sizes_of(shape))), KerasTensor)
        return result


@model("keras.layers.Masking")
class Masking(Layer):
    def __init__(self, mask_value: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        kept = cast(self.compute_mask(inputs), dtype_of(inputs))
        return combined("mul", inputs, emit("unsqueeze", kept, (-1,)))

    @property
    def _makes_mask(self) -> bool:
        return True

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        differs = cast(inputs != held(self)["mask_value"], dtypes.i32)
        return reduced("reduce_max", differs, (-1,)) != 0


@model("keras.layers.Dropout")
class Dropout(Layer):
    def __init__(self, rate: Any, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        fraction("rate", rate)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike, training: Any = False) -> Tensor:
        return emit("dropout", inputs, small(held(self)["rate"], 0.5), training is True)


@model("keras.layers.ActivityRegularization")
class ActivityRegularization(Layer):
    def __init__(self, l1: Any = 0.0, l2: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.l1 = l1
        self.l2 = l2
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("identity", inputs)


class Noise(Layer):
    """Random changes that leave shape and element type alone."""

    FIRST = "rate"

    def __init__(self, *args: Any, seed: Any = None, **kwargs: Any) -> None:
        given = list(args)
        value = kwargs.pop(self.FIRST, given[0] if given else None)
        kwargs.pop("noise_shape", None)
        super().__init__(**kwargs)
        store(self.cells, self.FIRST, value)
        self.seed = seed
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike, training: Any = False) -> Tensor:
        return alike(f"layers.{type(self).__name__}", floating(inputs, self._compute))


for _name, _first in (
    ("GaussianNoise", "stddev"), ("GaussianDropout", "rate"), ("AlphaDropout", "rate"), ("SpatialDropout1D", "rate"),
    ("SpatialDropout2D", "rate"), ("SpatialDropout3D", "rate"),
):  # fmt: skip
    _made = type(_name, (Noise,), {"FIRST": _first, "__slots__": (), "__module__": __name__})
    model(f"keras.layers.{_name}")(_made)


@model("keras.layers.ReLU")
class ReLU(Layer):
    def __init__(self, max_value: Any = None, negative_slope: Any = 0.0, threshold: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_value = max_value
        self.negative_slope = negative_slope
        self.threshold = threshold
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return rectified(inputs, held(self)["negative_slope"], held(self)["max_value"], held(self)["threshold"])


@model("keras.layers.LeakyReLU")
class LeakyReLU(Layer):
    def __init__(self, negative_slope: Any = 0.3, **kwargs: Any) -> None:
        self.negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("leaky_relu", floating(inputs, self._compute), alpha=small(held(self)["negative_slope"], 0.3))


@model("keras.layers.ELU")
class ELU(Layer):
    def __init__(self, alpha: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("elu", floating(inputs, self._compute), alpha=small(held(self)["alpha"], 1.0))


@model("keras.layers.ThresholdedReLU")
class ThresholdedReLU(Layer):
    def __init__(self, theta: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = theta
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("thresholded_relu", floating(inputs, self._compute), alpha=small(held(self)["theta"], 1.0))


@model("keras.layers.PReLU")
class PReLU(Layer):
    def __init__(
        self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None, alpha_constraint: Any = None,
        shared_axes: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.shared_axes = () if shared_axes is None else places(shared_axes)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        if isinstance(input_shape, Unknown):
            self._weight("alpha", (size_at(input_shape, -1, "features"),), "zeros")
        else:
            items: tuple[Dim, ...] = as_items(input_shape)
            shared = [axis % len(items) for axis in held(self)["shared_axes"]]
            self._weight("alpha", tuple(1 if axis in shared else items[axis] for axis in range(1, len(items))), "zeros")
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("prelu", floating(inputs, self._compute), self._read("alpha"))


@model("keras.layers.Softmax")
class Softmax(Layer):
    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike, mask: Any = None) -> Tensor:
        from mlvet.frontends.python.libraries.keras.activations import softmax
        from mlvet.frontends.python.libraries.keras.layers.attention import lowered

        x = floating(inputs, self._compute)
        return softmax(lowered(x, mask) if isinstance(mask, TensorValue) else x, held(self)["axis"])
