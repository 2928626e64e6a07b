"""Inputs of layers that take one shape only: of a tensor of unknown rank that shape is taken for granted."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of


def expected(x: TensorValue, *dims: Dim | str) -> Any:
    """A tensor with these dims, of which those given by name may have any size; one whose rank is known as it is."""
    if dims_of(x) is not None:
        return x
    sizes = tuple(symbol(machine().fresh(dim)) if isinstance(dim, str) else dim for dim in dims)
    return become(x, opaque("assumed shape", [x], Type(dtype_of(x), sizes), type(x)))
