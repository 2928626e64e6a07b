"""How a rule says that it does not take what it is given: the caller then knows nothing of the results."""

from __future__ import annotations

from mlvet.domains.tensors import UnknownRank, UnknownValue
from mlvet.ops.folding import REFUSALS


class NoRule(Exception):
    """The operator, or this use of it, has no transfer: its results can be anything."""


REFUSED = (*REFUSALS, UnknownRank, UnknownValue, AssertionError, NotImplementedError, MemoryError)
"""What references and rules raise on arguments that they cannot take; anything else is a defect of ours."""
