"""Lists of tensors of one shape, as loops fill and read them: the list is the tensor that stacks its elements.

A list whose elements' shape is not known when it is made stays opaque, and so unknown, on its whole way.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _reserve(site: Site) -> Sequence[Value] | None:
    """Zeros, until something is put there."""
    shape, dtype = site.ints(site.input(0)), site.attributes.dtype("element_dtype")
    if shape is None or dtype is None or not dtype.is_number or any(size < 0 for size in shape):
        return None
    count = site.extra("unsqueeze", site.extra("cast", site.inputs[1], to=dtypes.i64), site.constant([0], "axes"))
    whole = site.extra("concat", count, site.constant(list(shape), "element"), axis=0) if shape else count
    return site.emit("fill", [whole, site.extra("cast", site.constant(0), to=dtype)])


def _get(site: Site) -> Sequence[Value]:
    return site.emit("gather", site.inputs[:2], {"axis": 0})


def _set(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 3 or site.attributes.bool("resize_if_index_out_of_bounds"):
        return None
    items, index, item = site.inputs
    place = site.extra("unsqueeze", site.extra("cast", index, to=dtypes.i64), site.constant([0, 1], "axes"))
    row = site.extra("unsqueeze", item, site.constant([0], "axes"))
    return site.emit("scatter_nd", [items, place, row], {"reduction": "none"})


def _stack(site: Site) -> Sequence[Value]:
    return site.emit("identity", site.inputs[:1])


def _length(site: Site) -> Sequence[Value]:
    return site.emit("cast", [site.extra("dim", site.inputs[0], axis=0)], {"to": dtypes.i32})


TABLE: dict[str, Lowering] = {
    "TensorListFromTensor": _stack,
    "TensorListReserve": _reserve,
    "TensorListGetItem": _get,
    "TensorListSetItem": _set,
    "TensorListStack": _stack,
    "TensorListLength": _length,
}
