"""Filters of signals and images."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Size, Tensor, as_items
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.numpy.element_types import averaged_of
from mlvet.frontends.python.libraries.numpy.products import convolve as convolved
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _dims(array: Any) -> tuple[Any, ...]:
    dims = dims_of(array)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return dims


@model("scipy.signal.resample")
def resample(x: Any, num: Size, t: Any = None, axis: int = 0, **rest: Any) -> Tensor:
    array = as_ndarray(x)
    sizes = list(_dims(array))
    sizes[axis] = num
    return opaque("resample", [array], Type(averaged_of(dtype_of(array)), tuple(sizes)), ndarray)


@model("scipy.signal.lfilter", "scipy.signal.filtfilt")
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, **rest: Any) -> Tensor:
    array = as_ndarray(x)
    return opaque("filter", [array], Type(averaged_of(dtype_of(array)), tensor_of(array).shape), ndarray)


@model("scipy.signal.butter")
def butter(N: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None) -> Any:
    if not isinstance(N, int) or output != "ba":
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a filter of unknown order")
    count = (2 * N if btype in ("band", "bandpass", "bandstop", "bs", "bp", "pass") else N) + 1
    return tuple(opaque("butter", [], Type(dtypes.f64, (count,)), ndarray) for _ in range(2))


@model("scipy.signal.convolve", "scipy.signal.fftconvolve", "scipy.signal.correlate")
def convolve(in1: Any, in2: Any, mode: str = "full", method: Any = "auto") -> Tensor:
    left, right = as_ndarray(in1), as_ndarray(in2)
    if len(_dims(left)) == 1:
        return (
            convolved(left, right, mode)
            if mode != "same"
            else opaque("convolve", [left, right], Type(dtypes.f64, _dims(left)), ndarray)
        )
    pairs = list(zip(_dims(left), _dims(right), strict=True))
    made = {
        "full": [a + b - 1 for a, b in pairs],
        "same": [a for a, _ in pairs],
        "valid": [a - b + 1 for a, b in pairs],
    }
    return opaque("convolve", [left, right], Type(None, tuple(made[mode])), ndarray)


def _same(name: str) -> None:
    @model(f"scipy.ndimage.{name}")
    def apply(input: Any, *args: Any, **rest: Any) -> Tensor:
        array = as_ndarray(input)
        return opaque(name, [array], tensor_of(array).without_value(), ndarray)


for _name in ("gaussian_filter", "median_filter", "uniform_filter", "grey_closing", "grey_opening", "shift"):
    _same(_name)


def _truths(name: str) -> None:
    @model(f"scipy.ndimage.{name}")
    def apply(input: Any, *args: Any, **rest: Any) -> Tensor:
        array = as_ndarray(input)
        return opaque(name, [array], Type(dtypes.bool_, tensor_of(array).shape), ndarray)


for _name in ("binary_erosion", "binary_dilation", "binary_fill_holes", "binary_opening", "binary_closing"):
    _truths(_name)


@model("scipy.ndimage.rotate")
def rotate(input: Any, angle: Any, axes: Any = (1, 0), reshape: bool = True, **rest: Any) -> Tensor:
    array = as_ndarray(input)
    sizes = list(_dims(array))
    if reshape:
        for axis in as_items(axes):
            sizes[axis] = symbol(machine().fresh("rotated"))
    return opaque("rotate", [array], Type(dtype_of(array), tuple(sizes)), ndarray)


@model("scipy.ndimage.zoom")
def zoom(input: Any, zoom: Any, **rest: Any) -> Tensor:
    array = as_ndarray(input)
    dims = _dims(array)
    factors = as_items(zoom) if isinstance(zoom, tuple | ListValue) else (zoom,) * len(dims)
    sizes = [dim if factor == 1 else _rounded(dim, factor) for dim, factor in zip(dims, factors, strict=True)]
    return opaque("zoom", [array], Type(dtype_of(array), tuple(sizes)), ndarray)


def _rounded(dim: Any, factor: Any) -> Any:
    if isinstance(dim, int) and isinstance(factor, int | float):
        return round(dim * factor)
    return dim * factor if isinstance(factor, int) else symbol(machine().fresh("zoomed"))


@model("scipy.ndimage.label")
def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    array = as_ndarray(input)
    return opaque("label", [array], Type(dtypes.i32, tensor_of(array).shape), ndarray), symbol(
        machine().fresh("labels")
    )
