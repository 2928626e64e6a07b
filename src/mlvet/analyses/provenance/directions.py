"""The direction in which inputs are moved to check derivatives, and what outputs should change by along it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from mlvet.analyses.provenance.influence import Influences, scales
from mlvet.analyses.provenance.measuring import MOST, Ground
from mlvet.analyses.provenance.outputs import Output
from mlvet.analyses.provenance.probing import Probe
from mlvet.runtime.provenance.inputs import Inputs

_MOVED = 1000
"""So many inputs are moved, drawn at random where there are more."""
_SEED = 9
_LEAST = 0.5
"""The least part of its magnitude by which an input moves, of the most."""


def probe(found: Sequence[Output], rows: Sequence[Influences], inputs: Inputs) -> Probe:
    """A random direction; an input that is 0 stays, as it may be there to switch something off.

    Inputs move by unequal parts of themselves: a product of two stands still if they move alike, up and down.
    """
    chance = random.Random(_SEED)
    sizes = scales(inputs.all_values(), inputs)
    movable = np.flatnonzero(np.isfinite(inputs.all_values()) & (inputs.all_values() != 0)).tolist()
    chosen = sorted(chance.sample(movable, min(_MOVED, len(movable))))
    parts = [chance.choice((-1.0, 1.0)) * chance.uniform(_LEAST, 1.0) for _ in chosen]
    changes = np.array(parts) * sizes[chosen]
    direction = {inputs.name(index): float(change) for index, change in zip(chosen, changes, strict=True)}
    slopes = {
        output.name: float(row.derivatives[chosen] @ changes)
        for output, row in zip(found, rows, strict=True)
        if row.visible
    }
    return Probe(direction, {name: slope for name, slope in slopes.items() if math.isfinite(slope)})


def ground(found: Sequence[Output], rows: Sequence[Influences], inputs: Inputs) -> Ground:
    """What measuring starts from; nothing where there are more inputs than are moved one by one."""
    if inputs.count > MOST:
        return Ground()
    values = inputs.all_values()
    sizes = scales(values, inputs)
    names = [inputs.name(index) for index in range(inputs.count)]
    return Ground(
        {name: (float(value), float(size)) for name, value, size in zip(names, values, sizes, strict=True)},
        {
            output.name: dict(zip(names, row.derivatives.tolist(), strict=True))
            for output, row in zip(found, rows, strict=True)
        },
    )
