"""TF-Slim, which was tf.contrib.slim: layers as functions, with defaults from scopes."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.tensorflow.slim import layers as layers
from mlvet.frontends.python.libraries.tensorflow.slim import scopes as scopes
from mlvet.frontends.python.libraries.tensorflow.slim import variables as variables

for _name in (
    "tensorflow.contrib.slim", "tensorflow.contrib.layers", "tensorflow.contrib.framework", "tf_slim.layers",
    "tf_slim.ops", "tf_slim.ops.arg_scope", "tensorflow.contrib.framework.python.ops", "tf_slim.layers.layers",
    "tf_slim.ops.variables", "tf_slim.regularizers", "tf_slim.initializers",
):  # fmt: skip
    alias(_name, "tf_slim")
alias("tf_slim.losses", "tensorflow.compat.v1.losses")
alias("tf_slim.metrics", "tensorflow.compat.v1.metrics")
