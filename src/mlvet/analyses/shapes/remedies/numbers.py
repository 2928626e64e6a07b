"""A number of the program that another one contradicts, replaced by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name
from mlvet.domains.claims import Relation
from mlvet.domains.dims import Dim
from mlvet.domains.written import Int
from mlvet.ir.program import Demand

_LAYERS = frozenset(("linear", "conv", "conv_transpose", "batch_normalization", "layer_normalization", "bilinear"))
_LAYER = "it fits the layer to its input; perhaps the input is what is wrong"
_EXCHANGED = "the sizes fit when they are exchanged; perhaps the data is what is wrong"
_SIZE = "it makes the two sizes agree; perhaps the other one is what is wrong"


def numbers(demand: Demand, texts: dict[str, Text]) -> Proposals:
    """Each side of an equation that the program writes as a number, replaced by the other side."""
    constraint = demand.constraint
    if constraint.relation is not Relation.EQUAL:
        return
    sides = (constraint.left, constraint.right)
    for written, needed in (sides, sides[::-1]):
        if not isinstance(written, Int) or not isinstance(needed, int) or needed <= 0:
            continue
        for text, node in _place(written, texts):
            title = f"write {int(needed)} in place of {' '.join(written.origin.text.split())}"
            layer = demand.node.op in _LAYERS
            risk = int(layer and _is_of_data(text, node))
            edits = (text.replaced(node, str(int(needed))),)
            yield Proposal(Kind.NUMBER, text.span(node), title, edits, _LAYER if layer and not risk else _SIZE, risk)


def _is_of_data(text: Text, node: ast.expr) -> bool:
    """Whether a number is a size that a function is given, such as one that draws data, and not a class of layers."""
    call = next((each for each in text.around(node) if not isinstance(each, ast.List | ast.Tuple | ast.BinOp)), None)
    return isinstance(call, ast.Call) and last_name(call)[:1].islower()


def exchanged(demand: Demand, texts: dict[str, Text]) -> Proposals:
    """A number that is wrong, exchanged with the right one that is written beside it."""
    constraint = demand.constraint
    sides = (constraint.left, constraint.right)
    for written, needed in (sides, sides[::-1]):
        for text, node in _place(written, texts):
            for first, second in pairwise(_beside(text, node)):
                other = second if first is node else first
                if node in (first, second) and isinstance(other, ast.Constant) and other.value == needed != written:
                    edits = text.replaced(first, text.of(second)), text.replaced(second, text.of(first))
                    title = f"exchange {text.of(first)} and {text.of(second)} in line {node.lineno}"
                    meaning = ("exchange", *sorted((text.span(first), text.span(second))))
                    yield Proposal(Kind.ORDER, meaning, title, edits, _EXCHANGED, risk=1)


def _beside(text: Text, node: ast.expr) -> list[ast.expr]:
    """The arguments or elements among which a number is written."""
    parent = text.parents.get(node)
    match text.parents.get(parent) if isinstance(parent, ast.keyword) else parent:
        case ast.Call() as call:
            return [*call.args, *(keyword.value for keyword in call.keywords)]
        case ast.List() | ast.Tuple() as sequence:
            return sequence.elts
    return []


def _place(written: Dim, texts: dict[str, Text]) -> Iterator[tuple[Text, ast.expr]]:
    """The expression that wrote a number, if it is one of the program's."""
    where = written.origin.location if isinstance(written, Int) else None
    text = texts.get(where.path) if where is not None else None
    node = text.at(where) if text is not None and where is not None else None
    if text is not None and isinstance(node, ast.expr):
        yield text, node
