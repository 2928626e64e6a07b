"""A part of the graph made once more for other inputs, which is what calling a functional model is."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from mlvet.domains.dims import Dim, Expr, substitute, symbols
from mlvet.domains.tensors import Tensor, UnknownRank, Unranked, unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue, Object
from mlvet.ir.graph import OPAQUE, Node, Value
from mlvet.ir.program import Demand
from mlvet.ops import REGISTRY
from mlvet.ops.folding import REFUSALS, folded
from mlvet.ops.require import Require
from mlvet.ops.unranked import element_types


def replayed(
    inputs: tuple[Value, ...], outputs: tuple[Value, ...], given: tuple[Value, ...], nodes: Sequence[Node]
) -> tuple[Value, ...]:
    """The outputs for other inputs: every node between inputs and outputs again, its symbols made what they are."""
    known: dict[Value, Value] = dict(zip(inputs, given, strict=True))
    sizes = _learned(inputs, given)
    for node in nodes:
        values = [None if each is None else known.get(each, each) for each in node.inputs]
        known.update(zip(node.outputs, _again(node, values, sizes), strict=True))
    return tuple(known.get(each, each) for each in outputs)


def _learned(inputs: tuple[Value, ...], given: tuple[Value, ...]) -> dict[str, Dim]:
    """What the symbols of the inputs' shapes are now."""
    sizes: dict[str, Dim] = {}
    for old, new in zip(inputs, given, strict=True):
        before, after = old.declared.shape, new.declared.shape
        if isinstance(before, Unranked) or isinstance(after, Unranked) or len(before) != len(after):
            continue
        for dim, actual in zip(before, after, strict=True):
            if isinstance(dim, Expr) and len(found := symbols(dim)) == 1:
                only = next(iter(found))
                if str(dim) == only.name:
                    sizes.setdefault(only.name, actual)
    return sizes


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
    attributes = {name: _substituted(value, sizes) for name, value in node.attributes.items()}
    operands = tuple(None if each is None else each.declared for each in values)
    require = Require(here.fresh(node.op))
    rule = REGISTRY.get(node.op)
    results: list[Tensor] = []
    if rule is not None and rule.infer is not None and node.op != OPAQUE:
        try:
            found = rule.infer(*operands, require=require, **attributes)
            made = found if isinstance(found, tuple) else (found,)
            results = list(made if require.violated else folded(rule, operands, attributes, made))
        except UnknownRank:
            names = enumerate(element_types(rule, operands, attributes))
            results = [unknown(f"{require.name}:{place}", dtype) for place, dtype in names]
        except REFUSALS:
            results = []
    outputs = []
    for place, old in enumerate(node.outputs):
        like = results[place] if place < len(results) else _resized(old.declared, sizes)
        outputs.append(here.builder.value(old.name.partition("#")[0], like))
    made_node = here.builder.node(
        node.op, values, outputs, attributes, regions=node.regions, source_op=node.source_op, location=node.location,
        stack=here.stack, module=".".join(filter(None, (*here.module_path, node.module))), guards=here.path,
        loops=here.loops,
    )  # fmt: skip
    differs = any(each.decided is False for each in require.constraints) and _hangs_on_training(node)
    if not differs:
        here.demands += [Demand(made_node, constraint) for constraint in require.constraints]
    return outputs


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


def _resized(tensor: Tensor, sizes: Mapping[str, Dim]) -> Tensor:
    if isinstance(tensor.shape, Unranked):
        return tensor.without_value()
    return Tensor(tensor.dtype, tuple(substitute(dim, sizes) for dim in tensor.shape))


def _substituted(value: Any, sizes: Mapping[str, Dim]) -> Any:
    if isinstance(value, Expr):
        return substitute(value, sizes)
    return tuple(_substituted(each, sizes) for each in value) if isinstance(value, tuple) else value
