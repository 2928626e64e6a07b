"""Tensors of Keras: symbolic ones of functional models, results of layers, and variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, product, symbol, symbols
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.promotion import Framework, Operand, Settings, promote
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import PYTHON_SCALARS, _weighed, cast, operand
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.emission import emit, source, unknown_tensor
from mlvet.frontends.python.libraries.binding import ARRAYS, TENSORS, Sizes
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.settings import floats, name_of, setting
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import Initialiser, Value

FLOATING = ("div", "atan2")
"""Operators that make floats of integers."""
RELATIONS = ("equal", "not_equal")


@model("keras.KerasTensor")
class KerasTensor(ArrayValue):
    """A tensor of Keras, symbolic or of whatever backend is in use; both have the methods of TensorFlow's."""

    framework: ClassVar[Framework] = Framework.KERAS

    @property
    def shape(self) -> Any:
        dims = dims_of(self)
        if dims is None:
            raise Undecided(Reason.EXTERNAL_DATA, "the shape of a tensor of unknown rank")
        return seen(dims)

    @property
    def dtype(self) -> Any:
        found = dtype_of(self)
        if found is None:
            raise Undecided(Reason.EXTERNAL_DATA, "an element type")
        return name_of(found)

    @property
    def ndim(self) -> Any:
        return len(self.shape)

    @property
    def size(self) -> Any:
        return product(dims_of(self) or ())

    @property
    def name(self) -> str:
        found = held(self).get("name")
        return found if isinstance(found, str) else self.graph_value.name

    @property
    def T(self) -> Any:
        return emit("transpose", self)

    def get_shape(self) -> Any:
        """What tensors of TensorFlow have, of which those of its own Keras are."""
        from mlvet.frontends.python.libraries.tensorflow.shapes import shape_of

        return shape_of(dims_of(self))

    def numpy(self) -> Any:
        return numpy_class().of(self.graph_value)

    def set_shape(self, shape: Any) -> None:
        from mlvet.frontends.python.libraries.binding import as_items

        narrowed(self, as_items(shape))

    def reshape(self, *newshape: Any) -> Any:
        from mlvet.frontends.python.arrays.shaping import reshape
        from mlvet.frontends.python.libraries.binding import as_spread

        return reshape(self, as_spread(newshape))

    def squeeze(self, axis: Any = None) -> Any:
        return emit("squeeze", self, None if axis is None else axis if isinstance(axis, tuple) else (axis,))

    def astype(self, dtype: DType) -> Any:
        return cast(self, dtype)

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        if isinstance(other, Unknown):
            return self._beside_unknown(op, other)
        if not isinstance(other, (TensorValue, *PYTHON_SCALARS, ListValue, tuple, list)):
            return NotImplemented
        return combined(op, left, right)

    def _compared(self, op: str, other: Any) -> Any:
        if isinstance(other, Unknown):
            return self._beside_unknown(op, other)
        if isinstance(other, str) and dtype_of(self) is dtypes.text:
            other = array(other)
        if not isinstance(other, (TensorValue, *PYTHON_SCALARS, ListValue, tuple, list)):
            return NotImplemented
        return combined(op, self, other)

    def _product(self, left: Any, right: Any, other: Any) -> Any:
        if isinstance(other, Unknown):
            return self._beside_unknown("matmul", other)
        return combined("matmul", left, right)


def seen(dims: tuple[Dim, ...]) -> tuple[Any, ...]:
    """What a program sees of a shape: outside of layers and training, sizes that an input leaves open are None."""
    here = machine()
    hidden = setting("open", frozenset())
    if here.module_path or setting("training", None) is not None or not hidden:
        return dims
    return tuple(
        None if isinstance(dim, Expr) and any(each.name in hidden for each in symbols(dim)) else dim for dim in dims
    )


def narrowed(x: TensorValue, sizes: tuple[Any, ...]) -> None:
    """What `set_shape` says of a tensor: sizes that were not known, each a symbol where it says None."""
    dims = dims_of(x)
    if dims is None:
        made = [each if isinstance(each, int) else symbol(machine().fresh("n")) for each in sizes]
    elif len(dims) == len(sizes):
        made = [new if isinstance(new, int) else old for old, new in zip(dims, sizes, strict=True)]
    else:
        return
    from mlvet.frontends.python.arrays.operators import become
    from mlvet.frontends.python.emission import opaque

    become(x, opaque("set_shape", [x], Known(dtype_of(x), tuple(made)), type(x)))


