"""Parts of complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType, Kind, c64, c128, f32, f64
from mlvet.domains.tensors import Tensor
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import Bounded
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import infer_pointwise
from mlvet.ops.samples import Sample

PARTS: dict[DType, DType] = {c64: f32, c128: f64}


def infer_part(x: Tensor, **_: Any) -> Tensor:
    """Real numbers of half the width; real numbers stay as they are."""
    complex_valued = x.dtype is not None and x.dtype.kind is Kind.COMPLEX
    return x.with_dtype(PARTS[x.dtype]) if complex_valued and x.dtype else x.without_value()


def _part(name: str, function: Callable[..., Any], infer: Callable[..., Tensor] = infer_part) -> Op:
    return pure(
        name,
        infer,
        lambda x: np.array(function(x)),
        lambda draw: Sample((draw.array(draw.shape(), dtype=draw.choice([c64, c128, f32])),)),
        family="pointwise",
        numeric=Bounded(),
        index_map=Elementwise(),
    )


real = _part("real", np.real)
imag = _part("imag", np.imag)
conj = _part("conj", np.conj, infer_pointwise)
