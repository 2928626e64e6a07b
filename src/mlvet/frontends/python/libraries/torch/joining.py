"""Tensors put together and taken apart."""

from __future__ import annotations

from functools import reduce
from typing import Any

from mlvet.domains.dims import Dim, Expr, ceil_div, equal, floor_div, symbol
from mlvet.domains.promotion import Framework, Operand, Strength, promote
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.shaping import split as pieces
from mlvet.frontends.python.emission import demand, emit_all, opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import Size, Tensors, as_sizes, as_tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import axis_of, placed, rank, ranked_dims
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made, method
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _list(tensors: Any) -> tuple[Tensor, ...] | Repeated:
    """The tensors of a list, or the one that stands for all of a list of unknown length."""
    from mlvet.frontends.python.active import machine
    from mlvet.frontends.python.libraries.binding import Misfit

    if isinstance(tensors, TensorValue):
        raise Misfit("a tensor where a list of tensors is wanted")
    items: Any = tensors if isinstance(tensors, tuple | list) else None
    if items is None:
        items = tensors.items if isinstance(tensors, ListValue) else machine().items(tensors)
    if isinstance(items, Repeated):
        return Repeated(as_tensor(items.element, "torch"), items.length)
    return tuple(_own(as_tensor(each, "torch")) for each in items)


def _own(x: TensorValue) -> Tensor:
    return x if isinstance(x, Tensor) else Tensor.of(x.graph_value)  # type: ignore[return-value]


def of_one_type(xs: Tensors) -> list[Any]:
    """The tensors in their common element type."""
    known = [dtype_of(x) for x in xs]
    if len(set(known)) < 2 or None in known:
        return list(xs)

    def wider(a: Any, b: Any) -> Any:
        found = promote(a, b, Framework.TORCH)
        return found if isinstance(found, Operand) else a

    weights = [Operand(kind, Strength.DIMENSIONLESS if rank_of(x) == 0 else Strength.FULL)
        for kind, x in zip(known, xs, strict=True) if kind is not None]  # fmt: skip
    common = reduce(wider, weights).dtype
    return [cast(x, common) for x in xs]


@model("torch.cat", "torch.concat", "torch.concatenate")
def cat(tensors: Any, dim: Any = 0, *, out: Any = None, axis: Any = None) -> Tensor:
    along = axis_of(dim if axis is None else axis)
    xs = _list(tensors)
    if isinstance(xs, Repeated):
        return _repeated(xs, along, joined=True)
    if not xs:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "cat of a list that nothing was seen to fill")
    kept = [x for x in xs if dims_of(x) != (0,)] or list(xs[:1])
    demand(
        not any(rank_of(x) == 0 for x in kept),
        "tensors without dims cannot be joined by cat; use stack",
        "rank-differs",
    )
    return made("concat", *of_one_type(tuple(kept)), axis=along)


@model("torch.stack")
def stack(tensors: Any, dim: Any = 0, *, out: Any = None) -> Tensor:
    along = axis_of(dim)
    xs = _list(tensors)
    if isinstance(xs, Repeated):
        return _repeated(xs, along, joined=False)
    if not xs:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "stack of a list that nothing was seen to fill")
    count = next((found for x in xs if (found := rank_of(x)) is not None), None)
    if count is not None:
        along = placed(along, count + 1)
    return made("stack", *of_one_type(xs), axis=along)


def _repeated(xs: Repeated, along: int, *, joined: bool) -> Tensor:
    """A number of like tensors that is not known, put together."""
    dims = ranked_dims(xs.element)
    axis = placed(along, len(dims) + (0 if joined else 1))
    if joined:
        shape = (*dims[:axis], dims[axis] * xs.length, *dims[axis + 1 :])
    else:
        shape = (*dims[:axis], xs.length, *dims[axis:])
    return opaque("cat" if joined else "stack", [xs.element], Type(dtype_of(xs.element), shape), Tensor)


def _stacking(axis: int, least: int) -> Any:
    """`hstack` and its kin: tensors of too few dims get more first."""

    def function(tensors: Any, *, out: Any = None) -> Tensor:
        xs = _list(tensors)
        if isinstance(xs, Repeated):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a list of unknown length")
        grown = [_grown(x, least, axis) for x in xs]
        flat = axis == 1 and all(rank_of(x) == 1 for x in grown)
        return made("concat", *of_one_type(tuple(grown)), axis=0 if flat else axis)

    return function


def _grown(x: Tensor, least: int, axis: int) -> Tensor:
    count = rank(x)
    if count >= least:
        return x
    if axis == 2:
        places = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}[count]
        return made("unsqueeze", x, places)
    return made("unsqueeze", x, tuple(range(least - count)))


