"""The attributes of one node, by type, with the default for what was left out."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence

from mlvet.domains.dtypes import DType
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow.tensors import dtype_of

_NONE: Mapping[str, Record] = {}


class Attributes:
    """Attributes as a node has them; in a function, a placeholder means the attribute of the call."""

    __slots__ = ("_calling", "_raw")

    def __init__(self, raw: Mapping[str, Record], calling: Mapping[str, Record] = _NONE) -> None:
        self._raw = raw
        self._calling = calling

    def raw(self, name: str) -> Record | None:
        """The attribute as written."""
        value = self._raw.get(name)
        if value is not None and value.has("placeholder"):
            return self._calling.get(value.placeholder)
        return value

    def bound(self, calling: Mapping[str, Record]) -> Attributes:
        """The same attributes within a call that has these."""
        return Attributes(self._raw, calling) if calling else self

    def resolved(self) -> dict[str, Record]:
        """All attributes with placeholders replaced."""
        found = {name: self.raw(name) for name in self._raw}
        return {name: value for name, value in found.items() if value is not None}

    def int(self, name: str, default: builtins.int = 0) -> builtins.int:
        value = self.raw(name)
        return value.i if value is not None and value.has("i") else default

    def float(self, name: str, default: builtins.float = 0.0) -> builtins.float:
        value = self.raw(name)
        return float(value.f) if value is not None and value.has("f") else default

    def bool(self, name: str, default: builtins.bool = False) -> builtins.bool:
        value = self.raw(name)
        return bool(value.b) if value is not None and value.has("b") else default

    def text(self, name: str, default: str = "") -> str:
        value = self.raw(name)
        return bytes(value.s).decode("utf-8", "replace") if value is not None and value.has("s") else default

    def type(self, name: str, default: builtins.int = 0) -> builtins.int:
        """The number of an element type."""
        value = self.raw(name)
        return value.type if value is not None and value.has("type") else default

    def dtype(self, name: str, default: DType | None = None) -> DType | None:
        value = self.raw(name)
        return dtype_of(value.type) if value is not None and value.has("type") else default

    def types(self, name: str) -> Sequence[builtins.int]:
        value = self.raw(name)
        return list(value.list.type) if value is not None and value.list is not None else []

    def ints(self, name: str, default: Sequence[builtins.int] = ()) -> tuple[builtins.int, ...]:
        value = self.raw(name)
        return (
            tuple(int(item) for item in value.list.i) if value is not None and value.list is not None else (*default,)
        )

    def shapes(self, name: str) -> Sequence[Record]:
        value = self.raw(name)
        return list(value.list.shape) if value is not None and value.list is not None else []

    def shape(self, name: str) -> Record | None:
        value = self.raw(name)
        return value.shape if value is not None else None

    def tensor(self, name: str) -> Record | None:
        value = self.raw(name)
        return value.tensor if value is not None else None

    def function(self, name: str) -> Record | None:
        """The name and attributes of a function."""
        value = self.raw(name)
        return value.func if value is not None else None

    def functions(self, name: str) -> Sequence[Record]:
        value = self.raw(name)
        return list(value.list.func) if value is not None and value.list is not None else []
