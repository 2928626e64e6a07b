"""Steps that move axes about, left out where the sizes fit without them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.shapes.remedies.axes import axis_number
from mlvet.analyses.shapes.remedies.places import Place, parts
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name

_METHODS = frozenset((
    "transpose", "permute", "t", "swapaxes", "squeeze", "unsqueeze", "swapdims", "movedim", "matrix_transpose",
))  # fmt: skip
_FUNCTIONS = frozenset((
    "transpose", "permute", "swapaxes", "moveaxis", "squeeze", "unsqueeze", "expand_dims", "matrix_transpose",
    "rollaxis",
))  # fmt: skip
_MOST = 4
_PAIRS = ((-2, -1), (0, 1), (1, 2), (1, 3))
_OTHER = "the sizes fit when these axes are exchanged; perhaps the sizes are what is wrong"
_REASON = "the sizes fit without this step; perhaps the sizes are what is wrong"


def left_out(place: Place) -> Proposals:
    """A transposition, squeeze or new axis in or before the expression that fails, left out."""
    for node, kept in _steps(place):
        title = f"leave out `{_named(node)}`"
        content = place.text.of(kept)
        if not isinstance(kept, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            content = f"({content})"
        yield Proposal(Kind.NEEDLESS, place.text.span(node), title, (place.text.replaced(node, content),), _REASON)
        yield from _other_pairs(place.text, node)


def _other_pairs(text: Text, node: ast.expr) -> Proposals:
    """Two other axes exchanged than those that a step exchanges."""
    if not isinstance(node, ast.Call) or last_name(node) not in ("transpose", "swapaxes"):
        return
    written = [each for each in node.args if axis_number(each) is not None]
    if len(written) != 2 or node.args[-2:] != written:
        return
    now = {axis_number(each) for each in written}
    for one, other in _PAIRS:
        if now != {one, other}:
            edits = text.replaced(written[0], str(one)), text.replaced(written[1], str(other))
            title = f"exchange axes {one} and {other} in `{last_name(node)}`"
            yield Proposal(Kind.NEEDLESS, (text.span(node), one, other), title, edits, _OTHER, risk=1)


def _steps(place: Place) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Steps in the operands, and in what is assigned to their names just before, with what each works on."""
    operands = [*([place.node] if isinstance(place.node, ast.expr) else ()), *parts(place.node)]
    names = {each.id for each in operands if isinstance(each, ast.Name)}
    within = [*operands, *_assigned(place.text, place.node, names)]
    found = [
        (node, kept) for each in within for node in ast.walk(each) if (kept := _moved(place.text, node)) is not None
    ]
    seen: dict[ast.expr, ast.expr] = {}
    for node, kept in found:
        if isinstance(node, ast.expr):
            seen.setdefault(node, kept)
    yield from list(seen.items())[:_MOST]


def _assigned(text: Text, node: ast.AST, names: set[str]) -> list[ast.expr]:
    """The expressions that names were last set to before a node, in the same function."""
    scope = text.function(node) or text.tree
    line = getattr(node, "lineno", 0)
    found: dict[str, ast.expr] = {}
    for each in ast.walk(scope):
        if isinstance(each, ast.Assign) and each.lineno < line and len(each.targets) == 1:
            target = each.targets[0]
            if isinstance(target, ast.Name) and target.id in names:
                known = found.get(target.id)
                if known is None or known.lineno < each.lineno:
                    found[target.id] = each.value
    return list(found.values())


def _moved(text: Text, node: ast.AST) -> ast.expr | None:
    """What a step moves the axes of, None if the node is no such step."""
    match node:
        case ast.Attribute(attr="T" | "mT", value=value):
            return value
        case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _METHODS and not text.name_of(node.func):
            return value
        case ast.Call(args=[first, *_]) if last_name(node.func) in _FUNCTIONS and text.name_of(node.func):
            return first
    return None


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else last_name(node)
