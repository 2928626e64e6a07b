"""mlvet vets machine-learning programs from source to output."""

from __future__ import annotations

TYPE_CHECKING = False
"""Known to type checkers by its name; importing `typing` would cost a quarter of the start-up time."""

if TYPE_CHECKING:
    from mlvet.api import check, from_jax, from_keras, from_onnx, from_tensorflow, from_torch
    from mlvet.core.errors import UnsupportedInput, UsageError
    from mlvet.core.finding import Finding
    from mlvet.ir.graph import Graph

__version__ = "0.1.0"

__all__ = [
    "Finding",
    "Graph",
    "UnsupportedInput",
    "UsageError",
    "check",
    "from_jax",
    "from_keras",
    "from_onnx",
    "from_tensorflow",
    "from_torch",
]

_HOMES = {
    "Finding": "mlvet.core.finding",
    "Graph": "mlvet.ir.graph",
    "UnsupportedInput": "mlvet.core.errors",
    "UsageError": "mlvet.core.errors",
}


def __getattr__(name: str) -> object:
    """Public names are loaded when they are first used, so that the command line starts at once."""
    if name not in __all__:
        raise AttributeError(f"module 'mlvet' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "mlvet.api")), name)
