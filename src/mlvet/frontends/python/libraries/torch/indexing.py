"""Elements chosen by places or masks, and written there."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import at_least, equal, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast, operand
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size
from mlvet.frontends.python.libraries.torch.axes import axis_of, placed, rank, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import category, same_types, wants_integers
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made, method
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@method("torch.index_select")
def index_select(input: Tensor, dim: Any, index: Tensor, *, out: Any = None) -> Tensor:
    wants_integers(index, "index_select")
    demand(rank_of(index) in (None, 0, 1), "index_select needs an index of 1 dim", "rank-differs")
    if rank_of(index) == 0:
        index = made("unsqueeze", index, (0,))
    return made("gather", input, index, axis=placed(axis_of(dim), rank(input)))


@method("torch.select", "torch.select_copy")
def select(input: Tensor, dim: Any, index: Any) -> Tensor:
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    place: Any = index
    if isinstance(place, int) and isinstance(dims[axis], int):
        demand(-dims[axis] <= place < dims[axis], f"index {place} is out of range for size {dims[axis]}")  # type: ignore[operator]
    if not isinstance(place, int | TensorValue):
        place = opaque("place", [], Type(dtypes.i64, ()), Tensor)
    return made("gather", input, place, axis=axis)


@method("torch.gather")
def gather(input: Tensor, dim: Any, index: Tensor, *, sparse_grad: bool = False, out: Any = None) -> Tensor:
    wants_integers(index, "gather")
    if rank_of(input) is None and rank_of(index) is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    _fits(index, input, axis_of(dim), "gather")
    if rank_of(index) is not None and rank_of(input) is None:
        return opaque("gather", [input, index], tensor_of(index).with_dtype(dtype_of(input)), Tensor)
    return made("gather_elements", input, index, axis=placed(axis_of(dim), rank(input)))


def _fits(index: TensorValue, x: TensorValue, along: int | None, what: str) -> None:
    """Places must be of the tensor's rank, and no larger than it along other dims."""
    places, sizes = dims_of(index), dims_of(x)
    if places is None or sizes is None:
        return
    demand(
        len(places) == len(sizes) or not places or not sizes, f"{what} needs an index of as many dims", "rank-differs"
    )
    if len(places) == len(sizes) and places:
        axis = None if along is None else placed(along, len(sizes))
        for n, (place, size) in enumerate(zip(places, sizes, strict=True)):
            if n != axis:
                demand(at_least(size, place), f"{what} has {place} places in a dim of {size}", "size-out-of-range")


@method("torch.take")
def take(input: Tensor, index: Tensor) -> Tensor:
    wants_integers(index, "take")
    return made("gather", made("reshape", input, (-1,)), index, axis=0)


