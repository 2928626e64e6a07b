"""jax.Array: what makes one, its attributes and Python's operators; `methods` adds its methods."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr, product
from mlvet.domains.dtypes import DType
from mlvet.domains.promotion import Framework, Operand, Strength, promote
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.arrays.shapes import shape_of
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import ARRAYS, COERCIONS, TENSORS, as_size, as_sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import OPAQUE

NARROW = {dtypes.i64: dtypes.i32, dtypes.u64: dtypes.u32, dtypes.f64: dtypes.f32, dtypes.c128: dtypes.c64}
RELATIONS = frozenset(("equal", "not_equal", "less", "less_or_equal", "greater", "greater_or_equal"))
NUMBERS = (bool, int, float, complex, Expr, Scalar)

Tensor: TypeAlias = Any
ArrayLike: TypeAlias = Any
ShapeLike: TypeAlias = Any
"""The names by which the binder knows arguments and results; what they are is Python's to find out."""


def canonical(dtype: DType | None) -> DType | None:
    """The element type that JAX has in place of one of 64 bits."""
    return None if dtype is None else NARROW.get(dtype, dtype)


@model("jax.Array", "jax.numpy.ndarray", "jax.interpreters.xla.DeviceArray")
class Array(ArrayValue):
    """An array of JAX. `@weak` marks one whose element type gives way, as those of Python numbers do."""

    framework: ClassVar[Framework] = Framework.JAX

    @classmethod
    def converted(cls, value: Any) -> TensorValue:
        return argument(value)

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        left, right, other = (held(each) for each in (left, right, other))
        return marked(_open(op, super()._combined(op, left, right, other), left, right), left, right)

    def _product(self, left: Any, right: Any, other: Any) -> Any:
        if isinstance(held(other), Unknown):
            return super()._product(left, right, other)
        left, right = together(as_jax(left), as_jax(right))
        return emit("matmul", left, right, kind=Array)

    def _beside_unknown(self, op: str, other: Unknown) -> Any:
        """Beside something unknown the element type may change too, unless it is a float already."""
        return _open(op, super()._beside_unknown(op, other), self, None)

    def _compared(self, op: str, other: Any) -> Any:
        return super()._compared(op, held(other))

    def __setitem__(self, index: Any, value: Any) -> None:
        maker = machine().builder.maker(self.graph_value)
        sure = tensor_of(self).value is not None if maker is None else maker.op != OPAQUE
        demand(not sure, "an array of JAX cannot be changed; x.at[...].set(...) makes another", of=[self])
        if not sure:
            super().__setitem__(index, value)

    @property
    def shape(self) -> Any:
        return shape_of(self)

    @property
    def ndim(self) -> Any:
        rank = rank_of(self)
        return self.graph_value.declared.shape.rank if rank is None else rank  # type: ignore[union-attr]

    @property
    def size(self) -> Any:
        dims = dims_of(self)
        return self.graph_value.declared.size if dims is None else product(dims)

    @property
    def dtype(self) -> Any:
        found = dtype_of(self)
        return Unknown(Reason.EXTERNAL_DATA, "an element type") if found is None else found

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def itemsize(self) -> Any:
        found = dtype_of(self)
        return 4 if found is None else max(found.bits // 8, 1)

    @property
    def weak_type(self) -> bool:
        return bool(self.cells.get("@weak"))

    @property
    def T(self) -> Any:
        return emit("transpose", self)

    @property
    def mT(self) -> Any:
        from mlvet.frontends.python.arrays.shaping import swapped

        return swapped(self, -2, -1)

    @property
    def at(self) -> Any:
        from mlvet.frontends.python.libraries.jax.updates import Places

        return Places(self)

    @property
    def real(self) -> Any:
        found = dtype_of(self)
        return self if found is not None and not found.name.startswith("c") else emit("real", self)

    @property
    def imag(self) -> Any:
        return emit("imag", self)

    @property
    def sharding(self) -> Any:
        from mlvet.frontends.python.libraries.jax.devices import Sharding

        return Sharding()


@model("jax.core.Tracer")
class Tracer(Object):
    """What arrays are while a function is traced; programs ask whether one is, and outside of traces none is."""


def _open(op: str, made: Any, *operands: Any) -> Any:
    """A result beside an operand of unknown element type: of floats if another has them, else of who knows what."""
    kinds = [dtype_of(each) if isinstance(each, TensorValue) else None for each in operands if not is_number(each)]
    if op in RELATIONS or not isinstance(made, TensorValue) or None not in kinds:
        return made
    if any(kind is not None and kind.is_float for kind in kinds) or dtype_of(made) is None:
        return made
    return opaque(op, [made], tensor_of(made).with_dtype(None), Array)


def is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS)


