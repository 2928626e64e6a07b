"""keras.layers, by families."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras.layers import attention as attention
from mlvet.frontends.python.libraries.keras.layers import cells as cells
from mlvet.frontends.python.libraries.keras.layers import convolution as convolution
from mlvet.frontends.python.libraries.keras.layers import core as core
from mlvet.frontends.python.libraries.keras.layers import dense as dense
from mlvet.frontends.python.libraries.keras.layers import images as images
from mlvet.frontends.python.libraries.keras.layers import lookups as lookups
from mlvet.frontends.python.libraries.keras.layers import merging as merging
from mlvet.frontends.python.libraries.keras.layers import normalization as normalization
from mlvet.frontends.python.libraries.keras.layers import pooling as pooling
from mlvet.frontends.python.libraries.keras.layers import recurrent as recurrent
from mlvet.frontends.python.libraries.keras.layers import reshaping as reshaping
from mlvet.frontends.python.libraries.keras.layers import scaling as scaling
from mlvet.frontends.python.libraries.keras.layers import wrappers as wrappers
