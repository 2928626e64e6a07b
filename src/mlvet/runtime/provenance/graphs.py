"""networkx' own array code: its PageRank turns the result into floats, which keep their places here."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.plain_numpy import np

_replaced: list[tuple[Any, Any]] = []
_MODULES = ("networkx.algorithms.link_analysis.pagerank_alg", "networkx.algorithms.link_analysis.hits_alg")


class _FloatKind(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, float)

    def __call__(cls, value: Any = 0.0) -> Any:
        from mlvet.runtime.provenance.arrays import as_float

        return as_float(value)


class KeepingFloat(float, metaclass=_FloatKind):
    """`float` for a module that converts traced numbers; to NumPy it is the type of its floats."""

    dtype = np.dtype(np.float64)


def install(module: ModuleType) -> None:
    del module
    import importlib

    for path in _MODULES:
        found: Any = importlib.import_module(path)
        _replaced.append((found, vars(found).get("float")))
        found.float = KeepingFloat


def uninstall() -> None:
    while _replaced:
        found, before = _replaced.pop()
        if before is None:
            delattr(found, "float")
        else:
            found.float = before
