"""`x.at[index]`: reading and writing at places, which leaves the array itself as it is."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.arrays.arithmetic import binary
from mlvet.frontends.python.arrays.shaping import broadcast
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.jax.array import Array, as_jax
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, tensor_of


class Places(Object):
    """`x.at`."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> Any:
        return Written(self.array, index)


class Written(Object):
    """`x.at[index]`."""

    def __init__(self, array: Array, index: Any) -> None:
        self.array = array
        self.index = index

    def get(self, **options: Any) -> Any:
        del options
        return self.array[self.index]

    def set(self, values: Any, **options: Any) -> Any:
        """The array with the values written; they broadcast to the places."""
        array, new = self.array, as_jax(values)
        places = dims_of(array[self.index])
        if places is not None:
            broadcast(new, places)
        return opaque("at.set", [array, new], tensor_of(array).without_value(), Array)

    def _combined(self, op: str, values: Any) -> Any:
        return self.set(binary(op, self.array[self.index], as_jax(values), kind=Array))

    def add(self, values: Any, **options: Any) -> Any:
        return self._combined("add", values)

    def subtract(self, values: Any, **options: Any) -> Any:
        return self._combined("sub", values)

    def multiply(self, values: Any, **options: Any) -> Any:
        return self._combined("mul", values)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Any:
        return self._combined("div", values)

    def power(self, values: Any, **options: Any) -> Any:
        return self._combined("pow", values)

    def min(self, values: Any, **options: Any) -> Any:
        return self._combined("min", values)

    def max(self, values: Any, **options: Any) -> Any:
        return self._combined("max", values)

    def apply(self, ufunc: Any, **options: Any) -> Any:
        del ufunc, options
        array = self.array
        return opaque("at.apply", [array], tensor_of(array).without_value(), Array)
