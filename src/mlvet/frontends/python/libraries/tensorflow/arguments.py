"""What programs give for axes, sizes and numbers, as the models want them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def axis_of(value: Any) -> int:
    """One axis. Raises Undecided if it is not known."""
    if isinstance(value, TensorValue):
        known = tensor_of(value).value
        if known is not None and known.size == 1 and not isinstance(known.reshape(-1)[0], Expr):
            return int(known.reshape(-1)[0])
    if isinstance(value, Scalar) and value.has_default and isinstance(value.default, int):
        return value.default
    if isinstance(value, bool) or not isinstance(value, int):
        raise Undecided(value if isinstance(value, Unknown) else Reason.UNMODELLED_ARGUMENTS, "an axis")
    return int(value)


def axes_of(value: Any) -> tuple[int, ...] | None:
    """Axes as a row, None for all of them."""
    if value is None:
        return None
    if isinstance(value, TensorValue):
        known = tensor_of(value).value
        if known is None or any(isinstance(each, Expr) for each in known.reshape(-1)):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes in a tensor")
        return tuple(int(each) for each in known.reshape(-1))
    if isinstance(value, tuple | list | ListValue):
        return tuple(axis_of(each) for each in as_items(value))
    return (axis_of(value),)


def sizes_of(value: Any, name: str = "") -> tuple[Dim, ...]:
    """A shape as programs give it: a list, a tensor, a TensorShape or one number."""
    if isinstance(value, int | Expr | Scalar) or (isinstance(value, TensorValue) and dims_of(value) == ()):
        return (as_size(value, name),)
    return as_sizes(value, name)


def size_of(value: Any, name: str = "") -> Dim:
    return as_size(value, name)


def inexact(x: Any, name: str) -> Tensor:
    """A tensor of floats, as functions such as the square root demand."""
    made = convert(x)
    known = dtype_of(made)
    fits = known is None or known.is_float or known in (dtypes.c64, dtypes.c128)
    demand(fits, f"{name} takes floats, but gets {known}", "dtype-differs")
    return made


def index_tensor(value: Any) -> Tensor:
    """Numbers of places; a list of numbers is i32."""
    made = convert(value)
    known = dtype_of(made)
    demand(known is None or known.is_integer, f"indices are integers, not {known}", "dtype-differs")
    return made


def cast_to(x: Tensor, dtype: DType | None) -> Tensor:
    return x if dtype is None or dtype_of(x) is dtype else op_of("cast", x, to=dtype)


def chosen(*values: Any) -> Any:
    """The first that is given: of parameters that have an older name too."""
    return next((value for value in values if value is not None), None)


def dims_or_undecided(x: TensorValue, what: str = "a tensor of unknown rank") -> tuple[Dim, ...]:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, what)
    return dims
