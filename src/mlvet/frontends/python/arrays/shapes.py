"""The shape of a tensor as the program sees it: a tuple of sizes, or what stands for one of unknown length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlvet.domains.dims import Dim, Expr, product, symbol
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Shape(tuple[Dim, ...]):
    """The sizes of a tensor in a tuple that also tells how many elements they make."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Shape:
        items: Any = sizes.items if isinstance(sizes, ListValue) else sizes
        if isinstance(items, Repeated):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "sizes in a list of unknown length")
        return super().__new__(cls, items)

    def numel(self) -> Dim:
        return product(self)


class UnrankedShape(Object):
    """The shape of a tensor of unknown rank. Each size that is asked for is one symbol, whoever asks."""

    __slots__ = ()

    def __init__(self, tensor: TensorValue) -> None:
        self.cells["tensor"] = tensor

    @property
    def place(self) -> Unranked | None:
        """The unknown shape, None once the tensor is known better."""
        shape = self.cells["tensor"].graph_value.declared.shape
        return shape if isinstance(shape, Unranked) else None

    def __getitem__(self, index: Any) -> Any:
        dims = dims_of(self.cells["tensor"])
        if dims is not None and isinstance(index, int | slice):
            return dims[index]
        if not isinstance(index, int):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "part of the shape of a tensor of unknown rank")
        return self._size(index)

    def __iter__(self) -> Iterator[Any]:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "all sizes of a tensor of unknown rank")

    def _size(self, index: int) -> Dim:
        place = self.place
        assert place is not None
        key = ("size", place.name, index)
        here = machine()
        if key not in here.constants:
            made = place.first if index == 0 else place.last if index == -1 else symbol(here.fresh("size"))
            here.trail.write(here.constants, key, made)
        found: Any = here.constants[key]
        return found  # type: ignore[no-any-return]

    def unpack(self, count: int, *names: str) -> tuple[Dim, ...]:
        """The sizes, of which the program takes there to be so many; the tensor is known to have that rank then."""
        tensor: TensorValue = self.cells["tensor"]
        place = self.place
        if place is None:
            return dims_of(tensor) or ()
        here = machine()
        dims: list[Dim] = []
        for index in range(count):
            asked: list[Any] = [here.constants.get(("size", place.name, each)) for each in (index, index - count)]
            known: Dim | None = next((each for each in asked if isinstance(each, Expr)), None)
            name = names[index] if index < len(names) else ""
            dims.append(known if known is not None else symbol(here.fresh(name or "n")))
        made = opaque("assumed rank", [tensor], Tensor(dtype_of(tensor), tuple(dims)), type(tensor))
        here.trail.write(tensor.cells, "@value", made.graph_value)
        return tuple(dims)

    def as_sizes(self) -> tuple[Dim, ...]:
        dims = dims_of(self.cells["tensor"])
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the shape of a tensor of unknown rank")
        return dims

    def length(self) -> Any:
        place = self.place
        return len(self.as_sizes()) if place is None else place.rank

    def iterate(self) -> Any:
        dims = dims_of(self.cells["tensor"])
        return dims if dims is not None else Repeated(symbol(machine().fresh("size")), self.length())

    def numel(self) -> Dim:
        place = self.place
        return product(self.as_sizes()) if place is None else place.size

    def __eq__(self, other: object) -> Any:
        return Scalar(bool, "shapes are equal")

    def __ne__(self, other: object) -> Any:
        return Scalar(bool, "shapes differ")

    def __hash__(self) -> int:
        return id(self)


def shape_of(x: TensorValue) -> Shape | UnrankedShape:
    """What `x.shape` yields."""
    dims = dims_of(x)
    return UnrankedShape(x) if dims is None else Shape(dims)
