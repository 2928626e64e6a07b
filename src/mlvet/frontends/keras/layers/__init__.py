"""How each Keras layer and function is said in operators, by families; the tables are filled at import."""

from __future__ import annotations

from mlvet.frontends.keras.layers import activations as activations
from mlvet.frontends.keras.layers import attention as attention
from mlvet.frontends.keras.layers import convolution as convolution
from mlvet.frontends.keras.layers import dense as dense
from mlvet.frontends.keras.layers import functions as functions
from mlvet.frontends.keras.layers import merging as merging
from mlvet.frontends.keras.layers import normalization as normalization
from mlvet.frontends.keras.layers import pooling as pooling
from mlvet.frontends.keras.layers import preprocessing as preprocessing
from mlvet.frontends.keras.layers import recurrent as recurrent
from mlvet.frontends.keras.layers import reshaping as reshaping
from mlvet.frontends.keras.layers import wrappers as wrappers
from mlvet.frontends.keras.layers.tables import LAYERS, OPERATIONS
from mlvet.frontends.keras.layers.tf_functions import lower_tf_function

__all__ = ["LAYERS", "OPERATIONS", "lower_tf_function"]
