"""Tensors made of numbers, lists and sizes."""

from __future__ import annotations

import math
from functools import wraps
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div, maximum, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.arrays.creation import full as filled
from mlvet.frontends.python.emission import constant, demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, Sizes, as_spread
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.conversions import TYPES
from mlvet.frontends.python.libraries.torch.element_types import default_float
from mlvet.frontends.python.libraries.torch.placement import factory, made_here, making, on_cpu, placed
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.placements import DEVICE
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def with_gradient(x: Tensor, requires_grad: Any) -> Tensor:
    """The tensor, which remembers whether its gradient is wanted."""
    if requires_grad:
        demand(dtype_of(x) is None or not tensor_of(x).dtype.is_integer, "only floats can have gradients")  # type: ignore[union-attr]
        x.cells["requires_grad"] = True
    return x


@factory("torch.tensor", "torch.as_tensor", "torch.asarray", "torch.scalar_tensor", beside=True)
def tensor(
    data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False, pin_memory: Any = None,
    copy: Any = None,
) -> Tensor:  # fmt: skip
    return with_gradient(from_python(data, Tensor, dtype, default_float()), requires_grad)


@model("torch.from_numpy")
def from_numpy(ndarray: Any) -> Tensor:
    found: Tensor = on_cpu(from_python(ndarray, Tensor, None, default_float()))
    return found


@model("torch.from_dlpack")
def from_dlpack(ext_tensor: Any) -> Tensor:
    return from_python(ext_tensor, Tensor, None, default_float())


@model("torch.frombuffer")
def frombuffer(buffer: Any, *, dtype: DType, count: Any = -1, offset: Any = 0, requires_grad: bool = False) -> Tensor:
    size = count if isinstance(count, int) and count > 0 else symbol(machine().fresh("elements"))
    return opaque("frombuffer", [], Type(dtype, (size,)), Tensor)


def constructor(name: str, dtype: DType | None) -> Any:
    """`torch.FloatTensor` and its kin: of sizes, or of data."""

    def make(*args: Any, device: Any = None, dtype: DType | None = dtype) -> Tensor:
        to = dtype or default_float()
        if len(args) == 1 and not isinstance(args[0], int | Expr):
            only = args[0]
            if isinstance(only, tuple) and all(isinstance(each, int | Expr) for each in only):
                return from_python(only, Tensor, to) if not hasattr(only, "numel") else empty(*only, dtype=to)
            return from_python(only, Tensor, to, to)
        return empty(*(args or (0,)), dtype=to)

    make.__name__ = make.__qualname__ = name
    return make


def on_graphics(name: str, dtype: DType | None) -> Any:
    """`torch.cuda.FloatTensor` and its kin."""
    plain = constructor(name, dtype)

    @wraps(plain)
    def make(*args: Any, dtype: DType | None = dtype) -> Tensor:
        found: Tensor = placed(plain(*args, dtype=dtype), made_here("cuda"))
        return found

    make.__qualname__ = f"torch.cuda.{name}"
    return make


for _name, _dtype in TYPES.items():
    factory(f"torch.{_name}")(constructor(_name, _dtype))
    model(f"torch.cuda.{_name}")(on_graphics(_name, _dtype))


def _init(self: Tensor, *args: Any, device: Any = None) -> None:
    """`torch.Tensor(2, 3)` and `torch.Tensor([2, 3])`."""
    made_ = constructor("Tensor", None)(*args)
    self.cells["@value"] = made_.graph_value
    store(self.cells, DEVICE, made_here(device))


attach("__init__", _init)


