"""What makes a small model show a defect: a layer of it is wrong on a backend, or what a converter makes of it is."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.analyses.compare.conversion import Converted
from mlvet.analyses.compare.reproduction.reduction import Shown, evidence
from mlvet.analyses.compare.search.laboratory import Laboratory, Specimen
from mlvet.analyses.compare.suspects import FLOOR, apart

Judged = Callable[[Specimen], Shown | None]
_ROUNDINGS = 2.0**24
"""So many roundings of single precision are as much as the number itself."""


def by_layers(lab: Laboratory, wrong: str, right: str) -> Judged:
    """Whether one backend is wrong or fails in a layer of a model, and the other is right."""

    def judged(specimen: Specimen) -> Shown | None:
        walk = lab.examine(specimen, (wrong, right)).walk
        found = (evidence(walk, layer, wrong, right) for layer in walk.seen)
        return next((shown for shown in found if shown is not None), None)

    return judged


def by_converter(lab: Laboratory, one: Converted) -> Judged:
    """Whether what a converter makes of a model leaves what is right, and the library that has the model is right."""

    def judged(specimen: Specimen) -> Shown | None:
        made = lab.converted(specimen, one)
        if made is None or apart(made.source, made.exact) > FLOOR:
            return None
        share = apart(made.own, made.exact)
        return Shown(share * _ROUNDINGS, tuple(made.own), tuple(made.exact)) if share > FLOOR else None

    return judged
