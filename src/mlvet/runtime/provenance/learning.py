"""scikit-learn in a replay: it computes in compiled code, so the chain breaks where it takes traced numbers."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import has_places
from mlvet.runtime.provenance.breaks import broken

_CHECKS = ("check_array", "check_X_y")
_replaced: list[tuple[ModuleType, str, Any]] = []


def install(module: ModuleType) -> None:
    """Every estimator and function looks at its data by these; traced data is told."""
    for name in _CHECKS:
        real = getattr(module, name, None)
        if real is not None:
            _replaced.append((module, name, real))
            setattr(module, name, _telling(real))


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())


def _telling(real: Any) -> Any:
    @functools.wraps(real)
    def check(*given: Any, **named: Any) -> Any:
        if any(has_places(getattr(each, "data", each)) or has_places(each) for each in given[:2]):
            broken("scikit-learn")
        return real(*given, **named)

    return check
