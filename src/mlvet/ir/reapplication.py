"""Nodes applied once more to operands of other shapes: a functional model called again, a graph that is fed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mlvet.domains.dims import Dim, Expr, substitute, symbols
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.graph import OPAQUE, Node
from mlvet.ops import REGISTRY
from mlvet.ops.folding import REFUSALS, folded
from mlvet.ops.require import Require
from mlvet.ops.unranked import inferred


def learned(pairs: Iterable[tuple[Tensor, Tensor]]) -> dict[str, Dim]:
    """What the symbols of shapes are when each shape becomes the one beside it."""
    sizes: dict[str, Dim] = {}
    for old, new in pairs:
        before, after = old.shape, new.shape
        if isinstance(before, Unranked) or isinstance(after, Unranked) or len(before) != len(after):
            continue
        for dim, actual in zip(before, after, strict=True):
            if isinstance(dim, Expr) and len(found := symbols(dim)) == 1:
                only = next(iter(found))
                if str(dim) == only.name:
                    sizes.setdefault(only.name, actual)
    return sizes


def applied_again(
    node: Node, operands: Sequence[Tensor | None], sizes: Mapping[str, Dim], require: Require
) -> list[Tensor]:
    """What a node yields on other operands, where symbols have become these sizes; `require` gets what it demands."""
    attributes = substituted(node, sizes)
    rule = REGISTRY.get(node.op)
    results: list[Tensor] = []
    if rule is not None and rule.infer is not None and node.op != OPAQUE:
        try:
            made = inferred(rule, operands, attributes, require)
            results = list(made if require.violated else folded(rule, operands, attributes, made))
        except REFUSALS:
            results = []
    return [
        results[place] if place < len(results) else resized(old.declared, sizes)
        for place, old in enumerate(node.outputs)
    ]


def resized(tensor: Tensor, sizes: Mapping[str, Dim]) -> Tensor:
    """A tensor whose symbols have become these sizes."""
    if isinstance(tensor.shape, Unranked):
        ends = tuple(substitute(dim, sizes) for dim in tensor.shape.ends)
        return Tensor(tensor.dtype, Unranked(tensor.shape.name, ends))
    return Tensor(tensor.dtype, tuple(substitute(dim, sizes) for dim in tensor.shape))


def substituted(node: Node, sizes: Mapping[str, Dim]) -> dict[str, Any]:
    """The attributes of a node where symbols have become these sizes."""
    return {name: _substituted(value, sizes) for name, value in node.attributes.items()}


def _substituted(value: Any, sizes: Mapping[str, Dim]) -> Any:
    if isinstance(value, Expr):
        return substitute(value, sizes)
    return tuple(_substituted(each, sizes) for each in value) if isinstance(value, tuple) else value
