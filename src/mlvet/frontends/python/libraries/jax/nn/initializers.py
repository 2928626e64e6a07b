"""Initialisers: functions of a key, a shape and an element type that draw parameters."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.dtypes import DType as ElementType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.creation import drawn, full
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.jax.array import Array, ShapeLike, Tensor, as_jax, canonical
from mlvet.frontends.python.libraries.jax.numpy.creation import sized
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object


@model("jax.nn.initializers.Initializer")
class Initializer(Object):
    """What an initialiser is: the element type it was made for, and how it fills a shape."""

    def __init__(self, dtype: ElementType | None = None, value: Any = None, spread: Any = None) -> None:
        self.cells["@dtype"] = dtype
        self.cells["@value"] = value
        self.cells["@spread"] = spread

    def __call__(self, key: Any, shape: ShapeLike, dtype: DType | None = None, out_sharding: Any = None) -> Tensor:
        to = canonical(dtype) or canonical(self.cells["@dtype"]) or dtypes.f32
        value = self.cells["@value"]
        if isinstance(value, int | float):
            return full(sized(shape), value, to, Array)
        if value is not None:
            return emit("broadcast_to", as_jax(value, to), sized(shape))
        spread = self.cells["@spread"]
        if isinstance(spread, int | float):
            return drawn("random_normal", sized(shape), to, Array, scale=float(spread))
        return opaque("initial", [], Known(to, sized(shape)), Array)


model("jax.nn.initializers.zeros")(Initializer(value=0))
model("jax.nn.initializers.ones")(Initializer(value=1))


@model("flax.linen.initializers.zeros_init", "flax.nnx.initializers.zeros_init")
def zeros_init() -> Any:
    return Initializer(value=0)


@model("flax.linen.initializers.ones_init", "flax.nnx.initializers.ones_init")
def ones_init() -> Any:
    return Initializer(value=1)


@model("jax.nn.initializers.constant")
def constant(value: Any, dtype: DType | None = None) -> Any:
    return Initializer(dtype, value)


@model("jax.nn.initializers.normal")
def normal(stddev: Any = 1e-2, dtype: DType | None = None) -> Any:
    return Initializer(dtype, spread=stddev)


@model("jax.nn.initializers.truncated_normal")
def truncated_normal(stddev: Any = 1e-2, dtype: DType | None = None, lower: Any = -2.0, upper: Any = 2.0) -> Any:
    return Initializer(dtype)


@model("jax.nn.initializers.uniform")
def uniform(scale: Any = 1e-2, dtype: DType | None = None) -> Any:
    return Initializer(dtype)


@model("jax.nn.initializers.variance_scaling")
def variance_scaling(
    scale: Any, mode: Any, distribution: Any, in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (),
    dtype: DType | None = None,
) -> Any:  # fmt: skip
    return Initializer(dtype)


@model("jax.nn.initializers.orthogonal", "jax.nn.initializers.delta_orthogonal")
def orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: DType | None = None) -> Any:
    return Initializer(dtype)


@model(*(f"jax.nn.initializers.{_family}_{_kind}" for _family in ("lecun", "glorot", "xavier", "he", "kaiming")
    for _kind in ("normal", "uniform")))  # fmt: skip
def scaled(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: DType | None = None) -> Any:
    return Initializer(dtype)
