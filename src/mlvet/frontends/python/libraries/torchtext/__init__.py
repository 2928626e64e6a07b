"""torchtext: tokens, vocabularies and data sets of text."""

from __future__ import annotations

from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.torchtext import batches as batches
from mlvet.frontends.python.libraries.torchtext import vocabulary as vocabulary

alias("torchtext.legacy", "torchtext")
