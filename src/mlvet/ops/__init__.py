"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import attention as attention
from mlvet.ops import contraction as contraction
from mlvet.ops import convolution as convolution
from mlvet.ops import deformable_convolution as deformable_convolution
from mlvet.ops import einsum as einsum
from mlvet.ops import features as features
from mlvet.ops import linear_algebra as linear_algebra
from mlvet.ops import optimizer as optimizer
from mlvet.ops import pointwise as pointwise
from mlvet.ops import pooling as pooling
from mlvet.ops import quantisation as quantisation
from mlvet.ops import quantised_products as quantised_products
from mlvet.ops import recurrent as recurrent
from mlvet.ops import recurrent_cells as recurrent_cells
from mlvet.ops import sequence_mixing as sequence_mixing
from mlvet.ops import signal as signal
from mlvet.ops import signal_weights as signal_weights
from mlvet.ops import transposed_convolution as transposed_convolution
from mlvet.ops import trees as trees
from mlvet.ops import whole_pooling as whole_pooling
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
