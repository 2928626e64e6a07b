"""Methods of traced arrays that NumPy writes in C: data and places move alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlvet.runtime.provenance.array_predicates import compared
from mlvet.runtime.provenance.array_values import (
    Places,
    TracedArray,
    attach,
    owned_places,
    split,
    store_places,
    with_places,
)  # fmt: skip
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.roundings import noted
from mlvet.runtime.provenance.scalars import scalar
from mlvet.runtime.provenance.ufuncs import _jumped, extreme_index, wide, write


def shares(result: TracedArray, source: TracedArray) -> bool:
    """Whether a result is a view of the memory of its source."""
    owner = source if source._owner is None else source._owner
    return result is source or result._owner is owner


def _moving(name: str) -> Any:
    plain_method = getattr(np.ndarray, name)

    def method(self: TracedArray, *arguments: Any, **options: Any) -> Any:
        result = plain_method(self, *arguments, **options)
        places = self.places
        if places is None:
            return result
        if not isinstance(result, TracedArray):
            return with_places(result, np.asarray(getattr(places, name)(*arguments, **options)))
        if not shares(result, self):
            attach(result, np.array(getattr(places, name)(*arguments, **options)))
        return result

    return method


def _copied(self: TracedArray, *ignored: Any) -> Any:
    del ignored
    return self.copy()


def objects(array: TracedArray) -> Any:
    """An array of objects whose elements are traced numbers of Python."""
    places = array.places
    result = np.ndarray.astype(array.plain, object)
    if places is not None:
        flat, flat_places = result.reshape(-1), places.reshape(-1)
        for index in np.flatnonzero(flat_places).tolist():
            flat[index] = scalar(flat[index], int(flat_places[index]))
        result = flat.reshape(result.shape)
    return result


def _astype(self: TracedArray, dtype: Any, *arguments: Any, **options: Any) -> Any:
    places = self.places
    if places is not None and np.dtype(dtype).kind == "O":
        return objects(self)
    if self.dtype.kind == "O" and np.dtype(dtype).kind in "fiu":
        from mlvet.runtime.provenance.arrays_objects import from_objects, holds_traced

        if holds_traced(self.plain):
            return from_objects(self.plain, dtype)
    result: Any = np.ndarray.astype(self, dtype, *arguments, **options)
    if places is None or shares(result, self):
        return result
    if self.dtype.kind == "f" and result.dtype.kind != "f":
        if result.dtype.kind == "b":
            compared(result.plain, wide(self.plain), places, None)
        elif result.dtype.kind in "iu":
            _jumped(wide(self.plain), places, 0.0)
        return result
    attach(result, places.copy())
    return result


def _view(self: TracedArray, *arguments: Any, **options: Any) -> Any:
    return np.ndarray.view(self, *arguments, **options)


def ordering(values: Any, places: Places, axis: int, kind: Any, order: Any) -> Any:
    """The order of elements to go on with; neighbours are comparisons."""
    lines = np.moveaxis(np.take_along_axis(wide(values), order, axis), axis, -1)
    if lines.shape[-1] < 2:
        return order
    del kind
    sources = np.moveaxis(np.take_along_axis(places, order, axis), axis, -1)
    with np.errstate(invalid="ignore"):
        margins = lines[..., 1:] - lines[..., :-1]
    outcome = np.ones(margins.shape, np.bool_)
    decided = compared(outcome, margins, sources[..., 1:], sources[..., :-1])
    if decided is outcome:
        return order
    moved = np.moveaxis(order, axis, -1).copy()
    for index in zip(*np.nonzero(~decided), strict=True):
        after = (*index[:-1], index[-1] + 1)
        moved[index], moved[after] = moved[after], moved[index]
    return np.moveaxis(moved, -1, axis)


def _argsort(self: TracedArray, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    values, places = split(self)
    result = values.argsort(axis, kind, order, stable=stable)
    if places is None:
        return result.view(TracedArray)
    if axis is None:
        values, places, axis = values.reshape(-1), places.reshape(-1), -1
    return ordering(values, places, axis, kind, result).view(TracedArray)


def _sort(self: TracedArray, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    values, places = split(self)
    if places is not None:
        first = values.argsort(axis, kind, order, stable=stable)
        chosen = ordering(values, places, axis, kind, first)
        places[...] = np.take_along_axis(places, chosen, axis)
        if chosen is not first:
            values[...] = np.take_along_axis(values, chosen, axis)
            return
    values.sort(axis, kind, order, stable=stable)


def _partition(self: TracedArray, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
    values, places = split(self)
    if places is not None:
        chosen = values.argpartition(kth, axis, kind, order)
        places[...] = np.take_along_axis(places, chosen, axis)
        values[...] = np.take_along_axis(values, chosen, axis)
        return
    values.partition(kth, axis, kind, order)


def _argpartition(self: TracedArray, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    values, places = split(self)
    result = values.argpartition(kth, axis, kind, order)
    if places is not None and isinstance(kth, (int, np.integer)) and values.ndim == 1:
        ordered = values.argsort()
        if 0 < kth < len(values):
            pair = wide(values[ordered[kth - 1 : kth + 1]])
            ends = places[ordered[kth - 1 : kth + 1]]
            compared(np.ones(1, np.bool_), pair[1:] - pair[:1], ends[1:], ends[:1])
    return result.view(TracedArray)


def _extreme_at(name: str, largest: bool) -> Any:
    def method(self: TracedArray, axis: Any = None, out: Any = None, **options: Any) -> Any:
        values, places = split(self)
        target = out if out is None else split(out)[0]
        result = getattr(values, name)(axis, target, **options)
        if places is None:
            return result if out is None else out
        if axis is None:
            numbers, lines, best = wide(values).reshape(-1), places.reshape(-1), np.asarray(result).reshape(())
        else:
            numbers, lines = np.moveaxis(wide(values), axis, -1), np.moveaxis(places, axis, -1)
            best = np.asarray(result).reshape(numbers.shape[:-1])
        decided = extreme_index(numbers, lines, best, largest)
        if decided is not best:
            result = np.reshape(decided, np.shape(result))[()]
        if target is not None:
            target[...] = result
            return out
        return result.view(TracedArray) if isinstance(result, np.ndarray) else result

    return method


def _item(self: TracedArray, *index: Any) -> Any:
    value = np.ndarray.item(self, *index)
    places = self.places
    return value if places is None else scalar(value, int(places.item(*index)))


def _tolist(self: TracedArray) -> Any:
    if self.places is None:
        return np.ndarray.tolist(self)
    return objects(self).tolist()


def _fill(self: TracedArray, value: Any) -> None:
    data, places = split(value)
    np.ndarray.fill(self, data)
    store_places(self, ..., places, data)


def _put(self: TracedArray, indices: Any, values: Any, mode: Any = "raise") -> None:
    data, places = split(values)
    np.ndarray.put(self, indices, data, mode)
    own = self.places if places is None else owned_places(self)
    if own is not None:
        own.put(indices, 0 if places is None else places, mode)


def _choose(self: TracedArray, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    parts = [split(each) for each in choices]
    result = self.plain.choose([data for data, _ in parts], out, mode)
    places = [np.zeros(np.shape(data), np.int64) if each is None else each for data, each in parts]
    found = None if all(each is None for _, each in parts) else self.plain.choose(places, mode=mode)
    return with_places(result, found)


def _round(self: TracedArray, decimals: Any = 0, out: Any = None) -> Any:
    values, places = split(self)
    result = values.round(decimals, None if out is None else split(out)[0])
    if places is not None and values.dtype.kind == "f":
        if decimals:
            places = _rounded(places, decimals)
        else:
            _jumped(wide(values), places, 0.5)
            places = None
    if out is not None:
        store_places(out, ..., places)
        return out
    return with_places(result, places)


def _rounded(places: Places, digits: int) -> Places | None:
    made = write(places.shape, [(places, 1.0)])
    noted(digits).extend(() if made is None else made[made > 0].tolist())
    return made


def _truth(self: TracedArray) -> bool:
    data, places = split(self)
    outcome = bool(data)
    if places is None or data.size != 1:
        return outcome
    return bool(compared(outcome, wide(data).reshape(()), places.reshape(()), None))


def _reduce(self: TracedArray, protocol: Any) -> Any:
    """Pickled as a plain array: what leaves the process carries no place."""
    return self.plain.__reduce_ex__(protocol)


def _iterated(self: TracedArray) -> Iterator[Any]:
    """Elements of a vector as they are when their turn comes; of other arrays, their rows."""
    if self.ndim != 1 or (self if self._owner is None else self._owner)._buffer is None:
        for index in range(len(self)):
            yield self[index]
        return
    plain, places = split(self)
    for index in range(len(plain)):
        yield plain[index] if places is None else scalar(plain[index], places.item(index))


class Flat:
    """Elements of an array one after another, read and written with their places, as `ndarray.flat` has them."""

    def __init__(self, base: TracedArray) -> None:
        self.base = base
        self.index = 0

    @property
    def coords(self) -> tuple[int, ...]:
        index = np.unravel_index(self.index, self.base.shape) if self.index < self.base.size else (self.base.size,)
        return tuple(int(each) for each in index)

    def _indices(self, key: Any) -> Any:
        return np.unravel_index(np.arange(self.base.size)[key], self.base.shape)

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self.base[np.unravel_index(self.index - 1, self.base.shape)]

    def __getitem__(self, key: Any) -> Any:
        return self.base.copy() if self.base.ndim == 0 else self.base[self._indices(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        indices = self._indices(key)
        data, places = split(value)
        if np.ndim(data) and np.ndim(indices[0]):
            needed = np.shape(indices[0])
            data = np.resize(data, needed)
            places = None if places is None else np.resize(places, needed)
        self.base[indices] = with_places(np.asarray(data), None if places is None else np.array(places))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ndarray.__array__(self.base.reshape(-1), dtype) if copy is None else self.base.flatten()

    def copy(self) -> Any:
        return self.base.flatten()


def _set_flat(self: TracedArray, value: Any) -> None:
    Flat(self)[:] = value


_METHODS: dict[str, Any] = {
    "astype": _astype, "argsort": _argsort, "sort": _sort, "partition": _partition, "argpartition": _argpartition,
    "argmax": _extreme_at("argmax", True), "argmin": _extreme_at("argmin", False), "item": _item, "tolist": _tolist,
    "fill": _fill, "put": _put, "choose": _choose, "round": _round, "__bool__": _truth, "__reduce_ex__": _reduce,
    "__iter__": _iterated, "__copy__": _copied, "__deepcopy__": _copied, "flat": property(Flat, _set_flat),
    "__repr__": lambda self: repr(self.plain), "__str__": lambda self: str(self.plain),
    "__format__": lambda self, form: format(self.item() if self.ndim == 0 else self.plain, form),
}  # fmt: skip
for _name in "reshape ravel flatten copy transpose squeeze swapaxes diagonal take repeat compress".split():
    _METHODS[_name] = _moving(_name)
for _name, _function in _METHODS.items():
    setattr(TracedArray, _name, _function)
