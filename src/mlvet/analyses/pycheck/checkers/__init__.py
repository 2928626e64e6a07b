"""One adapter per checker: how to call it, how to read its answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mlvet.core.errors import UsageError
from mlvet.core.rule import did_you_mean

if TYPE_CHECKING:
    from mlvet.analyses.pycheck.checker import Checker

NAMES = ("ruff", "pyrefly", "mypy", "pyright", "pylint", "pyflakes", "ty", "pytype")


def checker(name: str) -> Checker:
    """The adapter of that name."""
    if name not in NAMES:
        raise UsageError(f"unknown checker `{name}`{did_you_mean(name, list(NAMES))} (known: {', '.join(NAMES)})")
    adapter: Checker = import_module(f"{__name__}.{name}").CHECKER
    return adapter
