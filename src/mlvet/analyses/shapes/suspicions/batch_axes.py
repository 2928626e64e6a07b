"""The batch taken for something else: an argmax over examples, a reshape that lets them run into one another."""

from __future__ import annotations

from mlvet.analyses.shapes.suspicions.lineage import MOVES, Lineage, dims_of
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.analyses.shapes.suspicions.words import birth, called, shown
from mlvet.domains.dims import equal, product
from mlvet.ir.graph import Node

OVER_BATCH, MIXED = "argmax-over-batch", "reshape-mixes-batch"
_SKEWED = frozenset(("pad", "concat"))
"""Operators before a reshape that shifts rows on purpose, as attention to relative positions does."""
_SCORES = MOVES | {"softmax", "log_softmax", "sigmoid"}


def batch_axes(lineage: Lineage) -> Suspicions:
    for node in lineage.nodes:
        if node.op in ("arg_max", "arg_min"):
            yield from _over_batch(lineage, node)
        elif node.op == "reshape":
            yield from _mixed(lineage, node)


def _over_batch(lineage: Lineage, node: Node) -> Suspicions:
    """The largest over axis 0 of scores that a layer makes, one row per example."""
    scores = node.inputs[0]
    dims = None if scores is None else dims_of(scores)
    if scores is None or dims is None or len(dims) != 2 or node.attributes.get("axis") not in (0, -2):
        return
    layer = lineage.layer(scores, _SCORES)
    if layer is None or 1 in dims or dims_of(layer.outputs[0]) is None:
        return
    made = dims_of(layer.outputs[0]) or ()
    if len(made) != 2 or made[1] != dims[1]:
        return
    yield Suspicion(
        OVER_BATCH,
        node.location,
        f"`{called(node)}` looks for the largest of {shown(lineage, scores)} over axis 0, the examples of the "
        f"batch, so it yields one example for each of {dims[1]} classes; the class of each example is over axis 1",
        key=node.location,
        guards=node.guards,
        related=tuple(birth(lineage, scores, node)),
        seen={"scores": str(scores.declared.without_value())},
        about=scores,
    )


def _mixed(lineage: Lineage, node: Node) -> Suspicions:
    """A reshape that puts the second axis first, or two other axes in another order, without moving elements."""
    given = node.inputs[0]
    before = None if given is None else dims_of(given)
    after = dims_of(node.outputs[0])
    if given is None or before is None or after is None or len(before) < 3:
        return
    maker = lineage.maker(given)
    skewed = maker is not None and maker.op in _SKEWED
    if not _second_comes_first(before, after) and (skewed or not _reordered(before, after)):
        return
    if not lineage.is_trained(given):
        return
    yield Suspicion(
        MIXED,
        node.location,
        f"`{called(node)}` makes {shown(lineage, given)} into {node.outputs[0].declared.without_value()}: the sizes "
        "change places but the elements stay in their order, so rows hold parts of several examples; transpose first",
        key=node.location,
        guards=node.guards,
        related=tuple(birth(lineage, given, node)),
        seen={"before": str(given.declared.without_value()), "after": str(node.outputs[0].declared.without_value())},
        about=given,
    )


def _second_comes_first(before: tuple[object, ...], after: tuple[object, ...]) -> bool:
    """(L, N, H) made into (N, L * H)."""
    first, second, *rest = before
    if first == 1 or second == 1 or equal(first, second) is not False or len(after) != 2:  # type: ignore[arg-type]
        return False
    return bool(after[0] == second) and after[1] == product((first, *rest))  # type: ignore[arg-type]


def _reordered(before: tuple[object, ...], after: tuple[object, ...]) -> bool:
    """The same sizes in another order, where all that change places are different and more than one."""
    if len(before) != len(after) or sorted(map(str, before)) != sorted(map(str, after)):
        return False
    moved = [size for size, other in zip(before, after, strict=True) if size != other]
    return len(moved) >= 2 and 1 not in moved
