"""The only way to make a graph: values and nodes are added, then everything is frozen at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, unknown
from mlvet.ir.graph import (
    OPAQUE,
    Constant,
    Data,
    Execution,
    Frame,
    Graph,
    HostLoop,
    Initialiser,
    Iteration,
    Literal,
    Node,
    Parameter,
    Region,
    Value,
)


class Names:
    """Hands out names that are unique in one graph, the wanted one where it is free."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def __call__(self, wanted: str) -> str:
        wanted = wanted or "v"
        if wanted not in self._taken:
            self._taken[wanted] = 0
            return wanted
        while True:
            self._taken[wanted] += 1
            name = f"{wanted}#{self._taken[wanted]}"
            if name not in self._taken:
                self._taken[name] = 0
                return name

    def release(self, name: str) -> None:
        """Make a name free again."""
        self._taken.pop(name, None)


class Builder:
    """Collects one region. `region()` opens a builder for a region within; `graph()` closes the outermost."""

    def __init__(self, kind: str = "graph", name: str = "", *, within: Builder | None = None) -> None:
        self.kind = kind
        self.name = name
        self._values: Names = within._values if within else Names()
        self._names: Names = within._names if within else Names()
        self._parameters: list[Parameter] = within._parameters if within else []
        self._inputs: list[Value] = []
        self._nodes: list[Node] = []
        self._constants: list[Constant] = []
        self._made: set[Value] = within._made if within else set()

    def defines(self, value: Value) -> bool:
        """Whether a node of the graph as it stands makes a value, or it enters the graph."""
        return value in self._made

    def value(self, name: str, declared: Tensor | None = None) -> Value:
        """A new value, named as wanted or nearly so; what it is called in the file stays in front of `#`."""
        unique = self._values(name)
        return Value(unique, declared if declared is not None else unknown(unique))

    def input(self, name: str, declared: Tensor | None = None) -> Value:
        """A value that enters the region."""
        value = self.value(name, declared)
        self._inputs.append(value)
        self._made.add(value)
        return value

    def constant(
        self, name: str, data: Data | NDArray[Any] | Sequence[int] | int | float, declared: Tensor | None = None
    ) -> Value:
        """A value whose elements are known; ints become i64, floats f32. `declared` may hold the elements too."""
        if not isinstance(data, Data):
            array = data if isinstance(data, np.ndarray) else _array(data)
            data = Data(dtypes.of(array.dtype), array.shape, lambda: array)
        value = self.value(name, declared or Tensor(data.dtype, data.shape))
        self._constants.append(Constant(value, data))
        self._made.add(value)
        return value

    def parameter(
        self,
        name: str,
        declared: Tensor,
        *,
        module: str = "",
        data: Data | None = None,
        initialiser: Initialiser | None = None,
        trainable: bool = True,
    ) -> Value:
        """A value that training changes or a checkpoint fills."""
        value = self.value(name, declared)
        self._parameters.append(Parameter(value, name, module, data, initialiser, trainable))
        self._made.add(value)
        return value

    def node(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[Value] | int = 1,
        attributes: Mapping[str, Any] | None = None,
        *,
        name: str = "",
        regions: Sequence[Region] = (),
        source_op: str = "",
        location: Location | None = None,
        stack: Sequence[Frame] = (),
        module: str = "",
        device: str = "",
        control: Sequence[Node] = (),
        guards: Sequence[Literal] = (),
        loops: Sequence[Iteration] = (),
    ) -> Node:
        """Add an application of an operator; `outputs` may be a number of new values named after the node."""
        unique = self._names(name or op)
        if isinstance(outputs, int):
            outputs = [self.value(unique if outputs == 1 else f"{unique}:{index}") for index in range(outputs)]
        node = Node(
            unique, op, tuple(inputs), tuple(outputs), MappingProxyType(dict(attributes or {})), tuple(regions),
            source_op or op, location, tuple(stack), module, device, tuple(control), tuple(guards), tuple(loops),
        )  # fmt: skip
        self._nodes.append(node)
        self._made.update(node.outputs)
        return node

    def add(self, op: str, *inputs: Value | None, **attributes: Any) -> Value:
        """Add an operator of one result in the shortest way and return the result."""
        return self.node(op, inputs, 1, attributes).outputs[0]

    def opaque(
        self, source_op: str, inputs: Sequence[Value | None], outputs: Sequence[Value] | int = 1, **rest: Any
    ) -> Node:
        """Add a node that no table knows."""
        return self.node(OPAQUE, inputs, outputs, source_op=source_op, **rest)

    def makers(self, values: Iterable[Value]) -> tuple[Node, ...]:
        """The nodes of this region that make some values."""
        wanted = set(values)
        return tuple(node for node in self._nodes if wanted.intersection(node.outputs)) if wanted else ()

    def maker(self, value: Value) -> Node | None:
        """The node of this region that makes a value, if one does."""
        return next((node for node in reversed(self._nodes) if value in node.outputs), None)

    @property
    def parameters_made(self) -> int:
        """How many parameters there are so far."""
        return len(self._parameters)

    def mark(self) -> tuple[int, int]:
        """A point to go back to."""
        return len(self._nodes), len(self._constants)

    def back_to(self, mark: tuple[int, int]) -> None:
        """Take back the nodes and constants added since a mark, with their names."""
        for node in self._nodes[mark[0] :]:
            self._names.release(node.name)
            for value in node.outputs:
                self._release(value)
        for constant in self._constants[mark[1] :]:
            self._release(constant.value)
        del self._nodes[mark[0] :]
        del self._constants[mark[1] :]

    def _release(self, value: Value) -> None:
        self._made.discard(value)
        self._values.release(value.name)

    def rename(self, value: Value, name: str) -> None:
        """Give a value of the graph under construction a better name, or nearly so."""
        self._values.release(value.name)
        object.__setattr__(value, "name", self._values(name))

    def qualify(self, names: Mapping[Value, str]) -> None:
        """Give parameters their qualified names; the path before the last dot is that of their layer."""
        for index, parameter in enumerate(self._parameters):
            name = names.get(parameter.value)
            if name is not None:
                self.rename(parameter.value, name)
                self._parameters[index] = replace(parameter, name=name, module=name.rpartition(".")[0])

    def keep_used_inputs(self) -> None:
        """Take back the inputs that no node reads."""
        read = {value for node in self._nodes for value in node.inputs}
        self._inputs = [value for value in self._inputs if value in read]

    def region(self, kind: str, name: str = "") -> Builder:
        """A builder for a region within this one."""
        return Builder(kind, name, within=self)

    def close(self, outputs: Sequence[Value], *, iterations: Sequence[Region] = ()) -> Region:
        """The finished region."""
        return Region(
            self.kind, tuple(self._inputs), tuple(self._nodes), tuple(outputs), self.name, tuple(self._constants),
            tuple(iterations),
        )  # fmt: skip

    def graph(
        self,
        outputs: Sequence[Value],
        *,
        functions: Mapping[str, Region] | None = None,
        executions: Sequence[Execution] = (),
        path: str = "",
        format: str = "",
        producer: str = "",
        notes: Sequence[str] = (),
        loops: Sequence[HostLoop] = (),
    ) -> Graph:
        """The finished graph."""
        return Graph(
            self.name, self.close(outputs), tuple(self._parameters), MappingProxyType(dict(functions or {})),
            tuple(executions), path, format, producer, tuple(notes), loops=tuple(loops),
        )  # fmt: skip


def _array(data: Sequence[int] | int | float) -> NDArray[Any]:
    array = np.asarray(data)
    return array.astype(_width(array.dtype).numpy)


def _width(dtype: np.dtype[Any]) -> DType:
    return {"f": dtypes.f32, "b": dtypes.bool_}.get(dtype.kind, dtypes.i64)
