"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import pointwise as pointwise
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
