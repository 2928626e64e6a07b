"""Tables that signal processing multiplies by: window functions and the mel scale."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dims import floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import Outside
from mlvet.ops.derivative import Zero
from mlvet.ops.numeric import Bounded, Range
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.signal import number

ROUNDING = 1e-6
WINDOWS: dict[str, tuple[float, ...]] = {
    "hann_window": (0.5, 0.5),
    "hamming_window": (25 / 46, 21 / 46),
    "blackman_window": (0.42, 0.5, 0.08),
}


def infer_window(
    size: Tensor, *, require: Require, output_datatype: DType | None = None, periodic: bool = True
) -> Tensor:
    """As many weights as asked for."""
    del periodic
    return Tensor(output_datatype or dtypes.f32, (number(size, 0, require),))


def window_reference(
    terms: Sequence[float], size: NDArray[Any], *, output_datatype: DType | None = None, periodic: bool = True
) -> NDArray[Any]:
    """A sum of cosines: a0 - a1 cos(x) + a2 cos(2x), over one turn; a single weight is 1."""
    count = int(np.ravel(size)[0])
    turn = count if periodic else count - 1
    angles = 2 * np.pi * np.arange(count) / max(turn, 1)
    result = sum(((-1) ** k * a * np.cos(k * angles) for k, a in enumerate(terms)), np.zeros(count))
    if turn == 0:
        result = np.ones(count)
    return np.asarray(result).astype((output_datatype or dtypes.f32).numpy)


def _sample_window(draw: Draw) -> Sample:
    attributes = {"periodic": draw.integer(0, 1), "output_datatype": draw.choice([dtypes.f32, dtypes.f64])}
    return Sample((np.asarray(draw.integer(1, 12), np.int64),), attributes)


hann_window, hamming_window, blackman_window = (
    pure(
        name,
        infer_window,
        partial(window_reference, terms),
        _sample_window,
        family="signal",
        numeric=Bounded(Range(-ROUNDING, 1 + ROUNDING)),
        derivative=Zero(),
    )
    for name, terms in WINDOWS.items()
)


def infer_mel_weight_matrix(
    num_mel_bins: Tensor,
    dft_length: Tensor,
    sample_rate: Tensor,
    lower_edge_hertz: Tensor,
    upper_edge_hertz: Tensor,
    *,
    require: Require,
    output_datatype: DType | None = None,
) -> Tensor:
    """[dft_length // 2 + 1, num_mel_bins]."""
    del sample_rate, lower_edge_hertz, upper_edge_hertz
    bins = floor_div(number(dft_length, 0, require), 2) + 1
    return Tensor(output_datatype or dtypes.f32, (bins, number(num_mel_bins, 0, require)))


def mel_weight_matrix_reference(
    num_mel_bins: NDArray[Any],
    dft_length: NDArray[Any],
    sample_rate: NDArray[Any],
    lower_edge_hertz: NDArray[Any],
    upper_edge_hertz: NDArray[Any],
    *,
    output_datatype: DType | None = None,
) -> NDArray[Any]:
    """Triangles of height 1, whose corners are evenly spaced on the mel scale 2595 log10(1 + f/700)."""
    bands, length, rate = (int(np.ravel(x)[0]) for x in (num_mel_bins, dft_length, sample_rate))
    count = max(length, 0) // 2 + 1
    with np.errstate(all="ignore"):
        low, high = (
            2595 * np.log10(1 + np.ravel(x)[0] / np.float64(700)) for x in (lower_edge_hertz, upper_edge_hertz)
        )
        mels = low + np.arange(bands + 2) * (high - low) / (bands + 2)
        places = (length + 1) * 700 * (10 ** (mels / 2595) - 1) // rate
    corners = np.clip(np.nan_to_num(places), 0, count).astype(np.int64)
    result = np.zeros((count + 1, bands))
    for band in range(bands):
        left, centre, right = (int(corner) for corner in corners[band : band + 3])
        if left == centre:
            result[centre, band] = 1
        for k in range(left, centre + 1 if left < centre else left):
            result[k, band] = (k - left) / (centre - left)
        for k in range(centre, right):
            result[k, band] = (right - k) / (right - centre)
    return result[:count].astype((output_datatype or dtypes.f32).numpy)


def _sample_mel(draw: Draw) -> Sample:
    bands, length = draw.integer(1, 8), draw.choice([16, 32])
    numbers = [np.asarray(x, np.int64) for x in (bands, length, 8192)]
    return Sample((*numbers, np.asarray(0, np.float32), np.asarray(4096, np.float32)))


mel_weight_matrix = pure(
    "mel_weight_matrix",
    infer_mel_weight_matrix,
    mel_weight_matrix_reference,
    _sample_mel,
    family="signal",
    numeric=Bounded(Range(0, 1)),
    danger=(Outside(Range(low=-700, open_low=True), rule="log-of-nonpositive", operand=3),),
    derivative=Zero(),
)
