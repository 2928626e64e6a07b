"""The same elements in another shape or order, and repeated."""

from __future__ import annotations

from functools import wraps
from typing import Any

from mlvet.domains.dims import Dim, Expr, at_least, equal, floor_div, product
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.arrays.shaping import flattened, squeezed, swapped
from mlvet.frontends.python.arrays.shaping import reshape as reshaped
from mlvet.frontends.python.arrays.shaping import transpose as ordered
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Size, Sizes, Tensors, as_items, as_sizes, as_spread
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import axes_of, axis_of, placed, rank, ranked_dims
from mlvet.frontends.python.libraries.torch.strides import demand_viewable
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made, method
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@method("torch.reshape", "torch.view_copy")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    return as_shape(input, as_spread(shape))


def as_shape(x: TensorValue, sizes: Sizes) -> Tensor:
    """A view in another shape; each -1 but one is refused."""
    demand(sum(1 for size in sizes if size == -1) < 2, "only one size can be left open by -1")
    demand(not any(isinstance(size, int) and size < -1 for size in sizes), "a size is negative")
    found: Tensor = reshaped(x, sizes)
    return found


attach("reshape", reshape)


@method("torch.Tensor.view")
def view(self: Tensor, *shape: Any) -> Tensor:
    """Of another shape, or of another element type over the same memory."""
    if len(shape) == 1 and isinstance(shape[0], DType):
        return _reinterpreted(self, shape[0])
    found = as_shape(self, as_spread(shape))
    demand_viewable(self, found)
    return found


def _reinterpreted(x: TensorValue, to: DType) -> Tensor:
    known = dtype_of(x)
    if known is not None and known.bits == to.bits:
        return made("bit_cast", x, to=to)
    dims = ranked_dims(x)
    if known is None or not dims:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a view of another element type")
    last = floor_div(dims[-1] * known.bits, to.bits)
    return opaque("view", [x], Type(to, (*dims[:-1], last)), Tensor)


@method("torch.Tensor.view_as", "torch.Tensor.reshape_as")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    return as_shape(self, ranked_dims(other))


@method("torch.Tensor.resize_", "torch.Tensor.resize")
def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    made_ = opaque("resize_", [self], Type(dtype_of(self), as_spread(sizes)), Tensor)
    found: Tensor = become(self, made_)
    return found


