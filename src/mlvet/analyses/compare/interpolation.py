"""What it costs to find the places between which a picture is interpolated, in roundings of the result.

A place in single precision along an axis of n elements is off by up to n roundings of a distance between two of them,
and the result by as much of the slope there. The reference computes places in double precision, so it cannot tell.
Where a picture grows by a whole factor places are exact or nearly so: UpSampling2D is not meant here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlvet.analyses.compare.subject import Layer

_CHANNELS_FIRST = ("Resize", "GridSample", "grid_sampler", "upsample_bilinear", "upsample_bicubic", "upsample_linear")
_CHANNELS_LAST = ("Resizing", "ResizeBilinear", "ResizeBicubic", "RESIZE_BILINEAR")
_MODES = ("mode", "interpolation", "interpolation_mode")


def placing(layer: Layer, shapes: Sequence[tuple[int, ...]]) -> float:
    """So many roundings of its result may a layer be off by the rounding of places."""
    shape = max(shapes, key=prod, default=())
    kind = layer.kind.rpartition("::")[2]
    if any(layer.config.get(each) in ("nearest", 1) for each in _MODES):
        return 0.0
    if kind.startswith(_CHANNELS_LAST) and layer.config.get("data_format") != "channels_first":
        return max(shape[1:-1], default=0) / 2
    return max(shape[2:], default=0) / 2 if kind.startswith((*_CHANNELS_FIRST, *_CHANNELS_LAST)) else 0.0
