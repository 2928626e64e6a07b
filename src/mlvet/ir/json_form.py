"""A graph as plain JSON values, from which the same graph can be made again.

The object has `version`, `name`, `path`, `format`, `producer`, `notes`, `symbols` (those with bounds of their own),
`parameters`, `body`, `functions`, `executions`, `loops` of the host program, and `undefined` for values that are used
but that nothing yields.
Whatever is empty is left out, except in `body`. Values are objects where they are defined and names where they are
used; sizes are numbers or expressions as text. Elements of constants are present up to SMALL of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from numpy.typing import NDArray

from mlvet.core.errors import InternalError, UnsupportedInput
from mlvet.core.location import Location
from mlvet.domains.dtypes import BY_NAME
from mlvet.domains.tensors import Tensor, Unranked, unknown
from mlvet.ir.graph import (
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
)  # fmt: skip
from mlvet.ir.json_values import array_from, array_to, from_value, read_elements, to_value
from mlvet.ir.sizes import Speller, declared, read

Json: TypeAlias = dict[str, Any]

VERSION = 1
SMALL = 64
"""Constants of more elements than this are written without them."""
DEEPEST = 100
"""Regions nested deeper than this are refused."""


def to_json(graph: Graph) -> Json:
    """The graph as JSON values. Names of values and of nodes must be unique."""
    return _Writer().graph(graph)


def from_json(form: Mapping[str, Any]) -> Graph:
    """The graph that `to_json` wrote; raises UnsupportedInput for anything that it cannot have written."""
    if not isinstance(form, Mapping) or form.get("version") != VERSION:
        raise UnsupportedInput(f"a graph in JSON must have version {VERSION}")
    try:
        return _Reader(form).graph()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise UnsupportedInput(f"the JSON form of a graph is malformed: {type(error).__name__}: {error}") from error


class _Writer:
    def __init__(self) -> None:
        self.spell = Speller()
        self.values: dict[str, Value] = {}
        self.nodes: dict[str, Node] = {}
        self.used: dict[str, Value] = {}
        self.mentioned: dict[str, Node] = {}

    def graph(self, graph: Graph) -> Json:
        parameters = [self.parameter(parameter) for parameter in graph.parameters]
        body = self.region(graph.body, 0)
        functions = {name: self.region(region, 0) for name, region in graph.functions.items()}
        executions = [self.execution(execution) for execution in graph.executions]
        loops = [self.loop(loop) for loop in graph.loops]
        for name, node in self.mentioned.items():
            if self.nodes.get(name) is not node:
                raise InternalError(f"node {name} is referred to but is not in the graph")
        undefined = [self.value(value) for name, value in list(self.used.items()) if name not in self.values]
        head = {"version": VERSION, "name": graph.name}
        rest = _without_empty(
            path=graph.path, format=graph.format, producer=graph.producer, notes=list(graph.notes),
            symbols=self.spell.declarations(), undefined=undefined, parameters=parameters,
        )  # fmt: skip
        return head | rest | {"body": body} | _without_empty(functions=functions, executions=executions, loops=loops)

    def value(self, value: Value) -> Json:
        if self.values.setdefault(value.name, value) is not value:
            raise InternalError(f"two values are named {value.name}")
        declared = value.declared
        if declared.dtype is None and declared.shape == Unranked(value.name) and declared.value is None:
            return {"name": value.name}
        form: Json = {"name": value.name, "dtype": declared.dtype.name if declared.dtype else None}
        if isinstance(declared.shape, Unranked):
            ends = [self.spell(dim) for dim in declared.shape.ends]
            form["shape"] = {"unranked": declared.shape.name} | _without_empty(ends=ends)
        else:
            form["shape"] = [self.spell(dim) for dim in declared.shape]
        if declared.value is not None:
            form["value"] = array_to(declared.value, self.spell)
        return form

    def use(self, value: Value) -> str:
        if self.used.setdefault(value.name, value) is not value or self.values.get(value.name, value) is not value:
            raise InternalError(f"two values are named {value.name}")
        return value.name

    def mention(self, node: Node) -> str:
        if self.mentioned.setdefault(node.name, node) is not node:
            raise InternalError(f"two nodes are named {node.name}")
        return node.name

    def data(self, data: Data) -> Json:
        form: Json = {"dtype": data.dtype.name, "shape": list(data.shape)}
        if data.size <= SMALL:
            try:
                elements = data.load()
            except UnsupportedInput:
                return form
            form["elements"] = array_to(elements, self.spell)["elements"]
        return form

    def parameter(self, parameter: Parameter) -> Json:
        initialiser = parameter.initialiser
        form: Json = {"value": self.value(parameter.value), "name": parameter.name}
        form |= _without_empty(module=parameter.module)
        if parameter.data is not None:
            form["data"] = self.data(parameter.data)
        if initialiser is not None:
            figures = [[name, to_value(figure, self.spell)] for name, figure in initialiser.figures]
            form["initialiser"] = {"name": initialiser.name, "figures": figures}
        if not parameter.trainable:
            form["trainable"] = False
        return form

    def region(self, region: Region, depth: int) -> Json:
        if depth > DEEPEST:
            raise UnsupportedInput(f"regions are nested more than {DEEPEST} deep")
        inputs = [self.value(value) for value in region.inputs]
        constants = [
            {"value": self.value(constant.value), "data": self.data(constant.data)} for constant in region.constants
        ]
        nodes = [self.node(node, depth) for node in region.nodes]
        iterations = [self.region(iteration, depth + 1) for iteration in region.iterations]
        return {
            "kind": region.kind, **_without_empty(name=region.name, inputs=inputs, constants=constants), "nodes": nodes,
            "outputs": [self.use(value) for value in region.outputs], **_without_empty(iterations=iterations),
        }  # fmt: skip

    def node(self, node: Node, depth: int) -> Json:
        if self.nodes.setdefault(node.name, node) is not node:
            raise InternalError(f"two nodes are named {node.name}")
        form: Json = {"name": node.name, "op": node.op}
        if node.source_op != node.op:
            form["source_op"] = node.source_op
        form["inputs"] = [None if value is None else self.use(value) for value in node.inputs]
        form["outputs"] = [self.value(value) for value in node.outputs]
        return form | _without_empty(
            attributes={name: to_value(value, self.spell) for name, value in node.attributes.items()},
            regions=[self.region(region, depth + 1) for region in node.regions],
            location=node.location.to_json() if node.location else None,
            stack=[{"function": frame.function, "location": frame.location.to_json()} for frame in node.stack],
            module=node.module, device=node.device, control=[self.mention(other) for other in node.control],
            guards=[{"condition": guard.condition, "holds": guard.holds} for guard in node.guards],
            loops=[{"loop": iteration.loop, "index": iteration.index} for iteration in node.loops],
        )  # fmt: skip

    def loop(self, loop: HostLoop) -> Json:
        form: Json = {"name": loop.name}
        if loop.trips is not None:
            form["trips"] = self.spell(loop.trips)
        return form | _without_empty(
            parent=loop.parent,
            carried=[[self.use(before), self.use(after)] for before, after in loop.carried],
            location=loop.location.to_json() if loop.location else None,
        )

    def execution(self, execution: Execution) -> Json:
        return {
            "kind": execution.kind,
            "fetches": [self.use(value) for value in execution.fetches],
            **_without_empty(
                feeds=[self.use(value) for value in execution.feeds],
                targets=[self.mention(node) for node in execution.targets],
                location=execution.location.to_json() if execution.location else None,
            ),
        }


class _Reader:
    def __init__(self, form: Mapping[str, Any]) -> None:
        self.form = form
        self.symbols = declared(form.get("symbols", ()))
        self.values: dict[str, tuple[Value, Json]] = {}
        self.nodes: dict[str, Node] = {}
        self.control: list[tuple[Node, list[str]]] = []

    def graph(self) -> Graph:
        form = self.form
        self._define_all()
        body = self.region(form["body"], 0)
        functions = {_text(name): self.region(region, 0) for name, region in form.get("functions", {}).items()}
        for node, names in self.control:
            # Nodes are frozen, and a control dependency may be on a node that comes later in the file.
            object.__setattr__(node, "control", tuple(self.node_named(name) for name in names))
        return Graph(
            _text(form["name"]), body, tuple(map(self.parameter, form.get("parameters", ()))),
            MappingProxyType(functions), tuple(map(self.execution, form.get("executions", ()))),
            _text(form.get("path", "")), _text(form.get("format", "")), _text(form.get("producer", "")),
            tuple(map(_text, form.get("notes", ()))), loops=tuple(map(self.loop, form.get("loops", ()))),
        )  # fmt: skip

    def _define_all(self) -> None:
        """Values may be used before the place where they are defined, so all definitions are read first."""
        for entry in self.form.get("undefined", ()):
            self.define(entry)
        for entry in self.form.get("parameters", ()):
            self.define(entry["value"])
        pending: list[tuple[Json, int]] = [(self.form["body"], 0)]
        pending += [(region, 0) for region in self.form.get("functions", {}).values()]
        while pending:
            region, depth = pending.pop()
            if depth > DEEPEST:
                raise UnsupportedInput(f"regions are nested more than {DEEPEST} deep")
            for entry in region.get("inputs", ()):
                self.define(entry)
            for constant in region.get("constants", ()):
                self.define(constant["value"])
            for node in region["nodes"]:
                for entry in node["outputs"]:
                    self.define(entry)
                pending += [(inner, depth + 1) for inner in node.get("regions", ())]
            pending += [(inner, depth + 1) for inner in region.get("iterations", ())]

    def define(self, form: Json) -> None:
        name = _text(form["name"])
        if name in self.values:
            if self.values[name][1] != form:
                raise UnsupportedInput(f"value {name} is described in two ways")
            return
        self.values[name] = (Value(name, self.tensor(name, form)), form)

    def tensor(self, name: str, form: Json) -> Tensor:
        if "shape" not in form:
            return unknown(name)
        dtype = None if form["dtype"] is None else BY_NAME[form["dtype"]]
        shape = form["shape"]
        value = array_from(form["value"], self.symbols) if "value" in form else None
        if isinstance(shape, Mapping):
            ends = tuple(read(dim, self.symbols) for dim in shape.get("ends", ()))
            return Tensor(dtype, Unranked(_text(shape["unranked"]), ends), value)
        return Tensor(dtype, tuple(read(dim, self.symbols) for dim in shape), value)

    def value(self, name: str) -> Value:
        if name not in self.values:
            raise UnsupportedInput(f"value {name} is used but not defined")
        return self.values[name][0]

    def node_named(self, name: str) -> Node:
        if name not in self.nodes:
            raise UnsupportedInput(f"node {name} is referred to but is not in the graph")
        return self.nodes[name]

    def data(self, form: Json) -> Data:
        dtype, shape = BY_NAME[form["dtype"]], tuple(map(int, form["shape"]))
        if "elements" not in form:
            return Data(dtype, shape, _absent(f"{dtype}[{', '.join(map(str, shape))}]"))
        array = read_elements(dtype.name, shape, form["elements"], self.symbols)
        return Data(dtype, shape, lambda: array)

    def parameter(self, form: Json) -> Parameter:
        data = self.data(form["data"]) if "data" in form else None
        initialiser = None
        if "initialiser" in form:
            figures = form["initialiser"]["figures"]
            initialiser = Initialiser(
                _text(form["initialiser"]["name"]),
                tuple((_text(name), from_value(figure, self.symbols)) for name, figure in figures),
            )
        return Parameter(
            self.value(form["value"]["name"]), _text(form["name"]), _text(form.get("module", "")), data, initialiser,
            bool(form.get("trainable", True)),
        )  # fmt: skip

    def region(self, form: Json, depth: int) -> Region:
        inputs = tuple(self.value(entry["name"]) for entry in form.get("inputs", ()))
        constants = tuple(
            Constant(self.value(entry["value"]["name"]), self.data(entry["data"]))
            for entry in form.get("constants", ())
        )
        nodes = tuple(self.node(entry, depth) for entry in form["nodes"])
        outputs = tuple(self.value(name) for name in form["outputs"])
        iterations = tuple(self.region(inner, depth + 1) for inner in form.get("iterations", ()))
        return Region(_text(form["kind"]), inputs, nodes, outputs, _text(form.get("name", "")), constants, iterations)

    def node(self, form: Json, depth: int) -> Node:
        name, op = _text(form["name"]), _text(form["op"])
        if name in self.nodes:
            raise UnsupportedInput(f"two nodes are named {name}")
        attributes = {_text(key): from_value(value, self.symbols) for key, value in form.get("attributes", {}).items()}
        location = _location(form["location"]) if "location" in form else None
        node = Node(
            name, op,
            tuple(None if used is None else self.value(used) for used in form["inputs"]),
            tuple(self.value(entry["name"]) for entry in form["outputs"]),
            MappingProxyType(attributes),
            tuple(self.region(inner, depth + 1) for inner in form.get("regions", ())),
            _text(form.get("source_op", op)), location,
            tuple(Frame(_text(frame["function"]), _location(frame["location"])) for frame in form.get("stack", ())),
            _text(form.get("module", "")), _text(form.get("device", "")), (),
            tuple(Literal(_text(guard["condition"]), bool(guard["holds"])) for guard in form.get("guards", ())),
            tuple(Iteration(_text(entry["loop"]), _index(entry["index"])) for entry in form.get("loops", ())),
        )  # fmt: skip
        self.nodes[name] = node
        if control := form.get("control"):
            self.control.append((node, control))
        return node

    def execution(self, form: Json) -> Execution:
        return Execution(
            _text(form["kind"]), self._named(form["fetches"]), self._named(form.get("feeds", ())),
            tuple(self.node_named(name) for name in form.get("targets", ())),
            _location(form["location"]) if "location" in form else None,
        )  # fmt: skip

    def loop(self, form: Json) -> HostLoop:
        return HostLoop(
            _text(form["name"]),
            _location(form["location"]) if "location" in form else None,
            read(form["trips"], self.symbols) if "trips" in form else None,
            _text(form.get("parent", "")),
            tuple((self.value(before), self.value(after)) for before, after in form.get("carried", ())),
        )

    def _named(self, names: Iterable[str]) -> tuple[Value, ...]:
        return tuple(self.value(name) for name in names)


def _without_empty(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnsupportedInput(f"the JSON form of a graph has {value!r} where text is due")
    return value


def _index(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise UnsupportedInput(f"the JSON form of a graph has {value!r} where the number of an iteration is due")
    return value


def _location(form: Json) -> Location:
    return Location(**form)


def _absent(what: str) -> Callable[[], NDArray[Any]]:
    def load() -> NDArray[Any]:
        raise UnsupportedInput(f"the text form of a graph does not hold the elements of this {what}")

    return load
