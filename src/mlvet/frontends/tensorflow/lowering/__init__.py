"""TensorFlow's operators in canonical form, one table per family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mlvet.frontends.tensorflow.site import Lowering

COPIES = frozenset({"Identity", "StopGradient", "PreventGradient", "Snapshot", "PlaceholderWithDefault"})
"""Operators whose first result is their first operand."""


@cache
def table() -> Mapping[str, Lowering]:
    """Every operator that has a canonical form, by TensorFlow's name."""
    from mlvet.frontends.tensorflow.lowering import (
        convolution,
        creation,
        gradients,
        indexing,
        layout,
        linear,
        lists,
        losses,
        pointwise,
        random,
        reduction,
        signal,
        state,
    )

    families = (
        pointwise, reduction, linear, convolution, layout, indexing, creation, random, losses, gradients,
        lists, signal, state,
    )  # fmt: skip
    return {name: rule for family in families for name, rule in family.TABLE.items()}
