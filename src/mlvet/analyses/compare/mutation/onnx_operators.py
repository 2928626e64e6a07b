"""Ways to change an ONNX model [LEMON 3.1]: its nodes, their order and attributes, and what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlvet.analyses.compare.mutation.onnx_domains import attribute_alternatives, with_consequences
from mlvet.analyses.compare.mutation.onnx_model import OnnxPieces, copied
from mlvet.analyses.compare.mutation.weights import WEIGHT_CHANGES

if TYPE_CHECKING:
    from onnx import NodeProto

Random = np.random.Generator
_RANK = 4


@dataclass(frozen=True, slots=True)
class Done:
    """Changed pieces, what was done, and which nodes new ones come from."""

    pieces: OnnxPieces
    step: str
    parents: Mapping[str, str] = field(default_factory=dict)


Operator = Callable[[OnnxPieces, Random], Done | None]


def opset(pieces: OnnxPieces) -> int:
    return next((each.version for each in pieces.frame.opset_import if each.domain in ("", "ai.onnx")), 1)


def change_attributes(node: NodeProto, pieces: OnnxPieces, random: Random, count: int, rank: int) -> tuple[Any, str]:
    """A node with up to `count` other attributes, and what differs."""
    choices = attribute_alternatives(node, opset(pieces), rank)
    changes = {}
    for name in random.permutation(list(choices))[:count].tolist():
        values = choices[name]
        changes[name] = values[int(random.integers(len(values)))]
    told = ", ".join(f"{name}={value!r}" for name, value in changes.items())
    return copied(node, attributes=with_consequences(changes)), told


def _remove(pieces: OnnxPieces, random: Random) -> Done | None:
    node = _chosen([each for each in pieces.nodes if _through(pieces, each) and len(pieces.nodes) > 1], random)
    if node is None:
        return None
    before, after = pieces.entering(node)[0], node.output[0]
    left = [each for each in pieces.nodes if each is not node]
    nodes = tuple(_fed(each, {after: before}) for each in left)
    outputs = tuple(before if each == after else each for each in pieces.outputs)
    if not {*outputs} <= {name for each in nodes for name in each.output}:
        return None
    return Done(replace(pieces, nodes=nodes, outputs=outputs), f"`{node.name}` removed")


def _copy(pieces: OnnxPieces, random: Random) -> Done | None:
    node = _chosen([each for each in pieces.nodes if _through(pieces, each)], random)
    behind = _chosen([each for each in pieces.nodes if each.output], random)
    if node is None or behind is None:
        return None
    if random.random() < 0.5:
        behind = node
    name, value = _fresh(pieces, node.name), behind.output[0]
    outputs = [f"{name}.{index}" if each else "" for index, each in enumerate(node.output)]
    new = copied(_fed(node, {pieces.entering(node)[0]: value}), name=name, outputs=outputs)
    place = pieces.nodes.index(behind) + 1
    after = tuple(_fed(each, {value: outputs[0]}) for each in pieces.nodes[place:])
    step = f"`{node.name}` copied behind `{behind.name}` as `{name}`"
    leaving = tuple(outputs[0] if each == value else each for each in pieces.outputs)
    changed = replace(pieces, nodes=(*pieces.nodes[:place], new, *after), outputs=leaving)
    return Done(changed, step, {name: node.name})


def _swap(pieces: OnnxPieces, random: Random) -> Done | None:
    through = [each for each in pieces.nodes if _through(pieces, each) and len(each.output) == 1]
    first = _chosen(through, random)
    second = _chosen([each for each in through if first is not None and each.op_type != first.op_type], random)
    if first is None or second is None:
        return None
    exchange = {first.name: (second, first), second.name: (first, second)}
    nodes = []
    for node in pieces.nodes:
        new, place = exchange.get(node.name, (node, node))
        if new is not place:
            fed = _fed(new, {pieces.entering(new)[0]: pieces.entering(place)[0]})
            new = copied(fed, outputs=list(place.output), name=new.name)
        nodes.append(new)
    return Done(replace(pieces, nodes=tuple(nodes)), f"`{first.name}` and `{second.name}` swapped")


def _configuration(pieces: OnnxPieces, random: Random) -> Done | None:
    node = _chosen([each for each in pieces.nodes if attribute_alternatives(each, opset(pieces), _RANK)], random)
    if node is None:
        return None
    new, told = change_attributes(node, pieces, random, 1, _RANK)
    return Done(
        replace(pieces, nodes=tuple(new if each is node else each for each in pieces.nodes)),
        f"`{node.name}` with {told}",
    )


def _weights(kind: str) -> Operator:
    def change(pieces: OnnxPieces, random: Random) -> Done | None:
        name = _chosen([n for n, a in pieces.stored.items() if a.dtype.kind == "f" and a.ndim and a.size > 1], random)
        if name is None:
            return None
        stored = {**pieces.stored, name: WEIGHT_CHANGES[kind](pieces.stored[name], random)}
        return Done(replace(pieces, stored=stored), f"`{name}`: {kind}")

    return change


OPERATORS: Mapping[str, Operator] = {
    "layer removal": _remove,
    "layer copy": _copy,
    "layer swap": _swap,
    "configuration change": _configuration,
    **{f"weights: {kind}": _weights(kind) for kind in WEIGHT_CHANGES},
}


def _through(pieces: OnnxPieces, node: NodeProto) -> bool:
    """Whether a node takes one value that is not stored and gives one that others use."""
    return (
        len(pieces.entering(node)) == 1 and bool(node.output) and not any(each.HasField("g") for each in node.attribute)
    )


def _fed(node: NodeProto, exchange: Mapping[str, str]) -> Any:
    return copied(node, inputs=[exchange.get(name, name) for name in node.input])


def _chosen(choices: list[Any], random: Random) -> Any:
    return choices[int(random.integers(len(choices)))] if choices else None


def _fresh(pieces: OnnxPieces, name: str) -> str:
    known, number = {each.name for each in pieces.nodes}, 2
    while f"{name}_{number}" in known:
        number += 1
    return f"{name}_{number}"
