"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import contraction as contraction
from mlvet.ops import convolution as convolution
from mlvet.ops import einsum as einsum
from mlvet.ops import linear_algebra as linear_algebra
from mlvet.ops import pointwise as pointwise
from mlvet.ops import transposed_convolution as transposed_convolution
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