def _filling(value: int) -> Any:
    def function(
        *sizes: Any, size: Any = None, out: Any = None, dtype: DType | None = None, layout: Any = None,
        device: Any = None, requires_grad: bool = False, pin_memory: Any = None, memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        found = filled(spread(sizes, size), value, dtype or default_float(), Tensor)
        return with_gradient(found, requires_grad)

    return function


def spread(sizes: tuple[Any, ...], size: Any) -> Sizes:
    """Sizes one by one, in one sequence, or in one sequence by name."""
    return as_spread(sizes if size is None else (size,), "n")


zeros = factory("torch.zeros")(_filling(0))
ones = factory("torch.ones")(_filling(1))


@factory("torch.empty_strided", "torch.empty_permuted")
def empty_strided(size: Sizes, stride: Any, *, dtype: DType | None = None, **keywords: Any) -> Tensor:
    return empty(size, dtype=dtype)


@factory("torch.empty")
def empty(
    *sizes: Any, size: Any = None, out: Any = None, dtype: DType | None = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: Any = None, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Contents that nobody knows."""
    like = Type(dtype or default_float(), spread(sizes, size))
    return with_gradient(opaque("empty", [], like, Tensor), requires_grad)


@factory("torch.full")
def full(
    size: Sizes, fill_value: Any, *, out: Any = None, dtype: DType | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: Any = None,
) -> Tensor:  # fmt: skip
    return with_gradient(filled(size, _plain(fill_value), dtype or _natural(fill_value), Tensor), requires_grad)


def _plain(value: Any) -> Any:
    if isinstance(value, TensorValue):
        known = tensor_of(value).value
        return known.reshape(-1)[0].item() if known is not None and known.size == 1 and known.dtype != object else None
    return value


def _natural(value: Any) -> DType:
    if isinstance(value, TensorValue):
        return dtype_of(value) or default_float()
    kind = value.kind if isinstance(value, Scalar) else type(value)
    return (
        dtypes.bool_
        if kind is bool
        else dtypes.i64
        if kind is int or isinstance(value, int | Expr)
        else default_float()
    )


def _like(value: Any) -> Any:
    def function(
        input: Tensor, *, dtype: DType | None = None, layout: Any = None, device: Any = None,
        requires_grad: bool = False, memory_format: Any = None, pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        return with_gradient(like(input, value, dtype), requires_grad)

    return function


def like(x: TensorValue, value: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of the shape of another, of one number, or of none that is known."""
    to = dtype or dtype_of(x)
    op = {0: "zeros_like", 1: "ones_like"}.get(value) if isinstance(value, int) else None
    if op is not None:
        return made(op, x, dtype=to)
    if isinstance(value, bool | int | float) and to is not None:
        return made("full_like", cast(x, to), made("cast", value, to=to))
    return opaque("full_like", [x], Type(to, tensor_of(x).shape), Tensor)


zeros_like = factory("torch.zeros_like", beside=True)(_like(0))
ones_like = factory("torch.ones_like", beside=True)(_like(1))
empty_like = factory("torch.empty_like", beside=True)(_like(None))


@factory("torch.full_like", beside=True)
def full_like(
    input: Tensor, fill_value: Any, *, dtype: DType | None = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: Any = None,
) -> Tensor:  # fmt: skip
    return with_gradient(like(input, _plain(fill_value), dtype), requires_grad)


def _new(value: Any) -> Any:
    def function(
        self: Tensor, *sizes: Any, size: Any = None, dtype: DType | None = None, device: Any = None,
        requires_grad: bool = False, layout: Any = None, pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        to = dtype or dtype_of(self) or default_float()
        if value is None:
            return empty(*sizes, size=size, dtype=to)
        return with_gradient(filled(spread(sizes, size), value, to, Tensor), requires_grad)

    return function


for _name, _value in (("new_zeros", 0), ("new_ones", 1), ("new_empty", None), ("new", None)):
    attach(_name, making(_new(_value), beside=True))


def new_full(
    self: Tensor, size: Sizes, fill_value: Any, *, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False, layout: Any = None, pin_memory: Any = None,
) -> Tensor:  # fmt: skip
    return full(size, fill_value, dtype=dtype or dtype_of(self))


def new_tensor(
    self: Tensor, data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    return tensor(data, dtype=dtype or dtype_of(self))


attach("new_full", making(new_full, beside=True))
attach("new_tensor", making(new_tensor, beside=True))


@factory("torch.arange")
def arange(
    *args: Any, start: Any = None, end: Any = None, step: Any = None, out: Any = None, dtype: DType | None = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: Any = None,
) -> Tensor:  # fmt: skip
    """Numbers from start on, in steps, below the end."""
    given = list(args)
    if len(given) == 1:
        given = [0, *given] if end is None else [*given, end]
    first = given[0] if given else 0 if start is None else start
    last = given[1] if len(given) > 1 else end
    pace = given[2] if len(given) > 2 else 1 if step is None else step
    figures = [_figure(each) for each in (first, last, pace)]
    if dtype is None and any(isinstance(each, Scalar) for each in figures):
        some = opaque("arange", [], Type(None, (symbol(machine().fresh("steps")),)), Tensor)
        return with_gradient(some, requires_grad)
    to = dtype or (dtypes.i64 if all(isinstance(each, int | Expr) for each in figures) else default_float())
    return with_gradient(_ranging(figures, to), requires_grad)


def _figure(value: Any) -> Any:
    """A bound: a number, a symbol, or a float of which nothing is known."""
    if isinstance(value, Unknown):
        from mlvet.frontends.python.libraries.binding import as_size

        return as_size(value)
    if isinstance(value, TensorValue):
        from mlvet.frontends.python.libraries.torch.conversions import item

        return item(Tensor.of(value.graph_value))  # type: ignore[arg-type]
    return value


def _ranging(figures: list[Any], to: DType) -> Tensor:
    first, last, pace = figures
    if all(isinstance(each, int) for each in figures) and pace and _count(first, last, pace) <= 4096:
        return constant(np.arange(first, last, pace).astype(to.numpy), Tensor, "arange")
    if all(isinstance(each, int | float) for each in figures):
        demand(pace != 0, "step of arange must not be 0")
        size: Dim = max(_count(first, last, pace), 0) if pace else symbol(machine().fresh("steps"))
    elif all(isinstance(each, int | Expr) for each in figures):
        if isinstance(pace, int) and pace == 1 and first == 0:
            found = made("range", 0, last, 1)
            return made("cast", found, to=to) if to is not dtypes.i64 else found
        size = (
            maximum(ceil_div(last - first, pace), 0)
            if isinstance(pace, int) and pace > 0
            else symbol(machine().fresh("steps"))
        )
    else:
        size = symbol(machine().fresh("steps"))
    return opaque("arange", [], Type(to, (size,)), Tensor)


def _count(first: Any, last: Any, pace: Any) -> int:
    return math.ceil((last - first) / pace)


@factory("torch.range")
def range_(
    start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: DType | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A range that holds its end."""
    plain = all(isinstance(each, int | float) for each in (start, end, step)) and step
    size: Dim = math.floor((end - start) / step) + 1 if plain else symbol(machine().fresh("steps"))
    return opaque("range", [], Type(dtype or default_float(), (size,)), Tensor)


@factory("torch.linspace")
def linspace(
    start: Number, end: Number, steps: Size, *, out: Any = None, dtype: DType | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    to = dtype or default_float()
    if isinstance(start, int | float) and isinstance(end, int | float):
        found = made("linspace", made("cast", start, to=dtypes.f32), made("cast", end, to=dtypes.f32), steps)
        return with_gradient(found if to is dtypes.f32 else made("cast", found, to=to), requires_grad)
    return opaque("linspace", [], Type(to, (steps,)), Tensor)


@factory("torch.logspace")
def logspace(
    start: Number, end: Number, steps: Size, base: Any = 10.0, *, out: Any = None, dtype: DType | None = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    return opaque("logspace", [], Type(dtype or default_float(), (steps,)), Tensor)


@factory("torch.eye")
def eye(
    n: Size, m: Size | None = None, *, out: Any = None, dtype: DType | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    to = dtype or default_float()
    zeros_ = emit("constant_of_shape", (n, n if m is None else m), value=0, dtype=to, kind=Tensor)
    return with_gradient(made("eye_like", zeros_, dtype=to), requires_grad)


def _triangle_indices(lower: bool) -> Any:
    def function(
        row: Size, col: Size, offset: Any = 0, *, dtype: DType | None = dtypes.i64, device: Any = None,
        layout: Any = None,
    ) -> Tensor:  # fmt: skip
        to = dtype or dtypes.i64
        if isinstance(row, int) and isinstance(col, int) and isinstance(offset, int) and row * col < 1 << 20:
            found = (np.tril_indices if lower else np.triu_indices)(row, offset, col)
            return constant(np.stack(found).astype(to.numpy), Tensor, "indices")
        if row == col and offset == 0:
            size: Dim = row * (row + 1) // 2
        else:
            size = symbol(machine().fresh("entries"))
        return opaque("tril_indices", [], Type(to, (2, size)), Tensor)

    return function


factory("torch.tril_indices")(_triangle_indices(True))
factory("torch.triu_indices")(_triangle_indices(False))


@model("torch.complex")
def complex_(real: Tensor, imag: Tensor, *, out: Any = None) -> Tensor:
    both = made("add", real, imag)
    wide = dtypes.c128 if dtype_of(real) is dtypes.f64 else dtypes.c64
    return opaque("complex", [real, imag], Type(wide, tensor_of(both).shape), Tensor)


@model("torch.polar")
def polar(abs: Tensor, angle: Tensor, *, out: Any = None) -> Tensor:
    return complex_(abs, angle)


def _window(op: str) -> Any:
    def function(
        window_length: Size, periodic: bool = True, *args: Any, dtype: DType | None = None, layout: Any = None,
        device: Any = None, requires_grad: bool = False, pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        return made(op, window_length, output_datatype=dtype or default_float(), periodic=periodic)

    return function


for _name in ("hann_window", "hamming_window", "blackman_window"):
    factory(f"torch.{_name}")(_window(_name))


@factory("torch.bartlett_window", "torch.kaiser_window")
def other_window(window_length: Size, *args: Any, dtype: DType | None = None, **keywords: Any) -> Tensor:
    return opaque("window", [], Type(dtype or default_float(), (window_length,)), Tensor)


@model("torch.sparse_coo_tensor", "torch.sparse_csr_tensor")
def sparse_coo_tensor(indices: Any, values: Any, size: Sizes | None = None, **keywords: Any) -> Tensor:
    """A sparse tensor is a tensor like any other here."""
    if size is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a sparse tensor whose size its elements tell")
    held = values if isinstance(values, TensorValue) else tensor(values)
    return opaque("sparse", [held], Type(dtype_of(held), size), Tensor)
