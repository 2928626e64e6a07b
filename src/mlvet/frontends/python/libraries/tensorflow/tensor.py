"""tf.Tensor and tf.Variable, and what programs give in place of tensors made tensors."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr, equal
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.arrays.operators import ArrayValue, become
from mlvet.frontends.python.emission import demand, demand_same, emit, opaque
from mlvet.frontends.python.libraries.binding import ARRAYS, TENSORS, Misfit, as_tensor
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.libraries.tensorflow.generation import is_first
from mlvet.frontends.python.libraries.tensorflow.shapes import TensorShape, partial_sizes, shape_of
from mlvet.frontends.python.libraries.tensorflow.static import demand_static, is_dynamic, keeps_references
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import OPAQUE, Value

_QUOTIENTS = {dtypes.i32: dtypes.f64, dtypes.i64: dtypes.f64, dtypes.u32: dtypes.f64, dtypes.u64: dtypes.f64}


@model("tensorflow.Tensor")
class Tensor(ArrayValue):
    """A tensor of TensorFlow. Tensors of different element types do not mix; numbers and lists take the tensor's."""

    framework: ClassVar[Framework] = Framework.TENSORFLOW

    @classmethod
    def converted(cls, value: Any) -> TensorValue:
        return convert(value)

    @property
    def shape(self) -> Any:
        return shape_of(dims_of(self))

    @property
    def dtype(self) -> Any:
        known = dtype_of(self)
        return known if known is not None else Unknown(Reason.EXTERNAL_DATA, "an element type")

    @property
    def ndim(self) -> Any:
        return self.shape.rank

    @property
    def name(self) -> Any:
        return self.cells.get("@name") or Scalar(str, "name")

    @property
    def device(self) -> Any:
        return Scalar(str, "device")

    @property
    def graph(self) -> Any:
        return Object()

    @property
    def op(self) -> Any:
        return self

    @property
    def inputs(self) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "the operands of an operation")

    @property
    def outputs(self) -> Any:
        return ListValue([self])

    def get_shape(self) -> Any:
        return shape_of(dims_of(self))

    def set_shape(self, shape: Any) -> None:
        """What the program says of the shape is taken to be so where nothing else is known."""
        become(self, reshaped_as_said(self, shape))

    def numpy(self) -> Any:
        return numpy_array(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.v1.sessions import executed

        del session
        return executed("eval", self, feed_dict)

    def ref(self) -> Any:
        return self

    def deref(self) -> Any:
        return self

    def experimental_ref(self) -> Any:
        return self

    def to_tensor(self, default_value: Any = None, name: Any = None, shape: Any = None) -> Any:
        """Ragged tensors are dense ones here."""
        from mlvet.frontends.python.libraries.tensorflow.ragged import dense

        del default_value, name
        return dense(self, shape)

    def merge_dims(self, outer_axis: Any, inner_axis: Any) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.ragged import with_merged

        return with_merged(self, outer_axis, inner_axis)

    def row_lengths(self, axis: Any = 1, name: Any = None) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.ragged import row_lengths

        del name
        return row_lengths(self, axis)

    def item(self) -> Any:
        return numpy_array(self)

    def consumers(self) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "Tensor.consumers")

    def tolist(self) -> Any:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a tensor as a list")

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        if not _fits(other):
            return NotImplemented
        if op == "div":
            return quotient(left, right)
        return op_of(op, *matched(left, right))

    def _compared(self, op: str, other: Any) -> Any:
        if not _fits(other):
            return NotImplemented
        strict = {} if op not in ("equal", "not_equal") else {"incompatible_shape_error": False}
        return op_of(op, *matched(self, other), **strict)

    def _product(self, left: Any, right: Any, other: Any) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.linear import matmul

        if not _fits(other):
            return NotImplemented
        first, second = matched(left, right)
        return matmul(first, second)

    def __neg__(self) -> Any:
        return op_of("neg", self)

    def __abs__(self) -> Any:
        return magnitude(self)

    def __invert__(self) -> Any:
        known = dtype_of(self)
        return op_of("not" if known is None or known.kind is Kind.BOOL else "bitwise_not", self)

    def __eq__(self, other: object) -> Any:
        return self._compared("equal", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("not_equal", other)

    def __hash__(self) -> int:
        return id(self)

    def __getitem__(self, index: Any) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.indexing import getitem

        return getitem(plain(self), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        del index, value
        maker = machine().builder.maker(self.graph_value)
        sure = tensor_of(self).value is not None if maker is None else maker.op != OPAQUE
        demand(not sure, "a tensor of TensorFlow takes no assignment to its elements", of=[self])
        raise Misfit("a tensor of TensorFlow does not support item assignment")


def convert(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Tensor:
    """The tensor that a value becomes: of `dtype`, or of `hint` if it is a number or a foreign array."""
    if isinstance(value, Tensor):
        known = dtype_of(value)
        demand(
            dtype is None or known is None or known is dtype,
            f"a tensor of {known} is wanted as {dtype}",
            "dtype-differs",
        )
        return plain(value)
    if isinstance(value, TensorValue):
        made = Tensor.of(value.graph_value)
        assert isinstance(made, Tensor)
        wanted = dtype or hint
        return made if wanted is None or dtype_of(made) is wanted else op_of("cast", made, to=wanted)
    if isinstance(value, Unknown):
        found = as_tensor(value, "tensorflow")
        return found if isinstance(found, Tensor) else convert(found, dtype, hint)
    if isinstance(value, TensorShape):
        return from_python(value.known(), Tensor, dtype or dtypes.i32)
    unpack = getattr(value, "as_tensor", None)
    if isinstance(value, Object) and unpack is not None:
        return convert(unpack(), dtype, hint)
    if value is None or isinstance(value, Object):
        raise Misfit(f"{value!r} is no tensor")
    natural = natural_dtype(value)
    if dtype is None and hint is not None and _takes(hint, natural):
        dtype = hint
    if dtype is not None and natural is not None:
        demand(_takes(dtype, natural), f"a number of {natural} is wanted as {dtype}", "dtype-differs")
    return from_python(value, Tensor, dtype or natural)


def natural_dtype(value: Any) -> DType | None:
    """The element type of numbers and lists where none is asked for: i32, f32, or that of a tensor among them."""
    kinds: list[DType] = []
    _leaves(value, kinds)
    strong = [kind for kind in kinds if kind not in (dtypes.i32, dtypes.f32)]
    if strong:
        return strong[0]
    return dtypes.f32 if dtypes.f32 in kinds else dtypes.i32 if kinds else None


def _leaves(value: Any, kinds: list[DType]) -> None:
    match value:
        case TensorValue():
            known = dtype_of(value)
            kinds += [known if isinstance(value, Tensor) else _in_list(known)] if known is not None else []
        case bool():
            kinds.append(dtypes.bool_)
        case int() | Expr():
            kinds.append(dtypes.i64 if isinstance(value, int) and not -(2**31) <= value < 2**31 else dtypes.i32)
        case float():
            kinds.append(dtypes.f32)
        case complex():
            kinds.append(dtypes.c128)
        case str() | bytes():
            kinds.append(dtypes.text)
        case Scalar():
            kinds.append({int: dtypes.i32, bool: dtypes.bool_, str: dtypes.text}.get(value.kind, dtypes.f32))
        case TensorShape():
            kinds.append(dtypes.i32)
        case tuple() | list():
            for item in value:
                _leaves(item, kinds)
        case ListValue() if isinstance(value.items, tuple):
            for item in value.items:
                _leaves(item, kinds)
        case ListValue() | Repeated():
            _leaves(value.items.element if isinstance(value, ListValue) else value.element, kinds)  # type: ignore[union-attr]


def _in_list(dtype: DType) -> DType:
    """Numbers of NumPy in a list are taken for those of Python: i64 becomes i32, and f64 becomes f32 in graphs."""
    if dtype is dtypes.i64:
        return dtypes.i32
    return dtypes.f32 if dtype is dtypes.f64 and keeps_references() else dtype


def _takes(dtype: DType, natural: DType | None) -> bool:
    """Whether numbers of one kind may become elements of a type: no floats as integers, no text as numbers."""
    if natural is None or dtype is natural:
        return True
    if natural is dtypes.text or dtype is dtypes.text:
        return False
    return not (natural.kind in (Kind.FLOAT, Kind.COMPLEX) and dtype.kind not in (Kind.FLOAT, Kind.COMPLEX))


def alongside(value: Any, x: TensorValue) -> Tensor:
    """A value as an operand beside a tensor: numbers and lists take its element type, known or not."""
    known = dtype_of(x)
    made = convert(value, hint=known)
    if known is not None or isinstance(value, Tensor | Unknown):
        return made
    return opaque("number", [made], Known(None, tensor_of(made).shape), Tensor)


def matched(*values: Any) -> tuple[Tensor, ...]:
    """Operands as tensors; numbers, lists and foreign arrays take the element type of the first tensor."""
    tensors = [value for value in values if isinstance(value, Tensor | Unknown)]
    arrays: list[Any] = tensors or [value for value in values if isinstance(value, TensorValue)]
    if not arrays:
        known = natural_dtype(values)
        return tuple(convert(value, hint=known) for value in values)
    made = [convert(each) for each in arrays]
    first = next((each for each in made if dtype_of(each) is not None), made[0])
    return tuple(alongside(value, first) for value in values)


def quotient(left: Any, right: Any) -> Tensor:
    """Integers are divided as floats."""
    a, b = matched(left, right)
    kinds = [dtype_of(a), dtype_of(b)]
    if kinds[0] is not None and kinds[0] is kinds[1] and kinds[0].is_integer:
        wide = _QUOTIENTS.get(kinds[0], dtypes.f32)
        a, b = op_of("cast", a, to=wide), op_of("cast", b, to=wide)
    return op_of("div", a, b)


def op_of(op: str, *operands: Any, **attributes: Any) -> Tensor:
    """What an operator yields, as a tensor of TensorFlow."""
    return emit(op, *operands, kind=Tensor, **attributes)


def magnitude(x: TensorValue) -> Tensor:
    """The absolute value, of complex numbers a real one."""
    known = dtype_of(x)
    return op_of("complex_abs" if known is not None and known.kind is Kind.COMPLEX else "abs", x)


def typed(name: str, operands: Any, dtype: DType | None, *dims: Any) -> Tensor:
    """A result of which the type alone is known."""
    return opaque(name, operands, Known(dtype, tuple(dims)), Tensor)


def like(name: str, x: TensorValue, *operands: Any, dtype: DType | None = None) -> Tensor:
    """A result of the shape of a tensor that no operator of ours computes."""
    known = tensor_of(x)
    return opaque(name, operands or [x], Known(dtype or known.dtype, known.shape), Tensor)


def plain(x: TensorValue) -> Tensor:
    """A variable as the tensor that it holds."""
    made = x if type(x) is Tensor else Tensor.of(x.graph_value)
    assert isinstance(made, Tensor)
    return made


def numpy_array(x: TensorValue) -> Any:
    """The NumPy array that a tensor becomes, the same value in the graph."""
    load("numpy")
    return TENSORS["numpy"].of(x.graph_value)


def reshaped_as_said(x: TensorValue, shape: Any) -> Tensor:
    """The tensor with sizes that the program asserts where its own are symbols or its rank is not known."""
    said, mine = partial_sizes(shape), dims_of(x)
    if said is None:
        return plain(x)
    if mine is not None:
        demand_same(mine, said, f"shape {list(mine)} is said to be {list(said)}")
        if len(mine) != len(said) or any(equal(a, b) is False for a, b in zip(mine, said, strict=True)):
            return plain(x)
        said = tuple(b if isinstance(a, Expr) and isinstance(b, int) else a for a, b in zip(mine, said, strict=True))
        if said == mine and not is_dynamic(x):
            return plain(x)
    return typed("set_shape", [x], dtype_of(x), *said)


def _fits(value: Any) -> bool:
    if isinstance(
        value, TensorValue | Unknown | bool | int | float | complex | Expr | Scalar | str | ListValue | tuple | list
    ):
        return True
    return isinstance(value, TensorShape) or (isinstance(value, Object) and hasattr(value, "as_tensor"))


def _updated(op: str) -> Any:
    def method(self: Variable, value: Any, use_locking: Any = None, name: Any = None, read_value: bool = True) -> Any:
        del use_locking, name, read_value
        made = alongside(value, self)
        if op == "assign":
            op_of("assign", self, made, validate_shape=tensor_of(self).ranked)
            become(self, Tensor.of(self.graph_value))
        elif is_first() or machine().placeholders:
            return op_of(op, self, made)  # In a graph the variable changes where this is run, not here.
        else:
            become(self, op_of(op, self, made))
        return self

    return method


@model("tensorflow.Variable")
class Variable(Tensor):
    """A tensor that a program can give other contents of the same shape."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool = True,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: Any = None,
        variable_def: Any = None,
        dtype: DType | None = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        **rest: Any,
    ) -> None:
        del caching_device, variable_def, import_scope, constraint, synchronization, aggregation
        if not isinstance(initial_value, TensorValue) and _callable(initial_value):
            initial_value = machine().call(initial_value)
        made = convert(initial_value, hint=dtype)
        if dtype is not None and dtype_of(made) not in (None, dtype):
            demand(
                not isinstance(initial_value, Tensor),
                f"a tensor of {dtype_of(made)} is wanted as {dtype}",
                "dtype-differs",
            )
        if shape is not None:
            made = reshaped_as_said(made, shape)
        demand_static(made, validate_shape, rest.get("use_resource"))
        label = name if isinstance(name, str) else machine().fresh("Variable")
        like = tensor_of(made).without_value()
        value = machine().builder.parameter(label, like, trainable=trainable is not False)
        self.cells.setdefault("@value", value)  # A tensor is there as long as its object is, whatever path made it.
        store(self.cells, "@value", value)
        store(self.cells, "@name", label)
        store(self.cells, "trainable", trainable)
        remember_variable(self)

    @classmethod
    def of(cls, value: Value, **cells: Any) -> TensorValue:
        return Tensor.of(value, **cells)

    assign = _updated("assign")
    assign_add = _updated("add")
    assign_sub = _updated("sub")

    def read_value(self) -> Any:
        return plain(self)

    def value(self) -> Any:
        return plain(self)

    def initialized_value(self) -> Any:
        return plain(self)

    def load(self, value: Any, session: Any = None) -> None:
        del session
        self.assign(value)

    @property
    def initializer(self) -> Any:
        return plain(self)

    @property
    def initial_value(self) -> Any:
        return plain(self)

    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> Any:
        del name
        return become(self, op_of("scatter_nd", self, convert(indices), alongside(updates, self)))

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        del sparse_delta, use_locking, name
        return self

    scatter_add = scatter_update
    scatter_sub = scatter_update


def remember_variable(variable: Variable) -> None:
    """Add a variable to those of the program, which older programs ask for without naming them."""
    machine().memory.setdefault("tensorflow", {}).setdefault("variables", []).append(variable)


def _callable(value: Any) -> bool:
    from mlvet.frontends.python.values.objects import BoundMethod, FunctionValue

    return isinstance(value, FunctionValue | BoundMethod) or (isinstance(value, Object) and callable(value))


TENSORS["tensorflow"] = Tensor
ARRAYS["tensorflow"] = convert
