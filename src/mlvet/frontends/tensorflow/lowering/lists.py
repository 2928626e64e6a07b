"""Lists of tensors of one shape, as loops fill and read them: the list is the tensor that stacks its elements.

A list whose elements' shape is not known when it is made stays opaque, and so unknown, on its whole way. Stacks, arrays
and lists that grow are only handles.
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


def _get(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) not in (2, 3):
        return None
    return site.emit("list_at", attributes={"dtype": site.attributes.dtype("element_dtype")})


def _set(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 3 or site.attributes.bool("resize_if_index_out_of_bounds"):
        return None
    items, index, item = site.inputs
    place = site.extra("unsqueeze", site.extra("cast", index, to=dtypes.i64), site.constant([0, 1], "axes"))
    row = site.extra("unsqueeze", item, site.constant([0], "axes"))
    return site.emit("scatter_nd", [items, place, row], {"reduction": "none"})


def _from_tensor(site: Site) -> Sequence[Value]:
    return site.emit("identity", site.inputs[:1])


def _stack(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) not in (1, 2):
        return None
    count = site.attributes.int("num_elements", -1)
    attributes = {"dtype": site.attributes.dtype("element_dtype"), "num_elements": count}
    return site.emit("list_stacked", attributes=attributes)


def _length(site: Site) -> Sequence[Value]:
    return site.emit("cast", [site.extra("dim", site.inputs[0], axis=0)], {"to": dtypes.i32})


def _element_shape(site: Site) -> tuple[int, ...] | None:
    """The shape of an element as an attribute tells it; None if its rank is not known."""
    shape = site.attributes.shape("element_shape")
    if shape is None or shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else -1 for dim in shape.dim)


def _made(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value]:
        return site.emit(op)

    return lower


def _pushed(site: Site) -> Sequence[Value] | None:
    return site.emit("store_push") if len(site.inputs) == 2 else None


def _taken(site: Site) -> Sequence[Value]:
    return site.emit("store_take")


def _popped(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 2:
        return None
    shape = site.ints(site.inputs[1])
    if (shape is None or min(shape, default=0) < 0) and len(site.declared) == 2 and site.declared[1].ranked:
        return site.emit("list_take")
    return site.emit("list_pop", attributes={"dtype": site.attributes.dtype("element_dtype")})


def _gathered(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 3:
        return None
    return site.emit("store_stacked", attributes={"dtype": site.dtype(), "element_shape": _element_shape(site)})


def _joined(site: Site) -> Sequence[Value]:
    shape = site.attributes.shape("element_shape_except0")
    known = shape is not None and not shape.unknown_rank
    rest = tuple(max(dim.size, -1) for dim in shape.dim) if shape is not None and known else None
    return site.emit("store_joined", attributes={"dtype": site.dtype(), "element_shape": rest})


def _size(site: Site) -> Sequence[Value]:
    """How many elements a store has is known only when it runs."""
    return site.emit("store_size")


TABLE: dict[str, Lowering] = {
    "TensorListFromTensor": _from_tensor,
    "TensorListReserve": _reserve,
    "TensorListGetItem": _get,
    "TensorListSetItem": _set,
    "TensorListStack": _stack,
    "TensorListLength": _length,
    "EmptyTensorList": _made("list_new"),
    "TensorListPushBack": _made("list_push"),
    "TensorListPopBack": _popped,
    "StackV2": _made("store_new"),
    "StackPushV2": _pushed,
    "StackPopV2": _taken,
    "TensorArrayV3": _made("store_new"),
    "TensorArrayGradV3": _made("store_new"),
    "TensorArrayWriteV3": _made("store_put"),
    "TensorArrayScatterV3": _made("store_put"),
    "TensorArraySplitV3": _made("store_put"),
    "TensorArrayReadV3": _taken,
    "TensorArrayGatherV3": _gathered,
    "TensorArrayConcatV3": _joined,
    "TensorArraySizeV3": _size,
}
