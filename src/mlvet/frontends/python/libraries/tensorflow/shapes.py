"""tf.TensorShape: what the shape of a tensor is to a program."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr, equal, product, symbol
from mlvet.domains.tensors import Dims
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Misfit, as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.static import is_open
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import OpenSize
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Dimension(int):
    """A size that also has a `value`, as sizes had before TensorFlow 2."""

    @property
    def value(self) -> int:
        return int(self)


class NamedDimension(Expr):
    """A symbolic size with a `value`."""

    __slots__ = ()

    @property
    def value(self) -> Dim:
        return as_seen(Expr(self.terms))


def as_seen(size: Dim) -> Dim:
    """A size as the graph knows it, which takes for None what placeholders leave open."""
    return OpenSize(size.terms) if isinstance(size, Expr) and is_open(size) else size


def dimension(size: Dim) -> Dim:
    return Dimension(size) if isinstance(size, int) else NamedDimension(size.terms)


@model("tensorflow.TensorShape")
class TensorShape(Object):
    """The sizes of a tensor; `sizes` is None if there is no telling how many."""

    def __init__(self, dims: Any) -> None:
        self.sizes = partial_sizes(dims)

    def as_sizes(self) -> Dims:
        return self.known()

    def known(self) -> Dims:
        sizes: Dims | None = self.cells["sizes"]
        if sizes is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a shape of unknown rank")
        return sizes

    @property
    def rank(self) -> Any:
        return len(self.known())

    @property
    def ndims(self) -> Any:
        return len(self.known())

    @property
    def dims(self) -> Any:
        return ListValue(dimension(size) for size in self.known())

    def as_list(self) -> Any:
        return ListValue(as_seen(size) for size in self.known())

    def num_elements(self) -> Any:
        return product(self.known())

    def concatenate(self, other: Any) -> Any:
        return shape_of((*self.known(), *(partial_sizes(other) or ())))

    def merge_with(self, other: Any) -> Any:
        mine, theirs = self.sizes, partial_sizes(other)
        if mine is None or theirs is None or len(mine) != len(theirs):
            return shape_of(mine if theirs is None else theirs)
        return shape_of(tuple(b if isinstance(a, Expr) else a for a, b in zip(mine, theirs, strict=True)))

    def with_rank(self, rank: Any) -> Any:
        del rank
        return self

    def with_rank_at_least(self, rank: Any) -> Any:
        del rank
        return self

    def is_fully_defined(self) -> Any:
        return self.sizes is not None and all(isinstance(size, int) for size in self.known())

    def is_compatible_with(self, other: Any) -> Any:
        return _same(self.sizes, partial_sizes(other)) is not False

    def assert_is_compatible_with(self, other: Any) -> None:
        """Checked where the tensors meet."""

    def assert_has_rank(self, rank: Any) -> None:
        """Checked where the tensor is used."""

    def as_proto(self) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "TensorShape.as_proto")

    def __getitem__(self, key: Any) -> Any:
        sizes = self.known()
        if isinstance(key, slice):
            return shape_of(sizes[key])
        if isinstance(key, int) and -len(sizes) <= key < len(sizes):
            return dimension(sizes[key])
        raise Undecided(
            Reason.EXCEPTION if isinstance(key, int) else Reason.UNMODELLED_ARGUMENTS, "an index of a shape"
        )

    def __add__(self, other: Any) -> Any:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> Any:
        return shape_of((*(partial_sizes(other) or ()), *self.known()))

    def __eq__(self, other: object) -> Any:
        try:
            return _same(self.sizes, partial_sizes(other))
        except (Undecided, Misfit):
            return NotImplemented

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else None if same is None else not same

    def __hash__(self) -> int:
        return id(self)

    def iterate(self) -> Any:
        return tuple(dimension(size) for size in self.known())

    def length(self) -> Any:
        return len(self.known())


def shape_of(sizes: Dims | None) -> TensorShape:
    made = TensorShape.__new__(TensorShape)
    assert isinstance(made, TensorShape)
    made.cells["sizes"] = sizes
    return made


def partial_sizes(value: Any, names: tuple[str, ...] = ()) -> Dims | None:
    """Sizes as a program writes them, where None and -1 stand for any size; None if nothing is said."""
    if value is None:
        return None
    if isinstance(value, TensorShape):
        found: Dims | None = value.sizes
        return found
    if isinstance(value, Unknown):
        raise Undecided(value)
    if isinstance(value, TensorValue):
        known = tensor_of(value).value
        if known is None:
            raise Undecided(Reason.EXTERNAL_DATA, "sizes in a tensor")
        return tuple(each if isinstance(each, Expr) else int(each) for each in known.reshape(-1))
    items = (value,) if isinstance(value, int | Expr) else as_items(value)
    return tuple(_size(item, names[n] if n < len(names) else "") for n, item in enumerate(items))


def _size(item: Any, name: str) -> Dim:
    if item is None or (isinstance(item, int) and item == -1):
        return symbol(machine().fresh(name or "any"))
    return as_size(item, name)


def _same(left: Dims | None, right: Dims | None) -> bool | None:
    if left is None or right is None:
        return None
    if len(left) != len(right):
        return False
    answers = [equal(a, b) for a, b in zip(left, right, strict=True)]
    return False if False in answers else None if None in answers else True


model("tensorflow.compat.v1.Dimension")(dimension)
