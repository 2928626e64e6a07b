"""Activations left out or replaced, where the loss applies one itself or one unit has a softmax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name
from mlvet.core.fix import Edit

_NORMALISING = frozenset(("softmax", "sigmoid"))
_CUTTING = frozenset(("relu", "relu6"))
_BINARY = frozenset(("binary_crossentropy", "BinaryCrossentropy", "BCELoss", "binary_cross_entropy"))
_MOST = 12
_WITHOUT = "the outputs become scores; what reads them as probabilities has to change, too"
_OTHER = "the loss then takes the outputs as they are"
_CUT = "the outputs can then be negative"
_SIGMOID = "it takes the one unit for the probability of one class; perhaps the layer should have more units"


def without_softmax(text: Text) -> Proposals:
    """A loss that takes the outputs for what they are, or the softmax or sigmoid before it left out."""
    for call in text.calls():
        for keyword in call.keywords:
            if keyword.arg == "from_logits" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                edit = text.replaced(keyword.value, "False")
                yield Proposal(Kind.LOSS, text.span(call), "say from_logits=False", (edit,), _OTHER)
    yield from _left_out(text, _NORMALISING, _WITHOUT)


def without_relu(text: Text) -> Proposals:
    """The activation of the last layer left out."""
    yield from _left_out(text, _CUTTING, _CUT)


def _left_out(text: Text, names: frozenset[str], reason: str) -> Proposals:
    found = [*_applied(text, names), *_listed(text, names), *_said(text, names)]
    for name, node, edits in found[-_MOST:]:
        yield Proposal(Kind.SLIP, text.span(node), f"leave out the {name} in line {node.lineno}", edits, reason)


def _applied(text: Text, names: frozenset[str]) -> Iterator[tuple[str, ast.expr, tuple[Edit, ...]]]:
    """Calls such as `F.softmax(x, 1)`, `x.softmax(1)` and `nn.Softmax(1)(x)`, replaced by what they are given."""
    for call in text.calls():
        name = last_name(call)
        kept: ast.expr | None = None
        if name.lower() in names and isinstance(call.func, ast.Call):
            kept = call.args[0] if call.args else None
        elif name in names:
            kept = _receiver(text, call) or (call.args[0] if call.args else None)
        if kept is not None:
            yield name.lower(), call, (text.replaced(call, _operand(text, call, kept)),)


def _receiver(text: Text, call: ast.Call) -> ast.expr | None:
    """What a method is called on, None for a function of a module and for a layer that `self` has."""
    if not isinstance(call.func, ast.Attribute) or text.name_of(call.func) or text.of(call.func.value) == "self":
        return None
    return call.func.value


def _operand(text: Text, call: ast.Call, kept: ast.expr) -> str:
    """What is left of a call, in parentheses where it is an operand."""
    written = text.of(kept)
    loose = not isinstance(kept, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    inner = isinstance(text.parents.get(call), ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript)
    return f"({written})" if loose and inner else written


def _listed(text: Text, names: frozenset[str]) -> Iterator[tuple[str, ast.expr, tuple[Edit, ...]]]:
    """Layers such as `nn.Softmax(1)` in a list of layers."""
    for call in text.calls():
        for layers in (call.args, *(each.elts for each in call.args if isinstance(each, ast.List | ast.Tuple))):
            for before, layer in pairwise(layers):
                name = last_name(layer).lower()
                if name in names and isinstance(layer, ast.Call) and isinstance(layer.func, ast.Attribute | ast.Name):
                    yield name, layer, (text.removed(text.end(before), text.end(layer)),)


def _said(text: Text, names: frozenset[str]) -> Iterator[tuple[str, ast.expr, tuple[Edit, ...]]]:
    """Layers with `activation="softmax"`."""
    for call in text.calls():
        for keyword in call.keywords:
            if keyword.arg == "activation" and (name := _activation(keyword.value)) in names:
                yield name, keyword.value, (text.replaced(keyword.value, "None"),)


def _activation(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else last_name(node)


def with_sigmoid(text: Text) -> Proposals:
    """A sigmoid in place of a softmax, in a program whose loss is that of two classes."""
    if not any(_activation(node) in _BINARY for node in ast.walk(text.tree) if isinstance(node, ast.expr)):
        return
    for call in text.calls():
        for keyword in call.keywords:
            if keyword.arg == "activation" and _activation(keyword.value) == "softmax":
                written = text.of(keyword.value).replace("softmax", "sigmoid")
                edits: tuple[Edit, ...] = (text.replaced(keyword.value, written),)
                yield Proposal(Kind.SLIP, text.span(call), "use a sigmoid in place of the softmax", edits, _SIGMOID)
        if last_name(call) == "Softmax" and not isinstance(call.func, ast.Call):
            written = text.of(call.func).replace("Softmax", "Sigmoid")
            edits = (text.replaced(call, f"{written}()"),)
            yield Proposal(Kind.SLIP, text.span(call), "use a sigmoid in place of the softmax", edits, _SIGMOID)
