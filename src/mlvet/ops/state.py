"""Operators that read and write variables, which live from one execution to the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType, bool_
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import SHARE, always
from mlvet.ops.layout import same_dims
from mlvet.ops.numeric import Affine, Numeric, Selection
from mlvet.ops.op import Effects, Infer, Op, Reference, register
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples


def _state(
    name: str,
    infer: Infer,
    numeric: Numeric | None = None,
    reference: Reference | None = None,
    samples: Samples | None = None,
) -> Op:
    """An operator on operand 0, a variable; the reference of one that writes yields what the variable holds next."""
    return register(
        Op(name, "state", infer=infer, numeric=numeric, effects=Effects.STATE, reference=reference, samples=samples)
    )


def infer_variable(*, require: Require, shape: Sequence[Dim] | None = None, dtype: DType | None = None) -> Tensor:
    """What the variable was declared to hold."""
    return require.unknown_tensor(dtype) if shape is None else Tensor(dtype, tuple(shape))


def infer_read_variable(
    variable: Tensor, *, require: Require, shape: Sequence[int] | None = None, dtype: DType | None = None
) -> Tensor:
    """What the variable holds; `shape` and `dtype` say it of a variable known only by a handle, -1 being any size."""
    if variable.ranked or shape is None:
        return variable.without_value()
    return Tensor(variable.dtype or dtype, tuple(require.unknown() if dim < 0 else dim for dim in shape))


def infer_assign(variable: Tensor, value: Tensor, *, require: Require, validate_shape: bool = True) -> Tensor:
    """The new value, which must have the variable's dtype and, if validated, its shape."""
    dtype = require.same_dtype(variable, value)
    if validate_shape and variable.ranked and value.ranked:
        return Tensor(dtype, same_dims(require, value.dims, variable.dims, "a variable keeps its shape"))
    return Tensor(dtype, value.shape)


def infer_update(variable: Tensor, value: Tensor, *, require: Require) -> Tensor:
    """The variable's dtype and shape, which the value must have as well."""
    dtype = require.same_dtype(variable, value)
    if variable.ranked and value.ranked:
        return Tensor(dtype, same_dims(require, variable.dims, value.dims, "a variable keeps its shape"))
    return Tensor(dtype, variable.shape)


def infer_apply_update(variable: Tensor, *_: Tensor, require: Require, method: str = "") -> Tensor:
    """The variable after a step of an optimiser, which keeps its shape."""
    del method
    return variable.without_value()


def infer_is_initialized(_variable: Tensor, *, require: Require) -> Tensor:
    """Whether the variable holds anything yet."""
    return Tensor(bool_, ())


def _two_alike(draw: Draw) -> Sample:
    shape = draw.shape()
    return Sample((draw.array(shape), draw.array(shape)))


variable = _state("variable", infer_variable)
read_variable = _state(
    "read_variable",
    infer_read_variable,
    Selection((0,)),
    lambda variable, **_: np.array(variable),
    lambda draw: Sample((draw.array(draw.shape()),)),
)
assign = _state("assign", infer_assign, Selection((1,)), lambda _, value, **__: np.array(value), _two_alike)
assign_add = _state("assign_add", infer_update, Affine((1.0, 1.0)), lambda held, value: held + value, _two_alike)
assign_sub = _state("assign_sub", infer_update, Affine((1.0, -1.0)), lambda held, value: held - value, _two_alike)
apply_update = _state("apply_update", infer_apply_update)
is_initialized = _state("is_initialized", infer_is_initialized, always(SHARE))
