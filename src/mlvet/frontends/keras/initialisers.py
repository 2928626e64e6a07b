"""How variables get their first elements, from the configuration of the layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlvet.frontends.keras.stored import snake_case
from mlvet.ir.graph import Initialiser


def initialiser(raw: Any) -> Initialiser | None:
    """An initialiser given by name or serialised, with those of its options that are numbers."""
    if isinstance(raw, str):
        return Initialiser(snake_case(raw))
    if not isinstance(raw, Mapping) or not isinstance(raw.get("class_name"), str):
        return None
    config = raw.get("config")
    options = config if isinstance(config, Mapping) else {}
    figures = tuple(
        (str(key), float(value))
        for key, value in options.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key != "seed"
    )
    words = [str(options[key]) for key in ("mode", "distribution") if isinstance(options.get(key), str)]
    return Initialiser("_".join([snake_case(raw["class_name"]), *words]), figures)
