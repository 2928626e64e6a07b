"""torch.Tensor: its attributes, Python's operators, and the way functions of torch become its methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ClassVar, TypeVar

from mlvet.domains.dtypes import Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import ArrayValue, become
from mlvet.frontends.python.arrays.shapes import shape_of
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import ARRAYS, TENSORS
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.devices import Device
from mlvet.frontends.python.libraries.torch.element_types import category
from mlvet.frontends.python.libraries.torch.placement import anywhere, index_fits, known_place, placed, settled
from mlvet.frontends.python.values.placements import DEVICE, placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.program import Act

F = TypeVar("F", bound=Callable[..., Any])


@model("torch.Tensor")
class Tensor(ArrayValue):
    """A tensor of PyTorch. What is computed of subclasses, such as parameters, is a plain tensor."""

    __slots__ = ()
    framework: ClassVar[Framework] = Framework.TORCH

    @property
    def shape(self) -> Any:
        return shape_of(self)

    @property
    def ndim(self) -> Any:
        rank = rank_of(self)
        return tensor_of(self).shape.rank if rank is None else rank  # type: ignore[union-attr]

    @property
    def dtype(self) -> Any:
        known = dtype_of(self)
        if known is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the element type of a tensor")
        return known

    @classmethod
    def made_of(cls, op: str, operands: Sequence[Any], results: Sequence[TensorValue]) -> None:
        settled(op, operands, results)

    @property
    def device(self) -> Any:
        return Device.of(known_place(self))

    @property
    def is_cuda(self) -> Any:
        kinds = {spot.kind if spot is not None else "" for _, spot in known_place(self).alternatives}
        return kinds == {"cuda"} if len(kinds) == 1 and kinds != {""} else Device.available("cuda")

    @property
    def layout(self) -> Any:
        return "torch.strided"

    @property
    def requires_grad(self) -> Any:
        return self.cells.get("requires_grad", False)

    @property
    def is_leaf(self) -> bool:
        return True

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def is_quantized(self) -> bool:
        return False

    @property
    def is_nested(self) -> bool:
        return False

    @property
    def grad_fn(self) -> Any:
        return None

    @property
    def grad(self) -> Any:
        """The gradient is taken to be there, of the tensor's own shape, unless the program has put one in."""
        if "grad" not in self.cells:
            known = tensor_of(self)
            store(self.cells, "grad", opaque("gradient", [self], Type(known.dtype, known.shape), Tensor))
        machine().event(Act.CLEARED, self, (self.graph_value,), "perhaps")
        return self.cells["grad"]

    @grad.setter
    def grad(self, value: Any) -> None:
        machine().event(Act.CLEARED, self, (self.graph_value,))
        store(self.cells, "grad", value)

    @property
    def data(self) -> Any:
        return emit("stop_gradient", self, kind=Tensor)

    @data.setter
    def data(self, value: Any) -> None:
        if isinstance(value, TensorValue):
            become(self, value)
            store(self.cells, DEVICE, placement_of(value))

    @property
    def real(self) -> Any:
        return emit("real", self, kind=Tensor) if _is_complex(self) else self

    @property
    def imag(self) -> Any:
        return emit("imag", self, kind=Tensor)

    @property
    def T(self) -> Any:
        rank = rank_of(self)
        return emit("transpose", self, kind=Tensor) if rank is None or rank > 1 else self

    @property
    def mT(self) -> Any:
        rank = rank_of(self)
        if rank is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
        demand(rank >= 2, "mT needs a tensor of at least 2 dims", "rank-differs")
        order = [*range(rank - 2), rank - 1, rank - 2] if rank >= 2 else list(range(rank))
        return emit("transpose", self, perm=tuple(order), kind=Tensor)

    @property
    def H(self) -> Any:
        return self.mT

    @property
    def itemsize(self) -> int:
        return max(int(self.dtype.bits) // 8, 1)

    @property
    def nbytes(self) -> Any:
        return tensor_of(self).size * self.itemsize

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if isinstance(found, Tensor):
            found = Tensor.of(found.graph_value) if type(found) is not Tensor else found
            placed(found, known_place(self))
            index_fits(self, index)
        return found

    def __setitem__(self, index: Any, value: Any) -> None:
        """Values and places may come from the CPU, so what writing is made of is not looked at."""
        bare = Tensor.of(self.graph_value)
        assert isinstance(bare, Tensor)
        try:
            ArrayValue.__setitem__(bare, anywhere(index), anywhere(value))
        finally:
            become(self, bare)
        index_fits(self, index)


def _is_complex(x: TensorValue) -> bool:
    known = dtype_of(x)
    return known is not None and known.kind is Kind.COMPLEX


def made(op: str, *operands: Any, **attributes: Any) -> Tensor:
    """The tensor of PyTorch that an operator yields."""
    return emit(op, *operands, kind=Tensor, **attributes)


def method(*names: str, in_place: bool = False) -> Callable[[F], F]:
    """Register a function of torch that is a method of tensors too; `torch.Tensor.x` is a name of a method only.

    With `in_place` there is a method with a trailing underscore that changes its tensor.
    """

    def register(function: F) -> F:
        for name in names:
            head, _, last = name.rpartition(".")
            if head != "torch.Tensor":
                model(name)(function)
            if head in ("torch", "torch.Tensor"):
                attach(last, function)
                if in_place:
                    attach(f"{last}_", changing(function))
        return function

    return register


def attach(name: str, function: Callable[..., Any]) -> None:
    """Make a function a method of tensors."""
    setattr(Tensor, name, function)


def changing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that gives its first argument the result; shape and element type stay what they are."""
    first = next(iter(inspect.signature(function).parameters))

    @wraps(function)
    def changed(*args: Any, **keywords: Any) -> Any:
        target = args[0] if args else keywords[first]
        return overwritten(target, function(*args, **keywords))

    return changed


def overwritten(target: TensorValue, result: TensorValue) -> Any:
    """A tensor with the contents of another, which must have its shape and a type that can be made its own."""
    to, of = dtype_of(target), dtype_of(result)
    if to is not None and of is not None:
        fits = category(of) <= category(to) or of.kind is Kind.BOOL
        demand(fits, f"a result of {of} cannot be put into a tensor of {to}", "dtype-differs")
    wanted, given = dims_of(target), dims_of(result)
    if wanted is not None and given is not None and wanted != given:
        return become(target, emit("broadcast_to", cast(result, to), wanted, kind=Tensor))
    return become(target, cast(result, to) if wanted is None or given is not None else _of_shape(target))


def _of_shape(target: TensorValue) -> Tensor:
    return opaque("changed in place", [target], tensor_of(target).without_value(), Tensor)


TENSORS["torch"] = Tensor


def _array(value: Any) -> TensorValue:
    from mlvet.frontends.python.libraries.torch.creation import tensor

    return tensor(value)


ARRAYS["torch"] = _array
