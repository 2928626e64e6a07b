"""Normalisation layers."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, at_least, equal, modulo, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.keras.layers.convolution import SPACE
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, combined, floating
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown


def size_at(input_shape: Any, axis: int, name: str) -> Dim:
    """The size along an axis of the shape that a layer is built for."""
    if isinstance(input_shape, Unknown):
        return symbol(machine().fresh(name))
    items = as_items(input_shape)
    return items[axis] if -len(items) <= axis < len(items) else symbol(machine().fresh(name))


def places(axis: Any) -> tuple[int, ...]:
    """One axis or several."""
    if isinstance(axis, int):
        return (axis,)
    found = as_items(axis) if isinstance(axis, tuple | ListValue) else (-1,)
    return tuple(each for each in found if isinstance(each, int))


def channel_layout(rank: int, axis: int) -> str | None:
    """The data format of a tensor whose channels lie along an axis, None if there is none."""
    if not 0 < axis < rank or rank - 2 not in (0, *SPACE):
        return None
    letters = list(SPACE.get(rank - 2, ""))
    letters.insert(axis - 1, "C")
    return "N" + "".join(letters)


def small(number: Any, default: float) -> float:
    return float(number) if isinstance(number, int | float) else default


@model("keras.layers.BatchNormalization", "keras.layers.experimental.SyncBatchNormalization")
class BatchNormalization(Layer):
    def __init__(
        self, axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones", beta_regularizer: Any = None, gamma_regularizer: Any = None,
        beta_constraint: Any = None, gamma_constraint: Any = None, renorm: Any = False, synchronized: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis = places(axis)[0] if not isinstance(axis, int) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.supports_masking = True
        self.starts = (gamma_initializer, beta_initializer, moving_mean_initializer, moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        size = (size_at(input_shape, cells["axis"], "channels"),)
        gamma, beta, mean, variance = cells["starts"]
        if cells["scale"]:
            self._weight("gamma", size, gamma)
        if cells["center"]:
            self._weight("beta", size, beta)
        self._weight("moving_mean", size, mean, trainable=False)
        self._weight("moving_variance", size, variance, trainable=False)
        self.built = True

    def call(self, inputs: ArrayLike, training: Any = None, mask: Any = None) -> Tensor:
        cells = held(self)
        x = floating(inputs, self._compute)
        rank = rank_of(x)
        axis = cells["axis"]
        good = rank is None or -rank <= axis < rank
        demand(good, f"`{label(self)}` normalises axis {axis}, but gets {tensor_of(x)}", "axis-out-of-range")
        found = channel_layout(rank, axis % rank) if rank and good else None
        if found is None:
            return alike("layers.BatchNormalization", x)
        sizes = dims_of(cells["moving_mean"]) or ()
        scale = self._read("gamma") if cells["scale"] else filled(sizes, 1, self._compute)
        shift = self._read("beta") if cells["center"] else filled(sizes, 0, self._compute)
        return emit(
            "batch_normalization", x, scale, shift, self._read("moving_mean"), self._read("moving_variance"),
            epsilon=small(cells["epsilon"], 1e-3), momentum=small(cells["momentum"], 0.99), data_format=found,
        )  # fmt: skip


def filled(sizes: tuple[Dim, ...], number: int, dtype: DType) -> Any:
    return full(sizes, number, dtype, KerasTensor)


@model("keras.layers.LayerNormalization")
class LayerNormalization(Layer):
    def __init__(
        self, axis: Any = -1, epsilon: Any = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", beta_regularizer: Any = None,
        gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None,
        rms_scaling: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis = axis
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.rms_scaling = rms_scaling
        self.supports_masking = True
        self.starts = (gamma_initializer, beta_initializer)

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        sizes = tuple(size_at(input_shape, axis, "features") for axis in places(cells["axis"]))
        if cells["scale"] or cells["rms_scaling"]:
            self._weight("gamma", sizes, cells["starts"][0])
        if cells["center"] and not cells["rms_scaling"]:
            self._weight("beta", sizes, cells["starts"][1])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        x = floating(inputs, self._compute)
        axes = places(cells["axis"])
        rank = rank_of(x)
        demand(
            rank is None or all(-rank <= axis < rank for axis in axes),
            f"`{label(self)}` normalises axes {axes}, but gets {tensor_of(x)}", "axis-out-of-range",
        )  # fmt: skip
        first = trailing(axes, rank)
        if first is None or cells["rms_scaling"]:
            return alike("layers.LayerNormalization", x)
        weight = cells.get("gamma", cells.get("beta"))
        sizes = dims_of(weight) if weight is not None else tuple((dims_of(x) or ())[first:])
        gamma = self._read("gamma") if "gamma" in cells else filled(sizes or (), 1, self._compute)
        beta = self._read("beta") if "beta" in cells else None
        return emit("layer_normalization", x, gamma, beta, axis=first, epsilon=small(cells["epsilon"], 1e-3))


def trailing(axes: tuple[int, ...], rank: int | None) -> int | None:
    """The first of the axes, counted from the end, if they are the last ones of the tensor."""
    if axes == (-1,):
        return -1
    if rank is None or not axes:
        return None
    found = sorted(axis % rank for axis in axes)
    return -len(found) if found == list(range(rank - len(found), rank)) else None


@model("keras.layers.RMSNormalization")
class RMSNormalization(Layer):
    def __init__(self, axis: Any = -1, epsilon: Any = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.epsilon = epsilon
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        sizes = tuple(size_at(input_shape, axis, "features") for axis in places(held(self)["axis"]))
        self._weight("scale", sizes, "ones")
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = floating(inputs, self._compute)
        first = trailing(places(held(self)["axis"]), rank_of(x))
        if first is None:
            return alike("layers.RMSNormalization", x)
        return emit("rms_normalization", x, self._read("scale"), axis=first, epsilon=small(held(self)["epsilon"], 1e-6))


@model("keras.layers.GroupNormalization")
class GroupNormalization(Layer):
    def __init__(
        self, groups: Any = 32, axis: Any = -1, epsilon: Any = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", beta_regularizer: Any = None,
        gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.groups = groups
        self.axis = axis if isinstance(axis, int) else -1
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.supports_masking = True
        self.starts = (gamma_initializer, beta_initializer)

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        channels = size_at(input_shape, cells["axis"], "channels")
        groups = cells["groups"]
        if isinstance(groups, int) and groups > 0:
            demand(
                equal(modulo(channels, groups), 0) is not False and at_least(channels, groups) is not False,
                f"`{label(self)}` divides {channels} channels into {groups} groups", "not-divisible",
            )  # fmt: skip
        if cells["scale"]:
            self._weight("gamma", (channels,), cells["starts"][0])
        if cells["center"]:
            self._weight("beta", (channels,), cells["starts"][1])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        x = floating(inputs, self._compute)
        rank, groups = rank_of(x), cells["groups"]
        axis = cells["axis"]
        found = channel_layout(rank, axis % rank) if rank and -rank <= axis < rank else None
        if found is None or not isinstance(groups, int):
            return alike("layers.GroupNormalization", x)
        channels = (dims_of(x) or ())[axis]
        if groups == -1:
            if not isinstance(channels, int):
                return alike("layers.GroupNormalization", x)
            groups = channels
        if isinstance(channels, int) and channels % groups:
            return alike("layers.GroupNormalization", x)
        scale = self._read("gamma") if cells["scale"] else filled((channels,), 1, self._compute)
        shift = self._read("beta") if cells["center"] else filled((channels,), 0, self._compute)
        return emit(
            "group_normalization", x, scale, shift, num_groups=groups, epsilon=small(cells["epsilon"], 1e-3),
            data_format=found,
        )  # fmt: skip


@model("keras.layers.UnitNormalization")
class UnitNormalization(Layer):
    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = floating(inputs, self._compute)
        total = reduced("reduce_sum", x * x, places(held(self)["axis"]), keepdims=True)
        return combined("div", x, emit("sqrt", combined("max", total, 1e-12)))


@model("keras.layers.SpectralNormalization")
class SpectralNormalization(Layer):
    def __init__(self, layer: Any, power_iterations: Any = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer
        self.power_iterations = power_iterations

    def call(self, inputs: Any, training: Any = False) -> Any:
        return machine().call(held(self)["layer"], inputs)
