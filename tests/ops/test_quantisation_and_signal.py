"""Quantisation by tensor, axis and block; transforms of signals, their lengths on symbols and their values."""

from __future__ import annotations

import numpy as np
import pytest
from shape_rules import inferred
from shape_rules import shaped as t

from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import c64, f8e4m3fn, f16, i4, i8, i64, u8
from mlvet.domains.tensors import Tensor, of_dims, unknown
from mlvet.ops import REGISTRY

B, N = symbol("B"), symbol("N")


def test_the_zero_point_decides_the_dtype() -> None:
    assert inferred("quantize_linear", t(B, 4), t(), Tensor(i8, ()))[0] == Tensor(i8, (B, 4))
    assert inferred("quantize_linear", t(B, 4), t())[0] == Tensor(u8, (B, 4))
    assert inferred("quantize_linear", t(B, 4), t(), output_dtype=f8e4m3fn)[0].dtype == f8e4m3fn
    assert inferred("dequantize_linear", Tensor(i4, (B, 4)), Tensor(f16, ()))[0] == Tensor(f16, (B, 4))


def test_scales_that_do_not_fit() -> None:
    assert inferred("quantize_linear", t(B, 4), t(3), axis=1)[1] == ["dims-differ"]
    assert inferred("quantize_linear", t(2, 8), t(2, 3), axis=1, block_size=4)[1] == ["dims-differ"]
    assert inferred("quantize_linear", t(2, 8), t(2, 2), axis=1, block_size=4)[1] == []


def test_quantisation_rounds_half_to_even_and_saturates() -> None:
    x = np.asarray([0.5, 1.5, 2.5, -9.0, 300.0], np.float32)
    one = np.asarray(1, np.float32)
    assert REGISTRY["quantize_linear"].reference(x, one).tolist() == [0, 2, 2, 0, 255]
    zero = np.asarray(-3, np.int8)
    assert REGISTRY["quantize_linear"].reference(x, one, zero).tolist() == [-3, -1, -1, -12, 127]


def test_fake_quantisation_is_that_of_tensorflow() -> None:
    import tensorflow as tf

    x = np.linspace(-3, 3, 50, dtype=np.float32)
    for bits in (2, 4, 8):
        wanted = tf.quantization.fake_quant_with_min_max_vars(x, -1.3, 2.1, num_bits=bits)
        ends = (np.asarray(end, np.float32) for end in (-1.3, 2.1))
        result = REGISTRY["fake_quantize"].reference(x, *ends, num_bits=bits)
        np.testing.assert_allclose(result, wanted, atol=1e-5)


def test_lengths_of_fourier_transforms() -> None:
    assert inferred("dft", t(B, N, 1), onesided=1)[0] == t(B, N // 2 + 1, 2)
    assert inferred("dft", t(B, N, 2), inverse=1, onesided=1)[0] == t(B, 2 * N - 2, 1)
    assert inferred("dft", t(B, N, 3))[1] == ["dims-differ"]
    assert inferred("rfft", t(B, N))[0] == Tensor(c64, (B, N // 2 + 1))
    assert inferred("irfft", Tensor(c64, (B, N)))[0] == t(B, 2 * N - 2)
    assert inferred("fft", t(B, N), s=(16,))[0] == Tensor(c64, (B, 16))


def test_frames_of_a_short_time_transform() -> None:
    step = of_dims([160], i64)
    result, broken = inferred("stft", t(B, 16000, 1), step, t(400))
    assert (result, broken) == (t(B, 98, 201, 2), [])
    assert inferred("stft", t(B, 300, 1), step, t(400))[1] == ["kernel-larger-than-input"]
    assert inferred("stft", t(B, 16000, 1), unknown("step", i64), t(400))[0].dims[2:] == (201, 2)


@pytest.mark.parametrize("pad_end", [False, True])
def test_framing_is_that_of_tensorflow(pad_end: bool) -> None:
    import tensorflow as tf

    x = np.arange(22, dtype=np.float32).reshape(2, 11)
    wanted = tf.signal.frame(x, 4, 3, pad_end=pad_end).numpy()
    result = REGISTRY["frame"].reference(x, np.asarray(4), np.asarray(3), pad_end=pad_end)
    assert (result == wanted).all()
    sizes = of_dims([4], i64), of_dims([3], i64)
    assert inferred("frame", t(2, 11), *sizes, pad_end=pad_end)[0] == t(*wanted.shape)


def test_istft_undoes_the_length_of_torch() -> None:
    import torch

    window = torch.hann_window(16)
    spectrum = torch.stft(torch.randn(2, 100), 16, 4, window=window, return_complex=True)
    wanted = torch.istft(spectrum, 16, 4, window=window)
    result, broken = inferred("istft", Tensor(c64, tuple(spectrum.shape)), n_fft=16, hop_length=4)
    assert (result.dims, broken) == (tuple(wanted.shape), [])


@pytest.mark.parametrize("name", ["hann_window", "hamming_window", "blackman_window"])
def test_windows_have_the_size_asked_for(name: str) -> None:
    assert inferred(name, of_dims([N], i64))[0] == t(N)
    weights = REGISTRY[name].reference(np.asarray(9), periodic=0)
    assert weights.shape == (9,)
    np.testing.assert_allclose(weights, weights[::-1], atol=1e-6)
    assert weights[4] == 1.0
