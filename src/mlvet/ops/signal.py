"""Fourier transforms, whole and short-time, and the framing of signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, ceil_div, floor_div, maximum
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import SameMap
from mlvet.ops.enclosures_sums import DISCRETE, SHORT_TIME, spectrum
from mlvet.ops.index_map import Moves
from mlvet.ops.numeric import Selection
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

_transform = partial(pure, family="signal", danger=(OVERFLOW,), derivative=SameMap((0,)))


def number(tensor: Tensor | None, default: Dim, require: Require) -> Dim:
    """The one element of an operand, the default if it is left out, or an unknown size."""
    if tensor is None:
        return default
    elements = require.ints(tensor)
    return elements[0] if elements else require.unknown()


def infer_dft(
    x: Tensor,
    dft_length: Tensor | None = None,
    axis: Tensor | None = None,
    *,
    require: Require,
    inverse: bool = False,
    onesided: bool = False,
) -> Tensor:
    """Along the axis, the length or (onesided) half of it plus 1; the last dim is the real and imaginary part."""
    if not require.rank_at_least(x, 2, "signal"):
        return require.unknown_tensor(x.dtype, x.rank)
    last = x.dims[-1]
    if isinstance(last, int):
        require.holds(last in (1, 2), f"the last dim holds a real or complex number, but is {last}", rule="dims-differ")
    place = number(axis, -2, require)
    parts = 1 if inverse and onesided else 2
    if not isinstance(place, int):
        return x.with_shape((*(require.unknown() for _ in x.dims[:-1]), parts))
    at = require.axis(place, x.rank)
    if not require.holds(at != x.rank - 1, "the last dim holds the parts of a number", rule="axis-out-of-range"):
        return require.unknown_tensor(x.dtype, x.rank)
    length = number(dft_length, 2 * (x.dims[at] - 1) if inverse and onesided else x.dims[at], require)
    out = floor_div(length, 2) + 1 if onesided and not inverse else length
    return x.with_shape((*x.dims[:at], out, *x.dims[at + 1 : -1], parts))


def _complex(x: NDArray[Any]) -> NDArray[Any]:
    """The numbers whose parts lie along the last dim."""
    broad = wide(x)
    return broad[..., 0] if x.shape[-1] == 1 else broad[..., 0] + 1j * broad[..., 1]


def _parts(x: NDArray[Any]) -> NDArray[Any]:
    return np.stack([x.real, x.imag], axis=-1)


def dft_reference(
    x: NDArray[Any],
    dft_length: NDArray[Any] | None = None,
    axis: NDArray[Any] | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> NDArray[Any]:
    at = (-2 if axis is None else int(np.ravel(axis)[0])) % x.ndim
    length = None if dft_length is None else int(np.ravel(dft_length)[0])
    values = _complex(x)
    if inverse and onesided:
        return narrow(np.fft.irfft(values, n=length, axis=at)[..., None], x)
    if inverse:
        return narrow(_parts(np.fft.ifft(values, n=length, axis=at)), x)
    result = np.fft.fft(values, n=length, axis=at)
    if onesided:
        result = np.take(result, range(result.shape[at] // 2 + 1), axis=at)
    return narrow(_parts(result), x)


def _sample_dft(draw: Draw) -> Sample:
    inverse, onesided = draw.integer(0, 1), draw.integer(0, 1)
    parts = 2 if inverse else 1 if onesided else draw.integer(1, 2)
    lengths = draw.shape(1, 3, low=2, high=5)
    x = draw.array((*lengths, parts))
    axis = draw.choice([None, np.asarray(draw.integer(-x.ndim, -2), np.int64), np.asarray(0, np.int64)])
    length = draw.choice([None, np.asarray(draw.integer(2, 6), np.int64)])
    return Sample((x, length, axis), {"inverse": inverse, "onesided": onesided})


dft = _transform("dft", infer_dft, dft_reference, _sample_dft, numeric=DISCRETE)

COMPLEX = {dtypes.f64: dtypes.c128, dtypes.c128: dtypes.c128}
REAL = {dtypes.c128: dtypes.f64, dtypes.f64: dtypes.f64}


def _converted(dtype: DType | None, kind: str) -> DType | None:
    if dtype is None:
        return None
    return REAL.get(dtype, dtypes.f32) if kind == "irfft" else COMPLEX.get(dtype, dtypes.c64)


def infer_fft(
    kind: str,
    x: Tensor,
    *,
    require: Require,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-1,),
    norm: str = "backward",
) -> Tensor:
    """The axes take the sizes `s`, if given; the last of them is halved by rfft and doubled by irfft."""
    del norm
    dtype = _converted(x.dtype, kind)
    if kind == "rfft" and x.dtype is not None:
        require.holds(x.dtype.kind is not Kind.COMPLEX, f"rfft takes real numbers, not {x.dtype}", rule="dtype-differs")
    if not require.rank_at_least(x, 1, "signal"):
        return require.unknown_tensor(dtype, x.rank)
    places = [require.axis(axis, x.rank) for axis in axes]
    dims = list(x.dims)
    for at, size in zip(places, s or (), strict=False):
        dims[at] = size
    if places and kind == "rfft":
        dims[places[-1]] = floor_div(dims[places[-1]], 2) + 1
    elif places and kind == "irfft":
        dims[places[-1]] = s[-1] if s else 2 * (dims[places[-1]] - 1)
    return Tensor(dtype, tuple(dims))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "fft": np.fft.fftn,
    "ifft": np.fft.ifftn,
    "rfft": np.fft.rfftn,
    "irfft": np.fft.irfftn,
}


def fft_reference(
    kind: str,
    x: NDArray[Any],
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-1,),
    norm: str = "backward",
) -> NDArray[Any]:
    dtype = _converted(dtypes.of(x.dtype), kind)
    assert dtype is not None
    with np.errstate(all="ignore"):
        return np.asarray(FUNCTIONS[kind](wide(x), s=s, axes=tuple(axes), norm=norm)).astype(dtype.numpy)


def _sample_fft(kind: str, draw: Draw) -> Sample:
    shape = draw.shape(1, 3, low=2, high=5)
    x = draw.array(shape)
    if kind != "rfft" and draw.choice([True, False]):
        x = (x + 1j * draw.array(shape)).astype(np.complex64)
    axes = draw.choice([(-1,), (0,), tuple(range(-len(shape), 0))])
    sizes = draw.choice([None, tuple(draw.integer(2, 6) for _ in axes)])
    norm = draw.choice(["backward", "ortho", "forward"])
    return Sample((x,), {"axes": axes, "s": sizes, "norm": norm})


fft, ifft, rfft, irfft = (
    _transform(
        kind, partial(infer_fft, kind), partial(fft_reference, kind), partial(_sample_fft, kind), numeric=spectrum(kind)
    )
    for kind in FUNCTIONS
)


def infer_stft(
    signal: Tensor,
    frame_step: Tensor,
    window: Tensor | None = None,
    frame_length: Tensor | None = None,
    *,
    require: Require,
    onesided: bool = True,
) -> Tensor:
    """[batch, frames, bins, 2], with floor((length - frame length) / step) + 1 frames.

    A real signal may lack the last dim of size 1, which runtimes do not ask for.
    """
    if signal.ranked and signal.rank != 2:
        require.rank(signal, 3, "signal")
    if not signal.ranked or signal.rank not in (2, 3):
        return require.unknown_tensor(signal.dtype, 4)
    batch, length = signal.dims[:2]
    whole = length if window is None else window.dim(0) if window.ranked and window.rank else require.unknown()
    size = number(frame_length, whole, require)
    if window is not None and require.rank(window, 1, "window"):
        require.equal(window.dims[0], size, because="the window weighs each element of a frame")
    step = number(frame_step, 1, require)
    require.at_least(length, size, because="a frame fits into the signal", rule="kernel-larger-than-input")
    positive = not isinstance(step, int) or require.holds(step > 0, "the step between frames is positive")
    frames = floor_div(length - size, step) + 1 if positive else require.unknown()
    return signal.with_shape((batch, frames, floor_div(size, 2) + 1 if onesided else size, 2))


def stft_reference(
    signal: NDArray[Any],
    frame_step: NDArray[Any],
    window: NDArray[Any] | None = None,
    frame_length: NDArray[Any] | None = None,
    *,
    onesided: bool = True,
) -> NDArray[Any]:
    length = signal.shape[1]
    whole = length if window is None else window.shape[0]
    size = whole if frame_length is None else int(np.ravel(frame_length)[0])
    step = int(np.ravel(frame_step)[0])
    starts = np.arange((length - size) // step + 1) * step
    parts = signal if signal.ndim > 2 else signal[..., None]
    frames = _complex(parts)[:, starts[:, None] + np.arange(size)]
    if window is not None:
        frames = frames * wide(window)
    result = np.fft.fft(frames, axis=-1)
    return narrow(_parts(result[..., : size // 2 + 1] if onesided else result), signal)


def _sample_stft(draw: Draw) -> Sample:
    size, step = draw.integer(2, 4), draw.integer(1, 3)
    length = size + draw.integer(0, 5)
    mode = draw.choice(["window", "length", "both", "neither"])
    window = draw.array((size,)) if mode in ("window", "both") else None
    given = np.asarray(size, np.int64) if mode in ("length", "both") else None
    onesided = draw.integer(0, 1)
    signal = draw.array((draw.integer(1, 2), length, 1 if onesided else draw.integer(1, 2)))
    return Sample((signal, np.asarray(step, np.int64), window, given), {"onesided": onesided})


stft = _transform("stft", infer_stft, stft_reference, _sample_stft, numeric=SHORT_TIME)


def infer_istft(
    x: Tensor,
    window: Tensor | None = None,
    *,
    require: Require,
    n_fft: int,
    hop_length: int | None = None,
    center: bool = True,
    onesided: bool = True,
    length: int | None = None,
    **_: Any,
) -> Tensor:
    """[..., bins, frames] of complex numbers; the signal is n_fft + hop*(frames - 1) long, less what centring added."""
    del window
    dtype = _converted(x.dtype, "irfft")
    if not require.rank_at_least(x, 2, "spectrogram"):
        return require.unknown_tensor(dtype)
    bins = n_fft // 2 + 1 if onesided else n_fft
    require.equal(x.dims[-2], bins, because=f"a transform of {n_fft} has {bins} bins")
    whole = n_fft + (hop_length or n_fft // 4) * (x.dims[-1] - 1)
    samples = length if length is not None else whole - 2 * (n_fft // 2) if center else whole
    return Tensor(dtype, (*x.dims[:-2], samples))


istft = pure("istft", infer_istft, family="signal", danger=(OVERFLOW,))


def infer_frame(
    signal: Tensor, frame_length: Tensor, frame_step: Tensor, *, require: Require, axis: int = -1, pad_end: bool = False
) -> Tensor:
    """The axis becomes two: frames, and the elements of a frame."""
    if not require.rank_at_least(signal, 1, "signal"):
        return require.unknown_tensor(signal.dtype, signal.rank + 1)
    at = require.axis(axis, signal.rank)
    length, size, step = signal.dims[at], number(frame_length, 1, require), number(frame_step, 1, require)
    if isinstance(step, int) and not require.holds(step > 0, "the step between frames is positive"):
        step = 1
    frames = ceil_div(length, step) if pad_end else maximum(floor_div(length - size, step) + 1, 0)
    return signal.with_shape((*signal.dims[:at], frames, size, *signal.dims[at + 1 :]))


def frame_reference(
    signal: NDArray[Any],
    frame_length: NDArray[Any],
    frame_step: NDArray[Any],
    *,
    axis: int = -1,
    pad_end: bool = False,
) -> NDArray[Any]:
    at = axis % signal.ndim
    size, step, length = int(np.ravel(frame_length)[0]), int(np.ravel(frame_step)[0]), signal.shape[at]
    frames = -(-length // step) if pad_end else max((length - size) // step + 1, 0)
    missing = max((frames - 1) * step + size - length, 0)
    width = [(0, missing if index == at else 0) for index in range(signal.ndim)]
    places = np.arange(frames)[:, None] * step + np.arange(size)
    return np.take(np.pad(signal, width), places, axis=at)


def _sample_frame(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1, 3, low=1, high=6))
    sizes = integers([draw.integer(1, 4)])[0], integers([draw.integer(1, 3)])[0]
    attributes = {"axis": draw.integer(-x.ndim, x.ndim - 1), "pad_end": draw.choice([False, True])}
    return Sample((x, np.asarray(sizes[0]), np.asarray(sizes[1])), attributes)


frame = pure(
    "frame",
    infer_frame,
    frame_reference,
    _sample_frame,
    family="signal",
    numeric=Selection((0,), fill=0.0),
    index_map=Moves((0,)),
    derivative=SameMap((0,)),
)
