"""einops: rearrangements of tensors of any library, written as patterns."""

from __future__ import annotations

from mlvet.frontends.python.libraries.einops import layers as layers
from mlvet.frontends.python.libraries.einops import packing as packing
from mlvet.frontends.python.libraries.einops import rearranging as rearranging
