"""Parts and moduli of complex numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType, Kind, c64, c128, f32, f64
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Danger
from mlvet.ops.derivative import Derivative, Jvp
from mlvet.ops.enclosures_elementwise import CONJUGATE, IMAGINARY, MODULUS, REAL
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import Numeric
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import infer_pointwise
from mlvet.ops.samples import Sample

PARTS: dict[DType, DType] = {c64: f32, c128: f64}


def infer_part(x: Tensor, **_: Any) -> Tensor:
    """Real numbers of half the width; real numbers stay as they are."""
    complex_valued = x.dtype is not None and x.dtype.kind is Kind.COMPLEX
    return x.with_dtype(PARTS[x.dtype]) if complex_valued and x.dtype else x.without_value()


def _part(
    name: str,
    function: Callable[..., Any],
    numeric: Numeric,
    infer: Callable[..., Tensor] = infer_part,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
) -> Op:
    return pure(
        name,
        infer,
        lambda x: np.array(function(x)),
        lambda draw: Sample((draw.array(draw.shape(), dtype=draw.choice([c64, c128, f32])),)),
        family="pointwise",
        numeric=numeric,
        index_map=Elementwise(),
        danger=danger,
        derivative=derivative,
    )


def _modulus_along(operands: Sequence[Any], directions: Sequence[Any]) -> Any:
    x = operands[0]
    return np.real(np.conj(x) * directions[0]) / np.abs(x)


real = _part("real", np.real, REAL)
imag = _part("imag", np.imag, IMAGINARY)
conj = _part("conj", np.conj, CONJUGATE, infer_pointwise)
complex_abs = _part("complex_abs", np.abs, MODULUS, danger=(OVERFLOW,), derivative=Jvp(_modulus_along))
