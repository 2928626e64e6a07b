"""Errors of one cause together, so that a person looks at one entry for each defect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from mlvet.analyses.compare.local_errors import LocalError

_SIZES = ("filters", "units", "input_dim", "output_dim", "hidden_size")


def clusters(errors: Sequence[LocalError]) -> list[list[LocalError]]:
    """Errors of one cause together: backend, operator, configuration and sign. Sizes of layers are no cause."""
    groups: dict[tuple[str, ...], list[LocalError]] = {}
    for error in errors:
        config = {key: value for key, value in error.layer.config.items() if key not in _SIZES}
        key = (error.backend, error.layer.kind, json.dumps(config, sort_keys=True, default=str))
        groups.setdefault(key, []).append(error)
    return [cluster for group in groups.values() for cluster in _by_sign(group)]


def _by_sign(errors: list[LocalError]) -> Iterator[list[LocalError]]:
    """Errors too large apart from those too small; those that are both, or without end, go with the first."""
    signs = [error.sign if np.isfinite(error.rms) else "both" for error in errors]
    first, *others = [sign for sign in dict.fromkeys(signs) if sign != "both"] or ["both"]
    yield [error for error, sign in zip(errors, signs, strict=True) if sign in (first, "both")]
    for other in others:
        yield [error for error, sign in zip(errors, signs, strict=True) if sign == other]
