"""Normalisation by stored statistics: an affine map of each channel, so cells and relations survive it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlvet.analyses.numerics.values import elementwise
from mlvet.analyses.numerics.values.abstract import Abstract, of_array, shape_of
from mlvet.analyses.numerics.values.linear import beside_channels
from mlvet.domains import boxes
from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY
from mlvet.ops.numeric import Affine, Product

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer


def batch(
    run: Transfer, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], outs: Sequence[Tensor]
) -> list[Abstract] | None:
    """scale * (x - mean) / sqrt(variance + epsilon) + shift, where the four are stored; None in training."""
    if attributes.get("training_mode") or len(operands) < 5 or len(outs) != 1 or run.most == 1:
        return None
    x, *statistics = operands[:5]
    known = [None if each is None else each.exact for each in statistics]
    if x is None or x.dims is None or x.rank < 2 or any(each is None or each.ndim != 1 for each in known):
        return None
    scale, shift, mean, variance = (np.asarray(each, np.float64) for each in known)
    root = variance + float(attributes.get("epsilon", 1e-5))
    if not (root > 0).all() or not all(np.isfinite(each).all() for each in (scale, shift, mean, variance)):
        return None
    slope = scale / np.sqrt(root)
    dtype, _ = shape_of(outs[0])
    parts = [_channels(run, each, x, dtype, attributes) for each in (slope, shift - mean * slope)]
    scaled = elementwise.product(run, REGISTRY["mul"], Product(), [x, parts[0]], {}, outs[0])
    result = elementwise.affine(run, REGISTRY["add"], Affine((1.0, 1.0)), [scaled, parts[1]], {}, outs[0])
    return [_loosened(result, float(np.abs(mean * slope).max() + np.abs(shift).max()))]


def _channels(run: Transfer, values: Any, x: Abstract, dtype: Any, attributes: Mapping[str, Any]) -> Abstract:
    vector = of_array(values, dtype, run.fresh(), run.most)
    return beside_channels(run, vector, x, attributes)


def _loosened(result: Abstract, offset: float) -> Abstract:
    """What another order of the same operations can add by rounding."""
    box = result.box
    with np.errstate(all="ignore"):
        slack = 8 * result.dtype.epsilon * (np.maximum(np.abs(box.low), np.abs(box.high)) + 2 * offset)
    return replace(result, box=boxes.fused(box.low - slack, box.high + slack, box.nan, result.dtype), form=None)
