"""What a file says of its variables beside their shapes: values, initialisers, and whether they are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains.tensors import Tensor
from mlvet.frontends.protobuf import schema, wire
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow import bundle
from mlvet.frontends.tensorflow.flow import Flow, Port
from mlvet.frontends.tensorflow.initialisers import Reader
from mlvet.frontends.tensorflow.tensors import constant
from mlvet.ir.graph import Data, Initialiser

HANDLES = frozenset({"VarHandleOp"})
REFERENCES = frozenset({"VariableV2", "Variable", "TemporaryVariable"})
_SAME = frozenset({"Identity", "ReadVariableOp", "Enter", "StopGradient", "PlaceholderWithDefault", "Cast"})
_WRITES = (
    "Assign", "Apply", "ResourceApply", "SparseApply", "ResourceSparseApply", "ResourceScatter", "ScatterUpdate",
    "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax", "ScatterNdUpdate",
    "ScatterNdAdd", "ScatterNdSub", "ResourceStridedSliceAssign", "StridedSliceAssign", "CountUpTo",
)  # fmt: skip
_SLOTS_AT = 1
_DEEPEST_TRACE = 50


@dataclass(frozen=True, slots=True)
class Captured:
    """A variable of a live program that a graph gets through a placeholder."""

    name: str
    tensor: Tensor
    trainable: bool
    data: Data | None = None


@dataclass(slots=True)
class Facts:
    """Facts by the name of the variable's node."""

    trainable: dict[str, bool] = field(default_factory=dict)
    initialisers: dict[str, Initialiser] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    stored: bundle.Bundle | None = None
    captured: Mapping[str, Captured] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def data(self, name: str, shared: str) -> Data | None:
        """The elements that the checkpoint holds for a variable."""
        if self.stored is None:
            return None
        for key in (self.keys.get(name), self.stored.keys.get(shared), shared, name):
            if key is not None and key in self.stored.tensors:
                return self.stored.tensors[key]
        return None


def gather(flow: Flow, function: Callable[[str], Flow | None], meta: Record | None, checkpoint: Path | None) -> Facts:
    """Everything that the graph, its collections and the checkpoint beside it tell of the variables."""
    facts = Facts()
    if checkpoint is not None:
        try:
            facts.stored = bundle.read(checkpoint)
        except (UnsupportedInput, OSError) as error:
            facts.notes.append(f"the values of the variables cannot be read: {error}")
    starts: dict[str, Port] = {}
    for step in flow.steps:
        if step.op in ("Assign", "AssignVariableOp") and len(step.inputs) == 2:
            name = _variable(flow, step.inputs[0])
            if name is not None:
                _assigned(facts, flow, name, step.name, step.inputs[1], starts)
        elif step.op.startswith(("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")):
            _optimised(facts, flow, step.inputs)
        elif facts.stored is not None and (reference := step.attributes.function("f")) is not None:
            inner = function(reference.name)
            if inner is not None and len(inner.arguments) == len(step.inputs):
                _restored_by_call(facts, flow, step.inputs, inner)
    reader = Reader(flow, starts)
    for name, port in starts.items():
        found = reader.initialiser(port)
        if found is not None:
            facts.initialisers[name] = found
    if meta is not None:
        _collections(facts, meta)
    return facts


def written(flow: Flow, chosen: Iterable[int], library: Mapping[str, Record]) -> bool:
    """Whether any of these steps, or a function that they lead to, writes a variable."""
    if not library:
        return any(flow.steps[index].op.startswith(_WRITES) for index in chosen)
    pending = [(flow.steps[index].op, flow.steps[index].attributes.resolved()) for index in chosen]
    seen: set[str] = set()
    while pending:
        op, attributes = pending.pop()
        if op.startswith(_WRITES):
            return True
        names = {op, *(reference.name for value in attributes.values() for reference in references(value))}
        for name in names & library.keys() - seen:
            seen.add(name)
            pending += [(node.op, node.attr) for node in library[name].node_def]
    return False


