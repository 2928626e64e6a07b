"""The dataflow of one graph or function: steps whose operands are results of other steps, by position."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow.attributes import Attributes
from mlvet.frontends.tensorflow.signatures import Signature, table

Port: TypeAlias = tuple[int, int]
"""A tensor: the step that yields it and which of its results it is."""

ARGUMENT = "_Arg"
_REFERENCES = frozenset({"RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration"})
_CONTROL_FLOW = frozenset({"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"})


@dataclass(slots=True)
class Step:
    """One node of the file. `kind` is its operator, where variants on references count as the plain ones."""

    name: str
    op: str
    inputs: list[Port]
    control: list[int]
    attributes: Attributes
    device: str
    kind: str
    results: int = 0
    used: set[int] = field(default_factory=set)
    types: list[tuple[str, int]] = field(default_factory=list)

    @property
    def is_control_flow(self) -> bool:
        return self.kind in _CONTROL_FLOW


@dataclass(slots=True)
class Flow:
    """Steps in the order of the file. A function has steps for its arguments, and results; a graph has neither."""

    name: str
    steps: list[Step]
    arguments: list[int] = field(default_factory=list)
    results: list[Port] = field(default_factory=list)
    effects: list[int] = field(default_factory=list)
    by_name: dict[str, int] = field(default_factory=dict)

    def port(self, tensor: str) -> Port | None:
        """The tensor that a graph calls `name` or `name:index`."""
        name, _, index = tensor.partition(":")
        step = self.by_name.get(name)
        if step is None or not (index or "0").isdigit() or len(index) > 6:
            return None
        return step, int(index or 0)


class _Reader:
    """Makes the steps of one graph or function, then looks up what each takes."""

    def __init__(self, name: str, library: Mapping[str, Record], *, by_result: bool) -> None:
        self.flow = Flow(name, [])
        self._library = library
        self._by_result = by_result
        self._offsets: dict[int, dict[str, int]] = {}

    def add(self, name: str, op: str, node: Record | None, attributes: Mapping[str, Record]) -> int:
        steps = self.flow.steps
        if name in self.flow.by_name:
            raise UnsupportedInput(f"two nodes are called `{name}`")
        kind = op[3:] if op in _REFERENCES else op
        step = Step(name, op, [], [], Attributes(attributes), node.device if node is not None else "", kind)
        signature = self._signature(op)
        if signature is not None:
            step.types = signature.types(step.attributes)
            step.results = len(step.types)
            if self._by_result:
                offsets = self._offsets[len(steps)] = {}
                for index, (result, _) in enumerate(step.types):
                    offsets.setdefault(result, index)
        self.flow.by_name[name] = len(steps)
        steps.append(step)
        return len(steps) - 1

    def _signature(self, op: str) -> Signature | None:
        known = table().get(op)
        if known is None and op in self._library:
            return called(self._library[op])
        return known

    def connect(self, index: int, inputs: Sequence[str], function: bool) -> None:
        step = self.flow.steps[index]
        for text in inputs:
            if text.startswith("^"):
                step.control.append(self._step(text[1:], step))
            else:
                step.inputs.append(self.port(text, step, function))

    def _step(self, name: str, user: Step | None) -> int:
        found = self.flow.by_name.get(name)
        if found is None:
            taker = f"node `{user.name}` takes" if user is not None else "the function returns"
            raise UnsupportedInput(f"{taker} `{name}`, which the graph does not have")
        return found

    def port(self, text: str, user: Step | None, function: bool) -> Port:
        name, _, rest = text.partition(":")
        step = self._step(name, user)
        result, _, index = rest.rpartition(":") if function else ("", "", rest)
        if function and rest and not result and not index.isdigit():
            result, index = index, "0"
        if (index and not index.isdigit()) or len(index) > 6:
            raise UnsupportedInput(f"`{text}` names no tensor")
        position = int(index or 0)
        if result:
            offsets = self._offsets.setdefault(step, {})
            position += offsets.setdefault(result, len(offsets))
        self.flow.steps[step].used.add(position)
        self.flow.steps[step].results = max(self.flow.steps[step].results, position + 1)
        return step, position


def called(function: Record) -> Signature:
    """The results of a function of the library, as an operator's."""
    from mlvet.frontends.tensorflow.signatures import Result

    outputs = function.signature.output_arg if function.signature is not None else []
    return Signature(tuple(Result(item.name, _type(item)) for item in outputs), True)


