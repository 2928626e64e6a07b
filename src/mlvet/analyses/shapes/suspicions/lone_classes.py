"""Softmax and argmax over an axis of one element, which yield 1 and 0 whatever the scores are."""

from __future__ import annotations

from collections.abc import Hashable

from mlvet.analyses.shapes.suspicions.lineage import MOVES, Lineage, axis_size, dims_of
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.analyses.shapes.suspicions.words import birth, called, shown
from mlvet.ir.graph import Node, Value

SOFTMAX, ARGMAX = "softmax-over-one", "argmax-over-one"
_SOFTMAXES = frozenset(("softmax", "log_softmax"))
_ENTROPIES = {
    "softmax_cross_entropy_loss": 1,
    "softmax_cross_entropy_with_logits": -1,
    "sparse_softmax_cross_entropy_with_logits": -1,
}
"""Losses that apply softmax themselves, with the axis of the classes."""
_THROUGH = MOVES | {"slice", "strided_slice", "gather", "index", "masked_select", "log", "clip"}
_ARGUMENTS = frozenset(("arg_max", "arg_min"))


def lone_classes(lineage: Lineage) -> Suspicions:
    """One unit with softmax, one class with a cross-entropy, and the argmax of one."""
    for node in lineage.nodes:
        if not node.inputs or node.inputs[0] is None:
            continue
        scores = node.inputs[0]
        if node.op in _SOFTMAXES and axis_size(scores, node.attributes.get("axis", -1)) == 1:
            layer = lineage.layer(scores)
            if layer is not None and _one_unit(layer):
                yield _softmax(lineage, node, scores, layer)
        elif node.op in _ENTROPIES and axis_size(scores, _ENTROPIES[node.op]) == 1:
            layer = lineage.layer(scores, _THROUGH)
            if layer is not None and _one_unit(layer):
                yield _entropy(lineage, node, scores)
        elif node.op in _ARGUMENTS and _one_of_many(scores, node.attributes.get("axis", 0)):
            yield _argmax(lineage, node, scores)


def _one_unit(layer: Node) -> bool:
    """Whether a layer yields one number, or one map."""
    return axis_size(layer.outputs[0], 1 if layer.op == "conv" else -1) == 1


def _one_of_many(scores: Value, axis: object) -> bool:
    """Whether an axis has one element, and there are others."""
    return len(dims_of(scores) or ()) >= 2 and axis_size(scores, axis) == 1


def _softmax(lineage: Lineage, node: Node, scores: Value, layer: Node) -> Suspicion:
    message = (
        f"`{called(node)}` takes the softmax of {shown(lineage, scores)} over an axis of size 1, which is 1 whatever "
        "the scores are; one unit needs a sigmoid, or the axis is the wrong one"
    )
    return _of_scores(SOFTMAX, message, lineage, node, scores, layer.inputs[1])


def _entropy(lineage: Lineage, node: Node, scores: Value) -> Suspicion:
    message = (
        f"`{called(node)}` gets {shown(lineage, scores)}, scores of one class; its softmax over an axis of size 1 is 1 "
        "whatever the scores are, so the loss is constant; one unit needs a binary cross-entropy"
    )
    return _of_scores(SOFTMAX, message, lineage, node, scores, node.location)


def _argmax(lineage: Lineage, node: Node, scores: Value) -> Suspicion:
    message = (
        f"`{called(node)}` looks for the largest of {shown(lineage, scores)} along an axis of size 1, so the result is "
        "0 whatever the elements are; one unit needs a threshold, or the axis is the wrong one"
    )
    return _of_scores(
        ARGMAX, message, lineage, node, scores, node.location and (node.location.path, node.location.line)
    )


def _of_scores(rule: str, message: str, lineage: Lineage, node: Node, scores: Value, key: Hashable) -> Suspicion:
    return Suspicion(
        rule,
        node.location,
        message,
        key=key,
        guards=node.guards,
        related=tuple(birth(lineage, scores, node)),
        seen={"scores": str(scores.declared.without_value())},
        about=scores,
    )
