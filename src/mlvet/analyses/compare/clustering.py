"""Errors of one cause together, so that a person looks at one entry for each defect."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mlvet.analyses.compare.local_errors import LocalError

_SIZES = ("filters", "units", "input_dim", "output_dim")


def clusters(errors: Sequence[LocalError]) -> list[list[LocalError]]:
    """Errors of one cause together: backend, operator, configuration and sign. Sizes of layers are no cause."""
    groups: dict[tuple[str, ...], list[LocalError]] = {}
    for error in errors:
        config = {key: value for key, value in error.layer.config.items() if key not in _SIZES}
        key = (error.backend, error.layer.kind, json.dumps(config, sort_keys=True, default=str), error.sign)
        groups.setdefault(key, []).append(error)
    return list(groups.values())