def _type(item: Record) -> str:
    if item.type_list_attr:
        return f"@{item.type_list_attr}"
    single = item.type_attr or str(item.type)
    return f"{item.number_attr}*{single}" if item.number_attr else single


def of_graph(graph: Record, library: Mapping[str, Record]) -> Flow:
    """The dataflow of a graph."""
    reader = _Reader("", library, by_result=False)
    for node in graph.node:
        reader.add(node.name, node.op, node, node.attr)
    for index, node in enumerate(graph.node):
        reader.connect(index, node.input, function=False)
    return reader.flow


def of_function(function: Record, library: Mapping[str, Record]) -> Flow:
    """The dataflow of a function of the library."""
    signature = function.signature
    reader = _Reader(signature.name, library, by_result=True)
    flow = reader.flow
    for argument in signature.input_arg:
        step = reader.add(argument.name, ARGUMENT, None, {})
        flow.steps[step].results = 1
        flow.arguments.append(step)
    first = len(flow.steps)
    for node in function.node_def:
        reader.add(node.name, node.op, node, node.attr)
    for index, node in enumerate(function.node_def):
        reader.connect(first + index, node.input, function=True)
    for item in signature.output_arg:
        flow.results.append(reader.port(function.ret.get(item.name, item.name), None, function=True))
    flow.effects = [flow.by_name[name] for name in function.control_ret.values() if name in flow.by_name]
    return flow


def back_edge(steps: Sequence[Step], user: int, source: int) -> bool:
    """Whether a step takes the value of the previous turn of a loop."""
    return steps[user].kind == "Merge" and steps[source].kind == "NextIteration"


def needed(flow: Flow, roots: Sequence[int]) -> list[int]:
    """The steps that these ones depend on and these ones themselves, in the order of the file."""
    seen = set(roots)
    pending = list(seen)
    while pending:
        step = flow.steps[pending.pop()]
        for source in (*(port[0] for port in step.inputs), *step.control):
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return sorted(seen)


def in_order(items: Sequence[int], sources: Mapping[int, set[int]]) -> tuple[list[int], list[int]]:
    """Items such that each follows its sources, otherwise as given, and those that are on or behind a cycle."""
    rank = {item: position for position, item in enumerate(items)}
    users: dict[int, list[int]] = {}
    waiting: dict[int, int] = {}
    for item in items:
        inside = [source for source in sources.get(item, ()) if source in rank]
        waiting[item] = len(inside)
        for source in inside:
            users.setdefault(source, []).append(item)
    ready = [rank[item] for item in items if not waiting[item]]
    heapq.heapify(ready)
    ordered: list[int] = []
    while ready:
        item = items[heapq.heappop(ready)]
        ordered.append(item)
        for user in users.get(item, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, rank[user])
    return ordered, [item for item in items if waiting[item]]


def steps_in_order(flow: Flow, chosen: Sequence[int]) -> list[int]:
    """Steps in an order in which they can run, loops taken once. Raises for a cycle outside of loops."""
    steps = flow.steps
    sources = {
        index: {port[0] for port in steps[index].inputs if not back_edge(steps, index, port[0])}
        | set(steps[index].control)
        for index in chosen
    }
    ordered, rest = in_order(chosen, sources)
    if rest:
        raise UnsupportedInput(f"node `{steps[_on_cycle(rest, sources)].name}` depends on itself")
    return ordered


def _on_cycle(rest: Sequence[int], sources: Mapping[int, set[int]]) -> int:
    left = set(rest)
    item, seen = rest[0], set()
    while item not in seen:
        seen.add(item)
        item = next(source for source in sources[item] if source in left)
    return item
