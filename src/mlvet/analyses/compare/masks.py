"""Masks that layers hand on: what a backend does wrong there is felt by later layers alone, so it is judged apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.runs import Files
from mlvet.analyses.compare.states import mask_of


def other_masks(exact: Files, results: Mapping[str, Files], errors: Sequence[LocalError]) -> list[LocalError]:
    """The errors of a layer, with those of backends that are right but hand on another mask than the oracle.

    Where several backends have been asked and none has the mask of the oracle, nobody is blamed.
    """
    apart = {error.backend: _apart(exact, results[error.backend]) for error in errors if error.backend in results}
    if len(apart) > 1 and all(apart.values()):
        return list(errors)
    return [
        error if error.wrong or not apart.get(error.backend)
        else replace(error, rms=1.0, greatest=1.0, bias=0.0, wrong_mask=True)
        for error in errors
    ]  # fmt: skip


def _apart(exact: Files, own: Files) -> bool:
    return any(value in own and not _alike(_mask(exact, value), _mask(own, value)) for value in exact)


def _mask(files: Files, value: str) -> NDArray[np.bool_] | None:
    path = mask_of(files[value])
    return np.load(path).astype(bool) if path.exists() else None


def _alike(one: NDArray[np.bool_] | None, other: NDArray[np.bool_] | None) -> bool:
    """Where there is no mask everything counts."""
    if one is None or other is None:
        held = one if other is None else other
        return held is None or bool(held.all())
    return one.shape == other.shape and bool((one == other).all())
