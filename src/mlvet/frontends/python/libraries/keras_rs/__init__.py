"""keras_rs: layers and losses of recommenders."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras_rs import layers as layers
from mlvet.frontends.python.libraries.keras_rs import losses as losses
