"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import activations as activations
from mlvet.ops import arithmetic as arithmetic
from mlvet.ops import casting as casting
from mlvet.ops import classification_loss as classification_loss
from mlvet.ops import comparison as comparison
from mlvet.ops import complex_numbers as complex_numbers
from mlvet.ops import cumulative as cumulative
from mlvet.ops import layer_normalisation as layer_normalisation
from mlvet.ops import normalisation as normalisation
from mlvet.ops import pointwise as pointwise
from mlvet.ops import random as random
from mlvet.ops import reduction as reduction
from mlvet.ops import regression_loss as regression_loss
from mlvet.ops import rounding as rounding
from mlvet.ops import softmax as softmax
from mlvet.ops import special as special
from mlvet.ops import trigonometry as trigonometry
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
