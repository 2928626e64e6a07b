"""Blocks of steps into regions of the graph: constants, placeholders, variables, operators, loops and conditionals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlvet.core.location import Location
from mlvet.domains.tensors import Tensor
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow import expansion, folding, functional, lowering, signatures, variables
from mlvet.frontends.tensorflow.attributes import Attributes
from mlvet.frontends.tensorflow.flow import ARGUMENT, Flow, Port, Step, called, needed, of_function
from mlvet.frontends.tensorflow.site import Site
from mlvet.frontends.tensorflow.structure import (
    DEEPEST,
    Arrangement,
    Block,
    Branch,
    Finder,
    Loop,
    Lost,
)
from mlvet.frontends.tensorflow.tensors import constant, declared
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Data, Frame, Node, Value

_MOST_NOTES = 50
_ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
"""What TensorFlow calls a variable that has no shared name."""
_PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "_Arg"})


@dataclass(slots=True)
class Scope:
    """A region being filled: the tensors seen so far, on top of those of the scopes around it in the same flow."""

    builder: Builder
    flow: Flow
    arrangement: Arrangement
    outer: Scope | None = None
    calling: Mapping[str, Record] = field(default_factory=dict)
    stack: tuple[Frame, ...] = ()
    functions: tuple[str, ...] = ()
    depth: int = 0
    values: dict[Port, Value] = field(default_factory=dict)
    nodes: dict[int, tuple[Node, ...]] = field(default_factory=dict)

    def within(self, builder: Builder) -> Scope:
        """A scope for a region within this one."""
        return Scope(
            builder, self.flow, self.arrangement, self, self.calling, self.stack, self.functions, self.depth + 1
        )

    def value(self, port: Port) -> Value | None:
        port = self.arrangement.resolve(port)
        scope: Scope | None = self
        while scope is not None:
            if port in scope.values:
                return scope.values[port]
            scope = scope.outer
        return None

    def ran(self, steps: Sequence[int]) -> tuple[Node, ...]:
        """The nodes that stand for steps, here or further out."""
        found: dict[Node, None] = {}
        for step in steps:
            scope: Scope | None = self
            while scope is not None and step not in scope.nodes:
                scope = scope.outer
            found.update(dict.fromkeys(scope.nodes[step] if scope is not None else ()))
        return tuple(found)


class Translator:
    """Turns one file into a graph. Functions are read once and written out at every call.

    `written` says whether anything writes variables, `old` whether a placeholder without dims can have any.
    """

    def __init__(self, library: Mapping[str, Record], facts: variables.Facts, shown: str) -> None:
        self.library = library
        self.facts = facts
        self.shown = shown
        self.written = True
        self.old = False
        self.notes: dict[str, None] = {}
        self.known: dict[Value, Data] = {}
        self.parameters: dict[str, Value] = {}
        self.handles: set[Value] = set()
        self._functions: dict[str, tuple[Flow, Arrangement]] = {}
        self._count = 0

    def note(self, text: str) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes[text] = None

    def function(self, name: str) -> tuple[Flow, Arrangement]:
        """A function of the library as blocks: what its results need, and what it does besides."""
        if name not in self._functions:
            flow = of_function(self.library[name], self.library)
            roots = [port[0] for port in flow.results] + flow.effects + flow.arguments
            roots += [index for index, step in enumerate(flow.steps) if step.results == 0 and step.op != "NoOp"]
            self._functions[name] = flow, self.arranged(flow, needed(flow, roots))
        return self._functions[name]

    def arranged(self, flow: Flow, chosen: Sequence[int]) -> Arrangement:
        arrangement = Finder(flow, chosen).arrange()
        for note in arrangement.notes:
            self.note(note)
        return arrangement

    def count(self, nodes: int = 1) -> None:
        self._count += nodes
        if self._count > expansion.MOST_NODES:
            raise expansion.too_large()

    def block(self, scope: Scope, block: Block) -> None:
        """Add the items of a block to the region of a scope."""
        for item in block.items:
            if isinstance(item, int):
                self._step(scope, item)
            elif isinstance(item, Loop):
                self._loop(scope, item)
            elif isinstance(item, Branch):
                self._branch(scope, item)
            else:
                self._lost(scope, item)

    def operand(self, scope: Scope, port: Port) -> Value:
        """The value of a tensor; one that no region yields here comes from an opaque node."""
        value = scope.value(port)
        if value is None:
            step = scope.flow.steps[port[0]]
            site = self.site(scope, step, [])
            value = site.emit(OPAQUE, [], outputs=1)[0]
            self.note(f"the value of `{step.name}` is not followed here")
            scope.values[scope.arrangement.resolve(port)] = value
        return value

    def site(self, scope: Scope, step: Step, inputs: list[Value], control: Sequence[int] = ()) -> Site:
        attributes = step.attributes.bound(scope.calling)
        return Site(
            scope.builder,
            step,
            inputs,
            attributes,
            self._declared(step, scope),
            self.known,
            self.shown,
            scope.stack,
            scope.ran(control),
            self.written,
        )

    def _declared(self, step: Step, scope: Scope) -> list[Tensor]:
        attributes = step.attributes.bound(scope.calling)
        types = self._types(step, attributes) if scope.calling else step.types
        shapes = attributes.shapes("_output_shapes")
        found = []
        for index in range(max(len(types), step.results)):
            name = step.name if index == 0 else f"{step.name}:{index}"
            number = types[index][1] if index < len(types) else 0
            found.append(declared(number, shapes[index] if index < len(shapes) else None, name))
        return found

    def _types(self, step: Step, attributes: Attributes) -> list[tuple[str, int]]:
        """The types of results where they can hang on the attributes of the call."""
        signature = signatures.table().get(step.op)
        if signature is None and step.op in self.library:
            signature = called(self.library[step.op])
        return signature.types(attributes) if signature is not None else []

    def _step(self, scope: Scope, index: int) -> None:
        step = scope.flow.steps[index]
        if step.op == ARGUMENT and (index, 0) in scope.values:
            return
        self.count()
        if step.op in variables.HANDLES or step.op in variables.REFERENCES:
            scope.values[index, 0] = self._variable(scope, step)
            return
        if step.op in ("NoOp", "ControlTrigger"):
            scope.nodes[index] = scope.ran(step.control)[:_MOST_NOTES]
            return
        if step.op == "Const":
            value = self._constant(scope, step)
            if value is not None:
                scope.values[index, 0] = value
                return
        if step.op in _PLACEHOLDERS and (index, 0) in scope.values:
            return
        if step.op in _PLACEHOLDERS and scope.outer is None and not scope.functions:
            scope.values[index, 0] = self.placeholder(scope, step)
            return
        inputs = [self.operand(scope, port) for port in step.inputs]
        site = self.site(scope, step, inputs, step.control)
        results = functional.emit(self, scope, site)
        if results is None:
            rule = lowering.table().get(step.op)
            results = rule(site) if rule is not None else None
        if results is None:
            results = site.opaque()
        for position, value in enumerate(results):
            scope.values[index, position] = value
        if site.nodes:
            scope.nodes[index] = (site.nodes[-1],)
            self.count(len(site.nodes) - 1)
        folding.fold(site, results)

    def _constant(self, scope: Scope, step: Step) -> Value | None:
        proto = step.attributes.bound(scope.calling).tensor("value")
        data = constant(proto, step.name) if proto is not None else None
        if data is None:
            return None
        value = scope.builder.constant(step.name, data)
        self.known[value] = data
        return value

    def placeholder(self, scope: Scope, step: Step) -> Value:
        variable = self.facts.captured.get(step.name)
        if variable is not None:
            module = variable.name.rpartition("/")[0]
            value = scope.builder.parameter(
                variable.name, variable.tensor, module=module, data=variable.data, trainable=variable.trainable
            )
            self.handles.add(value)
            return value
        shape = step.attributes.shape("shape")
        shapes = step.attributes.shapes("_output_shapes")
        if shape is None or (self.old and not shape.dim):
            shape = shapes[0] if shapes else None
        tensor = declared(step.attributes.type("dtype"), shape, step.name)
        return scope.builder.input(step.name, tensor)

    def _variable(self, scope: Scope, step: Step) -> Value:
        attributes = step.attributes.bound(scope.calling)
        shared = attributes.text("shared_name") or step.name
        name = step.name if shared == _ANONYMOUS else shared
        if name not in self.parameters:
            tensor = declared(attributes.type("dtype"), attributes.shape("shape"), name)
            data = self.facts.data(step.name, shared)
            floating = tensor.dtype is None or tensor.dtype.is_float
            trainable = self.facts.trainable.get(step.name, self.facts.trainable.get(shared, floating))
            value = scope.builder.parameter(
                name,
                tensor,
                module=name.rpartition("/")[0],
                data=data,
                initialiser=self.facts.initialisers.get(step.name),
                trainable=trainable,
            )
            self.parameters[name] = value
            self.handles.add(value)
            if data is None and self.facts.stored is not None:
                self.note(f"the checkpoint has no value for the variable `{name}`")
        return self.parameters[name]

    def _loop(self, scope: Scope, loop: Loop) -> None:
        starts = [self.operand(scope, variable.start) for variable in loop.variables]
        regions = []
        for name, block in (("condition", loop.condition), ("body", loop.body)):
            inner = scope.within(scope.builder.region("loop", name))
            for variable in loop.variables:
                step = scope.flow.steps[variable.merge]
                inner.values[variable.merge, 0] = inner.builder.input(variable.name, self._declared(step, scope)[0])
            self.block(inner, block)
            wanted = [loop.predicate] if name == "condition" else [variable.next for variable in loop.variables]
            regions.append(inner.builder.close([self.operand(inner, port) for port in wanted]))
        self.count()
        outputs = [scope.builder.value(variable.name) for variable in loop.variables]
        node = scope.builder.node(
            "while",
            starts,
            outputs,
            name=loop.name or "while",
            regions=regions,
            source_op="LoopCond",
            location=Location(self.shown, node=loop.name),
            stack=scope.stack,
            module=loop.name.rpartition("/")[0],
        )
        for variable, output in zip(loop.variables, outputs, strict=True):
            for exit in variable.exits:
                scope.values[exit, 0] = output
                scope.nodes[exit] = (node,)

    def _branch(self, scope: Scope, branch: Branch) -> None:
        predicate = self.operand(scope, branch.predicate)
        regions = []
        then_ports, else_ports = [result[1] for result in branch.results], [result[2] for result in branch.results]
        for name, block, ports in (("then", branch.then, then_ports), ("else", branch.otherwise, else_ports)):
            inner = scope.within(scope.builder.region("branch", name))
            self.block(inner, block)
            regions.append(inner.builder.close([self.operand(inner, port) for port in ports]))
        self.count()
        outputs = []
        for merge, _, _ in branch.results:
            step = scope.flow.steps[merge]
            outputs.append(scope.builder.value(step.name, self._declared(step, scope)[0]))
        node = scope.builder.node(
            "if",
            [predicate],
            outputs,
            name=branch.name,
            regions=regions,
            source_op="Merge",
            location=Location(self.shown, node=branch.name),
            stack=scope.stack,
            module=branch.name.rpartition("/")[0],
        )
        for (merge, _, _), output in zip(branch.results, outputs, strict=True):
            scope.values[merge, 0] = output
            scope.nodes[merge] = (node,)

    def _lost(self, scope: Scope, lost: Lost) -> None:
        inputs = [self.operand(scope, port) for port in lost.takes]
        self.count()
        node = scope.builder.opaque(
            "Enter", inputs, len(lost.exits), name=lost.name, location=Location(self.shown, node=lost.name)
        )
        for exit, output in zip(lost.exits, node.outputs, strict=True):
            scope.values[exit, 0] = output
            scope.nodes[exit] = (node,)


def too_deep(scope: Scope) -> bool:
    """Whether regions are nested so deep that calls are no longer followed."""
    return scope.depth >= DEEPEST
