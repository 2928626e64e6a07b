"""What a user can ask of the numerics engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlvet.analyses.numerics.assumptions.ranges import Given
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction
from mlvet.core.grade import Certainty

if TYPE_CHECKING:
    from mlvet.core.config import Config

WITNESS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class NumericsRequest:
    """The given ranges, the abstractions, and how long each model is searched for witnesses; 0 means not at all.

    `thorough` asks for every operator that could not be shown safe.
    """

    given: Given = field(default_factory=Given)
    settings: Settings = field(default_factory=Settings)
    witness_seconds: float = WITNESS_SECONDS
    thorough: bool = False


def request_of(config: Config) -> NumericsRequest:
    """The request that a configuration makes. Raises UsageError if its data file cannot be used."""
    from mlvet.analyses.numerics.assumptions.samples import measured

    data = measured(config.data) if config.data is not None else {}
    settings = Settings(TensorAbstraction(config.tensor_abstraction), NumericAbstraction(config.numeric_abstraction))
    thorough = config.min_certainty is Certainty.POSSIBLE
    return NumericsRequest(Given(dict(config.ranges), data), settings, config.witness_seconds, thorough)