def references(attribute: Record | None) -> list[Record]:
    """The functions that an attribute names."""
    if attribute is None:
        return []
    single = [attribute.func] if attribute.func is not None else []
    return [*single, *(attribute.list.func if attribute.list is not None else [])]


def _variable(flow: Flow, port: Port) -> str | None:
    for _ in range(_DEEPEST_TRACE):
        step = flow.steps[port[0]]
        if step.op in HANDLES or step.op in REFERENCES:
            return step.name
        if step.kind not in ("Identity", "Enter", "Switch", "ReadVariableOp") or not step.inputs:
            return None
        port = step.inputs[0]
    return None


def _assigned(facts: Facts, flow: Flow, name: str, assignment: str, value: Port, starts: dict[str, Port]) -> None:
    source = _origin(flow, value)
    step = flow.steps[source[0]]
    if step.op == "RestoreV2":
        names = _strings(flow, step.inputs[1]) if len(step.inputs) > 1 else []
        if source[1] < len(names):
            facts.keys[name] = names[source[1]]
    elif assignment == f"{name}/Assign" or name not in starts:
        starts[name] = value


def _restored_by_call(facts: Facts, flow: Flow, inputs: list[Port], inner: Flow) -> None:
    """Keys from a function that restores the variables it is given."""
    position = {argument: index for index, argument in enumerate(inner.arguments)}
    for step in inner.steps:
        if step.op != "AssignVariableOp" or len(step.inputs) != 2 or step.inputs[0][0] not in position:
            continue
        source = _origin(inner, step.inputs[1])
        restore = inner.steps[source[0]]
        name = _variable(flow, inputs[position[step.inputs[0][0]]])
        if restore.op == "RestoreV2" and name is not None and len(restore.inputs) > 1:
            names = _strings(inner, restore.inputs[1])
            if source[1] < len(names):
                facts.keys[name] = names[source[1]]


def _origin(flow: Flow, port: Port) -> Port:
    for _ in range(_DEEPEST_TRACE):
        step = flow.steps[port[0]]
        if step.kind not in _SAME or not step.inputs:
            break
        port = step.inputs[0]
    return port


def _array(flow: Flow, port: Port) -> NDArray[Any] | None:
    step = flow.steps[_origin(flow, port)[0]]
    proto = step.attributes.tensor("value") if step.op == "Const" else None
    data = constant(proto, step.name) if proto is not None else None
    return data.load() if data is not None and data.size <= 1_000_000 else None


def _strings(flow: Flow, port: Port) -> list[str]:
    array = _array(flow, port)
    return [bytes(item).decode("utf-8", "replace") for item in array.ravel()] if array is not None else []


def _optimised(facts: Facts, flow: Flow, inputs: list[Port]) -> None:
    """The first operand of an optimiser's update is what is trained; other variables it takes are its own."""
    names = [_variable(flow, port) for port in inputs]
    if names and names[0] is not None:
        facts.trainable[names[0]] = True
    for name in names[_SLOTS_AT:]:
        if name is not None:
            facts.trainable.setdefault(name, False)


def _collections(facts: Facts, meta: Record) -> None:
    message = schema.load("tensorflow")["VariableDef"]
    for definition in _definitions(meta.collection_def, "variables", message):
        facts.trainable[definition.variable_name.partition(":")[0]] = False
    for definition in _definitions(meta.collection_def, "trainable_variables", message):
        facts.trainable[definition.variable_name.partition(":")[0]] = True
    if meta.object_graph_def is not None:
        for item in meta.object_graph_def.nodes:
            if item.variable is not None and item.variable.name:
                facts.trainable[item.variable.name] = bool(item.variable.trainable)


def _definitions(collections: Mapping[str, Record], name: str, message: schema.Message) -> Iterator[Record]:
    collection = collections.get(name)
    if collection is not None and collection.bytes_list is not None:
        for value in collection.bytes_list.value:
            try:
                yield wire.decode(memoryview(value), message)
            except UnsupportedInput:
                return
