"""A layer that flattens, put into a list of layers before the first dense one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mlvet.analyses.shapes.remedies.places import Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name
from mlvet.core.fix import Edit

_DENSE = frozenset(("Dense", "Linear"))
_FLATTENING = ("Flatten", "Reshape", "Global", "Unflatten", "LazyLinear", "AdaptiveAvgPool", "LSTM", "GRU", "Embedding")
_MOST = 3
_REASON = "it flattens what the first dense layer is given; perhaps pooling was meant"


def with_flatten(place: Place) -> Proposals:
    """Lists of layers, and models that layers are added to, with a step that flattens before the first dense layer."""
    text = place.text
    found = [each for each in (*_listed(text), *_added(text)) if each is not None]
    for node, edits in found[:_MOST]:
        yield Proposal(Kind.FLAT, ("layer", node.lineno), "put a Flatten before the dense layer", edits, _REASON)


def _listed(text: Text) -> Iterator[tuple[ast.expr, tuple[Edit, ...]] | None]:
    """Layers in a call of Sequential, one by one or in a list."""
    for call in text.calls():
        if last_name(call) != "Sequential" or not call.args:
            continue
        first = call.args[0]
        layers = first.elts if isinstance(first, ast.List | ast.Tuple) else call.args
        dense = _first_dense(layers)
        if dense is not None and isinstance(dense, ast.Call):
            name, more = _flatten(text, dense)
            if name:
                yield dense, (text.inserted(text.start(dense), f"{name}(), "), *more)


def _added(text: Text) -> Iterator[tuple[ast.expr, tuple[Edit, ...]] | None]:
    """Layers that statements add to a model, one after another."""
    for body in _bodies(text.tree):
        by_model: dict[str, list[tuple[ast.stmt, ast.expr]]] = {}
        for statement in body:
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr="add", value=ast.Name(id=model)), args=[layer])):
                    by_model.setdefault(model, []).append((statement, layer))
        for model, added in by_model.items():
            dense = _first_dense([layer for _, layer in added])
            if dense is None or not isinstance(dense, ast.Call):
                continue
            statement = next(each for each, layer in added if layer is dense)
            name, more = _flatten(text, dense)
            if name and text.begins_line(statement):
                line = f"{model}.add({name}())\n{text.indentation(statement)}"
                yield dense, (text.inserted(text.start(statement), line), *more)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body


def _first_dense(layers: Sequence[ast.expr]) -> ast.expr | None:
    """The first dense layer, None if something before it flattens already or if it is the first of all."""
    for place, layer in enumerate(layers):
        name = last_name(layer)
        if any(name.startswith(each) for each in _FLATTENING):
            return None
        if name in _DENSE:
            shaped = isinstance(layer, ast.Call) and any(each.arg == "input_shape" for each in layer.keywords)
            return layer if place or shaped else None
    return None


def _flatten(text: Text, dense: ast.Call) -> tuple[str, tuple[Edit, ...]]:
    """The name of the layer that flattens, in the words in which the file names the dense one, and its import."""
    if isinstance(dense.func, ast.Attribute):
        return f"{text.of(dense.func.value)}.Flatten", ()
    if not isinstance(dense.func, ast.Name):
        return "", ()
    for node in ast.walk(text.tree):
        if isinstance(node, ast.ImportFrom):
            names = {each.asname or each.name for each in node.names}
            if "Flatten" in names:
                return "Flatten", ()
            if dense.func.id in names:
                return "Flatten", (text.inserted(text.end(node.names[-1]), ", Flatten"),)
    return "", ()
