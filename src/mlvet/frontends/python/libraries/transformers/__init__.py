"""transformers: tokenizers, configurations, pretrained models and their training."""

from __future__ import annotations

from mlvet.frontends.python.libraries.transformers import collators as collators
from mlvet.frontends.python.libraries.transformers import configurations as configurations
from mlvet.frontends.python.libraries.transformers import effects as effects
from mlvet.frontends.python.libraries.transformers import heads as heads
from mlvet.frontends.python.libraries.transformers import keras_models as keras_models
from mlvet.frontends.python.libraries.transformers import models as models
from mlvet.frontends.python.libraries.transformers import pipelines as pipelines
from mlvet.frontends.python.libraries.transformers import processors as processors
from mlvet.frontends.python.libraries.transformers import records as records
from mlvet.frontends.python.libraries.transformers import tokenizers as tokenizers
from mlvet.frontends.python.libraries.transformers import training as training
