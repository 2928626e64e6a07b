"""Stacks, lists and arrays of tensors that loops fill and read, known only by a handle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType, f32, i32, i64
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import COUNT, always
from mlvet.ops.gradients import sized
from mlvet.ops.numeric import Numeric, Selection
from mlvet.ops.op import Effects, Infer, Op, register
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def _store(name: str, infer: Infer | None, numeric: Numeric | None = None) -> Op:
    """An operator on a store; what it takes out has no shape rule if only the file can tell."""
    return register(Op(name, "stores", infer=infer, numeric=numeric, effects=Effects.STATE))


def _element(require: Require, dtype: DType | None, shape: Sequence[int] | None, lead: Sequence[Any] = ()) -> Tensor:
    """An element, or several of them stacked; a size of -1 and a shape of None are not known."""
    if shape is None:
        return require.unknown_tensor(dtype)
    return Tensor(dtype, (*lead, *(require.unknown() if dim < 0 else dim for dim in shape)))


def infer_new(*_: Tensor, require: Require, **__: Any) -> tuple[Tensor, Tensor]:
    """A handle, and a number that only orders what is done with it."""
    return require.unknown_tensor(), Tensor(f32, ())


def infer_put(*_: Tensor, require: Require) -> Tensor:
    """The number that orders what is done with the store."""
    return Tensor(f32, ())


def infer_push(_handle: Tensor, element: Tensor, *, require: Require) -> Tensor:
    """What was pushed."""
    return element.without_value()


def infer_stacked(
    _handle: Tensor,
    indices: Tensor,
    *_: Tensor,
    require: Require,
    dtype: DType | None = None,
    element_shape: Sequence[int] | None = None,
) -> Tensor:
    """One element per index, stacked."""
    lead = indices.dims if indices.ranked else (require.unknown(),)
    return _element(require, dtype, element_shape, lead)


def infer_joined(
    *_: Tensor, require: Require, dtype: DType | None = None, element_shape: Sequence[int] | None = None
) -> tuple[Tensor, Tensor]:
    """All elements, joined along their first dim, and their lengths. The shape is that of an element without it."""
    return _element(require, dtype, element_shape, (require.unknown(),)), Tensor(i64, (require.unknown(),))


def infer_list(*_: Tensor, require: Require) -> Tensor:
    """The handle of a list."""
    return require.unknown_tensor()


def infer_pop(
    _list: Tensor, element_shape: Tensor, *_: Tensor, require: Require, dtype: DType | None = None
) -> tuple[Tensor, Tensor]:
    """The rest of the list, and its last element, whose shape an operand tells; -1 is any size."""
    if element_shape.ranked and element_shape.rank == 1:
        return require.unknown_tensor(), sized(element_shape, dtype, require)
    return require.unknown_tensor(), require.unknown_tensor(dtype)


def infer_size(*_: Tensor, require: Require) -> Tensor:
    """How many elements there are."""
    return Tensor(i32, ())


def _known_item(items: Tensor, element_shape: Tensor | None, dtype: DType | None, require: Require) -> Tensor:
    """An element of a list, by the list where it is followed, otherwise by the shape that is told."""
    if items.ranked and items.rank:
        return Tensor(items.dtype or dtype, items.dims[1:])
    if element_shape is not None and element_shape.ranked and element_shape.rank == 1:
        return sized(element_shape, dtype, require)
    return require.unknown_tensor(dtype)


def infer_list_at(
    items: Tensor, _index: Tensor, element_shape: Tensor | None = None, *, require: Require, dtype: DType | None = None
) -> Tensor:
    """One element of a list."""
    return _known_item(items, element_shape, dtype, require)


def infer_list_stacked(
    items: Tensor,
    element_shape: Tensor | None = None,
    *,
    require: Require,
    dtype: DType | None = None,
    num_elements: int = -1,
) -> Tensor:
    """All elements of a list in one tensor."""
    if items.ranked:
        return items.without_value()
    item = _known_item(items, element_shape, dtype, require)
    count = require.unknown() if num_elements < 0 else num_elements
    return Tensor(dtype, (count, *item.dims)) if item.ranked else item


def _sample_list(draw: Draw) -> Sample:
    items = draw.array(draw.shape(1))
    dtype, shape = f32, integers(items.shape[1:])
    return Sample((items, np.asarray(draw.integer(0, len(items) - 1)), shape), {"dtype": dtype})


def _sample_stacked(draw: Draw) -> Sample:
    items = draw.array(draw.shape(1))
    return Sample((items, integers(items.shape[1:])), {"dtype": f32, "num_elements": draw.choice([-1, len(items)])})


store_new = _store("store_new", infer_new)
store_put = _store("store_put", infer_put)
store_push = _store("store_push", infer_push)
store_take = _store("store_take", None)
store_stacked = _store("store_stacked", infer_stacked)
store_joined = _store("store_joined", infer_joined)
list_new = _store("list_new", infer_list)
list_push = _store("list_push", infer_list)
list_pop = _store("list_pop", infer_pop)
list_take = _store("list_take", None)
store_size = _store("store_size", infer_size, always(COUNT))
list_at = register(
    Op(
        "list_at",
        "stores",
        infer=infer_list_at,
        numeric=Selection((0,)),
        effects=Effects.PURE,
        danger=(),
        reference=lambda items, index, *_, **__: np.take(items, index, axis=0),
        samples=_sample_list,
    )
)
list_stacked = register(
    Op(
        "list_stacked",
        "stores",
        infer=infer_list_stacked,
        numeric=Selection((0,)),
        effects=Effects.PURE,
        danger=(),
        reference=lambda items, *_, **__: np.array(items),
        samples=_sample_stacked,
    )
)
