"""Collective operators over a named axis of devices: each device's part keeps its shape."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.jax.array import Array, as_jax
from mlvet.frontends.python.libraries.jax.devices import device_total
from mlvet.frontends.python.libraries.jax.transformations import like, with_axis
from mlvet.frontends.python.libraries.jax.trees import mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


@model("jax.lax.psum")
def psum(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    if x == 1 and isinstance(x, int):
        return device_total()
    return like(x, "psum")


@model("jax.lax.pmean", "jax.lax.pmax", "jax.lax.pmin", "jax.lax.ppermute", "jax.lax.pshuffle", "jax.lax.pvary",
    "jax.lax.pcast")  # fmt: skip
def pmean(x: Any, axis_name: Any, *rest: Any, **options: Any) -> Any:
    return like(x, "pmean")


@model("jax.lax.axis_index")
def axis_index(axis_name: Any) -> Any:
    return opaque("axis_index", [], Known(dtypes.i32, ()), Array)


@model("jax.lax.axis_size")
def axis_size(axis_name: Any) -> Any:
    return symbol("devices", low=1)


@model("jax.lax.all_gather")
def all_gather(
    x: Any, axis_name: Any, *, axis_index_groups: Any = None, axis: int = 0, tiled: bool = False, **_: Any
) -> Any:
    def gathered(leaf: Any) -> Any:
        if not tiled:
            return with_axis(leaf, axis, device_total())
        array = as_jax(leaf)
        dims = list(dims_of(array) or ())
        dims[axis] = dims[axis] * device_total()
        return opaque("all_gather", [array], Known(dtype_of(array), tuple(dims)), Array)

    return mapped(lambda _, leaf: gathered(leaf), x)
