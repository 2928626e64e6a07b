"""keras.ops, by families."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras.ops import control as control
from mlvet.frontends.python.libraries.keras.ops import creation as creation
from mlvet.frontends.python.libraries.keras.ops import linear as linear
from mlvet.frontends.python.libraries.keras.ops import nn as nn
from mlvet.frontends.python.libraries.keras.ops import pointwise as pointwise
from mlvet.frontends.python.libraries.keras.ops import reductions as reductions
from mlvet.frontends.python.libraries.keras.ops import shaping as shaping
from mlvet.frontends.python.libraries.keras.ops import signal as signal
