"""What a lowering rule works with: the call at hand, the values so far, and short ways to add canonical operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Dims, Tensor, Unranked
from mlvet.frontends.lowering_rules import Emitter, Source, Unlowered, registering
from mlvet.frontends.torch_export.places import module_path, place
from mlvet.frontends.torch_export.record import Body, Call, Ref
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value

Rule: TypeAlias = Callable[["Context"], "Value | Sequence[Value | None] | None"]
RULES: dict[str, Rule] = {}
LAST = 2**63 - 1
"""The end of a slice that goes to the end."""

lowers = registering(RULES)
"""Registers a rule: for an operator of aten by its plain name, else by namespace and name."""


@dataclass(slots=True)
class Context(Emitter):
    """One region being lowered."""

    builder: Builder
    metas: Mapping[str, Tensor]
    used: Mapping[str, int]
    lower_body: Callable[[Context, Body, str, Sequence[Value] | None], Any]
    lower_call: Callable[[Context, Call], None]
    notes: list[str]
    env: dict[str, Any] = field(default_factory=dict)
    views: dict[Value, tuple[Value, Call]] = field(default_factory=dict)
    call: Call = field(default_factory=lambda: Call("", {}, (), ""))
    key: str = ""
    position: int = 0

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def source(self) -> Source:
        location, stack = place(self.call.stack_trace)
        return Source(self.call.target, location, stack, module_path(self.call.modules))

    def lives(self, name: str | None) -> bool:
        """Whether a name is read after the call at hand."""
        return name is not None and self.used.get(name, -1) > self.position

    def again(self, call: Call) -> None:
        """Lower an earlier call once more, on what its names mean now."""
        kept = self.call, self.key
        self.call = call
        self.lower_call(self, call)
        self.call, self.key = kept

    # Arguments of the call.

    def raw(self, *names: str, default: Any = None) -> Any:
        """The first of the named arguments that the call gives and that is not None, sizes resolved to their values."""
        for name in names:
            found = self.call.args.get(name)
            if found is not None:
                return self._resolved(found)
        return default

    def value(self, *names: str) -> Value:
        """A tensor argument; a number becomes a constant."""
        found = self.optional(*names)
        if found is None:
            raise Unlowered(f"no argument {names[0]}")
        return found

    def optional(self, *names: str) -> Value | None:
        found = self.raw(*names)
        if found is None or isinstance(found, Value):
            return found
        if isinstance(found, bool | int | float):
            return self.number(found)
        raise Unlowered(f"argument {names[0]} is no tensor")

    def values(self, *names: str) -> list[Value]:
        found = self.raw(*names, default=[])
        if not isinstance(found, list) or not all(isinstance(each, Value) for each in found):
            raise Unlowered(f"argument {names[0]} is no list of tensors")
        return found

    def int_list(self, *names: str, length: int | None = None, default: int | None = None) -> list[int]:
        """A list of plain ints, one int repeated to the wanted length."""
        found = self.raw(*names)
        if found is None or found == []:
            if default is None or length is None:
                return []
            found = default
        if isinstance(found, int):
            found = [found]
        if not isinstance(found, list) or not all(isinstance(each, int) for each in found):
            raise Unlowered(f"argument {names[0]} is not known")
        return [int(each) for each in found] * (length if length and len(found) == 1 else 1)

    def plain_int(self, *names: str, default: int | None = None) -> int:
        found = self.raw(*names, default=default)
        if not isinstance(found, int):
            raise Unlowered(f"argument {names[0]} is not known")
        return int(found)

    def _resolved(self, argument: Any) -> Any:
        if isinstance(argument, Ref):
            if argument.name not in self.env:
                raise Unlowered(f"{argument.name} is not known")
            return self.env[argument.name]
        return [self._resolved(each) for each in argument] if isinstance(argument, list) else argument

    # What is known of values.

    def dims(self, value: Value) -> Dims:
        if isinstance(value.declared.shape, Unranked):
            raise Unlowered(f"the rank of {value.name} is not known")
        return value.declared.shape

    def axis(self, value: Value, axis: int) -> int:
        """An axis counted from the front."""
        rank = max(self.rank(value), 1)
        return axis + rank if axis < 0 else axis

    def declared(self, index: int = 0) -> Tensor | None:
        """What the program says of a result."""
        names = self.call.outputs
        name = names[index] if index < len(names) else None
        return self.metas.get(name) if name is not None else None

    def out_dtype(self, index: int = 0) -> DType:
        declared = self.declared(index)
        if declared is None or declared.dtype is None:
            raise Unlowered("the dtype of the result is not known")
        return declared.dtype

    # New values.

    def out(self, index: int = 0) -> Value:
        """A new value for a result of the call, with its name and what the program says of it."""
        names = self.call.outputs
        name = names[index] if index < len(names) else None
        return self.builder.value(name or f"{self.name}_{index}", self.declared(index))

    def fresh(self, old: Value) -> Value:
        """A new value for the changed contents of an old one."""
        return self.builder.value(old.name, old.declared.without_value())

    def results(self, op: str, *inputs: Value | None, indices: Iterable[int], **attributes: Any) -> list[Value]:
        """An operator that yields several results of the call."""
        outputs = [self.out(index) for index in indices]
        self.node(op, inputs, outputs, attributes)
        return outputs

    def opaque(self, source_op: str, inputs: Sequence[Value | None], outputs: Sequence[Value]) -> None:
        source = self.source
        self.builder.opaque(
            source_op, inputs, outputs, name=self.name, location=source.location, stack=source.stack,
            module=source.module,
        )  # fmt: skip

    def region_node(self, op: str, inputs: Sequence[Value], regions: Sequence[Any], **attributes: Any) -> list[Value]:
        """An operator with regions that yields all results of the call."""
        outputs = [self.out(index) for index in range(len(self.call.outputs))]
        self.node(op, inputs, outputs, attributes, regions)
        return outputs

    def number(self, number: Any, dtype: DType | None = None) -> Value:
        """A constant without dims."""
        if dtype is None:
            dtype = dtypes.bool_ if isinstance(number, bool) else dtypes.i64 if isinstance(number, int) else dtypes.f32
        if dtype.is_integer and isinstance(number, float):
            if number != int(number):
                raise Unlowered(f"{number} is no integer")
            number = int(number)
        with np.errstate(over="ignore"):
            return self.builder.constant(f"{self.name}.{number}", np.asarray(number).astype(dtype.numpy))

    def sizes(self, parts: Sequence[int | Value]) -> Value:
        """A list of ints of which some are computed."""
        if all(isinstance(part, int) for part in parts):
            return self.vector([part for part in parts if isinstance(part, int)])
        pieces: list[Value] = []
        known: list[int] = []
        for part in parts:
            if isinstance(part, int):
                known.append(part)
                continue
            if known:
                pieces.append(self.vector(known))
                known = []
            pieces.append(self.add("unsqueeze", part, self.vector([0]), like=Tensor(dtypes.i64, (1,))))
        if known:
            pieces.append(self.vector(known))
        like = Tensor(dtypes.i64, (len(parts),))
        return pieces[0] if len(pieces) == 1 else self.add("concat", *pieces, axis=0, like=like)

    def shape(self, value: Value) -> Value:
        """The shape of a value as a list, constant where it is known."""
        dims = self.dims(value)
        if all(isinstance(dim, int) for dim in dims):
            return self.vector([dim for dim in dims if isinstance(dim, int)])
        return self.add("shape", value, like=Tensor(dtypes.i64, (len(dims),)))

    def size(self, value: Value, axis: int) -> int | Value:
        """One size: an int, or a computed scalar."""
        dim: Dim = self.dims(value)[axis]
        return dim if isinstance(dim, int) else self.add("dim", value, axis=axis, like=Tensor(dtypes.i64, ()))

    def region(self, kind: str, body: Any, operands: Sequence[Value] | None = None) -> Any:
        """A body as a region; with `operands` it captures them, otherwise they enter it."""
        if not isinstance(body, Body):
            raise Unlowered("a body is missing")
        return self.lower_body(self, body, kind, operands)


def category(dtype: DType) -> int:
    """How torch orders element types when it promotes: truth values, integers, floats, complex numbers."""
    order = {Kind.BOOL: 0, Kind.UNSIGNED: 1, Kind.SIGNED: 1, Kind.FLOAT: 2, Kind.COMPLEX: 3}
    return order.get(dtype.kind, 4)
