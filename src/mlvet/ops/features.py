"""Preparation of features for classical models: picking columns, thresholds and the encoding of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.derivative import SameMap, Zero
from mlvet.ops.enclosures_counting import ENCODED
from mlvet.ops.index_map import Elementwise, Moves
from mlvet.ops.numeric import Monotone, Range, Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def infer_array_feature_extractor(x: Tensor, y: Tensor, *, require: Require) -> Tensor:
    """The columns that the indices name; a vector counts as one row."""
    if not require.rank_at_least(x, 1, "data"):
        return require.unknown_tensor(x.dtype)
    last = x.dims[-1]
    for index in require.known_ints(y) or ():
        require.at_least(last - 1, index, because=f"column {index} exists", rule="size-out-of-range")
    return x.with_shape((*(x.dims[:-1] or (1,)), y.size))


def array_feature_extractor_reference(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    return np.take(x if x.ndim > 1 else x[None], np.ravel(y), axis=-1)


def _sample_extractor(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1, 3))
    indices = integers([draw.integer(0, x.shape[-1] - 1) for _ in range(draw.integer(1, 3))])
    return Sample((x, draw.choice([indices, indices[None]])))


array_feature_extractor = pure(
    "array_feature_extractor",
    infer_array_feature_extractor,
    array_feature_extractor_reference,
    _sample_extractor,
    family="features",
    numeric=Selection((0,)),
    index_map=Moves((0,)),
    derivative=SameMap((0,)),
)


def infer_binarizer(x: Tensor, **_: Any) -> Tensor:
    """The shape and dtype of x."""
    return x.without_value()


def binarizer_reference(x: NDArray[Any], *, threshold: float = 0.0) -> NDArray[Any]:
    return np.asarray(x > threshold).astype(x.dtype)


binarizer = pure(
    "binarizer",
    infer_binarizer,
    binarizer_reference,
    lambda draw: Sample((draw.array(draw.shape()),), {"threshold": draw.choice([0.0, 1.0])}),
    family="features",
    numeric=Monotone(image=Range(0, 1)),
    index_map=Elementwise(),
    derivative=Zero(),
)


def _encoding(
    values_floats: Sequence[float] | None,
    values_int64s: Sequence[int] | None,
    values_strings: Sequence[str] | None,
    values_tensor: Any,
    values_dtype: DType | None,
) -> DType | None:
    if values_floats:
        return dtypes.f32
    if values_int64s:
        return dtypes.i64
    if values_strings:
        return dtypes.text
    if values_tensor is None:
        return None
    return values_dtype or dtypes.of(np.asarray(values_tensor).dtype)


def infer_label_encoder(
    x: Tensor,
    *,
    require: Require,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: Any = None,
    values_dtype: DType | None = None,
    **_: Any,
) -> Tensor:
    """The shape of x and the dtype of the values, which `values_dtype` tells where they are a plain tuple."""
    dtype = _encoding(values_floats, values_int64s, values_strings, values_tensor, values_dtype)
    require.holds(dtype is not None, "the encoder has no values")
    return x.with_dtype(dtype)


def label_encoder_reference(
    x: NDArray[Any],
    *,
    keys_floats: Sequence[float] | None = None,
    keys_int64s: Sequence[int] | None = None,
    keys_strings: Sequence[str] | None = None,
    keys_tensor: Any = None,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: Any = None,
    values_dtype: DType | None = None,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_string: str = "_Unused",
    default_tensor: Any = None,
) -> NDArray[Any]:
    dtype = _encoding(values_floats, values_int64s, values_strings, values_tensor, values_dtype)
    assert dtype is not None
    keys = keys_floats or keys_int64s or keys_strings or np.ravel(keys_tensor).tolist()
    values = values_floats or values_int64s or values_strings or np.ravel(values_tensor).tolist()
    default: Any = default_string if dtype is dtypes.text else default_float if dtype.is_float else default_int64
    if default_tensor is not None:
        default = np.ravel(default_tensor)[0]
    missing = [value for key, value in zip(keys, values, strict=True) if key != key]
    known = dict(zip(keys, values, strict=True))
    found = [missing[-1] if missing and item != item else known.get(item, default) for item in np.ravel(x).tolist()]
    result = np.empty(len(found), dtype=object)
    result[:] = found
    return result.reshape(x.shape).astype(dtype.numpy)


def _sample_encoder(draw: Draw) -> Sample:
    attributes: dict[str, Any] = draw.choice(
        [
            {"keys_int64s": (1, 2, 3), "values_floats": (0.5, 1.5, 2.5), "default_float": 9.0},
            {"keys_int64s": (1, 2, 3), "values_strings": ("a", "b", "c")},
            {"keys_int64s": (1, 2), "values_tensor": (7, 8), "values_dtype": dtypes.i16, "default_tensor": (0,)},
        ]
    )
    return Sample((draw.array(draw.shape(), low=0, high=4, dtype=dtypes.i64),), attributes)


label_encoder = pure(
    "label_encoder",
    infer_label_encoder,
    label_encoder_reference,
    _sample_encoder,
    family="features",
    numeric=ENCODED,
    index_map=Elementwise(),
    derivative=Zero(),
)
