"""keras.layers, by families."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras.layers import convolution as convolution
from mlvet.frontends.python.libraries.keras.layers import dense as dense
