"""Tensors in another element type, on another device, or as something else."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import equal, symbol
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.arrays.shapes import Shape, shape_of
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import TENSORS, as_sizes, element
from mlvet.frontends.python.libraries.builtins.constructors import CONSTRUCTORS
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.libraries.torch.placement import asked_in, asked_of, moved, needs_cpu
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made, method
from mlvet.frontends.python.libraries.torch.training import demand_one_number, derived
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.placements import DEVICE, placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

model("torch.Size")(Shape)


def _shape(sizes: Any = ()) -> Shape:
    return Shape(as_sizes(sizes))


CONSTRUCTORS[Shape] = _shape


@method("torch.Tensor.to")
def to(self: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """An element type, a device, or another tensor of which both are taken."""
    found: Any = self
    for each in (*args[:2], keywords.get("dtype"), keywords.get("other")):
        if isinstance(each, DType):
            found = cast(self, each)
        elif isinstance(each, TensorValue):
            found = cast(self, dtype_of(each))
    where = asked_in(args, keywords)
    result: Tensor = found if where is None else moved(found, where)
    return result


_CASTS = {
    "float": dtypes.f32, "double": dtypes.f64, "half": dtypes.f16, "bfloat16": dtypes.bf16, "long": dtypes.i64,
    "int": dtypes.i32, "short": dtypes.i16, "char": dtypes.i8, "byte": dtypes.u8, "bool": dtypes.bool_,
    "cfloat": dtypes.c64, "cdouble": dtypes.c128,
}  # fmt: skip


def _casting(to: DType) -> Any:
    def converted(self: Tensor, memory_format: Any = None) -> Tensor:
        found: Tensor = cast(self, to)
        return found

    return converted


for _name, _dtype in _CASTS.items():
    attach(_name, _casting(_dtype))


@method("torch.Tensor.full_tensor", "torch.Tensor.to_local", "torch.Tensor.pin_memory", "torch.Tensor.share_memory_")
def kept(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    return self


def _moving(kind: str) -> Any:
    def function(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        found: Tensor = moved(self, asked_of(kind if device is None else device))
        return found

    return function


for _name in ("cpu", "cuda", "xpu", "mps"):
    attach(_name, _moving(_name))


@method("torch.Tensor.type")
def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    if dtype is None:
        return Scalar(str, "type")
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", "")
    found = dtype_named(dtype) or TYPES.get(name.rpartition(".")[2])
    if found is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an element type")
    changed = cast(self, found)
    if isinstance(dtype, DType):
        return changed
    return moved(changed, asked_of("cuda" if ".cuda." in getattr(dtype, "__qualname__", name) else "cpu"))


TYPES = {
    "FloatTensor": dtypes.f32, "DoubleTensor": dtypes.f64, "HalfTensor": dtypes.f16, "BFloat16Tensor": dtypes.bf16,
    "LongTensor": dtypes.i64, "IntTensor": dtypes.i32, "ShortTensor": dtypes.i16, "CharTensor": dtypes.i8,
    "ByteTensor": dtypes.u8, "BoolTensor": dtypes.bool_,
}  # fmt: skip


@method("torch.Tensor.type_as")
def type_as(self: Tensor, other: Tensor) -> Tensor:
    found: Tensor = moved(cast(self, dtype_of(other)), asked_of(other))
    return found


@method("torch.Tensor.is_floating_point")
def is_floating_point(self: Tensor) -> Any:
    known = dtype_of(self)
    return Scalar(bool, "floating point") if known is None else known.is_float


@method("torch.Tensor.is_complex")
def is_complex(self: Tensor) -> Any:
    known = dtype_of(self)
    return Scalar(bool, "complex") if known is None else known.kind is Kind.COMPLEX


@method("torch.Tensor.is_contiguous", "torch.Tensor.is_pinned", "torch.Tensor.is_shared")
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    return True


@method("torch.clone", "torch.Tensor.contiguous", "torch.Tensor.to_dense", "torch.Tensor.coalesce",
    "torch.Tensor.to_sparse", "torch.resolve_conj", "torch.resolve_neg", "torch.Tensor.to_mkldnn",
    "torch.detach_copy")  # fmt: skip
def clone(input: Tensor, *_: Any, memory_format: Any = None) -> Tensor:
    return made("identity", input)


@method("torch.detach")
def detach(input: Tensor) -> Tensor:
    return made("stop_gradient", input)


@method("torch.Tensor.detach_", "torch.Tensor.retain_grad")
def detach_(self: Tensor) -> Tensor:
    return self


@method("torch.Tensor.requires_grad_")
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    store(self.cells, "requires_grad", requires_grad)
    return self


@method("torch.Tensor.numpy", "torch.Tensor.__array__")
def numpy(self: Tensor, *, force: bool = False) -> Any:
    if force is not True:
        needs_cpu(self, "an array of NumPy is on the CPU, and `numpy()` moves nothing")
    load("numpy")
    kind = TENSORS.get("numpy")
    return self if kind is None else kind.of(self.graph_value)


@method("torch.Tensor.item")
def item(self: Tensor) -> Any:
    """The one element as a number."""
    known = tensor_of(self)
    demand(equal(known.size, 1), "item() needs a single element")
    if known.value is not None and known.value.size == 1:
        only = known.value.reshape(-1)[0]
        return only.item() if hasattr(only, "item") else only
    if known.dtype is not None and known.dtype.is_integer:
        return element(self, "item")
    return Scalar(bool if known.dtype is dtypes.bool_ else float, "item")


@method("torch.is_nonzero")
def is_nonzero(input: Tensor) -> Any:
    found = item(input)
    return bool(found) if isinstance(found, bool | int | float) else Scalar(bool, "nonzero")


@method("torch.Tensor.tolist")
def tolist(self: Tensor) -> Any:
    known = tensor_of(self)
    dims = dims_of(self)
    if dims is None:
        raise Undecided(Reason.EXTERNAL_DATA, "a list of the elements of a tensor of unknown rank")
    if known.value is not None and known.value.dtype != object:
        return _listed(known.value.tolist())
    number: Any = Scalar(bool if known.dtype is dtypes.bool_ else float, "element")
    if known.dtype is not None and known.dtype.is_integer:
        number = symbol(machine().fresh("element"))
    for size in reversed(dims):
        number = ListValue([number] * size if isinstance(size, int) and size <= 64 else Repeated(number, size))
    return number


def _listed(value: Any) -> Any:
    return ListValue([_listed(each) for each in value]) if isinstance(value, list) else value


@method("torch.Tensor.dim", "torch.Tensor.ndimension")
def dim(self: Tensor) -> Any:
    return self.ndim


@method("torch.Tensor.size")
def size(self: Tensor, dim: Any = None) -> Any:
    shape = shape_of(self)
    if dim is None:
        return shape
    if not isinstance(dim, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the number of a dim")
    rank = rank_of(self)
    if rank is not None and not -rank <= dim < rank:
        demand(False, f"dim {dim} is out of range for {rank} dims", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "a dim that is not there")
    return shape[dim]


@method("torch.numel", "torch.Tensor.nelement")
def numel(input: Tensor) -> Any:
    return tensor_of(input).size


@method("torch.Tensor.element_size")
def element_size(self: Tensor) -> Any:
    return self.itemsize


@method("torch.Tensor.stride")
def stride(self: Tensor, dim: Any = None) -> Any:
    dims = dims_of(self)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    steps: list[Any] = []
    step: Any = 1
    for each in reversed(dims):
        steps.insert(0, step)
        step = step * each
    return tuple(steps) if dim is None else steps[dim]


@method("torch.Tensor.get_device")
def get_device(self: Tensor) -> int:
    return 0


@method("torch.Tensor.data_ptr", "torch.Tensor.storage_offset")
def data_ptr(self: Tensor) -> Any:
    return symbol(machine().fresh("address"))


@method("torch.Tensor.register_hook", "torch.Tensor.record_stream", "torch.Tensor.register_post_accumulate_grad_hook")
def register_hook(self: Tensor, *args: Any, **keywords: Any) -> None:
    return None


@method("torch.Tensor.backward")
def backward(self: Tensor, gradient: Any = None, *args: Any, **keywords: Any) -> None:
    if gradient is None:
        demand_one_number(self, "backward")
    derived(self)


@method("torch.view_as_real")
def view_as_real(input: Tensor) -> Tensor:
    known = tensor_of(input)
    if not known.ranked:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    to = dtypes.f64 if known.dtype is dtypes.c128 else dtypes.f32
    demand(known.dtype is None or known.dtype.kind is Kind.COMPLEX, "view_as_real needs complex numbers")
    return opaque("view_as_real", [input], Type(to, (*known.dims, 2)), Tensor)


@method("torch.view_as_complex")
def view_as_complex(input: Tensor) -> Tensor:
    known = tensor_of(input)
    if not known.ranked:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    last = known.dims[-1] if known.rank else 1
    demand(equal(last, 2), "view_as_complex needs a last dim of size 2")
    to = dtypes.c128 if known.dtype is dtypes.f64 else dtypes.c64
    return opaque("view_as_complex", [input], Type(to, known.dims[:-1]), Tensor)


@method("torch.Tensor.set_", "torch.Tensor.resize_as_")
def set_(self: Tensor, source: Any = None) -> Tensor:
    if isinstance(source, TensorValue):
        become(self, source)
        store(self.cells, DEVICE, placement_of(source))
    return self


@model("torch.is_tensor")
def is_tensor(obj: Any) -> bool:
    return isinstance(obj, TensorValue)


@model("torch.is_storage")
def is_storage(obj: Any) -> bool:
    return False
