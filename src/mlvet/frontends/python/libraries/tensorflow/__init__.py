"""TensorFlow: its eager functions, its data sets, and the graphs and sessions of its first version."""

from __future__ import annotations

from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import settings as settings
from mlvet.frontends.python.libraries.registry import alias
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
from mlvet.frontends.python.libraries.tensorflow.v1 import training as training
from mlvet.frontends.python.libraries.tensorflow.v1 import variables as variables

alias("tensorflow.compat.v1", "tensorflow")
alias("tensorflow.compat.v2", "tensorflow")
alias("tensorflow", "tensorflow.compat.v1")
alias("tensorflow.keras", "keras")
for _part in ("losses", "metrics", "optimizers", "initializers"):
    alias(f"tensorflow.{_part}", f"keras.{_part}")
alias("tensorflow.compat.v1.flags", "absl.flags")
alias("tensorflow.compat.v1.app", "absl.app")
alias("tensorflow.compat.v1.app.flags", "absl.flags")
alias("tensorflow.compat.v1.python_io", "tensorflow.io")
