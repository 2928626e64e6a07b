"""torch.fft, and the short-time transforms of torch."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Size, as_size, as_sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import axes_of, placed, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import default_float
from mlvet.frontends.python.libraries.torch.tensor import Tensor, method
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, tensor_of

REAL = {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}
COMPLEX = {dtypes.f64: dtypes.c128, dtypes.c128: dtypes.c128}


def _complex(x: TensorValue) -> DType | None:
    known = dtype_of(x)
    return None if known is None else COMPLEX.get(known, dtypes.c64)


def _real(x: TensorValue) -> DType | None:
    known = dtype_of(x)
    return None if known is None else REAL.get(known, known if known.is_float else dtypes.f32)


def _transformed(name: str, x: TensorValue, sizes: Any, dims: Any, *, half: str = "") -> Tensor:
    """A Fourier transform along dims. `forward` halves the last of them, `back` makes it whole again."""
    shape = list(ranked_dims(x))
    axes = tuple(range(len(shape))) if dims is None else axes_of(dims) or ()
    wanted: Any = None if sizes is None else as_sizes(sizes) if not isinstance(sizes, int) else (sizes,)
    if dims is None and wanted is not None:
        axes = tuple(range(len(shape) - len(wanted), len(shape)))
    places = [placed(axis, len(shape)) for axis in axes]
    demand(len(set(places)) == len(places), "a dim is named twice")
    for n, place in enumerate(places):
        size: Dim = shape[place] if wanted is None else wanted[n]
        if n == len(places) - 1 and half == "forward":
            size = floor_div(size, 2) + 1
        elif n == len(places) - 1 and half == "back" and wanted is None:
            size = 2 * (size - 1)
        demand(not isinstance(size, int) or size > 0, f"{name} of no points", "size-out-of-range")
        shape[place] = size
    dtype = _real(x) if half == "back" else _complex(x)
    return opaque(f"fft.{name}", [x], Type(dtype, tuple(shape)), Tensor)


def _one(name: str, half: str) -> Any:
    def function(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
        return _transformed(name, input, None if n is None else (as_size(n),), (dim,), half=half)

    return function


def _two(name: str, half: str) -> Any:
    def function(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
        return _transformed(name, input, s, dim, half=half)

    return function


def _all(name: str, half: str) -> Any:
    def function(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
        return _transformed(name, input, s, dim, half=half)

    return function


for _name, _half in (
    ("fft", ""),
    ("ifft", ""),
    ("rfft", "forward"),
    ("irfft", "back"),
    ("hfft", "back"),
    ("ihfft", "forward"),
):
    model(f"torch.fft.{_name}")(_one(_name, _half))
for _name, _half in (("fft2", ""), ("ifft2", ""), ("rfft2", "forward"), ("irfft2", "back")):
    model(f"torch.fft.{_name}")(_two(_name, _half))
for _name, _half in (("fftn", ""), ("ifftn", ""), ("rfftn", "forward"), ("irfftn", "back")):
    model(f"torch.fft.{_name}")(_all(_name, _half))


@model("torch.fft.fftshift", "torch.fft.ifftshift")
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    return opaque("fftshift", [input], tensor_of(input).without_value(), Tensor)


@model("torch.fft.fftfreq")
def fftfreq(n: Size, d: Any = 1.0, *, dtype: DType | None = None, **keywords: Any) -> Tensor:
    return opaque("fftfreq", [], Type(dtype or default_float(), (n,)), Tensor)


@model("torch.fft.rfftfreq")
def rfftfreq(n: Size, d: Any = 1.0, *, dtype: DType | None = None, **keywords: Any) -> Tensor:
    return opaque("rfftfreq", [], Type(dtype or default_float(), (floor_div(n, 2) + 1,)), Tensor)


@method("torch.stft", "torch.functional.stft")
def stft(
    input: Tensor, n_fft: Size, hop_length: Size | None = None, win_length: Size | None = None,
    window: Tensor | None = None, center: bool = True, pad_mode: Any = "reflect", normalized: bool = False,
    onesided: bool = True, return_complex: Any = None, align_to_window: Any = None,
) -> Tensor:  # fmt: skip
    """Frequencies by frames."""
    dims = ranked_dims(input)
    demand(len(dims) in (1, 2), f"stft needs a tensor of 1 or 2 dims, but gets {len(dims)}", "rank-differs")
    hop = floor_div(n_fft, 4) if hop_length is None else hop_length
    signal = dims[-1] + (floor_div(n_fft, 2) * 2 if center else 0)
    frames = floor_div(signal - n_fft, hop) + 1
    bins = floor_div(n_fft, 2) + 1 if onesided else n_fft
    if return_complex:
        return opaque("stft", [input, window], Type(_complex(input), (*dims[:-1], bins, frames)), Tensor)
    return opaque("stft", [input, window], Type(_real(input), (*dims[:-1], bins, frames, 2)), Tensor)


@method("torch.istft", "torch.functional.istft")
def istft(
    input: Tensor, n_fft: Size, hop_length: Size | None = None, win_length: Size | None = None,
    window: Tensor | None = None, center: bool = True, normalized: bool = False, onesided: Any = None,
    length: Size | None = None, return_complex: bool = False,
) -> Tensor:  # fmt: skip
    dims = ranked_dims(input)
    hop = floor_div(n_fft, 4) if hop_length is None else hop_length
    whole = n_fft + hop * (dims[-1] - 1)
    size = length if length is not None else whole - floor_div(n_fft, 2) * 2 if center else whole
    return opaque("istft", [input, window], Type(_real(input), (*dims[:-2], size)), Tensor)
