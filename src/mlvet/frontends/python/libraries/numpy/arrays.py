"""numpy.ndarray: attributes and methods; and what NumPy makes of arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, TypeVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr, product, symbol
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.arrays.operators import ArrayValue, become
from mlvet.frontends.python.arrays.shapes import Shape
from mlvet.frontends.python.emission import opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import ARRAYS, TENSORS, SizeOrSizes, Tensor, as_size
from mlvet.frontends.python.libraries.builtins.operators import repeated
from mlvet.frontends.python.libraries.numpy.element_types import element_type
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

F = TypeVar("F", bound=Callable[..., Any])


@model("numpy.ndarray")
class ndarray(ArrayValue):
    """An array of NumPy. Its functions are methods too; those are added by the files that model them."""

    __slots__ = ()
    framework: ClassVar[Framework] = Framework.NUMPY

    def __init__(
        self, shape: SizeOrSizes, dtype: Any = float, buffer: Any = None, offset: Any = 0, strides: Any = None,
        order: Any = None,
    ) -> None:  # fmt: skip
        """An array whose elements are whatever lies there."""
        dims = shape if isinstance(shape, tuple) else (shape,)
        self.cells["@value"] = opaque("ndarray", [], Type(element_type(dtype), dims), ndarray).graph_value

    @classmethod
    def converted(cls, value: Any) -> TensorValue:
        return from_python(value, cls, floats=dtypes.f64)

    @property
    def shape(self) -> Any:
        dims = dims_of(self)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the shape of an array of unknown rank")
        return Shape(dims)

    @property
    def ndim(self) -> Any:
        shape = tensor_of(self).shape
        return len(shape) if isinstance(shape, tuple) else shape.rank

    @property
    def size(self) -> Any:
        return tensor_of(self).size

    @property
    def dtype(self) -> Any:
        found = dtype_of(self)
        if found is None:
            raise Undecided(Reason.EXTERNAL_DATA, "the element type of an array")
        return found

    @property
    def itemsize(self) -> Any:
        return self.dtype.bits // 8

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def flat(self) -> Any:
        return machine().send(self, "ravel")

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Tensor:
        return local(cast(self, element_type(dtype)), fresh=True)

    def copy(self, order: str = "C") -> Tensor:
        return type(self).of(self.graph_value)

    def view(self, dtype: Any = None, type: Any = None) -> Tensor:
        wanted = element_type(dtype)
        known = dtype_of(self)
        if wanted is None or wanted is known:
            return self.copy()
        if known is not None and known.bits == wanted.bits:
            return opaque("view", [self], Type(wanted, tensor_of(self).shape), ndarray)
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "bits seen as another element type")

    def item(self, *args: Any) -> Any:
        value = tensor_of(self).value
        index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if value is not None and all(isinstance(part, int) for part in index):
            return value.item(*index) if value.dtype != object else value.reshape(-1)[index[0] if index else 0]
        return number(dtype_of(self))

    def tolist(self) -> Any:
        value = tensor_of(self).value
        if value is not None:
            return listed(value.tolist())
        dims = dims_of(self)
        if dims is None:
            return ListValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "tolist"), tensor_of(self).dim(0)))
        made: Any = number(dtype_of(self))
        for dim in reversed(dims):
            made = ListValue(Repeated(made, dim))
        return made

    def fill(self, value: Any) -> None:
        become(self, opaque("fill", [self], tensor_of(self).without_value(), type(self)))

    def tobytes(self, order: str = "C") -> Any:
        return Scalar(bytes)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Writes a file."""

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Says how the array may be used."""

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        """A whole number repeats lists and texts; arrays without dims, which do not, are far fewer than numbers."""
        if op == "mul" and isinstance(other, ListValue | tuple | str | bytes) and dims_of(self) == ():
            known = dtype_of(self)
            if known is not None and known.is_integer:
                return repeated(other, as_size(self, "times"))
        return super()._combined(op, left, right, other)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return unknown_tensor(ndarray, name=index)
        found = super().__getitem__(index)
        known = tensor_of(found)
        if known.dtype is dtypes.text and known.shape == ():
            return Scalar(str) if known.value is None else known.value.item()
        return found

    def missing(self, name: str) -> Any:
        """A text without dims has the methods of strings."""
        if dtype_of(self) is dtypes.text and dims_of(self) in ((), None):
            return machine().attribute(Scalar(str), name)
        raise Undecided(Reason.UNMODELLED_CALL, f"numpy.ndarray.{name}")

    def decode(self, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
        return Scalar(str)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.astype(dtype) if dtype is not None else self

    def __rshift__(self, other: Any) -> Any:
        return opaque("shift", [self], tensor_of(self).without_value(), ndarray)

    def __lshift__(self, other: Any) -> Any:
        return opaque("shift", [self], tensor_of(self).without_value(), ndarray)

    def __round__(self, ndigits: Any = None) -> Any:
        return number(dtype_of(self))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other


def number(dtype: DType | None) -> Any:
    """One element as Python's own number, of which the kind alone is known."""
    if dtype is None:
        return Unknown(Reason.EXTERNAL_DATA, "an element of an array")
    match dtype.kind:
        case Kind.SIGNED | Kind.UNSIGNED:
            return symbol(machine().fresh("element"), 0 if dtype.kind is Kind.UNSIGNED else float("-inf"))
        case Kind.BOOL:
            return Scalar(bool)
        case Kind.TEXT:
            return Scalar(str)
        case Kind.COMPLEX:
            return Scalar(complex)
    return Scalar(float)


