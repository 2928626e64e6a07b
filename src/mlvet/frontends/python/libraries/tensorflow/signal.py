"""tf.signal and tf.audio: frames, spectra and sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, ceil_div, floor_div, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import ArrayLike, as_size
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.tensorflow.arguments import axis_of, dims_or_undecided, sizes_of
from mlvet.frontends.python.libraries.tensorflow.records import Record
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of, typed
from mlvet.frontends.python.values.tensors import dtype_of


def _complex(x: Tensor) -> DType:
    return dtypes.c128 if dtype_of(x) in (dtypes.f64, dtypes.c128) else dtypes.c64


def _real(x: Tensor) -> DType:
    return dtypes.f64 if dtype_of(x) is dtypes.c128 else dtypes.f32


def _fourier(op: str, count: int) -> Callable[..., Any]:
    def function(input: ArrayLike, name: Any = None) -> Tensor:
        del name
        return op_of(op, convert(input), axes=tuple(range(-count, 0)))

    return function


def _real_fourier(op: str, count: int) -> Callable[..., Any]:
    def function(input_tensor: ArrayLike, fft_length: Any = None, name: Any = None) -> Tensor:
        del name
        x = convert(input_tensor)
        dims = list(dims_or_undecided(x))
        lengths = list(sizes_of(fft_length)) if fft_length is not None else None
        if lengths is None and op == "rfft":
            lengths = dims[-count:]
        elif lengths is None:
            lengths = [*dims[-count:-1], 2 * (dims[-1] - 1)]
        last = floor_div(lengths[-1], 2) + 1 if op == "rfft" else lengths[-1]
        kind = _complex(x) if op == "rfft" else _real(x)
        return typed(op, [x], kind, *dims[:-count], *lengths[:-1], last)

    return function


for _count, _suffix in ((1, ""), (2, "2d"), (3, "3d")):
    for _op in ("fft", "ifft"):
        model(f"tensorflow.signal.{_op}{_suffix}")(_fourier(_op, _count))
    for _op in ("rfft", "irfft"):
        model(f"tensorflow.signal.{_op}{_suffix}")(_real_fourier(_op, _count))


def _frames(length: Dim, size: Dim, step: Dim, pad_end: bool) -> Dim:
    return ceil_div(length, step) if pad_end else floor_div(length - size, step) + 1


@model("tensorflow.signal.frame")
def frame(
    signal: ArrayLike, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0, axis: Any = -1,
    name: Any = None,
) -> Tensor:  # fmt: skip
    del pad_value, name
    size, step = as_size(frame_length, "frame"), as_size(frame_step, "step")
    return op_of("frame", convert(signal), size, step, axis=axis_of(axis), pad_end=pad_end)


@model("tensorflow.signal.stft")
def stft(
    signals: ArrayLike, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = None,
    pad_end: bool = False, name: Any = None,
) -> Tensor:  # fmt: skip
    del window_fn, name
    x = convert(signals)
    *batch, length = dims_or_undecided(x)
    size, step = as_size(frame_length, "frame"), as_size(frame_step, "step")
    bins = _power_of_two(size) if fft_length is None else as_size(fft_length, "fft")
    return typed("stft", [x], _complex(x), *batch, _frames(length, size, step, pad_end), floor_div(bins, 2) + 1)


def _power_of_two(size: Dim) -> Dim:
    """The smallest power of two that is no less."""
    if not isinstance(size, int):
        return symbol(machine().fresh("fft"))
    return 1 << max(size - 1, 0).bit_length()


@model("tensorflow.signal.inverse_stft")
def inverse_stft(
    stfts: ArrayLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Any = None,
    name: Any = None,
) -> Tensor:
    del fft_length, window_fn, name
    x = convert(stfts)
    *batch, frames, _ = dims_or_undecided(x)
    size, step = as_size(frame_length, "frame"), as_size(frame_step, "step")
    return typed("inverse_stft", [x], _real(x), *batch, (frames - 1) * step + size)


@model("tensorflow.signal.overlap_and_add")
def overlap_and_add(signal: ArrayLike, frame_step: Any, name: Any = None) -> Tensor:
    del name
    x = convert(signal)
    *batch, frames, size = dims_or_undecided(x)
    return typed("overlap_and_add", [x], dtype_of(x), *batch, (frames - 1) * as_size(frame_step, "step") + size)


@model("tensorflow.signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000, lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0, dtype: DType | None = dtypes.f32, name: Any = None,
) -> Tensor:  # fmt: skip
    del sample_rate, lower_edge_hertz, upper_edge_hertz, name
    sizes = as_size(num_spectrogram_bins, "bins"), as_size(num_mel_bins, "mel_bins")
    return typed("mel_weight_matrix", [], dtype or dtypes.f32, *sizes)


@model("tensorflow.signal.mfccs_from_log_mel_spectrograms", "tensorflow.signal.dct", "tensorflow.signal.idct")
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: ArrayLike, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: Any = None
) -> Tensor:
    del type, axis, norm, name
    x = convert(log_mel_spectrograms)
    *before, last = dims_or_undecided(x)
    return typed("mfccs", [x], dtype_of(x), *before, last if n is None else as_size(n, "n"))


def _window(op: str) -> Callable[..., Any]:
    def function(
        window_length: Any, periodic: bool = True, dtype: DType | None = dtypes.f32, name: Any = None
    ) -> Tensor:
        del periodic, name
        return typed(op, [], dtype or dtypes.f32, as_size(window_length, "window"))

    return function


for _op in ("hann_window", "hamming_window", "kaiser_window", "vorbis_window"):
    model(f"tensorflow.signal.{_op}")(_window(_op))


@model("tensorflow.audio.decode_wav")
def decode_wav(contents: Any, desired_channels: Any = -1, desired_samples: Any = -1, name: Any = None) -> Any:
    del name
    samples, channels = (
        symbol(machine().fresh(what)) if isinstance(given, int) and given < 0 else as_size(given, what)
        for given, what in ((desired_samples, "samples"), (desired_channels, "channels"))
    )
    sound = typed("decode_wav", [convert(contents)], dtypes.f32, samples, channels)
    return Record(("audio", sound), ("sample_rate", typed("sample_rate", [], dtypes.i32)))


@model("tensorflow.audio.encode_wav")
def encode_wav(audio: ArrayLike, sample_rate: Any, name: Any = None) -> Tensor:
    del sample_rate, name
    return typed("encode_wav", [convert(audio)], dtypes.text)


alias("tensorflow.compat.v1.spectral", "tensorflow.signal")
