"""pytorch_lightning: the trainer calls the steps of the program's module with batches of its loaders."""

from __future__ import annotations

from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.lightning import modules as modules
from mlvet.frontends.python.libraries.lightning import trainer as trainer
from mlvet.frontends.python.libraries.registry import alias

alias("lightning.pytorch", "pytorch_lightning")
alias("lightning", "pytorch_lightning")
