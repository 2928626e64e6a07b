"""TensorFlow: its eager functions, its data sets, and the graphs and sessions of its first version."""

from __future__ import annotations

from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import settings as settings
from mlvet.frontends.python.libraries.registry import alias, earlier
from mlvet.frontends.python.libraries.tensorflow import control as control
from mlvet.frontends.python.libraries.tensorflow import convolution as convolution
from mlvet.frontends.python.libraries.tensorflow import creation as creation
from mlvet.frontends.python.libraries.tensorflow import environment as environment
from mlvet.frontends.python.libraries.tensorflow import files as files
from mlvet.frontends.python.libraries.tensorflow import gradients as gradients
from mlvet.frontends.python.libraries.tensorflow import images as images
from mlvet.frontends.python.libraries.tensorflow import layout as layout
from mlvet.frontends.python.libraries.tensorflow import linear as linear
from mlvet.frontends.python.libraries.tensorflow import losses as losses
from mlvet.frontends.python.libraries.tensorflow import pointwise as pointwise
from mlvet.frontends.python.libraries.tensorflow import ragged as ragged
from mlvet.frontends.python.libraries.tensorflow import reductions as reductions
from mlvet.frontends.python.libraries.tensorflow import selection as selection
from mlvet.frontends.python.libraries.tensorflow import signal as signal
from mlvet.frontends.python.libraries.tensorflow import strings as strings
from mlvet.frontends.python.libraries.tensorflow import structures as structures
from mlvet.frontends.python.libraries.tensorflow import tensor as tensor
from mlvet.frontends.python.libraries.tensorflow.data import dataset as dataset
from mlvet.frontends.python.libraries.tensorflow.data import sources as sources
from mlvet.frontends.python.libraries.tensorflow.slim import scopes as scopes
from mlvet.frontends.python.libraries.tensorflow.v1 import layers as layers
from mlvet.frontends.python.libraries.tensorflow.v1 import mnist as mnist
from mlvet.frontends.python.libraries.tensorflow.v1 import queues as queues
from mlvet.frontends.python.libraries.tensorflow.v1 import recurrent as recurrent
from mlvet.frontends.python.libraries.tensorflow.v1 import sessions as sessions
from mlvet.frontends.python.libraries.tensorflow.v1 import testing as testing
from mlvet.frontends.python.libraries.tensorflow.v1 import training as training
from mlvet.frontends.python.libraries.tensorflow.v1 import variables as variables

alias("tensorflow.compat.v1", "tensorflow")
alias("tensorflow.compat.v2", "tensorflow")
alias("tensorflow", "tensorflow.compat.v1")
earlier(
    "tensorflow", "tensorflow.compat.v1",
    """placeholder placeholder_with_default Session InteractiveSession ConfigProto GPUOptions contrib get_variable
    variable_scope get_variable_scope app flags gfile layers logging python_io GraphKeys AUTO_REUSE GraphDef
    global_variables_initializer local_variables_initializer trainable_variables global_variables get_collection
    add_to_collection get_default_graph reset_default_graph random_uniform random_normal truncated_normal to_float
    to_int32 to_int64 log is_nan div assign assign_add read_file matrix_inverse parse_single_example FixedLenFeature
    VarLenFeature sparse_tensor_to_dense sparse_to_dense decode_raw set_random_seed string_to_number""",
)  # fmt: skip
alias("tensorflow.keras", "keras")
for _part in ("losses", "metrics", "optimizers", "initializers"):
    alias(f"tensorflow.{_part}", f"keras.{_part}")
alias("tensorflow.compat.v1.flags", "absl.flags")
alias("tensorflow.compat.v1.app", "absl.app")
alias("tensorflow.compat.v1.app.flags", "absl.flags")
alias("tensorflow.compat.v1.python_io", "tensorflow.io")
