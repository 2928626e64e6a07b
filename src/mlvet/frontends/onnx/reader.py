"""From an ONNX file to a graph: scopes, subgraphs, functions and initializers; operators are lowered by `lowering`."""

from __future__ import annotations

import os
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.core.location import Location
from mlvet.domains.tensors import Tensor
from mlvet.frontends.collection import paused
from mlvet.frontends.onnx.element_types import typing_of
from mlvet.frontends.onnx.extent import Key, check_extent, key_of
from mlvet.frontends.onnx.lowering import lower
from mlvet.frontends.onnx.opsets import imported, official, version
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.tensors import Storage, declared, mapped
from mlvet.frontends.protobuf.schema import load
from mlvet.frontends.protobuf.wire import Malformed, Record, decode
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Data, Graph, Region, Typing, Value
from mlvet.ir.order import Cycle, topological_order

NEWEST_IR = 14
_LONGEST_MESSAGE = 250


def read_onnx(path: Path, shown: str) -> Graph:
    """The graph of a model file."""
    try:
        data = mapped(path)
    except OSError as error:
        raise UnsupportedInput(f"the file cannot be read: {error.strerror}") from None
    with paused():
        return _graph(data, Storage(Path(os.path.abspath(path)).parent), shown)


def from_onnx(model: Any) -> Graph:
    """The graph of a model: a path, the bytes of a file, or an `onnx.ModelProto`."""
    if isinstance(model, str | os.PathLike):
        return read_onnx(Path(model), os.fspath(model))
    data = model if isinstance(model, bytes | bytearray | memoryview) else model.SerializeToString()
    with paused():
        return _graph(memoryview(data), Storage(None), "")


def _graph(data: memoryview, storage: Storage, shown: str) -> Graph:
    try:
        return _Model(_decoded(data), storage, shown).graph()
    except UnsupportedInput as error:
        raise UnsupportedInput(_one_line(str(error))) from None


def _one_line(message: str) -> str:
    """A message whose quoted names cannot break the line, nor fill the screen."""
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in message[:_LONGEST_MESSAGE])
    return shown if len(message) <= _LONGEST_MESSAGE else f"{shown}..."


def _decoded(data: memoryview) -> Record:
    if not len(data):
        raise UnsupportedInput("the file is empty")
    try:
        return decode(data, load("onnx")["ModelProto"])
    except Malformed as error:
        raise UnsupportedInput(f"not an ONNX model: {error}") from None


class _Model:
    def __init__(self, model: Record, storage: Storage, shown: str) -> None:
        if model.graph is None or not model.has("ir_version"):
            raise UnsupportedInput("not an ONNX model: it has no graph")
        self.model = model
        self.storage = storage
        self.shown = shown
        self.opsets = imported(model.opset_import, model.ir_version)
        self.notes: Counter[str] = Counter()
        self.typings: dict[Value, Typing] = {}
        self.functions = {(official(f.domain), f.name, f.overload): f for f in model.functions}
        check_extent(model.graph.node, self.functions)
        if model.ir_version > NEWEST_IR:
            self.notes[f"ONNX IR version {model.ir_version} is newer than {NEWEST_IR}, the newest known"] += 1

    def graph(self) -> Graph:
        model = self.model
        builder = Builder("graph", model.graph.name)
        scope = _Scope(self, builder, {}, self.opsets, {})
        outputs = scope.fill(model.graph)
        producer = f"{model.producer_name} {model.producer_version}".strip()
        graph = builder.graph(outputs, path=self.shown, format="onnx", producer=producer, notes=self._notes())
        return replace(graph, typings=self.typings)

    def _notes(self) -> list[str]:
        return [note if count == 1 else f"{note} ({count} times)" for note, count in self.notes.items()]


