"""Arrays that carry the places of their elements: ordinary arrays to any program and to every function written in C.

Places are kept for the memory that an array owns, and only once something traced was stored there: a view finds its own
by address and strides, so that writes through any view are seen through all others. Moving data about moves places
along and writes nothing to the tape.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED, scalar
from mlvet.runtime.provenance.tape import TAPE

Places: TypeAlias = NDArray[np.int64]
Array: TypeAlias = NDArray[Any]

_plain_get = np.ndarray.__getitem__
_plain_set = np.ndarray.__setitem__
_plain_view: Any = np.ndarray.view
_CONTAINERS = (list, tuple)


class TracedArray(np.ndarray[Any, Any]):
    """An array with `places`, which are None while nothing in its memory hangs on an input."""

    _owner: TracedArray | None = None
    _buffer: Places | None = None
    """The places of the memory of an owner, element by element from its lowest address."""
    _low: int = -1
    _known: Places | None = None

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, TracedArray):
            base = self.base
            if base is not None and (base is source or base is source.base):
                owner = source._owner
                self._owner = source if owner is None else owner

    @property
    def plain(self) -> Array:
        """The same memory as an array of NumPy's own class."""
        return _plain_view(self, np.ndarray)  # type: ignore[no-any-return]

    def view(self, *arguments: Any, **options: Any) -> Any:
        """A view; what asks for NumPy's own class gets one that keeps places."""
        if not options and len(arguments) == 1:
            if arguments[0] is np.ndarray:
                return _plain_view(self, TracedArray)
            if arguments[0] is np.matrix:
                return _plain_view(self, TracedMatrix)
        return _plain_view(self, *arguments, **options)

    @property
    def places(self) -> Places | None:
        owner = self._owner
        if owner is None:
            owner = self
        buffer = owner._buffer
        if buffer is None:
            return None
        known = self._known
        if known is not None and known.shape == self.shape:
            return known
        size = self.itemsize
        if size != owner.itemsize or self.dtype.kind != owner.dtype.kind:
            return None
        if self.size == 0:
            return np.zeros(self.shape, np.int64)
        if owner._low < 0:
            owner._low = byte_bounds(owner)[0]
        offset = self.__array_interface__["data"][0] - owner._low
        strides = tuple(stride // size * 8 for stride in self.strides)
        self._known = np.ndarray(self.shape, np.int64, buffer, offset // size * 8, strides)
        return self._known

    def __getitem__(self, key: Any) -> Any:
        found: Any = _plain_get(self, key)
        owner = self._owner
        if (self if owner is None else owner)._buffer is None:
            return found
        if isinstance(found, TracedArray):
            if found._owner is None:
                places = self.places
                if places is not None:
                    attach(found, places[key])
            return found
        places = self.places
        return found if places is None else scalar(found, int(places[key]))

    def __setitem__(self, key: Any, value: Any) -> None:
        value, places = split(value)
        _plain_set(self, key, value)
        store_places(self, key, places, value)


class TracedMatrix(TracedArray, np.matrix[Any, Any]):
    """A matrix with the places of its elements, as sums of SciPy's matrices are."""

    def __array_finalize__(self, source: Any) -> None:
        TracedArray.__array_finalize__(self, source)
        np.matrix.__array_finalize__(self, source)

    @property
    def plain(self) -> Array:
        return _plain_view(self, np.matrix)  # type: ignore[no-any-return]

    @property
    def places(self) -> Places | None:
        return super().places

    @property
    def A(self) -> Any:  # noqa: N802
        return _plain_view(self, TracedArray)

    @property
    def A1(self) -> Any:  # noqa: N802
        return _plain_view(self, TracedArray).ravel()

    def __getitem__(self, key: Any) -> Any:
        found: Any = TracedArray.__getitem__(_plain_view(self, TracedArray), key)
        if not isinstance(found, np.ndarray) or found.ndim == 0:
            return found if not isinstance(found, np.ndarray) else found[()]
        if found.ndim == 1:
            upright = isinstance(key, (tuple, list)) and len(key) > 1 and np.isscalar(key[1])
            found = found.reshape((-1, 1) if upright else (1, -1))
        return _plain_view(found, TracedMatrix)


ARRAYS = frozenset((TracedArray, TracedMatrix))


def _real(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fiu"


def owned_places(array: TracedArray) -> Places | None:
    """The places of an array, made where there are none yet; None for what is no array of real numbers."""
    owner = array if array._owner is None else array._owner
    if owner._buffer is None:
        if not _real(owner.dtype):
            return None
        low, high = byte_bounds(owner)
        owner._low = low
        owner._buffer = np.zeros(max(0, high - low) // owner.itemsize, np.int64)
    return array.places


def store_places(array: TracedArray, key: Any, places: Places | None, value: Any = 0) -> None:
    """Note that values with such places, or without any, were stored."""
    if places is not None and array.dtype.kind in "iu" and np.asarray(value).dtype.kind == "f":
        places = None
    own = array.places if places is None else owned_places(array)
    if own is not None:
        own[key] = 0 if places is None else places


def attach(array: TracedArray, places: Places | None) -> None:
    """Give an array that was just made its places; they must belong to no other array."""
    if places is None or not _real(array.dtype):
        return
    alone = array._owner is None and places.base is None and places.shape == array.shape
    if alone and array.flags.c_contiguous and places.flags.c_contiguous:
        array._buffer = places.reshape(-1)
        array._known = places
        return
    own = owned_places(array)
    if own is not None:
        own[...] = places


def with_places(data: Any, places: Places | None) -> Any:
    """A result of NumPy with its places: a traced array, or a traced scalar."""
    if isinstance(data, np.ndarray):
        array: TracedArray = data.view(TracedMatrix if isinstance(data, np.matrix) else TracedArray)
        if places is not None:
            attach(array, places)
        return array
    return data if places is None else scalar(data, int(places))


def split(value: Any) -> tuple[Any, Places | None]:
    """What NumPy would see, and the places of its elements where it has any."""
    kind = type(value)
    if kind in ARRAYS:
        return value.plain, value.places
    if kind in ANY_TRACED:
        return value.v, np.array(value.i)
    if kind in _CONTAINERS:
        return _split_nested(value)
    return value, None


def _split_nested(values: Any) -> tuple[Any, Places | None]:
    kinds = set(map(type, values))
    if kinds <= ANY_TRACED:
        return [each.v for each in values], np.fromiter((each.i for each in values), np.int64, len(values))
    if kinds.isdisjoint(ANY_TRACED) and kinds.isdisjoint(ARRAYS) and kinds.isdisjoint(_CONTAINERS):
        return values, None
    parts = [split(each) for each in values]
    if all(places is None for _, places in parts):
        return values, None
    data = [each for each, _ in parts]
    shapes = {np.shape(each) for each in data}
    if len(shapes) > 1:
        return values, None
    shape = shapes.pop()
    return data, np.stack([np.zeros(shape, np.int64) if each is None else each for _, each in parts])


def as_traced(value: Any) -> TracedArray:
    """Numbers, lists of them and arrays as a traced array; arrays share their memory with it."""
    if isinstance(value, TracedArray):
        return value
    data, places = split(value)
    array: TracedArray = np.asarray(data).view(TracedArray)
    attach(array, None if places is None else places.reshape(array.shape).copy())
    return array


def has_places(value: Any) -> bool:
    """Whether an argument of a function holds anything traced."""
    return split(value)[1] is not None


def wrap_array(array: Any) -> TracedArray:
    """An array of real numbers whose elements are inputs, each with a new place; it shares the array's memory."""
    wrapped: TracedArray = np.asarray(array).view(TracedArray)
    own = owned_places(wrapped)
    if own is not None:
        own[...] = np.arange(TAPE.inputs(wrapped.size), TAPE.size).reshape(wrapped.shape)
    return wrapped