@method("torch.take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: Any = None, *, out: Any = None) -> Tensor:
    if dim is None:
        return made("gather", made("reshape", input, (-1,)), made("reshape", indices, (-1,)), axis=0)
    axis = placed(axis_of(dim), rank(input))
    places, sizes = ranked_dims(indices), ranked_dims(input)
    demand(len(places) == len(sizes), "take_along_dim needs indices of as many dims", "rank-differs")
    if len(places) != len(sizes):
        raise Undecided(Reason.EXCEPTION, "take_along_dim")
    if all(n == axis or equal(a, b) for n, (a, b) in enumerate(zip(places, sizes, strict=True))):
        return made("gather_elements", input, indices, axis=axis)
    shape = tuple(
        place if n == axis else size if place == 1 else place
        for n, (place, size) in enumerate(zip(places, sizes, strict=True))
    )
    return opaque("take_along_dim", [input, indices], Type(dtype_of(input), shape), Tensor)


@method("torch.narrow", "torch.narrow_copy")
def narrow(input: Tensor, dim: Any, start: Any, length: Size) -> Tensor:
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    if isinstance(start, int) and start >= 0:
        demand(at_least(dims[axis], start + length), "narrow reaches beyond the end", "size-out-of-range")
        return made("slice", input, (start,), (start + length,), (axis,))
    return opaque("narrow", [input], Type(dtype_of(input), (*dims[:axis], length, *dims[axis + 1 :])), Tensor)


@method("torch.masked_select")
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    _wants_truths(mask, "masked_select")
    return made("masked_select", input, mask)


def _wants_truths(mask: TensorValue, what: str) -> None:
    known = dtype_of(mask)
    demand(known is None or known in (dtypes.bool_, dtypes.u8), f"{what} needs a mask of truth values", "dtype-differs")


@method("torch.masked_fill", in_place=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    _wants_truths(mask, "masked_fill")
    if isinstance(value, TensorValue):
        demand(rank_of(value) in (None, 0), "masked_fill needs a value without dims", "rank-differs")
    known = dtype_of(input)
    if isinstance(value, float) and known is not None:
        demand(category(known) >= 1, f"a tensor of {known} cannot take a float", "dtype-differs")
    return made("where", cast(mask, dtypes.bool_), operand(value, known, Tensor), input)


@method("torch.masked_scatter", in_place=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    _wants_truths(mask, "masked_scatter")
    return opaque("masked_scatter", [input, mask, source], tensor_of(input).without_value(), Tensor)


@method("torch.nonzero", "torch.argwhere")
def nonzero(input: Tensor, *, out: Any = None, as_tuple: bool = False) -> Any:
    found = made("transpose", made("nonzero", input), perm=(1, 0))
    if not as_tuple:
        return found
    count = rank_of(input)
    if count is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return emit_all("unstack", found, count=max(count, 1), axis=1, num=max(count, 1), kind=Tensor)


REDUCTIONS = {None: "none", "sum": "add", "add": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min",
    "mean": "add"}  # fmt: skip


@method("torch.scatter", in_place=True)
def scatter(input: Tensor, dim: Any, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None,
    out: Any = None) -> Tensor:  # fmt: skip
    return _scattered(input, axis_of(dim), index, value if src is None else src, REDUCTIONS.get(reduce, "none"))


def _scattered(x: TensorValue, axis: int, index: TensorValue, source: Any, reduction: str) -> Tensor:
    wants_integers(index, "scatter")
    if rank_of(x) is None or rank_of(index) is None:
        return opaque("scatter", [x, index], tensor_of(x).without_value(), Tensor)
    _fits(index, x, axis, "scatter")
    if rank_of(x) == 0:
        return made("identity", x)
    axis = placed(axis, rank(x))
    if isinstance(source, TensorValue):
        same_types("scatter", x, source)
        _fits(index, source, None, "scatter")
        if rank_of(source) == 0:
            source = made("broadcast_to", source, ranked_dims(index))
        elif dims_of(source) != dims_of(index):
            count = rank(index)
            source = made("slice", source, (0,) * count, ranked_dims(index), tuple(range(count)))
    else:
        to = dtype_of(x)
        plain = source if isinstance(source, bool | int | float) else None
        source = full(ranked_dims(index), plain, to or dtypes.f32, Tensor)
    return made("scatter_elements", x, index, source, axis=axis, reduction=reduction)


@method("torch.scatter_add", in_place=True)
def scatter_add(input: Tensor, dim: Any, index: Tensor, src: Tensor) -> Tensor:
    return _scattered(input, axis_of(dim), index, src, "add")


@method("torch.scatter_reduce", in_place=True)
def scatter_reduce(
    input: Tensor, dim: Any, index: Tensor, src: Tensor, reduce: Any, *, include_self: bool = True
) -> Tensor:
    return _scattered(input, axis_of(dim), index, src, REDUCTIONS.get(reduce, "none"))


def _rows(x: TensorValue, dim: Any, index: TensorValue, source: Any, reduction: str) -> Tensor:
    """Rows along a dim, brought to the front, added to or replaced."""
    wants_integers(index, "index")
    demand(rank_of(index) in (None, 0, 1), "rows need an index of 1 dim", "rank-differs")
    dims = dims_of(x)
    if dims is None or not dims or rank_of(index) != 1:
        return opaque("index_add", [x, index], tensor_of(x).without_value(), Tensor)
    axis = placed(axis_of(dim), len(dims))
    order = (axis, *(n for n in range(len(dims)) if n != axis))
    base = made("transpose", x, perm=order)
    if isinstance(source, TensorValue) and rank_of(source) == len(dims):
        demand(dtype_of(source) in (None, dtype_of(x)), "rows need the same element type", "dtype-differs")
        updates: Any = made("transpose", source, perm=order)
    else:
        filling = source if isinstance(source, bool | int | float) else 0
        updates = full(
            (ranked_dims(index)[0], *(dims[n] for n in order[1:])), filling, dtype_of(x) or dtypes.f32, Tensor
        )
    written = made("scatter_nd", base, made("unsqueeze", index, (1,)), updates, reduction=reduction)
    return made("transpose", written, perm=tuple(order.index(n) for n in range(len(dims))))


@method("torch.index_add", in_place=True)
def index_add(input: Tensor, dim: Any, index: Tensor, source: Tensor, *, alpha: Any = 1, out: Any = None) -> Tensor:
    return _rows(input, dim, index, source, "add")


@method("torch.index_copy", in_place=True)
def index_copy(input: Tensor, dim: Any, index: Tensor, source: Tensor, *, out: Any = None) -> Tensor:
    return _rows(input, dim, index, source, "none")


@method("torch.index_fill", in_place=True)
def index_fill(input: Tensor, dim: Any, index: Tensor, value: Any) -> Tensor:
    return _rows(input, dim, index, value, "none")


@method("torch.index_reduce", in_place=True)
def index_reduce(
    input: Tensor, dim: Any, index: Tensor, source: Tensor, reduce: Any, *, include_self: bool = True
) -> Tensor:
    return _rows(input, dim, index, source, REDUCTIONS.get(reduce, "none"))


@method("torch.index_put", in_place=True)
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    items = indices.items if isinstance(indices, ListValue) else indices
    if not isinstance(items, tuple):
        return opaque("index_put", [input], tensor_of(input).without_value(), Tensor)
    return made("index_put", input, cast(values, dtype_of(input)), *items, accumulate=accumulate)


@method("torch.slice_scatter", "torch.select_scatter", "torch.diagonal_scatter")
def slice_scatter(input: Tensor, src: Tensor, *args: Any, **keywords: Any) -> Tensor:
    return opaque("slice_scatter", [input, src], tensor_of(input).without_value(), Tensor)


@method("torch.put", in_place=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    return opaque("put", [input, index, source], tensor_of(input).without_value(), Tensor)


@method("torch.Tensor.copy_")
def copy_(self: Tensor, src: ArrayLike, non_blocking: bool = False) -> Tensor:
    value = cast(src, dtype_of(self))
    dims = dims_of(self)
    found: Tensor = become(self, made("broadcast_to", value, dims) if dims is not None else value)
    return found


@method("torch.fill", in_place=True)
def fill(input: Tensor, value: Any) -> Tensor:
    from mlvet.frontends.python.libraries.torch.creation import like

    return like(input, value if isinstance(value, bool | int | float) else None)


@method("torch.Tensor.zero_")
def zero_(self: Tensor) -> Tensor:
    found: Tensor = become(self, made("zeros_like", self))
    return found


@method("torch.Tensor.fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    demand(rank_of(self) is None or rank(self) >= 2, "fill_diagonal_ needs at least 2 dims", "rank-differs")
    found: Tensor = become(self, opaque("fill_diagonal_", [self], tensor_of(self).without_value(), Tensor))
    return found


@method("torch.combinations")
def combinations(input: Tensor, r: Size = 2, with_replacement: bool = False) -> Tensor:
    return opaque("combinations", [input], Type(dtype_of(input), (symbol(machine().fresh("pairs")), r)), Tensor)
