"""Python's operators on tensors, the same for all libraries but for the promotion of element types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains.dtypes import Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import PYTHON_SCALARS, binary, comparison
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _operator(op: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The operator with the tensor on the left, and with the tensor on the right."""
    return (
        lambda self, other: self._combined(op, self, other, other),
        lambda self, other: self._combined(op, other, self, other),
    )


def _logical(truth: str, bits: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """`&` and its kin: of truth values if all are, else of bits."""

    def of(left: Any, right: Any) -> str:
        kinds = [dtype_of(each) for each in (left, right) if isinstance(each, TensorValue)]
        plain = all(isinstance(each, TensorValue | bool) for each in (left, right))
        return truth if plain and all(kind is None or kind.kind is Kind.BOOL for kind in kinds) else bits

    return (
        lambda self, other: self._combined(of(self, other), self, other, other),
        lambda self, other: self._combined(of(other, self), other, self, other),
    )


class ArrayValue(TensorValue):
    """A tensor with Python's operators. Subclasses are the tensors of the libraries."""

    __slots__ = ()

    @classmethod
    def converted(cls, value: Any) -> TensorValue:
        """A list or foreign tensor as an operand beside a tensor of this class."""
        from mlvet.frontends.python.arrays.creation import from_python

        return from_python(value, cls)

    def _defers(self, other: Any) -> bool:
        """Whether the other operand has its own way with this one, as tensors of TensorFlow have with NumPy's."""
        if self.framework is not Framework.NUMPY or not isinstance(other, ArrayValue):
            return False
        return other.framework is Framework.TENSORFLOW

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        if self._defers(other):
            return NotImplemented
        if isinstance(other, Unknown):
            return self._beside_unknown(op, other)
        if not isinstance(other, (TensorValue, *PYTHON_SCALARS)):
            if not isinstance(other, ListValue | tuple | list):
                return NotImplemented
            made = type(self).converted(other)
            left, right = (made if each is other else each for each in (left, right))
        return binary(op, left, right)

    def _beside_unknown(self, op: str, other: Unknown) -> Any:
        """Beside something unknown a tensor stays a tensor; a scalar would leave its shape alone, so that is open."""
        from mlvet.frontends.python.libraries.binding import as_tensor

        if self.framework is Framework.NUMPY and dims_of(self) == ():
            raise Undecided(other)
        made = as_tensor(other, "")
        return emit(op, self, made, kind=type(self))

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub")
    __mul__, __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div")
    __floordiv__, __rfloordiv__ = _operator("floor_div")
    __mod__, __rmod__ = _operator("remainder")
    __pow__, __rpow__ = _operator("pow")
    __and__, __rand__ = _logical("and", "bitwise_and")
    __or__, __ror__ = _logical("or", "bitwise_or")
    __xor__, __rxor__ = _logical("xor", "bitwise_xor")

    def __matmul__(self, other: Any) -> Any:
        return self._product(self, other, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._product(other, self, other)

    def _product(self, left: Any, right: Any, other: Any) -> Any:
        if self._defers(other):
            return NotImplemented
        if isinstance(other, Unknown):
            return self._beside_unknown("matmul", other)
        if not isinstance(other, TensorValue):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a matrix product with no tensor")
        return emit("matmul", left, right, kind=type(self))

    def _compared(self, op: str, other: Any) -> Any:
        if self._defers(other):
            return NotImplemented
        if isinstance(other, Unknown):
            return self._beside_unknown(op, other)
        if isinstance(other, ListValue | tuple | list):
            other = type(self).converted(other)
        if not isinstance(other, (TensorValue, *PYTHON_SCALARS)):
            return NotImplemented
        return comparison(op, self, other, kind=type(self))

    def __eq__(self, other: object) -> Any:
        return self._compared("equal", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("not_equal", other)

    def __lt__(self, other: Any) -> Any:
        return self._compared("less", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("less_or_equal", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared("greater", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared("greater_or_equal", other)

    def __hash__(self) -> int:
        return id(self)

    def __neg__(self) -> Any:
        return emit("neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return emit("abs", self)

    def __invert__(self) -> Any:
        known = dtype_of(self)
        return emit("not" if known is None or known.kind is Kind.BOOL else "bitwise_not", self)

    def __getitem__(self, index: Any) -> Any:
        from mlvet.frontends.python.arrays.indexing import getitem

        return getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        from mlvet.frontends.python.arrays.indexing import setitem

        setitem(self, index, value)

    def __len__(self) -> Any:
        raise TypeError("the interpreter asks `length`")

    def length(self) -> Any:
        """What `len` yields."""
        dims = dims_of(self)
        if dims is None:
            return self.graph_value.declared.dim(0)
        if not dims:
            raise Undecided(Reason.EXCEPTION, "len() of a tensor without dims")
        return dims[0]

    def __iter__(self) -> Any:
        raise TypeError("the interpreter asks `iterate`")

    def iterate(self) -> Any:
        """What a loop over the tensor sees: its rows, or one that stands for all."""
        dims = dims_of(self)
        if dims == ():
            raise Undecided(Reason.EXCEPTION, "iteration over a tensor without dims")
        if dims is not None and isinstance(dims[0], int) and dims[0] <= _ROWS:
            return tuple(self[index] for index in range(dims[0]))
        row = self[0]
        return Repeated(row, self.length())


_ROWS = 64
"""Rows up to which a loop over a tensor sees each."""


def become(x: TensorValue, other: TensorValue) -> Any:
    """Give a tensor the contents of another, as operators in place do."""
    store(x.cells, "@value", other.graph_value)
    return x


def assumed(x: TensorValue, rank: int, *names: str) -> Any:
    """A tensor of unknown rank as one of so many dims, because only such have a use here; others stay as they are."""
    if dims_of(x) is not None:
        return x
    from mlvet.domains.dims import symbol

    dims = [symbol(machine().fresh(names[n] if n < len(names) else "n")) for n in range(rank)]
    made = opaque("assumed rank", [x], Tensor(dtype_of(x), tuple(dims)), type(x))
    become(x, made)
    return made
