"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import activations as activations
from mlvet.ops import arithmetic as arithmetic
from mlvet.ops import attention as attention
from mlvet.ops import casting as casting
from mlvet.ops import classification_loss as classification_loss
from mlvet.ops import comparison as comparison
from mlvet.ops import complex_numbers as complex_numbers
from mlvet.ops import contraction as contraction
from mlvet.ops import control as control
from mlvet.ops import convolution as convolution
from mlvet.ops import creation as creation
from mlvet.ops import cropping as cropping
from mlvet.ops import cumulative as cumulative
from mlvet.ops import deformable_convolution as deformable_convolution
from mlvet.ops import einsum as einsum
from mlvet.ops import features as features
from mlvet.ops import gamma as gamma
from mlvet.ops import gradients as gradients
from mlvet.ops import host as host
from mlvet.ops import image as image
from mlvet.ops import indexing as indexing
from mlvet.ops import joining as joining
from mlvet.ops import layer_normalisation as layer_normalisation
from mlvet.ops import linear_algebra as linear_algebra
from mlvet.ops import normalisation as normalisation
from mlvet.ops import optimizer as optimizer
from mlvet.ops import ordering as ordering
from mlvet.ops import padding as padding
from mlvet.ops import patches as patches
from mlvet.ops import pointwise as pointwise
from mlvet.ops import pooling as pooling
from mlvet.ops import quantisation as quantisation
from mlvet.ops import quantised_products as quantised_products
from mlvet.ops import random as random
from mlvet.ops import rearranging as rearranging
from mlvet.ops import recurrent as recurrent
from mlvet.ops import recurrent_cells as recurrent_cells
from mlvet.ops import reduction as reduction
from mlvet.ops import regions_of_interest as regions_of_interest
from mlvet.ops import regression_loss as regression_loss
from mlvet.ops import reshaping as reshaping
from mlvet.ops import rounding as rounding
from mlvet.ops import sampling as sampling
from mlvet.ops import scatter as scatter
from mlvet.ops import sequence as sequence
from mlvet.ops import sequence_mixing as sequence_mixing
from mlvet.ops import shape_arithmetic as shape_arithmetic
from mlvet.ops import signal as signal
from mlvet.ops import signal_weights as signal_weights
from mlvet.ops import slicing as slicing
from mlvet.ops import softmax as softmax
from mlvet.ops import special as special
from mlvet.ops import state as state
from mlvet.ops import stores as stores
from mlvet.ops import tensor_products as tensor_products
from mlvet.ops import text as text
from mlvet.ops import transposed_convolution as transposed_convolution
from mlvet.ops import trees as trees
from mlvet.ops import trigonometry as trigonometry
from mlvet.ops import vector_norm as vector_norm
from mlvet.ops import whole_pooling as whole_pooling
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
