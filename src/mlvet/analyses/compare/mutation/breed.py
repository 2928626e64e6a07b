"""What mutants are, whatever kind of model they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.search.architecture import Architecture
from mlvet.analyses.compare.search.laboratory import Specimen

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A model that was changed, how, and which layer of the user's model each of its layers comes from."""

    model: Any
    inputs: Mapping[str, Array]
    steps: tuple[str, ...] = ()
    parents: Mapping[str, str] | None = None

    def parent_of(self, layer: str) -> str:
        return (self.parents or {}).get(layer, layer)


@dataclass(frozen=True, slots=True)
class Bred:
    """A mutant that makes sense, in a file. `changes` tells of some layers how they were made."""

    specimen: Specimen
    mutant: Mutant
    origin: Architecture | None
    changes: Mapping[str, str]


class Breed(Protocol):
    """Makes variants and mutants of one model."""

    operators: Sequence[str]

    def first(self) -> Mutant:
        """The user's model itself."""
        ...

    def layers(self) -> Sequence[str]:
        """One layer of each kind that can be varied."""
        ...

    def variants(self, layer: str, count: int, random: np.random.Generator) -> Bred | None:
        """A model with variants of a layer side by side; None if no variant makes sense."""
        ...

    def child(self, parent: Mutant, operator: str, random: np.random.Generator) -> Bred | None:
        """A mutant of a mutant; None if it makes no sense."""
        ...

    def alone(self, bred: Bred, layer: str) -> Architecture | Path:
        """What a layer is cut out of."""
        ...
