"""What optimisers keep for each parameter, the same in all libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = {"SGD": 0, "ASGD": 1, "RMSprop": 1, "Adagrad": 1, "Adafactor": 0, "Lion": 1}
"""How many numbers optimisers keep for each parameter by default; the others keep two."""
_MORE = ("momentum", "centered", "amsgrad")
"""Settings that make it one more each."""


def facts_of(name: str, settings: Mapping[Any, Any]) -> tuple[str, ...]:
    """The name of an optimiser and how many numbers it keeps for each parameter, as facts of an event."""
    history = settings.get("history_size")
    if isinstance(history, int):
        return (f"named {name}", f"keeps {2 * history}")
    switched = [settings.get(each) for each in _MORE]
    more = sum(isinstance(each, bool | int | float) and each != 0 for each in switched)
    return (f"named {name}", f"keeps {_KEPT.get(name, 2) + more}")