@model("keras.Variable")
class Variable(KerasTensor):
    """A tensor that training changes. Whatever is computed of it is an ordinary tensor."""

    def __init__(
        self, initializer: Any, shape: Sizes | None = None, dtype: DType | None = None, trainable: bool = True,
        autocast: bool = True, aggregation: Any = "none", synchronization: Any = "auto", name: Any = None,
        layout: Any = None,
    ) -> None:  # fmt: skip
        del autocast, aggregation, synchronization, layout
        from mlvet.frontends.python.libraries.keras.initializers import Initializer, initialiser_of

        label = name if isinstance(name, str) else machine().fresh("variable")
        if shape is None and not isinstance(initializer, Initializer | str):
            start = array(initializer)
            known = Known(dtype or dtype_of(start), dims_of(start)) if dims_of(start) is not None else None  # type: ignore[arg-type]
            like = known or start.graph_value.declared
        else:
            like = Known(dtype or floats(), tuple(shape or ()))
        value = machine().builder.parameter(
            label, like, module=".".join(machine().module_path), initialiser=initialiser_of(initializer),
            trainable=trainable,
        )  # fmt: skip
        self.cells["@value"] = value
        self.cells["name"] = label
        self.cells["trainable"] = trainable

    @classmethod
    def of(cls, value: Value, **cells: Any) -> TensorValue:
        return KerasTensor.of(value, **cells)

    @property
    def value(self) -> Any:
        return KerasTensor.of(self.graph_value)

    @property
    def path(self) -> str:
        return str(held(self)["name"])

    def read_value(self) -> Any:
        return self.value

    def assign(self, value: Any, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        return self._put("assign", value)

    def assign_add(self, value: Any, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        return self._put("assign_add", value)

    def assign_sub(self, value: Any, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        return self._put("assign_sub", value)

    def _put(self, op: str, value: Any) -> Any:
        if not isinstance(value, Unknown | Scalar):
            emit(op, self, cast(array(value), dtype_of(self)), kind=KerasTensor)
        return self.value


def parameter(
    name: str, sizes: tuple[Dim, ...], dtype: DType, start: Initialiser | None, trainable: bool = True
) -> Variable:
    """A variable of a layer."""
    made = Variable.__new__(Variable)
    assert isinstance(made, Variable)
    value = machine().builder.parameter(
        name, Known(dtype, tuple(sizes)), module=".".join(machine().module_path), initialiser=start, trainable=trainable
    )
    made.cells.update({"@value": value, "name": name.rpartition("/")[2], "trainable": trainable})
    return made


def array(value: Any, dtype: DType | None = None) -> Any:
    """A tensor of Keras made of a number, a list or an array; tensors of TensorFlow, JAX and PyTorch stay theirs."""
    if isinstance(value, TensorValue):
        made = KerasTensor.of(value.graph_value) if _is_foreign(value) else value
        return made if dtype is None else cast(made, dtype)
    if isinstance(value, Unknown):
        kept = value.tensor
        if not isinstance(kept, TensorValue):
            kept = value.tensor = unknown_tensor(KerasTensor, name=value.name)
        return kept if dtype is None else cast(kept, dtype)
    convert = getattr(value, "as_tensor", None)
    if convert is not None:
        return array(convert(), dtype)
    made = from_python(value, KerasTensor, dtype)
    return cast(made, dtypes.i32) if dtype is None and dtype_of(made) is dtypes.i64 else made


def _is_foreign(value: TensorValue) -> bool:
    """Whether it is an array that Keras turns into a tensor of its own, as those of NumPy."""
    return value.framework is Framework.NUMPY and not isinstance(value, KerasTensor)


def floating(x: Any, dtype: DType | None = None) -> Any:
    """The tensor in the float type of a layer, whatever it was."""
    known = dtype_of(x)
    if known is None or (dtype is None and known.is_float):
        return x
    return cast(x, dtype or floats())


def combined(op: str, left: Any, right: Any) -> Any:
    """An operator on two operands brought to the common type of Keras; either may be a number or a list."""
    sides = [each if isinstance(each, PYTHON_SCALARS) else array(each) for each in (left, right)]
    if not any(isinstance(each, TensorValue) for each in sides):
        sides[0] = array(sides[0])
    common = _common(*sides)
    if op in FLOATING and common is not None and not common.is_float and common.kind is not Kind.COMPLEX:
        common = floats()
    if op in RELATIONS and common is dtypes.text:
        common = None
    return emit(op, *(_operand(each, common) for each in sides), kind=kind_of(sides))


def kind_of(values: Sequence[Any]) -> type[TensorValue]:
    """The class of a result: TensorFlow's or another library's if an operand is of it, else that of Keras."""
    kinds = [type(each) for each in values if isinstance(each, TensorValue)]
    return next((each for each in kinds if not issubclass(each, KerasTensor)), KerasTensor)


def _common(left: Any, right: Any) -> DType | None:
    weighed = [_weighed(each) for each in (left, right)]
    if weighed[0] is None or weighed[1] is None:
        return None
    found = promote(weighed[0], weighed[1], Framework.KERAS, Settings(floats(), keras_backend="tensorflow"))
    return found.dtype if isinstance(found, Operand) else None


def _operand(value: Any, dtype: DType | None) -> Any:
    if isinstance(value, TensorValue):
        return cast(value, dtype)
    return operand(value, dtype, KerasTensor)


def placeholder(name: str, sizes: tuple[Dim, ...], dtype: DType | None) -> KerasTensor:
    """A tensor that a user of the model will give."""
    made = source(name, Known(dtype, sizes), KerasTensor)
    store(made.cells, "name", name)
    return made


def numpy_class() -> Any:
    """The class of NumPy's arrays."""
    load("numpy")
    return TENSORS.get("numpy", KerasTensor)


TENSORS["keras"] = KerasTensor
ARRAYS["keras"] = array
