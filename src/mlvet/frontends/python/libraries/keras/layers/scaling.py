"""Preprocessing of numbers: Rescaling, Normalization, Discretization, CategoryEncoding, spectrograms."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.tensors import Tensor as Known
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Misfit, Size, Tensor, as_size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.layers.normalization import places, size_at
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, combined
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Preprocessing(Layer):
    """A layer that may look at the data before it is used."""

    def adapt(self, data: Any = None, batch_size: Any = None, steps: Any = None) -> None:
        self.built = True

    def reset_state(self) -> None:
        return None

    def update_state(self, data: Any) -> None:
        return None

    def finalize_state(self) -> None:
        return None


def _number(value: Any, x: Any) -> Any:
    """A number or a list of numbers beside a tensor."""
    return value if isinstance(value, int | float | Scalar) else cast(array(value), dtype_of(x))


@model("keras.layers.Rescaling")
class Rescaling(Preprocessing):
    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = cast(inputs, self._compute)
        if isinstance(held(self)["scale"], Unknown) or isinstance(held(self)["offset"], Unknown):
            return alike("layers.Rescaling", x)
        scaled = combined("mul", x, _number(held(self)["scale"], x))
        offset = held(self)["offset"]
        return scaled if offset in (0, 0.0) else combined("add", scaled, _number(offset, x))


@model("keras.layers.Normalization")
class Normalization(Preprocessing):
    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.input_mean = mean
        self.input_variance = variance
        self.mean: Any = None
        self.variance: Any = None
        self.invert = invert

    def build(self, input_shape: Any) -> None:
        if held(self)["input_mean"] is None and held(self)["axis"] is not None:
            sizes = tuple(size_at(input_shape, axis, "features") for axis in places(held(self)["axis"]))
            if "adapt_mean" not in self.cells:
                self._weight("adapt_mean", sizes, "zeros", trainable=False)
                self._weight("adapt_variance", sizes, "ones", trainable=False)
        self.built = True

    def adapt(self, data: Any = None, batch_size: Any = None, steps: Any = None) -> None:
        """Learns means that go with the data: of size one along all axes but its own."""
        whole = getattr(data, "element", data)
        try:
            dims = dims_of(array(whole))
        except (Misfit, Undecided):
            dims = None
        axes = () if held(self)["axis"] is None else places(held(self)["axis"])
        if dims is None:
            learned = unknown(machine().fresh("mean"), dtypes.f32)
        else:
            own = {axis % len(dims) for axis in axes}
            learned = Known(dtypes.f32, tuple(dim if place in own else 1 for place, dim in enumerate(dims)))
        self.mean = opaque("mean", [], learned, KerasTensor)
        self.variance = opaque("variance", [], learned, KerasTensor)

    def call(self, inputs: ArrayLike) -> Tensor:
        x = cast(inputs, self._compute)
        cells = held(self)
        axes = () if cells["axis"] is None else places(cells["axis"])
        rank = rank_of(x)
        last = axes == (-1,) or (rank is not None and axes == (rank - 1,))
        if "adapt_mean" in cells and last and not cells["invert"]:
            deviation = combined("max", emit("sqrt", self._read("adapt_variance")), 1e-7)
            return combined("div", combined("sub", x, self._read("adapt_mean")), deviation)
        return alike("layers.Normalization", x)


@model("keras.layers.Discretization")
class Discretization(Preprocessing):
    def __init__(
        self, bin_boundaries: Any = None, num_bins: Any = None, epsilon: Any = 0.01, output_mode: Any = "int",
        sparse: Any = False, dtype: Any = None, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        self.bin_boundaries = bin_boundaries
        self.num_bins = num_bins
        self.output_mode = output_mode
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        from mlvet.frontends.python.libraries.binding import as_items

        cells = held(self)
        x = array(inputs)
        if cells["output_mode"] == "int":
            return opaque("layers.Discretization", [x], x.graph_value.declared.with_dtype(dtypes.i32), type(x))
        bounds = cells["bin_boundaries"]
        bins = as_size(cells["num_bins"]) if bounds is None else len(as_items(bounds)) + 1
        return encoded(x, bins, cells["output_mode"], dtypes.f32)


def encoded(x: Any, tokens: Dim, mode: Any, dtype: Any) -> Any:
    """Numbers of categories as rows of as many elements as there are categories."""
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "categories of unknown rank")
    if mode == "one_hot":
        rest = dims[:-1] if dims and dims[-1] == 1 else dims
        return opaque("one_hot", [x], Known(dtype, (*rest, tokens)), type(x))
    return opaque(str(mode), [x], Known(dtype, (*dims[:-1], tokens)), type(x))


@model("keras.layers.CategoryEncoding")
class CategoryEncoding(Preprocessing):
    def __init__(
        self, num_tokens: Any = None, output_mode: Any = "multi_hot", sparse: Any = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.num_tokens = num_tokens
        self.output_mode = output_mode
        self.built = True

    def call(self, inputs: ArrayLike, count_weights: Any = None) -> Tensor:
        return encoded(
            array(inputs), as_size(held(self)["num_tokens"], "tokens"), held(self)["output_mode"], self._compute
        )


@model("keras.layers.STFTSpectrogram")
class STFTSpectrogram(Layer):
    def __init__(
        self, mode: Any = "log", frame_length: Any = 256, frame_step: Any = None, fft_length: Any = None,
        window: Any = "hann", periodic: Any = False, scaling: Any = "density", padding: Any = "valid",
        expand_dims: bool = False, data_format: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.mode = mode
        self.frame_length = frame_length
        self.frame_step = (
            frame_step if frame_step is not None else frame_length // 2 if isinstance(frame_length, int) else None
        )
        self.fft_length = fft_length if fft_length is not None else frame_length
        self.padding = padding
        self.expand_dims = expand_dims
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        x = array(inputs)
        dims = dims_of(x)
        if dims is None or len(dims) not in (2, 3):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a signal of unknown rank")
        samples, channels = dims[1], dims[2] if len(dims) == 3 else 1
        length, step = as_size(cells["frame_length"], "frame"), as_size(cells["frame_step"], "step")
        fft = as_size(cells["fft_length"], "fft")
        frames = (
            floor_div(samples + step - 1, step) if cells["padding"] == "same" else floor_div(samples - length, step) + 1
        )
        bins = floor_div(fft, 2) + 1
        many = 2 if cells["mode"] == "stft" else 1
        made = (
            (dims[0], frames, bins, channels * many)
            if cells["expand_dims"]
            else (dims[0], frames, bins * channels * many)
        )
        return opaque("layers.STFTSpectrogram", [x], Known(self._compute, made), type(x))


@model("keras.layers.MelSpectrogram")
class MelSpectrogram(Layer):
    def __init__(
        self, fft_length: Size = 2048, sequence_stride: Size = 512, sequence_length: Any = None, window: Any = "hann",
        sampling_rate: Any = 16000, num_mel_bins: Size = 128, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=kwargs.get("name"))
        self.fft_length = fft_length
        self.sequence_stride = sequence_stride
        self.num_mel_bins = num_mel_bins
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = array(inputs)
        dims = dims_of(x)
        if dims is None or not dims:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a signal of unknown rank")
        frames = floor_div(dims[-1], held(self)["sequence_stride"]) + 1
        return opaque(
            "layers.MelSpectrogram",
            [x],
            Known(self._compute, (*dims[:-1], held(self)["num_mel_bins"], frames)),
            type(x),
        )
