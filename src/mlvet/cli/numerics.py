"""Ranges as they are written on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from math import isnan

from mlvet.core.config import holds_numbers
from mlvet.core.errors import UsageError

Range = tuple[str, tuple[float, float]]


def read_range(text: str) -> Range:
    """A name and its least and greatest number from `NAME=LO:HI`."""
    name, equals, bounds = text.rpartition("=")
    low, colon, high = bounds.partition(":")
    if not equals or not name.strip() or not colon:
        raise argparse.ArgumentTypeError(f"`{text}` is not of the form NAME=LO:HI")
    ends = _number(low, text), _number(high, text)
    if not holds_numbers(*ends):
        because = f"{low} is greater than {high}" if ends[0] > ends[1] else "it has no finite number"
        raise argparse.ArgumentTypeError(f"`{text}` is empty: {because}")
    return name.strip(), ends


def merged(configured: Mapping[str, tuple[float, float]], asked: Iterable[Range]) -> dict[str, tuple[float, float]]:
    """The configured ranges with those of the command line on top."""
    found: dict[str, tuple[float, float]] = {}
    for name, bounds in asked:
        if found.setdefault(name, bounds) != bounds:
            raise UsageError(f"--range gives `{name}` twice, with different numbers")
    return {**configured, **found}


def _number(word: str, text: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = float("nan")
    if isnan(number):
        raise argparse.ArgumentTypeError(f"`{text}`: `{word}` is not a number")
    return number
