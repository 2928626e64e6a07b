"""A part of the graph made once more for other inputs, which is what calling a functional model is."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.machine import Machine
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue, Object
from mlvet.ir.graph import Frame, Node, Value
from mlvet.ir.program import Demand
from mlvet.ir.reapplication import applied_again, learned, substituted
from mlvet.ops.require import Require


def replayed(
    inputs: tuple[Value, ...], outputs: tuple[Value, ...], given: tuple[Value, ...], nodes: Sequence[Node]
) -> tuple[Value, ...]:
    """The outputs for other inputs: every node between inputs and outputs again, its symbols made what they are."""
    known: dict[Value, Value] = dict(zip(inputs, given, strict=True))
    sizes = learned((old.declared, new.declared) for old, new in zip(inputs, given, strict=True))
    for node in nodes:
        values = [None if each is None else known.get(each, each) for each in node.inputs]
        known.update(zip(node.outputs, _again(node, values, sizes), strict=True))
    return tuple(known.get(each, each) for each in outputs)


def between(inputs: tuple[Value, ...], outputs: tuple[Value, ...]) -> list[Node]:
    """The nodes that lead from the inputs to the outputs, in the order in which they were made."""
    nodes = machine().builder._nodes
    reached = set(inputs)
    forward = []
    for node in nodes:
        symbolic = node.op == "sizes"
        if symbolic or any(each in reached for each in node.inputs if each is not None):
            forward.append(node)
            reached.update(node.outputs)
    wanted = set(outputs)
    kept: list[Node] = []
    for node in reversed(forward):
        if any(each in wanted for each in node.outputs):
            kept.append(node)
            wanted.update(each for each in node.inputs if each is not None)
    return kept[::-1]


def _again(node: Node, values: list[Value | None], sizes: Mapping[str, Dim]) -> list[Value]:
    here = machine()
    operands = [None if each is None else each.declared for each in values]
    require = Require(here.fresh(node.op))
    results = applied_again(node, operands, sizes, require)
    attributes = substituted(node, sizes)
    outputs = [
        here.builder.value(old.name.partition("#")[0], like) for old, like in zip(node.outputs, results, strict=True)
    ]
    made_node = here.builder.node(
        node.op, values, outputs, attributes, regions=node.regions, source_op=node.source_op, location=node.location,
        stack=_called(here), module=".".join(filter(None, (*here.module_path, node.module))), guards=here.path,
        loops=here.loops,
    )  # fmt: skip
    differs = any(each.decided is False for each in require.constraints) and _hangs_on_training(node)
    if not differs:
        here.demands += [Demand(made_node, constraint) for constraint in require.constraints]
    return outputs


def _called(here: Machine) -> tuple[Frame, ...]:
    """The calls that lead to a node of a model, the last of them that of the model."""
    where = here.location
    return here.stack if where is None else (*here.stack, Frame(here.callee or "model", where))


def _hangs_on_training(node: Node) -> bool:
    """Whether a node is of a layer of the program that does something else when it is not trained."""
    known: dict[Any, Any] = machine().constants
    layer = known.get(("keras", "layer", node.module.partition(".")[0]))
    classes = layer.kind.order if isinstance(layer, Object) and layer.kind is not None else ()
    call = next((each.cells["call"] for each in classes if isinstance(each, ClassValue) and "call" in each.cells), None)
    return isinstance(call, FunctionValue) and any(
        isinstance(each, ast.If | ast.IfExp)
        and any(isinstance(name, ast.Name) and name.id == "training" for name in ast.walk(each.test))
        for each in ast.walk(call.node)
    )