hstack = model("torch.hstack")(_stacking(1, 1))
vstack = model("torch.vstack", "torch.row_stack")(_stacking(0, 2))
dstack = model("torch.dstack")(_stacking(2, 3))


@model("torch.column_stack")
def column_stack(tensors: Any, *, out: Any = None) -> Tensor:
    xs = _list(tensors)
    if isinstance(xs, Repeated):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a list of unknown length")
    columns = [made("reshape", x, (-1, 1)) if rank(x) < 2 else x for x in xs]
    return made("concat", *of_one_type(tuple(columns)), axis=1)


@method("torch.split", "torch.split_with_sizes")
def split(tensor: Tensor, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """Pieces of one size, of which the last may be smaller, or of the sizes that are listed."""
    size = split_size_or_sections
    if isinstance(size, Unknown) or dims_of(tensor) is None:
        return _pieces_of_some_size(tensor)
    dims = ranked_dims(tensor)
    axis = placed(axis_of(dim), len(dims))
    whole = dims[axis]
    if not isinstance(size, int | Expr):
        sizes = as_sizes(size)
        total: Dim = 0
        for each in sizes:
            total = total + each
        demand(equal(total, whole), f"split sizes add up to {total}, but the dim is {whole}", "dims-differ")
        return _cut(tensor, sizes, axis)
    if isinstance(size, int) and isinstance(whole, int):
        demand(size > 0 or whole == 0, "split needs a size above 0")
        if size <= 0:
            raise Undecided(Reason.EXCEPTION, "split by 0")
        count = max(-(-whole // size), 1)
        if count <= 64:
            return _cut(tensor, [min(size, whole - n * size) for n in range(count)], axis)
    count_ = floor_div(whole, size)
    if isinstance(count_, int) and count_ <= 1_000 and equal(size * count_, whole):
        return _cut(tensor, [size] * count_, axis)
    piece = opaque("split", [tensor], Type(dtype_of(tensor), (*dims[:axis], size, *dims[axis + 1 :])), Tensor)
    return ListValue(Repeated(piece, ceil_div(whole, size)))


def _pieces_of_some_size(x: Tensor) -> ListValue:
    from mlvet.frontends.python.active import machine

    return ListValue(Repeated(unknown_tensor(Tensor, dtype_of(x), "piece"), symbol(machine().fresh("pieces"))))


def _cut(x: Tensor, sizes: Any, axis: int) -> tuple[Any, ...]:
    return tuple(_own(piece) for piece in pieces(x, sizes, axis))


@method("torch.chunk")
def chunk(input: Tensor, chunks: Size, dim: Any = 0) -> Any:
    """At most so many pieces, all of one size but perhaps the last."""
    if not isinstance(chunks, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the number of chunks")
    demand(chunks > 0, "chunk needs a number above 0")
    dims = dims_of(input)
    axis = axis_of(dim)
    if dims is None:
        return emit_all("split", input, None, count=chunks, axis=axis, num_outputs=chunks, kind=Tensor)
    axis = placed(axis, len(dims))
    whole = dims[axis]
    if isinstance(whole, int):
        size = max(-(-whole // max(chunks, 1)), 1)
        count = max(-(-whole // size), 1)
        return _cut(input, [min(size, whole - n * size) for n in range(count)], axis)
    return _cut(input, [floor_div(whole, chunks)] * chunks, axis)


@method("torch.tensor_split")
def tensor_split(input: Tensor, indices_or_sections: Any, dim: Any = 0) -> Any:
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    whole = dims[axis]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if isinstance(whole, int):
            return _cut(input, [whole // count + (n < whole % count) for n in range(count)], axis)
        return _cut(input, [floor_div(whole, count)] * count, axis)
    ends = [*as_sizes(indices_or_sections), whole]
    return _cut(input, [end - begin for begin, end in zip([0, *ends], ends, strict=False)], axis)


@method("torch.unbind", "torch.unbind_copy")
def unbind(input: Tensor, dim: Any = 0) -> Any:
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    demand(len(dims) > 0, "a tensor without dims cannot be unbound", "rank-differs")
    if not dims:
        raise Undecided(Reason.EXCEPTION, "unbind")
    size = dims[axis]
    if isinstance(size, int) and size <= 256:
        return emit_all("unstack", input, count=size, axis=axis, num=size, kind=Tensor)
    one = made("gather", input, made("cast", 0, to=_index()), axis=axis)
    return ListValue(Repeated(one, size))


def _index() -> Any:
    from mlvet.domains import dtypes

    return dtypes.i64
