"""torchaudio: sound as tensors of channels and frames."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, ceil_div, floor_div, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.binding import TENSORS, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.datasets import Dataset
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import dims_of, dtype_of

TENSORS["torchaudio"] = TorchTensor


def waveform(channels: Dim | None = None) -> Any:
    """Sound of unknown length."""
    wide = symbol(machine().fresh("channels"), 1) if channels is None else channels
    return source("waveform", Type(dtypes.f32, (wide, symbol(machine().fresh("frames")))), TorchTensor)


@model("torchaudio.load")
def load(uri: Any, *args: Any, **kwargs: Any) -> Any:
    return waveform(), symbol(machine().fresh("sample_rate"), 1)


@model("torchaudio.save", "torchaudio.set_audio_backend")
def nothing(*args: Any, **kwargs: Any) -> None:
    pass


@model("torchaudio.transforms.Spectrogram")
class Spectrogram(Module):
    __slots__ = ()

    def __init__(
        self, n_fft: Size = 400, win_length: Size | None = None, hop_length: Size | None = None, pad: Size = 0,
        *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(floor_div(n_fft, 2) + 1, n_fft, win_length, hop_length)

    def _prepare(self, rows: Dim, n_fft: Dim, win_length: Dim | None, hop_length: Dim | None) -> None:
        self.rows, self.n_fft = rows, n_fft
        self.hop_length = (
            hop_length if hop_length is not None else floor_div(n_fft if win_length is None else win_length, 2)
        )

    def forward(self, waveform: Tensor) -> Tensor:
        dims = dims_of(assumed(waveform, 2, "channels", "frames")) or (1,)
        frames = floor_div(dims[-1], self.hop_length) + 1
        like = Type(dtype_of(waveform), (*dims[:-1], self.rows, frames))
        return opaque("spectrogram", [waveform], like, TorchTensor)


@model("torchaudio.transforms.MelSpectrogram")
class MelSpectrogram(Spectrogram):
    __slots__ = ()

    def __init__(
        self, sample_rate: Any = 16000, n_fft: Size = 400, win_length: Size | None = None,
        hop_length: Size | None = None, f_min: Any = 0.0, f_max: Any = None, pad: Size = 0, n_mels: Size = 128,
        *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        self._prepare(n_mels, n_fft, win_length, hop_length)


@model("torchaudio.transforms.MFCC")
class MFCC(Spectrogram):
    __slots__ = ()

    def __init__(
        self, sample_rate: Any = 16000, n_mfcc: Size = 40, *args: Any, melkwargs: Any = None, **kwargs: Any
    ) -> None:
        Module.__init__(self)
        given = getattr(melkwargs, "cells", {})
        self._prepare(n_mfcc, given.get("n_fft", 400), given.get("win_length"), given.get("hop_length"))


@model("torchaudio.transforms.Resample")
class Resample(Module):
    __slots__ = ()

    def __init__(self, orig_freq: Size = 16000, new_freq: Size = 16000, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.orig_freq, self.new_freq = orig_freq, new_freq

    def forward(self, waveform: Tensor) -> Tensor:
        dims = dims_of(assumed(waveform, 2, "channels", "frames")) or (1,)
        frames = ceil_div(dims[-1] * self.new_freq, self.orig_freq)
        return opaque("resample", [waveform], Type(dtype_of(waveform), (*dims[:-1], frames)), TorchTensor)


@model("torchaudio.transforms.AmplitudeToDB", "torchaudio.transforms.FrequencyMasking",
    "torchaudio.transforms.TimeMasking",
    "torchaudio.transforms.Vol", "torchaudio.transforms.Fade", "torchaudio.transforms.MuLawEncoding")  # fmt: skip
class SameExtent(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, waveform: Any, *args: Any) -> Any:
        return waveform


@model("torchaudio.datasets.SPEECHCOMMANDS", "torchaudio.datasets.LIBRISPEECH", "torchaudio.datasets.YESNO",
    "torchaudio.datasets.LJSPEECH", "torchaudio.datasets.VCTK_092", "torchaudio.datasets.GTZAN")  # fmt: skip
class Sounds(Dataset):
    """Sound, its rate, and what is said by whom."""

    __slots__ = ()

    def __init__(self, root: Any = None, *args: Any, **kwargs: Any) -> None:
        self.root = root

    def __getitem__(self, index: Any) -> Any:
        rate, number = symbol(machine().fresh("sample_rate"), 1), symbol(machine().fresh("utterance"))
        return waveform(1), rate, Scalar(str, "label"), Scalar(str, "speaker"), number
