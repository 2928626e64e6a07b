"""One application of a layer while it is being lowered: its options, its variables and the operators it becomes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.frontends.keras.config import LayerConfig
from mlvet.frontends.keras.initialisers import initialiser
from mlvet.frontends.keras.stored import Stored
from mlvet.ir.graph import Value

if TYPE_CHECKING:
    from mlvet.frontends.keras.lowering import Lowering


_LARGEST = 1 << 26


class NotLowered(Exception):
    """This application cannot be said in operators: its options are odd or need sizes that are not known."""


NUMPY_NAMES = {
    "float16": dtypes.f16, "bfloat16": dtypes.bf16, "float32": dtypes.f32, "float64": dtypes.f64,
    "int8": dtypes.i8, "int16": dtypes.i16, "int32": dtypes.i32, "int64": dtypes.i64, "uint8": dtypes.u8,
    "uint16": dtypes.u16, "uint32": dtypes.u32, "uint64": dtypes.u64, "bool": dtypes.bool_, "string": dtypes.text,
    "complex64": dtypes.c64, "complex128": dtypes.c128,
}  # fmt: skip


class Module:
    """A layer at its place in the model, shared by all its applications: its variables are made once."""

    def __init__(self, layer: LayerConfig, path: str, stored: Stored) -> None:
        self.layer = layer
        self.path = path
        self.stored = stored
        self.variables: dict[str, Value] = {}
        self.parts: dict[str, Module] = {}


class Call:
    """An application of a layer to tensors. The first operator carries the layer's name, the others add their own."""

    def __init__(self, lowering: Lowering, module: Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self.lowering = lowering
        self.module = module
        self.layer = module.layer
        self.config = module.layer.config
        self.path = module.path
        self.args = tuple(args)
        self.kwargs = kwargs
        self._named = False

    # tensors

    @property
    def inputs(self) -> list[Value]:
        """The tensors of the positional arguments, in order."""
        return list(values_in(self.args))

    @property
    def x(self) -> Value:
        """The one tensor that the layer is applied to."""
        inputs = self.inputs
        if not inputs:
            raise NotLowered("no input")
        return inputs[0]

    def tensor(self, value: Value) -> Tensor:
        return self.lowering.tensor(value)

    def rank(self, value: Value) -> int:
        tensor = self.tensor(value)
        if not tensor.ranked:
            raise NotLowered("unknown rank")
        return tensor.rank

    def size(self, value: Value, axis: int) -> int:
        """The size along an axis, which must be known."""
        tensor = self.tensor(value)
        if not tensor.ranked or not -tensor.rank <= axis < tensor.rank:
            raise NotLowered("unknown size")
        dim = tensor.dims[axis]
        if not isinstance(dim, int):
            raise NotLowered("unknown size")
        return dim

    def dim(self, value: Value, axis: int, name: str) -> Dim:
        """The size along an axis, or a symbol where it is not known."""
        tensor = self.tensor(value)
        if tensor.ranked and -tensor.rank <= axis < tensor.rank:
            return tensor.dims[axis]
        return symbol(f"{self.path}.{name}")

    # operators

    def emit(self, op: str, *inputs: Value | None, part: str = "", **attributes: Any) -> Value:
        """Add an operator of one result."""
        return self.emit_many(op, inputs, 1, part=part, **attributes)[0]

    def emit_many(
        self, op: str, inputs: Sequence[Value | None], outputs: int, *, part: str = "", **attributes: Any
    ) -> tuple[Value, ...]:
        if part or self._named:
            name = f"{self.path}/{part or op}"
        else:
            name, self._named = self.path, True
        return self.lowering.emit(self.module, name, op, inputs, outputs, attributes)

    def constant(self, name: str, data: NDArray[Any] | Sequence[int] | int | float) -> Value:
        return self.lowering.constant(f"{self.path}/{name}", data)

    def scalar(self, number: float, like: Value, name: str = "scalar") -> Value:
        """A number in the element type of a tensor."""
        dtype = self.tensor(like).dtype or self.compute
        try:
            with np.errstate(over="ignore"):
                return self.constant(name, np.asarray(number, dtype.numpy))
        except (OverflowError, ValueError) as error:
            raise NotLowered(f"{number} is no {dtype}") from error

    def full(self, name: str, shape: Sequence[int], number: float) -> Value:
        """A constant of one number throughout."""
        if min(shape, default=0) < 0 or math.prod(shape) > _LARGEST:
            raise NotLowered("size")
        return self.constant(name, np.full(tuple(shape), number, self.compute.numpy))

    def cast(self, value: Value, dtype: DType) -> Value:
        """The tensor in another element type, itself if it is known to have that one."""
        if self.tensor(value).dtype == dtype:
            return value
        return self.emit("cast", value, part="cast", to=dtype)

    def floats(self, value: Value) -> Value:
        """The tensor in the element type in which the layer computes."""
        dtype = self.tensor(value).dtype
        return value if dtype is None or dtype == self.compute else self.cast(value, self.compute)

    def reshape(self, value: Value, shape: Sequence[int], part: str = "") -> Value:
        return self.emit("reshape", value, self.constant("shape", np.asarray(shape, np.int64)), part=part)

    def axes(self, *axes: int) -> Value:
        return self.constant("axes", np.asarray(axes, np.int64))

    # variables

    @property
    def compute(self) -> DType:
        """The element type of the layer's computation."""
        return policy(self.config.get("dtype"))[0]

    def weight(
        self, name: str, shape: Sequence[Dim], default: str = "", *, trainable: bool = True, option: str | None = None
    ) -> Value:
        """A variable of the layer in the type of its computation; Keras makes them in the order of the asking."""
        module = self.module
        if name not in module.variables:
            data = module.stored.own(name, len(module.variables))
            declared = (
                Tensor(data.dtype, data.shape) if data else Tensor(policy(self.config.get("dtype"))[1], tuple(shape))
            )
            raw = self.config.get(f"{option or name}_initializer", default or None)
            module.variables[name] = self.lowering.builder.parameter(
                f"{self.path}/{name}",
                declared,
                module=self.path,
                data=data,
                initialiser=initialiser(raw),
                trainable=trainable and self.flag("trainable", True) and self.lowering.trainable(self.path),
            )
        value = module.variables[name]
        dtype = value.declared.dtype
        return (
            self.cast(value, self.compute) if dtype is not None and dtype.is_float and dtype != self.compute else value
        )

    def known_shape(self, value: Value) -> tuple[int, ...]:
        """The declared shape of a variable, which must be known."""
        dims = self.tensor(value).dims
        sizes = tuple(dim for dim in dims if isinstance(dim, int))
        if len(sizes) != len(dims):
            raise NotLowered("unknown size")
        return sizes

    def within(self, attribute: str, layer: LayerConfig) -> Module:
        """A layer that this layer holds."""
        if attribute not in self.module.parts:
            stored = self.module.stored.part(attribute, layer.name)
            self.module.parts[attribute] = Module(layer, f"{self.path}/{layer.name}", stored)
        return self.module.parts[attribute]

    # options

    def option(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.config.get(key)
        return default if value is None else bool(value)

    def text(self, key: str, default: str) -> str:
        value = self.config.get(key)
        if value is not None and not isinstance(value, str):
            raise NotLowered(f"{key} is not a text")
        return value or default

    def number(self, key: str, default: float | None = None) -> float:
        value = self.config.get(key)
        return figure(default if value is None else value, key)

    def integer(self, key: str, default: int | None = None) -> int:
        value = self.config.get(key)
        return whole(default if value is None else value, key)

    def integers(self, key: str, count: int | None = None, default: Any = None) -> tuple[int, ...]:
        """Integers; a single one stands for as many as are wanted."""
        value = self.config.get(key)
        value = default if value is None else value
        if isinstance(value, list | tuple):
            result = tuple(whole(item, key) for item in value)
        else:
            result = (whole(value, key),) * (1 if count is None else count)
        if count is not None and len(result) != count:
            raise NotLowered(f"{key} has not {count} numbers")
        return result

    @property
    def channels_last(self) -> bool:
        return self.text("data_format", "channels_last") != "channels_first"


def values_in(tree: Any) -> Iterator[Value]:
    """The graph's values in a structure of arguments, in order; that of a dictionary is by key."""
    if isinstance(tree, Value):
        yield tree
    elif isinstance(tree, Mapping):
        for key in sorted(tree):
            yield from values_in(tree[key])
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from values_in(item)


def figure(value: Any, what: str = "option") -> float:
    """A number, be it serialised as one or as a zero-dimensional array."""
    if isinstance(value, Mapping) and isinstance(value.get("config"), Mapping):
        value = value["config"].get("value")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotLowered(f"{what} is not a number")
    if isinstance(value, int):
        return whole(value, what)
    return value


def whole(value: Any, what: str = "option") -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 62) < value < 1 << 62:
        raise NotLowered(f"{what} is not an integer of a usable size")
    return value


def policy(raw: Any) -> tuple[DType, DType]:
    """The element types of computation and of variables that a dtype option means."""
    if isinstance(raw, Mapping):
        config = raw.get("config")
        raw = config.get("name") if isinstance(config, Mapping) else None
    if raw in ("mixed_float16", "mixed_bfloat16"):
        return NUMPY_NAMES[raw.removeprefix("mixed_")], dtypes.f32
    dtype = NUMPY_NAMES.get(raw, dtypes.f32) if isinstance(raw, str) else dtypes.f32
    return dtype, dtype
