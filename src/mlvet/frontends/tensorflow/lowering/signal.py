"""Fourier transforms and parts of complex numbers."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.tensorflow.lowering.pointwise import named
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _fourier(op: str, dims: int) -> Lowering:
    """Over the last dims; transforms of real numbers take their lengths as an operand."""

    def lower(site: Site) -> Sequence[Value] | None:
        attributes: dict[str, object] = {"axes": tuple(range(-dims, 0))}
        if op in ("rfft", "irfft"):
            sizes = site.ints(site.input(1))
            if sizes is None or len(sizes) != dims:
                return None
            attributes["s"] = sizes
        return site.emit(op, site.inputs[:1], attributes)

    return lower


_NAMES = {"FFT": "fft", "IFFT": "ifft", "RFFT": "rfft", "IRFFT": "irfft"}

TABLE: dict[str, Lowering] = {
    **{name: _fourier(op, 1) for name, op in _NAMES.items()},
    **{f"{name}2D": _fourier(op, 2) for name, op in _NAMES.items()},
    **{f"{name}3D": _fourier(op, 3) for name, op in _NAMES.items()},
    "Real": named("real"),
    "Imag": named("imag"),
}
