"""Runs a graph with the NumPy references of its operators: slow, and the measure of everything faster.

A tensor is an array, a sequence a Python list, an absent optional None. Values are unique in a graph, so one table
holds those of all regions; a loop overwrites what its last iteration left there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.domains import dtypes
from mlvet.ir.graph import CALL, OPAQUE, Graph, Node, Region, Value
from mlvet.ops import REGISTRY

_NARROW = frozenset(np.dtype(each.numpy) for each in (dtypes.f32, dtypes.f16, dtypes.bf16))


class NoReference(UnsupportedInput):
    """An operator that has no reference, so that the graph cannot be run."""

    def __init__(self, op: str, node: str) -> None:
        super().__init__(f"operator {op} of node `{node}` has no reference")
        self.op = op
        self.node = node


def evaluate(graph: Graph, inputs: Mapping[str, Any], *, values: bool = False, double: bool = False) -> dict[str, Any]:
    """The outputs by name; with `values`, every value that was computed, of loops those of the last iteration.

    `inputs` gives inputs, and parameters whose elements the file lacks, by name. With `double` every number of single
    or half precision is held in double precision.
    """
    run = _Run(graph, keep=values, double=double)
    for value in graph.inputs:
        if value.name not in inputs:
            raise UsageError(f"no value was given for the input `{value.name}`")
        run.table[value] = run.held(inputs[value.name])
    for parameter in graph.parameters:
        name = parameter.value.name
        if name in inputs:
            run.table[parameter.value] = run.held(inputs[name])
        elif parameter.data is not None:
            run.table[parameter.value] = run.held(parameter.data.load())
        else:
            raise UsageError(f"no value was given for the parameter `{name}`")
    with np.errstate(all="ignore"):
        run.region(graph.body)
    wanted: Iterable[Value] = run.table if values else graph.outputs
    return {value.name: run.table[value] for value in wanted}


def evaluate_nodes(
    graph: Graph, nodes: Sequence[Node], given: Mapping[Value, Any], wanted: Sequence[Value], *, double: bool = False
) -> list[Any]:
    """Some values of a graph, from values that are given and the nodes between, in an order in which they can run."""
    run = _Run(graph, keep=True, double=double)
    run.table.update((value, run.held(each)) for value, each in given.items())
    needed = {value for node in nodes for value in _uses(node)}
    for parameter in graph.parameters:
        if parameter.value in needed and parameter.data is not None:
            run.table[parameter.value] = run.held(parameter.data.load())
    body = Region("part", (), tuple(nodes), tuple(wanted), constants=graph.body.constants)
    with np.errstate(all="ignore"):
        return run.region(body)


class _Run:
    def __init__(self, graph: Graph, *, keep: bool, double: bool = False) -> None:
        self.graph = graph
        self.keep = keep
        self.double = double
        self.table: dict[Value, Any] = {}
        self._deaths: dict[Region, list[list[Value]]] = {}

    def held(self, array: Any) -> Any:
        """An array as this run holds it."""
        narrow = self.double and isinstance(array, np.ndarray | np.generic) and array.dtype in _NARROW
        return array.astype(np.float64) if narrow else array

    def region(self, region: Region) -> list[Any]:
        """Run a region whose inputs are in the table, and return its outputs."""
        for constant in region.constants:
            if constant.value not in self.table:
                self.table[constant.value] = self.held(constant.data.load())
        deaths = self._last_uses(region)
        for node, dead in zip(region.nodes, deaths, strict=True):
            results = self._results(node)
            if len(results) < len(node.outputs):
                raise UnsupportedInput(f"{node.op} of node `{node.name}` yields only {len(results)} results")
            self.table.update(zip(node.outputs, results, strict=False))
            for value in dead:
                del self.table[value]
        return [self.table[value] for value in region.outputs]

    def call(self, region: Region, arguments: Sequence[Any]) -> list[Any]:
        """Run a region on arguments."""
        self.table.update(zip(region.inputs, arguments, strict=False))
        return self.region(region)

    def _results(self, node: Node) -> Sequence[Any]:
        operands = [None if value is None else self.table[value] for value in node.inputs]
        control = _CONTROL.get(node.op)
        if control is not None and node.regions:
            return control(self, node, operands)
        if node.op == CALL and node.attributes.get("function") in self.graph.functions:
            return self._function(self.graph.functions[node.attributes["function"]], operands)
        if node.op == "identity" and not isinstance(operands[0], np.ndarray | np.generic):
            return operands
        op = REGISTRY.get(node.op)
        if op is None or op.reference is None:
            raise NoReference(node.source_op if node.op == OPAQUE else node.op, node.name)
        attributes = {key: _widened(each) for key, each in node.attributes.items()} if self.double else node.attributes
        result = op.reference(*operands, **attributes)
        if node.op in _WRITES and node.inputs[0] is not None:
            self.table[node.inputs[0]] = result
        return result if isinstance(result, tuple) else (result,)

    def _function(self, region: Region, operands: list[Any]) -> list[Any]:
        """Run a function of the graph in a table of its own, which may call itself."""
        inner = _Run(self.graph, keep=self.keep, double=self.double)
        inner.table.update((p.value, self.table[p.value]) for p in self.graph.parameters)
        return inner.call(region, operands)

    def _last_uses(self, region: Region) -> list[list[Value]]:
        """For each node the values of this region that no later node and no output needs."""
        if region not in self._deaths:
            alive = set(region.outputs)
            own = {value for node in region.nodes for value in node.outputs}
            deaths: list[list[Value]] = []
            for node in reversed(region.nodes):
                used = {value for value in (*_uses(node), *node.outputs) if value in own}
                deaths.append([] if self.keep else [value for value in used if value not in alive])
                alive |= used
            self._deaths[region] = deaths[::-1]
        return self._deaths[region]


def _widened(attribute: Any) -> Any:
    narrow = isinstance(attribute, dtypes.DType) and attribute in (dtypes.f32, dtypes.f16, dtypes.bf16)
    return dtypes.f64 if narrow else attribute


def _uses(node: Node) -> Iterator[Value]:
    """The values that a node reads, those that its regions take from outside included."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield from (value for value in current.inputs if value is not None)
        for region in current.regions:
            yield from region.outputs
            pending += region.nodes


