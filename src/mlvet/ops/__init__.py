"""The meaning of operators: one `Op` value per canonical operator, in family files."""

from __future__ import annotations

from mlvet.ops import control as control
from mlvet.ops import creation as creation
from mlvet.ops import cropping as cropping
from mlvet.ops import host as host
from mlvet.ops import image as image
from mlvet.ops import indexing as indexing
from mlvet.ops import joining as joining
from mlvet.ops import ordering as ordering
from mlvet.ops import padding as padding
from mlvet.ops import patches as patches
from mlvet.ops import pointwise as pointwise
from mlvet.ops import rearranging as rearranging
from mlvet.ops import regions_of_interest as regions_of_interest
from mlvet.ops import reshaping as reshaping
from mlvet.ops import sampling as sampling
from mlvet.ops import scatter as scatter
from mlvet.ops import sequence as sequence
from mlvet.ops import slicing as slicing
from mlvet.ops import state as state
from mlvet.ops import text as text
from mlvet.ops.op import FACETS, REGISTRY, Effects, Op

__all__ = ["FACETS", "REGISTRY", "Effects", "Op"]
