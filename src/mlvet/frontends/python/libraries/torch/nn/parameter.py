"""Parameters and buffers: tensors of a module that training changes or a checkpoint fills."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.limits import not_negative
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.placement import born_here, part_of, placed
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.placements import placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, tensor_of
from mlvet.ir.graph import Initialiser, Node, Value

RECENT = 64
"""How many nodes back the origin of a parameter's first elements is looked for."""

ZEROS = Initialiser("zeros")
ONES = Initialiser("ones")


@model("torch.nn.Parameter", "torch.nn.parameter.Parameter")
class Parameter(Tensor):
    """A tensor that an optimiser changes; what is computed of it is a plain tensor."""

    __slots__ = ()

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        like = tensor_of(data) if isinstance(data, TensorValue) else Type(dtypes.f32, (0,))
        drawn = first_elements(data.graph_value) if isinstance(data, TensorValue) else None
        self.cells["@value"] = declared("Parameter", like.without_value(), drawn, trainable=requires_grad)
        self.cells["requires_grad"] = requires_grad
        if isinstance(data, TensorValue):
            part_of(self, placement_of(data))

    @classmethod
    def of(cls, value: Value, **cells: Any) -> TensorValue:
        return Tensor.of(value, **cells)


@model("torch.nn.Buffer", "torch.nn.parameter.Buffer")
class Buffer(Tensor):
    """A tensor of a module that no optimiser changes."""

    __slots__ = ()

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        del persistent
        like = data.graph_value if isinstance(data, TensorValue) else declared("Buffer", Type(dtypes.f32, (0,)), None)
        self.cells["@value"] = like
        if isinstance(data, TensorValue):
            part_of(self, placement_of(data))

    @classmethod
    def of(cls, value: Value, **cells: Any) -> TensorValue:
        return Tensor.of(value, **cells)


@model("torch.nn.UninitializedParameter", "torch.nn.parameter.UninitializedParameter")
def uninitialized_parameter(requires_grad: bool = True, device: Any = None, dtype: DType | None = None) -> Any:
    del device
    return parameter("Parameter", (machine().fresh("lazy"),), dtype, None, trainable=requires_grad)


def parameter(
    name: str, sizes: Sequence[Any], dtype: DType | None, initialiser: Initialiser | None, *, trainable: bool = True
) -> Parameter:
    """A parameter of a layer, float32 unless the layer is told otherwise."""
    not_negative(f"each size of {name}", *sizes)
    made = Parameter.__new__(Parameter)
    value = declared(name, Type(dtype or dtypes.f32, tuple(sizes)), initialiser, trainable=trainable)
    made.cells.update({"@value": value, "requires_grad": trainable})
    assert isinstance(made, Parameter)
    placed(made, born_here())
    return made


def buffer(name: str, sizes: Sequence[Any], dtype: DType | None, initialiser: Initialiser) -> Any:
    """A tensor of a layer that training does not change by gradients, such as a running mean."""
    like = Type(dtype or dtypes.f32, tuple(sizes))
    made = Buffer.__new__(Buffer)
    made.cells["@value"] = declared(name, like, initialiser, trainable=False)
    assert isinstance(made, Buffer)
    return placed(made, born_here())


def declared(name: str, like: Type, initialiser: Initialiser | None, *, trainable: bool = False) -> Value:
    return machine().builder.parameter(name, like, initialiser=initialiser, trainable=trainable)


def redeclared(x: TensorValue, *, dtype: DType | None = None, initialiser: Initialiser | None = None) -> None:
    """Make a parameter start as another one: of another element type, or drawn in another way."""
    like = tensor_of(x).without_value()
    if dtype is not None:
        like = like.with_dtype(dtype)
    name = x.graph_value.name.split("#")[0]
    store(x.cells, "@value", declared(name, like, initialiser, trainable=isinstance(x, Parameter)))


def is_parameter(x: TensorValue) -> bool:
    return isinstance(x, Parameter | Buffer)


def fan_in_uniform(sizes: Sequence[Dim]) -> Initialiser:
    """Uniform within 1/sqrt of the inputs of a unit, whose weight is [out, *inputs]."""
    known = [size for size in sizes if isinstance(size, int)]
    return uniform(1 / sqrt(max(prod(known), 1)))


def uniform(bound: float) -> Initialiser:
    return Initialiser("uniform", (("low", -bound), ("high", bound)))


def normal(mean: float, deviation: float) -> Initialiser:
    return Initialiser("normal", (("mean", mean), ("stddev", deviation)))


def filled(value: float) -> Initialiser:
    return Initialiser("constant", (("value", value),))


def first_elements(value: Value) -> Initialiser | None:
    """How the elements of a tensor were drawn, if an operator a short way back drew them."""
    for node in reversed(machine().builder._nodes[-RECENT:]):
        if any(output is value for output in node.outputs):
            return _drawn(node)
    return None


def _drawn(node: Node) -> Initialiser | None:
    figures = node.attributes
    match node.op:
        case "random_normal" | "random_normal_like":
            return normal(float(figures.get("mean", 0.0)), float(figures.get("scale", 1.0)))
        case "random_uniform" | "random_uniform_like":
            low, high = float(figures.get("low", 0.0)), float(figures.get("high", 1.0))
            return Initialiser("uniform", (("low", low), ("high", high)))
        case "constant_of_shape" | "full_like" | "zeros_like" | "ones_like":
            value = figures.get("value", {"ones_like": 1}.get(node.op, 0))
            return filled(float(value)) if isinstance(value, int | float) else None
    return None


def floating(x: TensorValue) -> bool:
    known = dtype_of(x)
    return known is not None and known.is_float
