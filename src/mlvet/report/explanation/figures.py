"""Numbers of an explanation in few letters."""

from __future__ import annotations

import math

SIDES = {1: "up", -1: "down"}


def figure(value: float) -> str:
    """A number with four digits that count."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"


def signed(value: float) -> str:
    """The same with its sign, unless there is none to tell."""
    return figure(value) if value == 0 or math.isnan(value) else f"{'+' if value > 0 else '-'}{figure(abs(value))}"


def percent(share: float) -> str:
    """A share in percent; what is more than nothing never looks like it, and what is less than all neither."""
    if not math.isfinite(share):
        return figure(share)
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.1f} %"


def decade(bound: float) -> str:
    """The lower bound of a bar of the histogram."""
    return "0" if bound <= 0 else f"{bound:.0e}".replace("e-0", "e-").replace("e+00", "")
