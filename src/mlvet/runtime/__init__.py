"""The only code that executes models and programs: the operators' references, the backends of others, provenance."""

from __future__ import annotations

TYPE_CHECKING = False
"""Known to type checkers by its name; `typing` is not loaded before a traced program is."""

if TYPE_CHECKING:
    from mlvet.runtime.reference import NoReference, evaluate

__all__ = ["NoReference", "evaluate"]


def __getattr__(name: str) -> object:
    """The references come with NumPy, which a traced program must not find loaded."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mlvet.runtime import reference

    return getattr(reference, name)
