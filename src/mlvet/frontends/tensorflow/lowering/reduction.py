"""Reductions, running sums, softmax and the places of extremes."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.lowering.pointwise import named
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def axes_operand(site: Site, value: Value | None) -> Value | None:
    """Axes as one row; a single constant number becomes a row of one."""
    numbers = site.ints(value)
    if numbers is not None and value is not None and site.rank(value) == 0:
        return site.constant(list(numbers), "axes")
    return value


def _reduction(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value] | None:
        if len(site.inputs) != 2:
            return None
        keep = site.attributes.bool("keep_dims") or site.attributes.bool("keepdims")
        attributes = {"keepdims": keep, "noop_with_empty_axes": True}
        return site.emit(op, [site.inputs[0], axes_operand(site, site.inputs[1])], attributes)

    return lower


def _extreme(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value] | None:
        axis = site.number(site.input(1))
        if axis is None:
            return None
        attributes = {"axis": axis, "keepdims": False}
        wanted = site.attributes.dtype("output_type", dtypes.i64)
        if wanted is dtypes.i64:
            return site.emit(op, site.inputs[:1], attributes)
        return site.emit("cast", [site.extra(op, site.inputs[0], **attributes)], {"to": wanted})

    return lower


def _running(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value]:
        attributes = {name: site.attributes.bool(name) for name in ("exclusive", "reverse")}
        return site.emit(op, attributes=attributes)

    return lower


def _l2_loss(site: Site) -> Sequence[Value]:
    """Half the sum of squares."""
    total = site.extra("reduce_sum_square", site.inputs[0], keepdims=False)
    two = site.extra("cast", site.constant(2), to=site.dtype() or dtypes.f32)
    return site.emit("div", [total, two])


TABLE: dict[str, Lowering] = {
    "Sum": _reduction("reduce_sum"),
    "Mean": _reduction("reduce_mean"),
    "Max": _reduction("reduce_max"),
    "Min": _reduction("reduce_min"),
    "Prod": _reduction("reduce_prod"),
    "All": _reduction("reduce_all"),
    "Any": _reduction("reduce_any"),
    "EuclideanNorm": _reduction("reduce_l2"),
    "ArgMax": _extreme("arg_max"),
    "ArgMin": _extreme("arg_min"),
    "Cumsum": _running("cum_sum"),
    "Cumprod": _running("cum_prod"),
    "CumulativeLogsumexp": _running("log_cum_sum_exp"),
    "Softmax": named("softmax", axis=-1),
    "LogSoftmax": named("log_softmax", axis=-1),
    "L2Loss": _l2_loss,
}
