"""Which abstractions of tensors and of numbers the analysis uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class TensorAbstraction(Enum):
    """How many numbers stand for the elements of a tensor: one per partition, one per tensor, one per element."""

    PARTITIONING = "partitioning"
    SMASHING = "smashing"
    EXPANSION = "expansion"


class NumericAbstraction(Enum):
    """What is known of those numbers: intervals and the affine equalities between them, or intervals alone."""

    AFFINE = "affine"
    INTERVALS = "intervals"


@dataclass(frozen=True, slots=True)
class Settings:
    """One of the six combinations; the default is the most precise that is cheap."""

    tensor: TensorAbstraction = TensorAbstraction.PARTITIONING
    numeric: NumericAbstraction = NumericAbstraction.AFFINE
