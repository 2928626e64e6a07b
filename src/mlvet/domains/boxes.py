"""Arrays of intervals: each cell has its own ends and its own NaN flag.

A cell means what `intervals.Interval` means: an infinite end says that the value infinity is possible, NaN is a flag
beside the ends, and results are rounded outward to the element type. Numbers below the smallest normal number of a
float may have been flushed to zero. This module names what the parts `boxes_*` hold.
"""

from mlvet.domains.boxes_arithmetic import (
    absolute,
    add,
    cast,
    div,
    maximum,
    minimum,
    mul,
    neg,
    square,
    sub,
)
from mlvet.domains.boxes_functions import monotone, piecewise
from mlvet.domains.boxes_lattice import (
    Box,
    covers,
    hull,
    join,
    meet,
    narrow,
    of_interval,
    smashed,
    widen,
)
from mlvet.domains.boxes_powers import power, remainder
from mlvet.domains.boxes_rounding import cut_to_finite, finite, fused, of_array, whole
from mlvet.domains.boxes_sums import total

__all__ = [
    "Box", "absolute", "add", "cast", "covers", "cut_to_finite", "div", "finite", "fused", "hull", "join", "maximum",
    "meet", "minimum", "monotone", "mul", "narrow", "neg", "of_array", "of_interval", "piecewise", "power",
    "remainder", "smashed", "square", "sub", "total", "whole", "widen",
]  # fmt: skip
