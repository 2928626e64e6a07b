"""Losses that are given probabilities for scores, or scores for probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from mlvet.analyses.shapes.suspicions.lineage import MOVES, Lineage
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.analyses.shapes.suspicions.words import birth, called, shown
from mlvet.core.evidence import Related
from mlvet.ir.graph import Node, Value
from mlvet.ir.program import Act, Event

TWICE, RAW = "softmax-before-logits-loss", "scores-taken-for-probabilities"
CUT, HALF = "relu-before-logits-loss", "scores-compared-with-half"
_CUT = frozenset(("relu", "relu6"))
_COMPARISONS = frozenset(("greater", "greater_or_equal", "less", "less_or_equal"))
_APPLY = {
    "softmax_cross_entropy_loss": "softmax",
    "softmax_cross_entropy_with_logits": "softmax",
    "sparse_softmax_cross_entropy_with_logits": "softmax",
    "log_softmax": "softmax",
    "binary_cross_entropy_with_logits": "sigmoid",
}
"""Operators that normalise the scores they are given, and how."""
_LIKELIHOOD = "negative_log_likelihood_loss"
_THROUGH = MOVES | {"slice", "strided_slice", "gather", "index", "masked_select"}


def misread_scores(lineage: Lineage, events: Sequence[Event]) -> Suspicions:
    """Softmax before a loss that applies it itself, and losses of probabilities that are given scores."""
    yield from _of_operators(lineage)
    for event in events:
        if event.act not in (Act.SCORED, Act.WEIGHED) or "uncalled" in event.facts or not event.values:
            continue
        given = event.values[0]
        maker = lineage.maker(lineage.bare(given))
        if event.act is Act.SCORED and maker is not None and maker.op in ("softmax", "sigmoid"):
            yield _scored(lineage, event, given, maker)
        elif event.act is Act.WEIGHED and (layer := lineage.layer(given)) is not None:
            yield _weighed(lineage, event, given, layer)


def _of_operators(lineage: Lineage) -> Suspicions:
    for node in lineage.nodes:
        if not node.inputs or node.inputs[0] is None:
            continue
        given = node.inputs[0]
        maker = lineage.maker(lineage.bare(given, _THROUGH))
        if node.op in _APPLY and maker is not None and maker.op == _APPLY[node.op]:
            yield _twice(lineage, node, given, maker)
        elif node.op in _APPLY and node.op != "log_softmax" and maker is not None and maker.op in _CUT:
            yield from _cut_off(lineage, node, given, maker)
        elif node.op == _LIKELIHOOD:
            if maker is not None and maker.op == "softmax":
                yield _raw(lineage, node, given, maker, "probabilities, not their logarithms")
            elif (layer := lineage.layer(given, _THROUGH)) is not None:
                yield _raw(lineage, node, given, layer, "raw scores, not log-probabilities")


def _twice(lineage: Lineage, node: Node, given: Value, maker: Node) -> Suspicion:
    wanted = _APPLY[node.op]
    message = (
        f"`{called(node)}` applies {wanted} itself, but {shown(lineage, given)} is {wanted} already, so it is "
        "applied twice: gradients shrink and the loss cannot come near 0; give it the scores before"
    )
    return _of_operator(TWICE, message, lineage, node, given, maker, applied=wanted)


def _cut_off(lineage: Lineage, node: Node, given: Value, maker: Node) -> Suspicions:
    if maker.inputs[0] is None or lineage.layer(maker.inputs[0]) is None:
        return
    message = (
        f"`{called(node)}` takes scores of any sign, but {shown(lineage, given)} went through {maker.op}, so none is "
        "negative and a class whose score is 0 gets no gradient; leave out the activation of the last layer"
    )
    yield _of_operator(CUT, message, lineage, node, given, maker, applied=maker.op)


def halves_of_scores(lineage: Lineage, events: Sequence[Event]) -> Suspicions:
    """Outputs that are scores for the loss and are compared with 0.5 as if they were probabilities."""
    scored = [node.inputs[0] for node in lineage.nodes if node.op == "binary_cross_entropy_with_logits"]
    scored += [event.values[0] for event in events if event.act is Act.SCORED]
    units = {weight for each in scored if each is not None and (weight := _weight(lineage, each)) is not None}
    if not units:
        return
    for node in lineage.nodes:
        if node.op in _COMPARISONS and len(node.inputs) == 2:
            left, right = node.inputs
            if left is not None and right is not None and _is_half(right) and _weight(lineage, left) in units:
                yield _halved(lineage, left, node)
        elif node.op == "round" and node.inputs[0] is not None and _weight(lineage, node.inputs[0]) in units:
            yield _halved(lineage, node.inputs[0], node)
    for event in events:
        if event.act is Act.HALVED and _weight(lineage, event.values[0]) in units:
            yield _halved(lineage, event.values[0], event)


def _weight(lineage: Lineage, value: Value) -> Value | None:
    """The weights of the layer that makes a value."""
    layer = lineage.layer(value)
    return None if layer is None else layer.inputs[1]


def _definition(lineage: Lineage, value: Value, where: Node | Event) -> Iterator[Related]:
    """Where the layer that makes a value, perhaps with an activation, is first used."""
    layer = lineage.layer(value, MOVES | {"softmax", "sigmoid"})
    first = next((node for node in lineage.nodes if layer is not None and layer.inputs[1] in node.inputs), None)
    if first is not None and first.location != where.location:
        yield Related("the layer stands here", first.location)


def _is_half(value: Value) -> bool:
    known = value.declared.value
    return known is not None and known.size == 1 and known.item() == 0.5


def _halved(lineage: Lineage, given: Value, where: Node | Event) -> Suspicion:
    message = (
        f"{shown(lineage, given)} are scores for the loss, which applies the sigmoid itself, but they are compared "
        "with 0.5 here like probabilities; the score of probability 0.5 is 0"
    )
    key = _weight(lineage, given) if isinstance(where, Event) else where.location
    return _of_place(HALF, message, lineage, where, given, key, given=str(given.declared.without_value()))


def _scored(lineage: Lineage, event: Event, given: Value, maker: Node) -> Suspicion:
    message = (
        f"the loss has from_logits=True, but {shown(lineage, given)} went through {maker.op} already, so it is applied "
        f"twice: gradients shrink and the loss cannot come near 0; leave out the {maker.op} or from_logits"
    )
    key = (_weight(lineage, maker.inputs[0]) if maker.inputs[0] is not None else None) or event.location
    return _of_place(TWICE, message, lineage, event, given, key, applied=maker.op)


def _weighed(lineage: Lineage, event: Event, given: Value, layer: Node) -> Suspicion:
    message = (
        f"the loss takes probabilities, as from_logits is not True, but {shown(lineage, given)} are the raw scores of "
        "a layer without activation, which are cut off at 0 and 1; say from_logits=True, or let the last layer have "
        "an activation"
    )
    return _of_place(RAW, message, lineage, event, given, layer.inputs[1], given="raw scores")


def _of_place(
    rule: str, message: str, lineage: Lineage, where: Node | Event, value: Value, key: Hashable, **seen: str
) -> Suspicion:
    """What is suspected of a place that takes what a layer makes."""
    return Suspicion(
        rule,
        where.location,
        message,
        key=key,
        guards=where.guards,
        related=tuple(_definition(lineage, value, where)),
        seen=seen,
        about=value,
    )


def _raw(lineage: Lineage, node: Node, given: Value, maker: Node, what: str) -> Suspicion:
    message = (
        f"`{called(node)}` takes log-probabilities, but {shown(lineage, given)} are {what}; apply log_softmax before, "
        "or use a cross-entropy of scores"
    )
    return _of_operator(RAW, message, lineage, node, given, maker, given=what)


def _of_operator(
    rule: str, message: str, lineage: Lineage, node: Node, value: Value, maker: Node, **seen: str
) -> Suspicion:
    """What is suspected of an operator because of the one that made its operand."""
    return Suspicion(
        rule,
        node.location,
        message,
        key=maker.location or node.location,
        guards=node.guards,
        related=tuple(birth(lineage, maker.outputs[0], node)),
        seen=seen,
        about=value,
    )