def held(value: Any) -> Any:
    """What a variable of a module holds; other values as they are."""
    holds = getattr(value, "as_tensor", None)
    return holds() if holds is not None and not isinstance(value, TensorValue) else value


def as_jax(value: Any, dtype: DType | None = None) -> Array:
    """The array that a number, a list, another library's array or a variable is in JAX."""
    value = held(value)
    to = canonical(dtype)
    if isinstance(value, Array):
        return _cast(value, to)
    if isinstance(value, TensorValue):
        return _cast(_array(value.graph_value), to or canonical(dtype_of(value)))
    if isinstance(value, Unknown):
        from mlvet.frontends.python.libraries.binding import as_tensor

        found = as_tensor(value, "jax")
        return as_jax(found, dtype)
    made = _cast(from_python(_unwrapped(value), Array, to), to or None)
    made = _cast(made, canonical(dtype_of(made)))
    if dtype is None and isinstance(value, NUMBERS) and not isinstance(value, bool):
        made.cells["@weak"] = True
    return made


def _unwrapped(value: Any) -> Any:
    """Lists with arrays and variables in them, all as arrays of JAX."""
    if isinstance(value, ListValue) and isinstance(value.items, tuple):
        value = value.items
    if isinstance(value, tuple | list) and any(not isinstance(each, NUMBERS) for each in value):
        return tuple(_unwrapped(held(each)) for each in value)
    if isinstance(value, TensorValue):
        return as_jax(value)
    return value


def _array(value: Any) -> Array:
    made = Array.of(value)
    assert isinstance(made, Array)
    return made


def _cast(x: Any, to: DType | None) -> Array:
    made: Array = x if to is None or dtype_of(x) is to else emit("cast", x, to=to, kind=Array)
    return made


def cast_to(x: TensorValue, dtype: DType | None) -> Any:
    """The array in an element type that JAX has; itself where none is asked for."""
    return _cast(x, canonical(dtype))


def is_weak(value: Any) -> bool:
    return bool(value.cells.get("@weak")) if isinstance(value, TensorValue) else isinstance(value, NUMBERS)


def marked(result: Any, *operands: Any) -> Any:
    """A result that is as weak as its operands."""
    weak = isinstance(result, Array) and operands and all(is_weak(each) for each in operands)
    if weak and dtype_of(result) is not dtypes.bool_:
        result.cells["@weak"] = True
    return result


def together(*xs: Any) -> tuple[Any, ...]:
    """Arrays brought to their common element type."""
    arrays = tuple(as_jax(each) for each in xs)
    common = common_of(*arrays)
    if common is None:
        return arrays
    return tuple(cast_to(each, common) for each in arrays)


def common_of(*xs: Any) -> DType | None:
    """The element type that JAX gives to a result of all operands."""
    found: Operand | None = None
    for x in xs:
        known = dtype_of(x)
        if known is None:
            return None
        side = Operand(known, Strength.WEAK if is_weak(x) else Strength.FULL)
        both = side if found is None else promote(found, side, Framework.JAX)
        if not isinstance(both, Operand):
            return None
        found = both
    return None if found is None else canonical(found.dtype)


def inexact(x: Any) -> Any:
    """The array with integers made floats."""
    known = dtype_of(x)
    return x if known is None or known.is_float or known.name.startswith("c") else marked(cast_to(x, dtypes.f32), x)


def axes_named(axis: Any) -> tuple[int, ...] | None:
    """The axes of a reduction, None for all. Raises Undecided if they are not known."""
    if axis is None:
        return None
    items = axis.items if isinstance(axis, ListValue) else axis if isinstance(axis, tuple | list) else (axis,)
    if not isinstance(items, tuple | list) or not all(isinstance(each, int) for each in items):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes that are not known")
    return tuple(int(each) for each in items)


def argument(value: Any) -> Array:
    """An argument as an array: JAX takes numbers and arrays, but no lists, which it would have to copy."""
    lists = isinstance(value, ListValue | tuple | list)
    demand(not lists, "an array or a number is wanted, not a list; use jnp.array", "illegal-argument")
    return as_jax(value)


def as_shape(value: Any, name: str = "") -> tuple[Any, ...]:
    """A shape: one size or several. Raises Undecided if there is no telling how many."""
    if isinstance(value, Unknown):
        raise Undecided(value)
    if isinstance(value, int | Expr | Scalar) or (isinstance(value, TensorValue) and rank_of(value) == 0):
        return (as_size(value, name),)
    return as_sizes(value, name)


COERCIONS["ShapeLike"] = lambda value, parameter, _: as_shape(value, parameter.name)
ARRAYS.update({"jax": argument, "flax": as_jax, "optax": as_jax})
for _library in ARRAYS.keys() & {"jax", "flax", "optax"}:
    TENSORS[_library] = Array
