"""Numbers and intervals in short form, for labels: `[-28800, 3.4e38] or NaN`."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, isnan, log10
from typing import Any

_DIGITS = 3
_MOST_DIGITS = 17


def interval(ends: Sequence[Any]) -> str:
    """Low and high end and whether NaN is possible; with as many digits as it takes to tell the ends apart."""
    low, high, nan = ends
    also = " or NaN" if nan else ""
    if low > high:
        return "NaN" if nan else "no number"
    if low == high:
        return number(low) + also
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        shown = number(low, digits), number(high, digits)
        if shown[0] != shown[1]:
            break
    return f"[{shown[0]}, {shown[1]}]{also}"


def exact(ends: Sequence[Any]) -> str:
    """The same with every digit."""
    low, high, nan = ends
    return f"[{_whole(low)}, {_whole(high)}]{' or NaN' if nan else ''}"


def number(value: float, digits: int = _DIGITS) -> str:
    """A number with so many digits that count; those before the point are never dropped up to a million."""
    if not isfinite(value):
        return "NaN" if isnan(value) else "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    size = floor(log10(abs(value))) if abs(value) > 0 else 0
    if -4 < size < 6:
        shown = f"{value:.{max(0, digits - 1 - size)}f}"
        return shown.rstrip("0").rstrip(".") if "." in shown else shown
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"


def _whole(value: float) -> str:
    return number(value) if not isfinite(value) else repr(value).removesuffix(".0")