def listed(value: Any) -> Any:
    """A nested list of Python's as one of the program's."""
    return ListValue(listed(each) for each in value) if isinstance(value, list) else value


def as_ndarray(value: Any, dtype: DType | None = None) -> Any:
    """What NumPy makes of a number, a list, a range or another library's tensor."""
    if isinstance(value, TensorValue):
        return cast(local(value), dtype)
    if isinstance(value, Unknown):
        if value.tensor is None:
            value.tensor = unknown_tensor(ndarray, name=value.name)
        return cast(local(value.tensor), dtype)
    if isinstance(value, Object):
        convert = getattr(value, "as_tensor", None)
        if convert is not None:
            return cast(local(convert()), dtype)
        if hasattr(type(value), "__array__"):
            return cast(local(machine().send(value, "__array__")), dtype)
    if not isinstance(value, bool | int | float | complex | str | Expr | Scalar | ListValue | tuple | list):
        items = machine().items(value)
        value = ListValue(items)
    try:
        return from_python(value, ndarray, dtype, floats=dtypes.f64)
    except Undecided:
        return _roughly(value, dtype)


def _roughly(value: Any, dtype: DType | None) -> Any:
    """A list of items of which little is known: its length, and the type of what is known first."""
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(items, Repeated):
        if isinstance(items.element, Unknown):
            raise Undecided(items.element)
        raise Undecided(Reason.DYNAMIC_CONTAINER, "items of unknown shape")
    if not isinstance(items, tuple | list) or not items:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"no array can be made of {type(value).__name__}")
    known = None
    for item in items:
        if not isinstance(item, Unknown):
            known = item
            break
    if known is None:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "items of which nothing is known")
    one = as_ndarray(known, dtype)
    dims = dims_of(one)
    if dims is None:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "items of unknown shape")
    return opaque("array", [one], Type(dtype_of(one), (len(items), *dims)), ndarray)


def local(value: Any, *, fresh: bool = False) -> Any:
    """Tensors of other libraries, also within a tuple, as arrays of NumPy."""
    if isinstance(value, TensorValue) and (fresh or type(value) is not ndarray):
        return ndarray.of(value.graph_value)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(local(each) for each in value)
    return value


def function(*names: str) -> Callable[[F], F]:
    """Register a function of NumPy: it takes the tensors of any library and yields arrays of NumPy."""

    def register(thing: F) -> F:
        @wraps(thing)
        def on_arrays(*args: Any, **keywords: Any) -> Any:
            return thing(*map(local, args), **{name: local(value) for name, value in keywords.items()})

        model(*names)(on_arrays)
        return thing

    return register


def method(*names: str) -> Callable[[F], F]:
    """Make a function a method of arrays."""

    def register(thing: F) -> F:
        for name in names or (thing.__name__.rstrip("_"),):
            setattr(ndarray, name, thing)
        return thing

    return register


def axes_of(axis: Any) -> tuple[int, ...] | None:
    """The axes that an argument names; None for all."""
    match axis:
        case None:
            return None
        case bool() | int():
            return (int(axis),)
        case tuple() | list() if all(isinstance(each, int) for each in axis):
            return tuple(axis)
        case ListValue() if isinstance(axis.items, tuple):
            return axes_of(axis.items)
        case Unknown():
            raise Undecided(axis)
        case TensorValue() if tensor_of(axis).value is not None:
            return tuple(int(each) for each in tensor_of(axis).value.reshape(-1))  # type: ignore[union-attr]
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes that are not known")


def one_axis(axis: Any) -> int:
    found = axes_of(axis)
    if found is None or len(found) != 1:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "one axis is wanted")
    return found[0]


def count_of(x: TensorValue) -> Any:
    dims = dims_of(x)
    return tensor_of(x).size if dims is None else product(dims)


TENSORS["numpy"] = ndarray
ARRAYS["numpy"] = as_ndarray
