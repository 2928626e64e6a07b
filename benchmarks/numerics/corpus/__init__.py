"""Pairs of models, one with a numerical bug and one without, and models that only look unsafe.

`python -m benchmarks.numerics.corpus` executes all of them and tells where what is claimed here is not so.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from benchmarks.numerics.corpus.case import FORMS, Case, Input

__all__ = ["FORMS", "Case", "Input", "cases", "safe_cases"]

_PARTS = {
    "onnx": ("onnx_probabilities", "onnx_ratios", "onnx_precision", "onnx_loops"),
    "torch": ("torch_losses", "torch_geometry", "torch_precision", "torch_gradients"),
    "tensorflow": ("tensorflow_operators", "tensorflow_networks", "tensorflow_statistics", "tensorflow_loops"),
}


def cases(forms: Iterable[str] = FORMS) -> list[Case]:
    """The pairs of these forms; only their frameworks are imported."""
    parts = [import_module(f"{__name__}.{part}") for form in forms for part in _PARTS[form]]
    return [case for part in parts for case in part.CASES]


def safe_cases(forms: Iterable[str] = FORMS) -> list[Case]:
    """The micro-patterns that are safe within their ranges, in these forms."""
    safe = import_module(f"{__name__}.safe")
    return [case for form in forms for case in safe.patterns(form)]
