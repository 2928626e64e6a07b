"""gymnasium.spaces: what observations and actions are."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import source, unknown_tensor
from mlvet.frontends.python.libraries.binding import Items, Size, as_size, as_sizes
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("gymnasium.Space", "gymnasium.spaces.Space")
class Space(Object):
    """Something to draw samples from. One without a known shape is of an environment that mlvet does not know."""

    __slots__ = ()
    may_be_below: ClassVar[bool] = True

    def __init__(self, shape: Any = None, dtype: Any = None, seed: Any = None) -> None:
        store(self.cells, "@shape", None if shape is None else as_sizes(shape, "observation"))
        store(self.cells, "@dtype", dtype if isinstance(dtype, DType) else None)

    @property
    def shape(self) -> Any:
        known = self.cells.get("@shape")
        if known is None:
            raise Undecided(Unknown(Reason.EXTERNAL_DATA, "the shape of a space", "observation_shape"))
        return known

    @property
    def dtype(self) -> Any:
        known = self.cells.get("@dtype")
        if known is None:
            raise Undecided(Reason.EXTERNAL_DATA, "the element type of a space")
        return known

    def sample(self, *args: Any, **kwargs: Any) -> Any:
        return drawn(self, "sample")

    def seed(self, seed: Any = None) -> Any:
        return seed

    def contains(self, x: Any) -> Any:
        return Scalar(bool)

    __contains__ = contains

    @property
    def n(self) -> Any:
        if "@shape" in self.cells and self.cells["@shape"] is not None:
            raise Undecided(Reason.DYNAMIC_ATTRIBUTE, "n of a space of vectors")
        if "@n" not in self.cells:
            store(self.cells, "@n", symbol(machine().fresh("actions")))
        return self.cells["@n"]


@model("gymnasium.spaces.Box")
class Box(Space):
    __slots__ = ()

    def __init__(
        self, low: Any, high: Any, shape: Any = None, dtype: DType | None = dtypes.f32, seed: Any = None
    ) -> None:
        sizes: Any = None
        if shape is not None:
            sizes = as_sizes(shape, "observation")
        else:
            for bound in (low, high):
                if isinstance(bound, TensorValue):
                    sizes = dims_of(bound)
                elif isinstance(bound, int | float) and sizes is None:
                    sizes = (1,)
        super().__init__(sizes, dtype)
        store(self.cells, "@low", low)

    @property
    def low(self) -> Any:
        return drawn(self, "low")

    @property
    def high(self) -> Any:
        return drawn(self, "high")

    def is_bounded(self, manner: Any = "both") -> Any:
        return Scalar(bool)


@model("gymnasium.spaces.Discrete")
class Discrete(Space):
    __slots__ = ()

    def __init__(self, n: Size, seed: Any = None, start: Any = 0, dtype: Any = dtypes.i64) -> None:
        super().__init__((), dtypes.i64)
        store(self.cells, "@n", n)
        store(self.cells, "start", start)

    @property
    def n(self) -> Any:
        return self.cells["@n"]


@model("gymnasium.spaces.MultiDiscrete")
class MultiDiscrete(Space):
    __slots__ = ()

    def __init__(self, nvec: Any, dtype: Any = dtypes.i64, seed: Any = None, start: Any = None) -> None:
        made = nvec if isinstance(nvec, TensorValue) else ndarray.converted(nvec)
        super().__init__(dims_of(made), dtypes.i64)
        store(self.cells, "nvec", made)


@model("gymnasium.spaces.MultiBinary")
class MultiBinary(Space):
    __slots__ = ()

    def __init__(self, n: Any, seed: Any = None) -> None:
        super().__init__(as_sizes(n) if isinstance(n, tuple | ListValue) else (as_size(n),), dtypes.i8)
        store(self.cells, "@n", n)

    @property
    def n(self) -> Any:
        return self.cells["@n"]


@model("gymnasium.spaces.Tuple")
class Tuple(Space):
    __slots__ = ()

    def __init__(self, spaces: Items, seed: Any = None) -> None:
        super().__init__()
        store(self.cells, "spaces", spaces)

    def __getitem__(self, index: Any) -> Any:
        return self.spaces[index] if isinstance(index, int) else Unknown(Reason.DYNAMIC_CONTAINER, "a space")

    def length(self) -> int:
        return len(self.spaces)

    def iterate(self) -> Any:
        return self.spaces


@model("gymnasium.spaces.Dict")
class Dict(Space):
    __slots__ = ()

    def __init__(self, spaces: Any = None, seed: Any = None, **spaces_kwargs: Any) -> None:
        super().__init__()
        known = dict(spaces.cells) if isinstance(spaces, DictValue) else {}
        store(self.cells, "spaces", DictValue({**known, **spaces_kwargs}))

    def __getitem__(self, key: Any) -> Any:
        return machine().send(self.spaces, "__getitem__", key)

    def items(self) -> Any:
        return machine().send(self.spaces, "items")

    def keys(self) -> Any:
        return machine().send(self.spaces, "keys")


def drawn(space: Any, name: str) -> Any:
    """One observation or action of a space."""
    match space:
        case Tuple():
            return tuple(drawn(each, name) for each in space.spaces)
        case Dict():
            return DictValue({key: drawn(each, key) for key, each in space.spaces.cells.items()})
        case Space():
            shape, dtype = space.cells.get("@shape"), space.cells.get("@dtype")
            return unknown_tensor(ndarray, dtype, name) if shape is None else array(name, shape, dtype)
    return space if isinstance(space, Unknown) else Unknown(Reason.EXTERNAL_DATA, name, name)


def array(name: str, shape: tuple[Dim, ...], dtype: DType | None) -> Any:
    return source(name, Type(dtype, shape), ndarray)


def box(*shape: Dim, dtype: DType = dtypes.f32) -> Box:
    return Box(-1.0, 1.0, shape, dtype)


@model("gymnasium.spaces.flatdim", "gymnasium.spaces.utils.flatdim")
def flatdim(space: Any) -> Any:
    """How many numbers a sample is when it is written in one row."""
    match space:
        case Discrete():
            return space.n
        case Box() if space.cells.get("@shape") is not None:
            total: int | Expr = 1
            for size in space.cells["@shape"]:
                total = total * size
            return total
    return symbol(machine().fresh("observations"))


@model("gymnasium.spaces.flatten", "gymnasium.spaces.utils.flatten")
def flatten(space: Any, x: Any) -> Any:
    dtype = space.cells.get("@dtype") if isinstance(space, Space) else None
    return array("flattened", (flatdim(space),), dtype)