def _call(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    return run.call(node.regions[0], [operand for operand, value in zip(operands, node.inputs, strict=True) if value])


def _if(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    return run.call(node.regions[0 if _truth(operands[0]) else 1], operands[1:])


def _loop(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    """Carried values first, then what the iterations yield, stacked."""
    body = node.regions[0]
    limit, going, *carried = operands
    most = None if limit is None else int(np.asarray(limit).reshape(()))
    goes = going is None or _truth(going)
    yielded: list[list[Any]] = [[] for _ in body.outputs[1 + len(carried) :]]
    turn = 0
    while goes and (most is None or turn < most):
        again, *results = run.call(body, [np.asarray(turn, np.int64), np.asarray(goes), *carried])
        goes, carried = _truth(again), results[: len(carried)]
        _collect(yielded, results[len(carried) :])
        turn += 1
    return [*carried, *(_stacked(y, value) for y, value in zip(yielded, body.outputs[1 + len(carried) :], strict=True))]


def _while(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    """A region that tells whether to go on, and one that maps the carried values to the next ones."""
    condition, body = node.regions
    carried = list(operands)
    while _truth(run.call(condition, carried)[0]):
        carried = run.call(body, carried)
    return carried


def _scan(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    """Carried values first, then the slices that the iterations yield, stacked."""
    body, known = node.regions[0], node.attributes
    count = int(known.get("num_scan_inputs", 0))
    carried, scanned = operands[: len(operands) - count], operands[len(operands) - count :]
    axes = known.get("scan_input_axes") or (0,) * count
    backward = known.get("scan_input_directions") or (0,) * count
    slices = [np.moveaxis(x, axis, 0) for x, axis in zip(scanned, axes, strict=True)]
    slices = [np.flip(x, 0) if back else x for x, back in zip(slices, backward, strict=True)]
    values = body.outputs[len(carried) :]
    yielded: list[list[Any]] = [[] for _ in values]
    for turn in range(len(slices[0]) if slices else int(known.get("length", 0))):
        results = run.call(body, [*carried, *(x[turn] for x in slices)])
        carried = results[: len(carried)]
        _collect(yielded, results[len(carried) :])
    out_axes = known.get("scan_output_axes") or (0,) * len(values)
    out_backward = known.get("scan_output_directions") or (0,) * len(values)
    results = []
    for items, value, axis, back in zip(yielded, values, out_axes, out_backward, strict=True):
        stacked = _stacked(items[::-1] if back else items, value)
        results.append(np.moveaxis(stacked, 0, axis))
    return [*carried, *results]


def _sequence_map(run: _Run, node: Node, operands: list[Any]) -> Sequence[Any]:
    """The body on each element of the first sequence; other sequences go along, tensors stay the same."""
    first, *others = operands
    results: list[list[Any]] = [[] for _ in node.outputs]
    for index, element in enumerate(first):
        rest = [other[index] if isinstance(other, list) else other for other in others]
        _collect(results, run.call(node.regions[0], [element, *rest]))
    return results


_CONTROL: dict[str, Callable[[_Run, Node, list[Any]], Sequence[Any]]] = {
    CALL: _call,
    "if": _if,
    "loop": _loop,
    "while": _while,
    "scan": _scan,
    "sequence_map": _sequence_map,
}


_WRITES = frozenset({"assign", "assign_add", "assign_sub"})
"""Operators after which the variable that is operand 0 holds their result."""


def _truth(condition: Any) -> bool:
    return bool(np.asarray(condition).reshape(-1)[0])


def _collect(lists: list[list[Any]], items: Sequence[Any]) -> None:
    for held, item in zip(lists, items, strict=True):
        held.append(item)


def _stacked(items: list[Any], value: Value) -> Any:
    """The items along a new first axis; without any, an empty array of the declared shape."""
    if items:
        return np.stack(items)
    declared = value.declared
    dims = [dim if isinstance(dim, int) else 0 for dim in declared.dims] if declared.ranked else []
    return np.empty((0, *dims), declared.dtype.numpy if declared.dtype is not None else np.float32)
