"""Patterns that look unsafe and are not: an alarm on one of them is false."""

from __future__ import annotations

from importlib import import_module

from benchmarks.numerics.corpus.case import Case


def patterns(form: str) -> list[Case]:
    """The patterns in one form: all as ONNX, those that are natural there as torch and TensorFlow."""
    found: list[Case] = import_module(f"benchmarks.numerics.corpus.safe_{form}").CASES
    return found
