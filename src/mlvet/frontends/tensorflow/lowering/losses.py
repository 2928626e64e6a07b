"""Losses. TensorFlow's operators also yield the gradient by the scores, which is added where something takes it."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _dense(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 2:
        return None
    scores, targets = site.inputs
    loss = site.emit("softmax_cross_entropy_with_logits", attributes={"axis": -1}, outputs=1)
    if 1 not in site.step.used:
        return loss
    return [*loss, site.extra("sub", site.extra("softmax", scores, axis=-1), targets)]


def _sparse(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 2:
        return None
    scores, labels = site.inputs
    loss = site.emit("sparse_softmax_cross_entropy_with_logits", outputs=1)
    if 1 not in site.step.used:
        return loss
    ends = site.extra("cast_like", site.constant([0, 1], "ends"), scores)
    chosen = site.extra("one_hot", labels, site.extra("dim", scores, axis=-1), ends, axis=-1)
    return [*loss, site.extra("sub", site.extra("softmax", scores, axis=-1), chosen)]


TABLE: dict[str, Lowering] = {
    "SoftmaxCrossEntropyWithLogits": _dense,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse,
}
