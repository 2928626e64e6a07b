"""All rules, found by looking into the `rules` folder of every analysis."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from mlvet.core.errors import InternalError
from mlvet.core.rule import Catalogue, Rule


@cache
def catalogue() -> Catalogue:
    """Rules by name, in the order of their codes."""
    found: Catalogue = {}
    for file in Path(__file__).parent.glob("*/rules/*.py"):
        if file.stem == "__init__":
            continue
        module = import_module(f"mlvet.analyses.{file.parent.parent.name}.rules.{file.stem}")
        rules = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__
        ]
        if len(rules) != 1:
            raise InternalError(f"{file.name} holds {len(rules)} rules, not one")
        found[rules[0].name] = rules[0]
    return dict(sorted(found.items(), key=lambda item: item[1].code))
