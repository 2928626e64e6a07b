"""KerasHub, and KerasCV and KerasNLP, which it replaced."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras_hub import diffusion as diffusion
from mlvet.frontends.python.libraries.keras_hub import images as images
from mlvet.frontends.python.libraries.keras_hub import layers as layers
from mlvet.frontends.python.libraries.keras_hub import models as models
from mlvet.frontends.python.libraries.keras_hub import texts as texts
