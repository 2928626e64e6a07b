"""Operators that pick and place elements by index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _gather(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) not in (2, 3):
        return None
    axis = site.number(site.inputs[2]) if len(site.inputs) == 3 else site.attributes.int("batch_dims")
    batch = site.attributes.int("batch_dims")
    if batch:
        if batch < 0 or axis != batch:
            return None
        places = site.extra("unsqueeze", site.inputs[1], site.constant([-1], "axes"))
        return site.emit("gather_nd", [site.inputs[0], places], {"batch_dims": batch})
    return site.emit("gather", site.inputs[:2], {"axis": axis}) if axis is not None else None


def _gather_nd(site: Site) -> Sequence[Value]:
    return site.emit("gather_nd", site.inputs[:2], {"batch_dims": site.attributes.int("bad_batch_dims")})


def _scatter_nd(site: Site) -> Sequence[Value] | None:
    """Updates added to zeros."""
    if len(site.inputs) != 3:
        return None
    indices, updates, shape = site.inputs
    dtype = site.dtype() or updates.declared.dtype
    if dtype is None:
        return None
    zero = site.extra("cast", site.constant(0), to=dtype)
    return site.emit("scatter_nd", [site.extra("fill", shape, zero), indices, updates], {"reduction": "add"})


def _scatter(reduction: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value]:
        return site.emit("scatter_nd", attributes={"reduction": reduction})

    return lower


def _one_hot(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 4:
        return None
    indices, depth, on, off = site.inputs
    values = site.extra("stack", off, on, axis=0)
    return site.emit("one_hot", [indices, depth, values], {"axis": site.attributes.int("axis", -1)})


def _top_k(site: Site) -> Sequence[Value] | None:
    """The places are 64 bits wide in the canonical operator."""
    k = site.input(1)
    if k is None:
        k = site.constant(site.attributes.int("k"), "k")
    number = site.number(k)
    wide = site.constant([number], "k") if number is not None else k
    attributes = {"axis": -1, "largest": True, "sorted": site.attributes.bool("sorted", True)}
    places = site.attributes.dtype("index_type", dtypes.i32)
    if places is dtypes.i64 or 1 not in site.step.used:
        declared, site.declared = site.declared, site.declared[:1]
        results = site.emit("top_k", [site.inputs[0], wide], attributes, outputs=2)
        site.declared = declared
        return results
    values = [site.builder.value(f"{site.step.name}/values"), site.builder.value(f"{site.step.name}/places")]
    site.add("top_k", [site.inputs[0], wide], values, attributes)
    return [values[0], *site.narrowed(values[1], places)]


def _nonzero(site: Site) -> Sequence[Value]:
    """A row of coordinates per element, where the canonical operator yields columns."""
    return site.emit("transpose", [site.extra("nonzero", site.inputs[0])], {"perm": (1, 0)})


def _select(site: Site) -> Sequence[Value] | None:
    """The first version takes whole rows where the condition has one dim, unless the ranks are known to agree."""
    if len(site.inputs) != 3:
        return None
    ranks = [site.rank(value) for value in site.inputs]
    agree = ranks[0] is not None and (ranks[0] == 0 or ranks[0] in ranks[1:])
    return site.emit("where" if agree else "select")


def _invert(site: Site) -> Sequence[Value] | None:
    """What sorts a permutation undoes it."""
    if len(site.inputs) != 1:
        return None
    return site.emit("cast", [site.extra("argsort", site.inputs[0], axis=0)], {"to": site.dtype() or dtypes.i32})


def _suppress(site: Site) -> Sequence[Value] | None:
    """The canonical operator has batches and classes, and yields them along with the boxes."""
    if len(site.inputs) not in (3, 4, 5):
        return None
    boxes, scores, most, *rest = site.inputs
    if len(site.inputs) == 3:
        rest = [site.constant(np.asarray(site.attributes.float("iou_threshold", 0.5), np.float32), "threshold")]
    boxes = site.extra("unsqueeze", boxes, site.constant([0], "batch"))
    scores = site.extra("unsqueeze", scores, site.constant([0, 1], "batch"))
    limit = site.extra("cast", most, to=dtypes.i64)
    chosen = site.extra("non_max_suppression", boxes, scores, limit, *rest)
    places = site.extra("gather", chosen, site.constant(2, "column"), axis=1)
    return site.emit("cast", [places], {"to": dtypes.i32})


def _crop(site: Site) -> Sequence[Value] | None:
    how = {
        "method": site.attributes.text("method", "bilinear"),
        "extrapolation_value": site.attributes.float("extrapolation_value", 0.0),
    }
    return site.emit("crop_and_resize", attributes=how) if len(site.inputs) == 4 else None


def _segment_sum(site: Site) -> Sequence[Value]:
    return site.emit("segment_sum")


TABLE: dict[str, Lowering] = {
    "Gather": _gather,
    "GatherV2": _gather,
    "ResourceGather": _gather,
    "GatherNd": _gather_nd,
    "ResourceGatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "TensorScatterUpdate": _scatter("none"),
    "TensorScatterAdd": _scatter("add"),
    "TensorScatterMax": _scatter("max"),
    "TensorScatterMin": _scatter("min"),
    "OneHot": _one_hot,
    "TopK": _top_k,
    "TopKV2": _top_k,
    "Where": _nonzero,
    "Select": _select,
    "UnsortedSegmentSum": _segment_sum,
    "InvertPermutation": _invert,
    "NonMaxSuppression": _suppress,
    "NonMaxSuppressionV2": _suppress,
    "NonMaxSuppressionV3": _suppress,
    "CropAndResize": _crop,
}
