"""Nested tuples and dictionaries of tensors, as data sets, loops and sessions take and give them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from mlvet.domains.dims import Dim, equal, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Misfit
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.shapes import TensorShape, partial_sizes, shape_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of
from mlvet.frontends.python.values.choices import Choice, conjoined
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def mapped(function: Callable[[Any], Any], value: Any, *, lists: bool = True) -> Any:
    """A structure with a function applied to each leaf; lists are leaves where `lists` is false."""
    match value:
        case tuple():
            return tuple(mapped(function, each, lists=lists) for each in value)
        case DictValue():
            rest = None if value.rest is None else mapped(function, value.rest, lists=lists)
            return DictValue({key: mapped(function, each, lists=lists) for key, each in value.cells.items()}, rest)
        case ListValue() if lists and isinstance(value.items, tuple):
            return ListValue(mapped(function, each, lists=lists) for each in value.items)
        case ListValue() if lists and isinstance(value.items, Repeated):
            return ListValue(Repeated(mapped(function, value.items.element, lists=lists), value.items.length))
    return function(value)


def leaves(value: Any) -> list[Any]:
    """The leaves of a structure in order."""
    found: list[Any] = []
    mapped(found.append, value)
    return found


def as_elements(value: Any) -> Any:
    """What a function or generator gives, as a structure of tensors; what is no tensor stays as it is."""

    def leaf(each: Any) -> Any:
        if each is None or isinstance(each, Unknown | Tensor):
            return each
        if (
            isinstance(each, Object)
            and not isinstance(each, TensorValue | TensorShape)
            and not hasattr(each, "as_tensor")
        ):
            return each
        try:
            return convert(each)
        except Undecided as error:
            return error.unknown

    return mapped(leaf, value, lists=False)


def as_one(value: Any) -> Any:
    """What a function gives, with what differs from path to path joined, as branches of a graph are."""

    def leaf(each: Any) -> Any:
        if not isinstance(each, Choice):
            return each
        here = frozenset(machine().path)
        parts = [as_one(part) for guard, part in each.alternatives if conjoined(here, guard) is not None]
        if len({len(part) if isinstance(part, tuple) else type(part) is DictValue and "named" for part in parts}) > 1:
            return Unknown(Reason.DATA_DEPENDENT_BRANCH, "one of several structures")
        return reduce(lambda left, right: joined(None, left, right), parts)

    return mapped(leaf, value)


@model("tensorflow.TensorSpec", "tensorflow.RaggedTensorSpec", "tensorflow.SparseTensorSpec")
class TensorSpec(Object):
    """Shape and element type of a tensor to come."""

    def __init__(self, shape: Any = None, dtype: DType | None = None, name: Any = None, **rest: Any) -> None:
        from mlvet.domains import dtypes

        del rest
        self.shape = shape if isinstance(shape, TensorShape) else shape_of(partial_sizes(shape))
        self.dtype = dtype or dtypes.f32
        self.name = name

    def tensor(self, name: str = "element") -> Tensor:
        return of_shape(name, self.dtype, self.shape.sizes)


@model("tensorflow.type_spec_from_value")
def spec_of(value: Any) -> Any:
    """The specification of each tensor of a structure."""

    def leaf(each: Any) -> Any:
        if not isinstance(each, TensorValue):
            return each
        made = TensorSpec.__new__(TensorSpec)
        made.cells.update(shape=shape_of(dims_of(each)), dtype=dtype_of(each), name=None)
        return made

    return mapped(leaf, value)


def of_shape(name: str, dtype: DType | None, sizes: tuple[Dim, ...] | None) -> Tensor:
    """A tensor that comes from outside."""
    from mlvet.domains.tensors import unknown

    return source(name, unknown(machine().fresh(name), dtype) if sizes is None else Known(dtype, sizes), Tensor)


def grown(x: Any, length: Dim, name: str) -> Any:
    """Tensors of one shape in a new first dim."""
    if isinstance(x, Unknown):
        return _another(x) if x.tensor is None else grown(x.tensor, length, name)
    if not isinstance(x, TensorValue):
        return x
    dims = dims_of(x)
    if dims is None:
        from mlvet.frontends.python.emission import unknown_tensor

        return unknown_tensor(Tensor, dtype_of(x), name)
    return opaque(name, [x], Known(dtype_of(x), (length, *dims)), Tensor)


def _another(x: Unknown) -> Unknown:
    """Something unknown of another shape than what it was made of: what one is used as says nothing of the other."""
    return Unknown(x.reason, x.detail, x.name, x.location)


def row_of(x: Any, name: str = "index") -> Any:
    """One element along the first dim, whichever."""
    from mlvet.domains import dtypes

    if isinstance(x, Unknown):
        return _another(x) if x.tensor is None else row_of(x.tensor, name)
    if not isinstance(x, TensorValue):
        return x
    place = source(name, Known(dtypes.i64, ()), Tensor)
    return op_of("gather", x, place, axis=0)


def first_dim(value: Any) -> Dim | None:
    """The size of the first dim that the tensors of a structure share."""
    for leaf in leaves(value):
        if isinstance(leaf, TensorValue) and dims_of(leaf):
            return tensor_of(leaf).dim(0)
    return None


def joined(condition: Any, left: Any, right: Any) -> Any:
    """One of two structures, of which a condition decides; sizes that differ become symbols."""
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(joined(condition, a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        if isinstance(left.items, tuple) and isinstance(right.items, tuple) and len(left.items) == len(right.items):
            return ListValue(joined(condition, a, b) for a, b in zip(left.items, right.items, strict=True))
        return left
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        return DictValue(
            {key: joined(condition, left.cells[key], right.cells[key]) for key in left.cells if key in right.cells}
        )
    try:
        a, b = convert(left), convert(right)
    except Misfit:
        return left
    except Undecided as error:
        return error.unknown
    return merged(condition, a, b)


def merged(condition: Any, a: Tensor, b: Tensor) -> Tensor:
    first, second = dims_of(a), dims_of(b)
    dtype = dtype_of(a) or dtype_of(b)
    if first is None or second is None or len(first) != len(second):
        from mlvet.frontends.python.emission import unknown_tensor

        return unknown_tensor(Tensor, dtype, "either")
    if all(equal(x, y) is True for x, y in zip(first, second, strict=True)) and isinstance(condition, TensorValue):
        return op_of("where", condition, a, b)
    dims = [x if equal(x, y) is True else symbol(machine().fresh("either")) for x, y in zip(first, second, strict=True)]
    return opaque("cond", [a, b], Known(dtype, tuple(dims)), Tensor)
