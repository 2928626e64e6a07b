"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

REFERENCE = "numpy reference"
FLUSHED = "numpy reference, subnormal operands flushed to zero as many backends do"


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """An execution in which a hazard happened.

    `inputs` has the graph's inputs and the parameters without stored elements by name; `value` is the name of the value
    that is NaN or infinite, or out of range; `operand` is an operand element that did it, None if the result as a whole
    did; `outcome` is "NaN", "inf", "-inf", "gradient NaN", "gradient inf", or for integers "out of range" or "division
    by zero"; `tries` is how many executions the search took up to this one.
    """

    inputs: dict[str, NDArray[Any]]
    value: str
    operand: float | None
    outcome: str
    executed_with: str
    tries: int
