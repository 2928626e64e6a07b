"""`x[...]` and `x[...] = y` for the tensors of every library.

An index is taken apart into one entry per axis of the operand or new axis. Slices are cut first, then single positions
are picked (in NumPy and JAX only if there are no arrays, beside which they count as arrays), new axes are put in, and
what is left are arrays and masks. A part of the index of which nothing is known is taken to be one position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, equal
from mlvet.domains.dtypes import Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.emission import constant, demand, emit, opaque, value_of
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ops.indexing import indexed
from mlvet.ops.require import Require

NEW = "new"
WHOLE = slice(None)
LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Array:
    """An index of several positions: integers along one axis, or a mask over as many axes as it has dims."""

    tensor: TensorValue

    @property
    def is_mask(self) -> bool:
        return dtype_of(self.tensor) is dtypes.bool_

    @property
    def width(self) -> int:
        return (rank_of(self.tensor) or 0) if self.is_mask else 1


Entry = Any
"""NEW, a slice, one position (int, Expr or tensor without dims) or an Array."""


def getitem(x: TensorValue, index: Any) -> Any:
    """The tensor that an index picks out. Positions out of range are recorded as demands."""
    entries = _entries(x, index)
    if entries is None:
        return _unranked(x, index)
    if all(_is_whole(entry) for entry in entries):
        return type(x).of(x.graph_value)
    return _picked(x, entries)


def setitem(x: TensorValue, index: Any, value: Any) -> None:
    """Write into a tensor in place: it becomes another value of the same type."""
    from mlvet.frontends.python.arrays.operators import become

    if type(x).framework in (Framework.JAX, Framework.TENSORFLOW):
        demand(False, f"elements of a {type(x).__name__} cannot be assigned")
    try:
        entries, new = _entries(x, index), _written(x, value)
        known = entries is not None and new is not None and dims_of(new) is not None
        after = _changed(x, entries, new) if known else None  # type: ignore[arg-type]
    except Undecided:
        become(x, opaque("setitem", [x], tensor_of(x).without_value(), type(x)))
        raise
    become(x, opaque("setitem", [x], tensor_of(x).without_value(), type(x)) if after is None else after)


def _entries(x: TensorValue, index: Any) -> list[Entry] | None:
    """One entry per axis of the operand or new axis; None if that hangs on a rank that is not known."""
    parts = [_part(part, type(x)) for part in (index if isinstance(index, tuple) else (index,))]
    rank = rank_of(x)
    if rank is None or any(isinstance(part, Array) and dims_of(part.tensor) is None for part in parts):
        return None
    dots = [place for place, part in enumerate(parts) if part is Ellipsis]
    taken = sum(_width(part) for part in parts)
    demand(len(dots) <= 1 or type(x).framework is Framework.TORCH, "an index can have one `...` only")
    if taken > rank:
        demand(False, f"{taken} indices for {tensor_of(x)}, which has {rank} dims", "axis-out-of-range")
        return None
    if dots:
        parts[dots[0] : dots[0] + 1] = [WHOLE] * (rank - taken)
    else:
        parts += [WHOLE] * (rank - taken)
    return [part for part in parts if part is not Ellipsis]


def _width(part: Entry) -> int:
    """How many axes of the operand an entry stands for."""
    if isinstance(part, Array):
        return part.width
    return 0 if part is NEW or part is Ellipsis else 1


def _part(part: Any, kind: type[TensorValue]) -> Entry:
    match part:
        case None | True:
            return NEW
        case False:
            return Array(from_python(False, kind))
        case int() | Expr() | slice():
            return part
        case TensorValue():
            return _by_tensor(part, kind)
        case Unknown() if part.tensor is not None:
            return Array(part.tensor)
        case Unknown() | Scalar() if is_comparison(part):
            raise Undecided(Reason.OPERATOR_OVERLOADING, "a comparison as an index, which may be one of tensors")
        case Scalar() if part.kind in (str, bytes):
            raise Undecided(Reason.EXTERNAL_DATA, "the name of a field")
        case Unknown() if part.reason in (Reason.UNMODELLED_CALL, Reason.UNMODELLED_LIBRARY):
            raise Undecided(part)
        case Unknown() | Scalar():
            return opaque("index", [], Tensor(dtypes.i64, ()), kind)
        case ListValue() | tuple() | list():
            return _by_tensor(_positions(part, kind), kind)
        case range():
            return _by_tensor(_positions(tuple(part), kind), kind)
    if part is Ellipsis:
        return part
    convert = getattr(part, "as_tensor", None)
    if convert is not None:
        return _by_tensor(convert(), kind)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"a tensor is indexed by {type(part).__name__}")


def is_comparison(part: Unknown | Scalar) -> bool:
    """Whether an index that is not known comes of a comparison, so that it may be a mask."""
    return "?" in part.parts if isinstance(part, Unknown) else part.kind is bool


def _by_tensor(index: TensorValue, kind: type[TensorValue]) -> Entry:
    known = tensor_of(index)
    if known.dtype is dtypes.u8 and kind.framework is Framework.TORCH:
        return Array(cast(index, dtypes.bool_))
    if known.shape == () and known.dtype is not dtypes.bool_:
        return index
    if kind.framework is Framework.TENSORFLOW and known.ranked and type(index) is kind:
        demand(False, "tensors of TensorFlow are indexed by numbers and slices only; use tf.gather or tf.boolean_mask")
    return Array(index)


def _positions(part: Any, kind: type[TensorValue]) -> TensorValue:
    """A list of positions or truth values as a tensor."""
    items = part.items if isinstance(part, ListValue) else part
    if isinstance(items, Repeated):
        element = items.element
        if isinstance(element, TensorValue | ListValue | tuple | bool):
            return from_python(part, kind)
        return opaque("positions", [], Tensor(dtypes.i64, (items.length,)), kind)
    if not items:
        return from_python(part, kind, dtypes.i64)
    if any(isinstance(item, Unknown | Scalar) for item in items):
        return opaque("positions", [], Tensor(dtypes.i64, (len(items),)), kind)
    return from_python(part, kind)


def _unranked(x: TensorValue, index: Any) -> Any:
    """Of a tensor of unknown rank, an index tells little: positions and new axes leave it unranked."""
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) == 1 and isinstance(parts[0], int | Expr) and dims_of(x) is None:
        return emit("gather", x, parts[0], axis=0)
    if parts[0] is Ellipsis and all(part is None for part in parts[1:]):
        return emit("unsqueeze", x, tuple(range(1 - len(parts), 0))) if parts[1:] else type(x).of(x.graph_value)
    name = machine().fresh("item")
    return opaque("getitem", [x], Tensor(dtype_of(x), Unranked(name)), type(x))


def _picked(x: TensorValue, entries: Sequence[Entry]) -> Any:
    framework = type(x).framework
    result = _cut(x, entries)
    mixed = framework in (Framework.NUMPY, Framework.JAX, Framework.KERAS)
    arrays = any(isinstance(entry, Array) for entry in entries)
    kept = [WHOLE if isinstance(entry, slice) else entry for entry in entries]
    if not (arrays and mixed):
        axis = sum(_width(entry) for entry in kept)
        for entry in reversed(kept):
            axis -= _width(entry)
            if _is_position(entry):
                dim = (dims_of(result) or ())[axis]
                result = emit("gather", result, _inside(entry, dim, framework), axis=axis)
        kept = [entry for entry in kept if not _is_position(entry)]
    axes: list[int] = []
    place = 0
    for entry in kept:
        if entry is NEW:
            axes.append(place)
        place += 1 if entry is NEW else _width(entry)
    if axes:
        result = emit("unsqueeze", result, tuple(axes))
    return _by_arrays(result, kept) if arrays else result


def _is_position(entry: Entry) -> bool:
    return isinstance(entry, int | Expr | TensorValue)


def _is_whole(entry: Entry) -> bool:
    return isinstance(entry, slice) and entry.start is None and entry.stop is None and entry.step is None


def _inside(position: Any, dim: Dim, framework: Framework) -> Any:
    """JAX moves a position that is out of range to the nearest one."""
    if framework is not Framework.JAX or not isinstance(dim, int) or dim <= 0:
        return position
    if isinstance(position, int):
        return min(max(position, -dim), dim - 1)
    return within(position, dim) if isinstance(position, TensorValue) else position


def within(positions: TensorValue, dim: Dim) -> TensorValue:
    """Positions with those that are known to be out of range moved to the nearest, as JAX and `clip` do."""
    known = tensor_of(positions).value
    if known is None or not isinstance(dim, int) or dim <= 0:
        return positions
    inside = [
        min(max(each, -dim), dim - 1) if isinstance(each, int | np.integer) else each for each in known.reshape(-1)
    ]
    if all(a is b or a == b for a, b in zip(inside, known.reshape(-1), strict=True)):
        return positions
    if not all(isinstance(each, int | np.integer) for each in inside):
        return opaque("within", [positions], tensor_of(positions).without_value(), type(positions))
    return constant(np.asarray(inside, known.dtype).reshape(known.shape), type(positions))


def _by_arrays(x: TensorValue, entries: Sequence[Entry]) -> Any:
    """Advanced indexing; along one axis alone it is a gather."""
    positions = _operands(entries)
    given = [(axis, index) for axis, index in enumerate(positions) if index is not None]
    only = given[0][1]
    dims = dims_of(x)
    if type(x).framework is Framework.JAX and dims is not None and not _masks(entries):
        positions = [
            index if index is None else _inside(index, dim, Framework.JAX)
            for index, dim in zip(positions, dims, strict=False)
        ]
        only = positions[given[0][0]]
    if len(given) == 1 and isinstance(only, TensorValue) and dtype_of(only) is not dtypes.bool_:
        return emit("gather", x, only, axis=given[0][0])
    return emit("index", x, *positions)


def _masks(entries: Sequence[Entry]) -> bool:
    return any(isinstance(entry, Array) and entry.is_mask for entry in entries)


def _operands(entries: Sequence[Entry]) -> list[Any]:
    """The operands of advanced indexing: None for a whole axis."""
    listed: list[Any] = []
    for entry in entries:
        if isinstance(entry, Array):
            listed.append(entry.tensor)
        else:
            listed.append(entry if _is_position(entry) else None)
    while listed and listed[-1] is None:
        listed.pop()
    return listed


def _cut(x: TensorValue, entries: Sequence[Entry]) -> Any:
    """The operand with its slices cut: those with known bounds at once, others one by one."""
    known: list[tuple[Dim, Dim, int, int]] = []
    others: list[tuple[Any, Any, int, int]] = []
    axis = 0
    for entry in entries:
        if isinstance(entry, slice) and not _is_whole(entry):
            start, stop, step = (_bound(part, type(x)) for part in (entry.start, entry.stop, entry.step))
            if isinstance(step, int) and step < 0:
                demand(type(x).framework is not Framework.TORCH, "the step of a slice must be positive in PyTorch")
            if step is not None and not isinstance(step, int):
                others.append((0, opaque("bound", [], Tensor(dtypes.i64, ()), type(x)), axis, 1))
            else:
                stride = 1 if step is None else step
                start = (LAST if stride < 0 else 0) if start is None else start
                stop = (-LAST - 1 if stride < 0 else LAST) if stop is None else stop
                plain = not isinstance(start, TensorValue) and not isinstance(stop, TensorValue)
                (known if plain else others).append((start, stop, axis, stride))
        axis += _width(entry)
    result: Any = x
    if known:
        starts, stops, axes, steps = zip(*known, strict=True)
        result = emit("slice", result, starts, stops, axes, None if set(steps) == {1} else steps)
    for start, stop, axis, step in others:
        firsts, lasts = (_row(bound) for bound in (start, stop))
        result = emit("slice", result, firsts, lasts, (axis,), (step,))
    return result


def _row(bound: Any) -> Any:
    return emit("reshape", bound, (1,)) if isinstance(bound, TensorValue) else (bound,)


def _bound(bound: Any, kind: type[TensorValue]) -> Any:
    """A bound of a slice as a size where its value is known, else as a tensor."""
    match bound:
        case None | int() | Expr():
            return bound
        case TensorValue():
            known = tensor_of(bound)
            if (
                known.value is not None
                and known.value.size == 1
                and (known.dtype is None or known.dtype.kind is not Kind.FLOAT)
            ):
                only = known.value.reshape(-1)[0]
                return only if isinstance(only, Expr) else int(only)
            if known.ranked and known.size != 1:
                demand(False, "the bound of a slice must be one integer")
                return opaque("bound", [], Tensor(dtypes.i64, ()), kind)
            return cast(bound, dtypes.i64)
        case Unknown() if bound.size is not None:
            return bound.size
        case float() | str():
            demand(False, "the bounds of a slice must be integers")
    return opaque("bound", [], Tensor(dtypes.i64, ()), kind)


def _written(x: TensorValue, value: Any) -> Any:
    """What is written, in the element type of the tensor; None if nothing is known of it."""
    match value:
        case TensorValue():
            made = type(x).of(value.graph_value)
        case bool() | int() | float() | complex() | Expr() | Scalar() | ListValue() | tuple() | list():
            try:
                made = from_python(value, type(x), dtype_of(x) if not isinstance(value, str) else None)
            except Undecided:
                return None
        case _:
            return None
    return cast(made, dtype_of(x))


def _changed(x: TensorValue, entries: Sequence[Entry], new: TensorValue) -> Any:
    if all(_is_whole(entry) for entry in entries):
        return emit("broadcast_to", _trimmed(new, len(entries)), dims_of(x))
    arrays = [entry for entry in entries if isinstance(entry, Array)]
    whole = all(not isinstance(entry, slice) or _is_whole(entry) for entry in entries)
    if len(arrays) == 1 and arrays[0].is_mask and rank_of(new) == 0 and entries[0] is arrays[0] and whole:
        mask = arrays[0].tensor
        missing = tuple(range(rank_of(mask) or 0, rank_of(x) or 0))
        if _covers(mask, x) and not any(entry is NEW or _is_position(entry) for entry in entries):
            return emit("where", emit("unsqueeze", mask, missing) if missing else mask, new, x, kind=type(x))
    if arrays and whole and not any(entry is NEW for entry in entries):
        operands = _operands(entries)
        return emit("index_put", x, _fitting(x, new, operands), *operands, accumulate=False)
    part = _picked(x, entries)
    dims = dims_of(part)
    if dims is None:
        return opaque("setitem", [x, new], tensor_of(x).without_value(), type(x))
    filled = emit("broadcast_to", _trimmed(new, len(dims)), dims)
    starts = None if arrays else _corner(entries)
    if starts is None:
        return opaque("setitem", [x, filled], tensor_of(x).without_value(), type(x))
    box = [1 if _is_position(entry) else dim for entry, dim in _paired(entries, dims) if entry is not NEW]
    return emit("dynamic_update_slice", x, emit("reshape", filled, tuple(box), allowzero=1), *starts)


def _fitting(x: TensorValue, new: TensorValue, operands: Sequence[Any]) -> Any:
    """What is written without needless dims; it must broadcast to its place, never the other way round."""
    known = [None if value is None else value.declared for value in map(value_of, operands)]
    places = indexed(Require(), tensor_of(x), known)[0]
    for own, place in zip(reversed(dims_of(new) or ()), reversed(places), strict=False):
        if equal(own, 1) is False and equal(place, 1) is True:
            because = f"{tensor_of(new)} does not broadcast to its place of [{', '.join(map(str, places))}]"
            demand(False, because, "broadcast-mismatch")
    return _trimmed(new, len(places))


def _paired(entries: Sequence[Entry], dims: Sequence[Dim]) -> list[tuple[Entry, Dim]]:
    """Entries with their dims in what they pick, 1 where they pick one position."""
    left = iter(dims)
    return [(entry, 1 if _is_position(entry) else next(left)) for entry in entries]


def _corner(entries: Sequence[Entry]) -> list[Any] | None:
    """Where the box that slices and positions pick begins; None if it is no box at known places."""
    starts: list[Any] = []
    for entry in entries:
        if entry is NEW:
            continue
        if isinstance(entry, slice):
            start = 0 if entry.start is None else entry.start
            if entry.step not in (None, 1) or not isinstance(start, int | Expr):
                return None
            starts.append(start)
        else:
            starts.append(entry)
    return starts


def _covers(mask: TensorValue, x: TensorValue) -> bool:
    own, dims = dims_of(mask) or (), dims_of(x) or ()
    return all(equal(a, b) is not False for a, b in zip(own, dims, strict=False))


def _trimmed(new: TensorValue, rank: int) -> Any:
    """What is written may have more dims than its place if those are 1."""
    dims = dims_of(new)
    extra = 0 if dims is None else len(dims) - rank
    return emit("squeeze", new, tuple(range(extra)), strict=True) if extra > 0 else new