class _Scope:
    """One graph, subgraph or function body being read. Names of enclosing scopes are visible in subgraphs."""

    def __init__(
        self,
        model: _Model,
        builder: Builder,
        names: MutableMapping[str, Value | None],
        opsets: dict[str, int],
        arguments: Mapping[str, Record],
    ) -> None:
        self.model = model
        self.builder = builder
        self.names = names
        self.opsets = opsets
        self.arguments = arguments
        self.infos: dict[str, Tensor] = {}

    def fill(self, graph: Record) -> list[Value]:
        """Read a graph into the builder and return its outputs."""
        stored = {tensor.name for tensor in graph.initializer}
        stored |= {tensor.values.name for tensor in graph.sparse_initializer if tensor.values is not None}
        self.infos = {info.name: declared(info) for info in (*graph.value_info, *graph.output)}
        seen: set[str] = set()
        for info in graph.input:
            if info.name not in stored:
                if info.name in seen:
                    raise UnsupportedInput(f"two inputs are called `{info.name}`")
                seen.add(info.name)
                self._define(info.name, self.builder.input(info.name, declared(info)))
        for tensor in graph.initializer:
            self._initializer(tensor)
        for tensor in graph.sparse_initializer:
            self._sparse(tensor)
        self.nodes(graph.node)
        return [self.value(info.name, "the list of outputs") for info in graph.output]

    def nodes(self, nodes: Sequence[Record]) -> None:
        for node in self._ordered(nodes):
            source = self._source(node)
            outputs = lower(source, self.builder, self.model.notes)
            if outputs and (typing := typing_of(source)) is not None:
                self.model.typings[outputs[0]] = typing
            for name, value in zip(node.output, outputs, strict=False):
                if name:
                    self._define(name, value)

    def value(self, name: str, user: str) -> Value:
        if name not in self.names:
            raise UnsupportedInput(f"`{name}`, which {user} needs, is defined nowhere")
        found = self.names[name]
        if found is None:
            raise UnsupportedInput(f"`{name}`, which {user} needs, was left out of the call")
        return found

    def _operand(self, name: str, user: str) -> Value | None:
        """The value of a name; None for no name, and for an operand that the call of the function left out."""
        return None if not name or self.names.get(name, ...) is None else self.value(name, user)

    def _define(self, name: str, value: Value) -> None:
        self.names[name] = value

    def _initializer(self, tensor: Record) -> None:
        data = self.model.storage.data(tensor)
        self._define(tensor.name, self._stored(tensor.name, data))

    def _stored(self, name: str, data: Data) -> Value:
        """A weight is a parameter; integers and single numbers are constants."""
        if self.builder.kind == "graph" and data.dtype.is_float and data.size > 1:
            module = name.rpartition(".")[0] or name.rpartition("/")[0]
            return self.builder.parameter(
                name, Tensor(data.dtype, data.shape), module=module, data=data, trainable=False
            )
        return self.builder.constant(name, data)

    def _sparse(self, tensor: Record) -> None:
        data = self.model.storage.sparse(tensor)
        self._define(tensor.values.name, self._stored(tensor.values.name, data))

    def _ordered(self, nodes: Sequence[Record]) -> Sequence[Record]:
        """The nodes in an order in which they can run, which need not be that of the file."""
        own = self.names.maps[0] if isinstance(self.names, ChainMap) else self.names
        producer: dict[str, int] = {}
        for index, node in enumerate(nodes):
            for name in filter(None, node.output):
                if name in producer:
                    raise UnsupportedInput(f"`{name}` is defined by two nodes")
                if name in own:
                    raise UnsupportedInput(f"`{name}`, a result of node `{_name(node)}`, is an input or weight too")
                producer[name] = index
        needs = [{producer[name] for name in _reads(node) if name in producer} for node in nodes]
        if all(need < index for index, needed in enumerate(needs) for need in needed):
            return nodes
        try:
            return [nodes[index] for index in topological_order(needs)]
        except Cycle as cycle:
            names = " -> ".join(_name(nodes[index]) for index in cycle.members[:5])
            raise UnsupportedInput(f"the graph is cyclic: {names}") from None

    def _source(self, node: Record) -> Source:
        domain = official(node.domain)
        user = f"node `{_name(node)}`"
        attributes = {item.name: value for item in node.attribute if (value := self._argument(item)) is not None}
        plain = {name: self._attribute(item, node) for name, item in attributes.items()}
        regions = {name: value for name, value in plain.items() if isinstance(value, Region)}
        key = key_of(node)
        operands = tuple(self._operand(name, user) for name in node.input)
        is_call = key in self.model.functions
        if is_call:
            regions = {"function": self._call(key, operands, attributes)}
        return Source(
            name=_name(node),
            domain=domain,
            op_type=node.op_type,
            opset=0 if is_call else version(self.opsets, domain, node.op_type),
            operands=operands,
            outputs=tuple(node.output),
            attributes={
                name: value for name, value in plain.items() if value is not None and not isinstance(value, Region)
            },
            regions=regions,
            declared=self.infos,
            location=Location(self.model.shown, node=_name(node)),
            is_call=is_call,
            source_op=f"{domain}:{node.op_type}" if domain else node.op_type,
        )

    def _argument(self, item: Record) -> Record | None:
        """An attribute, or inside a function body the argument that it stands for."""
        return self.arguments.get(item.ref_attr_name) if item.ref_attr_name else item

    def _attribute(self, item: Record, node: Record) -> Any:
        match item.type or _kind(item):
            case 1:
                return float(item.f)
            case 2:
                return int(item.i)
            case 3:
                return str(item.s, "utf-8", "replace")
            case 4:
                if item.t is None:
                    raise UnsupportedInput(f"attribute `{item.name}` of node `{_name(node)}` has no tensor")
                return self.model.storage.data(item.t)
            case 5:
                if item.g is None:
                    raise UnsupportedInput(f"attribute `{item.name}` of node `{_name(node)}` has no graph")
                return self._subgraph(item.g, item.name, node)
            case 6:
                return tuple(map(float, item.floats))
            case 7:
                return tuple(map(int, item.ints))
            case 8:
                return tuple(str(text, "utf-8", "replace") for text in item.strings)
            case 9:
                return tuple(self.model.storage.data(tensor) for tensor in item.tensors)
            case 11:
                if item.sparse_tensor is None:
                    raise UnsupportedInput(f"attribute `{item.name}` of node `{_name(node)}` has no tensor")
                return self.model.storage.sparse(item.sparse_tensor)
            case _:
                return None

    def _subgraph(self, graph: Record, name: str, node: Record) -> Region:
        kind = "branch" if node.op_type == "If" else "loop"
        builder = self.builder.region(kind, f"{_name(node)}.{name}")
        inner = _Scope(self.model, builder, ChainMap({}, self.names), self.opsets, self.arguments)
        return builder.close(inner.fill(graph))

    def _call(self, key: Key, operands: Sequence[Value | None], attributes: Mapping[str, Record]) -> Region:
        function = self.model.functions[key]
        builder = self.builder.region("call", function.name)
        names: dict[str, Value | None] = {}
        for index, name in enumerate(function.input):
            operand = operands[index] if index < len(operands) else None
            names[name] = builder.input(name, operand.declared) if operand is not None else None
        arguments = {item.name: item for item in function.attribute_proto} | dict(attributes)
        opsets = imported(function.opset_import, self.model.model.ir_version) or self.opsets
        inner = _Scope(self.model, builder, names, opsets, arguments)
        inner.infos = {info.name: declared(info) for info in function.value_info}
        inner.nodes(function.node)
        return builder.close([inner.value(name, f"function `{function.name}`") for name in function.output])


def _kind(item: Record) -> int:
    """The kind of an attribute of the first files, which did not write it down."""
    return next((number for number, name in enumerate(_KINDS, start=1) if item.has(name)), 0)


_KINDS = ("f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs")


def _name(node: Record) -> str:
    """The node's name, or its operator and first result where the file gives none."""
    return node.name or f"{node.op_type}_{next(iter(node.output), '')}"


def _reads(node: Record) -> Iterable[str]:
    """Names that a node uses, those inside its subgraphs included."""
    if not any(item.g is not None or item.graphs for item in node.attribute):
        return list(node.input)
    names: list[str] = list(node.input)
    nothing: frozenset[str] = frozenset()
    pending = [(item.g, nothing) for item in node.attribute if item.g is not None]
    while pending:
        graph, outer = pending.pop()
        own = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
        own |= {name for inner in graph.node for name in inner.output}
        inside = outer | own
        for inner in graph.node:
            names += [name for name in inner.input if name not in inside]
            pending += [(item.g, inside) for item in inner.attribute if item.g is not None]
        names += [info.name for info in graph.output if info.name not in inside]
    return names