@method("torch.flatten")
def flatten(input: Tensor, start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    first, last = axis_of(start_dim), axis_of(end_dim)
    count = rank_of(input)
    if count is None and first == 1 and last == -1:
        return as_shape(input, (input.graph_value.declared.dim(0), -1))
    if count:
        begin, end = placed(first, count), placed(last, count)
        demand(begin <= end, "flatten needs a first dim that is not behind the last")
        if begin > end:
            raise Undecided(Reason.EXCEPTION, "flatten")
    found: Tensor = flattened(input, first, last)
    return found


@method("torch.ravel")
def ravel(input: Tensor) -> Tensor:
    return as_shape(input, (-1,))


@method("torch.unflatten")
def unflatten(input: Tensor, dim: Any, sizes: Sizes) -> Tensor:
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    if -1 not in sizes:
        demand(equal(product(sizes), dims[axis]), f"unflatten cannot make {sizes} of {dims[axis]}", "dims-differ")
    return as_shape(input, (*dims[:axis], *_resolved(sizes, dims[axis]), *dims[axis + 1 :]))


def _resolved(sizes: Sizes, whole: Dim) -> Sizes:
    """Sizes of which -1 is told by the others."""
    rest = product(size for size in sizes if size != -1)
    if rest == 0:
        return sizes
    return tuple(floor_div(whole, rest) if size == -1 else size for size in sizes)


@method("torch.permute", "torch.permute_copy")
def permute(input: Tensor, *dims: Any) -> Tensor:
    order = axes_of(dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims) or ()
    count = rank_of(input)
    if count is None:
        _assume(input, len(order))
        count = len(order)
    demand(len(order) == count, f"permute names {len(order)} dims of {count}", "rank-differs")
    if len(order) != count:
        raise Undecided(Reason.EXCEPTION, "permute")
    places = [placed(axis, count) for axis in order]
    demand(len(set(places)) == count, "permute names a dim twice")
    found: Tensor = ordered(input, places)
    return found


def _assume(x: TensorValue, count: int) -> None:
    from mlvet.frontends.python.arrays.shapes import UnrankedShape

    UnrankedShape(x).unpack(count)


@method("torch.transpose", "torch.swapaxes", "torch.swapdims", in_place=False)
def transpose(input: Tensor, dim0: Any, dim1: Any) -> Tensor:
    count = rank(input)
    first, second = placed(axis_of(dim0), count), placed(axis_of(dim1), count)
    if count == 0:
        return input
    found: Tensor = swapped(input, first, second)
    return found


@method("torch.t")
def t(input: Tensor) -> Tensor:
    count = rank_of(input)
    if count is None:
        _assume(input, 2)
        count = 2
    demand(count <= 2, f"t() needs a tensor of at most 2 dims, but gets {count}", "rank-differs")
    return made("transpose", input) if count > 1 else input


@method("torch.adjoint")
def adjoint(input: Tensor) -> Tensor:
    found: Tensor = input.mT
    return found


@method("torch.movedim", "torch.moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    count = rank(input)
    origin = [placed(axis, count) for axis in axes_of(source) or ()]
    target = [placed(axis, count) for axis in axes_of(destination) or ()]
    demand(len(origin) == len(target), "movedim needs as many destinations as sources")
    rest = iter(axis for axis in range(count) if axis not in origin)
    moved = dict(zip(target, origin, strict=False))
    return made("transpose", input, perm=tuple(moved[p] if p in moved else next(rest) for p in range(count)))


@method("torch.squeeze")
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Named dims of another size than 1 stay. If none is named, sizes that are not known are taken not to be 1."""
    axes = axes_of(dim)
    dims = dims_of(input)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    if axes is not None:
        axes = tuple(placed(axis, len(dims)) for axis in axes) if dims else ()
        if not axes:
            return input
    if axes is None:
        axes = tuple(axis for axis, size in enumerate(dims) if equal(size, 1))
        return made("squeeze", input, axes) if axes else input
    found: Tensor = squeezed(input, axes, strict=False)
    return found


@method("torch.unsqueeze")
def unsqueeze(input: Tensor, dim: Any) -> Tensor:
    axis = axis_of(dim)
    count = rank_of(input)
    if count is not None:
        axis = placed(axis, count + 1)
    return made("unsqueeze", input, (axis,))


def _changing_shape(function: Any) -> Any:
    """The variant in place, which gives its operand another shape."""

    @wraps(function)
    def changed(input: Any, *args: Any, **keywords: Any) -> Any:
        return become(input, function(input, *args, **keywords))

    return changed


for _function in (transpose, t, squeeze, unsqueeze):
    attach(f"{_function.__name__}_", _changing_shape(_function))


@method("torch.Tensor.expand", "torch.broadcast_to", "torch.expand_copy")
def expand(input: Tensor, *size: Any, implicit: Any = None) -> Tensor:
    """A size of -1 keeps the dim."""
    sizes = as_spread(size)
    dims = dims_of(input)
    if dims is None:
        if any(each == -1 for each in sizes):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
        return made("broadcast_to", input, sizes)
    front = len(sizes) - len(dims)
    demand(front >= 0, f"expand names {len(sizes)} sizes of a tensor of {len(dims)} dims", "rank-differs")
    if front < 0:
        raise Undecided(Reason.EXCEPTION, "expand")
    demand(not any(each == -1 for each in sizes[:front]), "a new dim cannot have the size -1")
    wanted = tuple(dims[n - front] if each == -1 and n >= front else each for n, each in enumerate(sizes))
    return made("broadcast_to", input, wanted)


@method("torch.Tensor.expand_as")
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return expand(self, *ranked_dims(other))


@method("torch.broadcast_tensors")
def broadcast_tensors(*tensors: Any) -> Any:
    whole: Any = tensors[0]
    for each in tensors[1:]:
        whole = made("add", cast(whole, None), cast(each, dtype_of(whole)))
    return tuple(made("broadcast_to", each, ranked_dims(whole)) for each in tensors)


@method("torch.Tensor.repeat")
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    counts = as_spread(repeats)
    count = rank(self)
    demand(len(counts) >= count, "repeat needs at least as many numbers as there are dims", "rank-differs")
    if len(counts) < count:
        raise Undecided(Reason.EXCEPTION, "repeat")
    x = made("unsqueeze", self, tuple(range(len(counts) - count))) if len(counts) > count else self
    return made("tile", x, counts) if counts else x


@method("torch.tile")
def tile(input: Tensor, *dims: Any) -> Tensor:
    counts = as_spread(dims)
    return repeat(input, *(1,) * (rank(input) - len(counts)), *counts)


@method("torch.repeat_interleave")
def repeat_interleave(input: Tensor, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Tensor:
    counts = repeats if isinstance(repeats, TensorValue) else as_sizes((repeats,))
    axis = {} if dim is None else {"axis": placed(axis_of(dim), rank(input))}
    if isinstance(counts, TensorValue) and rank_of(counts) == 0:
        counts = made("unsqueeze", counts, (0,))
    return made("repeat_interleave", input, counts, **axis)


@method("torch.flip")
def flip(input: Tensor, *dims: Any) -> Tensor:
    return made("flip", input, axes=axes_of(dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims))


@method("torch.fliplr")
def fliplr(input: Tensor) -> Tensor:
    return made("flip", input, axes=(1,))


@method("torch.flipud")
def flipud(input: Tensor) -> Tensor:
    return made("flip", input, axes=(0,))


@method("torch.rot90")
def rot90(input: Tensor, k: Any = 1, dims: Any = (0, 1)) -> Tensor:
    axes = axes_of(dims) or (0, 1)
    if not isinstance(k, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "how often to turn")
    turned = made("flip", input, axes=axes[:1] if k % 2 else axes)
    return transpose(turned, *axes) if k % 2 else turned


@method("torch.roll")
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    amounts = as_sizes(shifts) if not isinstance(shifts, int | Expr) else (shifts,)
    axes = axes_of(dims)
    if axes is not None:
        demand(len(axes) == len(amounts), "roll needs as many shifts as dims")
    if not all(isinstance(amount, int) for amount in amounts):
        return opaque("roll", [input], input.graph_value.declared.without_value(), Tensor)
    return made("roll", input, shifts=amounts, **({} if not axes else {"axes": axes}))


@method("torch.tril", in_place=True)
def tril(input: Tensor, diagonal: Size = 0, *, out: Any = None) -> Tensor:
    return made("trilu", input, diagonal, upper=0)


@method("torch.triu", in_place=True)
def triu(input: Tensor, diagonal: Size = 0, *, out: Any = None) -> Tensor:
    return made("trilu", input, diagonal, upper=1)


@method("torch.diagonal", "torch.linalg.diagonal")
def diagonal(input: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Tensor:
    return made("diagonal", input, offset=axis_of(offset), axis1=axis_of(dim1), axis2=axis_of(dim2))


@method("torch.diag")
def diag(input: Tensor, diagonal: Any = 0, *, out: Any = None) -> Tensor:
    demand(rank(input) in (1, 2), f"diag takes 1 or 2 dims, but gets {rank(input)}", "rank-differs")
    if rank(input) == 2:
        return made("diagonal", input, offset=axis_of(diagonal))
    return made("diag", input, offset=axis_of(diagonal))


@method("torch.diag_embed")
def diag_embed(input: Tensor, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    dims = ranked_dims(input)
    size = dims[-1] + abs(axis_of(offset))
    if (dim1, dim2) != (-2, -1):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "diag_embed along other dims")
    return opaque("diag_embed", [input], Type(dtype_of(input), (*dims[:-1], size, size)), Tensor)


@method("torch.diagflat")
def diagflat(input: Tensor, offset: Any = 0) -> Tensor:
    return made("diag", ravel(input), offset=axis_of(offset))


def _at_least(least: int) -> Any:
    """Tensors of too few dims get more: before, and of 3 also behind."""
    places: Any = {1: {0: (0,)}, 2: {0: (0, 1), 1: (0,)}, 3: {0: (0, 1, 2), 1: (0, 2), 2: (2,)}}[least]

    def function(*tensors: Any) -> Any:
        xs = as_items(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], TensorValue) else tensors
        found = tuple(made("unsqueeze", x, places[rank(x)]) if rank(x) < least else x for x in xs)
        return found[0] if len(tensors) == 1 and isinstance(tensors[0], TensorValue) else found

    return function


for _least in (1, 2, 3):
    model(f"torch.atleast_{_least}d")(_at_least(_least))


@method("torch.Tensor.unfold")
def unfold(self: Tensor, dimension: Any, size: Size, step: Size) -> Tensor:
    """Windows of one size along a dim, as a new last dim."""
    dims = ranked_dims(self)
    axis = placed(axis_of(dimension), len(dims))
    demand(at_least(dims[axis], size), f"windows of {size} do not fit into {dims[axis]}", "size-out-of-range")
    windows = floor_div(dims[axis] - size, step) + 1
    return opaque("unfold", [self], Type(dtype_of(self), (*dims[:axis], windows, *dims[axis + 1 :], size)), Tensor)


@method("torch.as_strided")
def as_strided(input: Tensor, size: Sizes, stride: Sizes, storage_offset: Any = None) -> Tensor:
    return opaque("as_strided", [input], Type(dtype_of(input), size), Tensor)


@method("torch.block_diag")
def block_diag(*tensors: Any) -> Tensor:
    rows, columns = ([ranked_dims(each)[n] for each in tensors] for n in (0, 1))
    return opaque("block_diag", tensors, Type(dtype_of(tensors[0]), (_total(rows), _total(columns))), Tensor)


def _total(sizes: list[Dim]) -> Dim:
    whole: Dim = 0
    for size in sizes:
        whole = whole + size
    return whole


@method("torch.meshgrid")
def meshgrid(*tensors: Any, indexing: Any = "ij") -> Any:
    from mlvet.frontends.python.emission import emit_all

    xs: Tensors = as_items(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], TensorValue) else tensors
    lines = [made("reshape", x, (1,)) if rank_of(x) == 0 else x for x in xs]
    way = indexing if isinstance(indexing, str) else "ij"
    return emit_all("meshgrid", *lines, count=len(lines), indexing=way, kind=Tensor)


@method("torch.cartesian_prod")
def cartesian_prod(*tensors: Any) -> Tensor:
    size = product(ranked_dims(each)[0] for each in tensors)
    shape = (size, len(tensors)) if len(tensors) > 1 else (size,)
    return opaque("cartesian_prod", tensors, Type(dtype_of(tensors[0]), shape), Tensor)


@method("torch.vander")
def vander(x: Tensor, N: Any = None, increasing: bool = False) -> Tensor:
    dims = ranked_dims(x)
    return opaque("vander", [x], Type(dtype_of(x), (*dims, dims[-1] if N is None else N)), Tensor)
