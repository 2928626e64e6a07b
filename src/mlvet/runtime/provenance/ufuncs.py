"""NumPy's elementwise functions on traced arrays and numbers: called, reduced, accumulated, outer and at indices.

The data are made by the very same call on plain arrays. The derivatives are written as one row for each element of the
result; functions that choose one of their operands pass on its place instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlvet.runtime.provenance.array_predicates import compared
from mlvet.runtime.provenance.array_values import Places, TracedArray, split, store_places, with_places
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE
from mlvet.runtime.provenance.ufunc_partials import COMPARISONS, CONSTANT, JUMPS, partials_of

Term = tuple[Places | None, Any]
"""The places of an operand and the partial derivatives by it, both to be broadcast to the result."""

MAXIMA = frozenset((np.maximum, np.fmax))
MINIMA = frozenset((np.minimum, np.fmin))


def write(shape: tuple[int, ...], terms: Sequence[Term]) -> Places | None:
    """Write a row for each element of a result of this shape; returns its places, 0 where no operand hangs."""
    kept = [(places, partial) for places, partial in terms if places is not None and partial is not None]
    if not kept:
        return None
    size = int(np.prod(shape, dtype=np.int64))
    width = len(kept)
    parents = np.empty((size, width), np.int64)
    partials = np.empty((size, width))
    for index, (places, partial) in enumerate(kept):
        parents.reshape(*shape, width)[..., index] = places
        partials.reshape(*shape, width)[..., index] = partial
    hangs = parents.any(axis=1)
    if hangs.all():
        first = TAPE.rows(np.full(size, width), parents.reshape(-1), partials.reshape(-1))
        return np.arange(first, first + size).reshape(shape)
    rows = np.flatnonzero(hangs)
    result = np.zeros(size, np.int64)
    if len(rows):
        first = TAPE.rows(np.full(len(rows), width), parents[rows].reshape(-1), partials[rows].reshape(-1))
        result[rows] = np.arange(first, first + len(rows))
    return result.reshape(shape)


def write_groups(counts: Any, parents: Any, partials: Any) -> Places:
    """Write rows of many entries each; rows without a parent get place 0."""
    counts = np.asarray(counts, np.int64)
    parents = np.asarray(parents, np.int64).reshape(-1)
    partials = np.ascontiguousarray(np.broadcast_to(partials, parents.shape), np.float64)
    ends = np.cumsum(counts)
    hanging = np.concatenate(([0], np.cumsum(parents > 0)))
    some = hanging[ends] > hanging[ends - counts]
    first = TAPE.rows(counts, parents, partials)
    return np.where(some, np.arange(first, first + len(counts)), 0)


def wide(value: Any) -> Any:
    return np.asarray(value, np.float64)


def apply_ufunc(function: Any, method: str, operands: Sequence[Any], options: dict[str, Any]) -> Any:
    """What `__array_ufunc__` of every traced value does."""
    data: list[Any] = []
    places: list[Places | None] = []
    for operand in operands:
        kind = type(operand)
        foreign = getattr(kind, "__array_ufunc__", None)
        if foreign is None and hasattr(kind, "__array_ufunc__"):
            return NotImplemented
        if not isinstance(operand, (np.ndarray, np.generic, float, int)) and foreign is not None:
            return NotImplemented
        value, where_from = (operand, None) if method == "at" and len(data) == 1 else split(operand)
        data.append(value)
        places.append(where_from)
    if function.types == function.types[:1] and any(each is not None for each in places):
        from mlvet.runtime.provenance.arrays_objects import applied, is_of_objects

        if is_of_objects(function):
            return applied(function, method, operands, options)
    outputs = options.get("out")
    if outputs is not None:
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        options = {**options, "out": tuple(_plain(each) for each in outputs)}
    if "where" in options:
        options = {**options, "where": _plain(options["where"])}
        if options["where"] is True or options["where"] is np._NoValue:
            del options["where"]
    before = data
    if method == "at" or (outputs is not None and any(each is not None for each in places)):
        before = [_kept(each, outputs if method != "at" else operands[:1]) for each in data]
    result = getattr(function, method)(*data, **options)
    if all(each is None for each in places):
        return _finished(result, [None] * function.nout, outputs, options)
    with np.errstate(all="ignore"):
        results, found = _METHODS[method](function, before, places, result, options)
    if method == "at":
        _finished(results, found, tuple(operands[:1]), {})
        return None
    return _finished(results, found, outputs, options if method == "__call__" else {})


def _plain(value: Any) -> Any:
    return value.plain if isinstance(value, TracedArray) else split(value)[0]


def _kept(value: Any, written: Any) -> Any:
    """An operand as it was before the result was written over it."""
    if isinstance(value, np.ndarray) and any(
        isinstance(each, np.ndarray) and np.may_share_memory(value, each) for each in written
    ):
        return value.copy()
    return value


def _finished(result: Any, places: Sequence[Places | None], outputs: Any, options: dict[str, Any]) -> Any:
    several = isinstance(result, tuple)
    results = result if several else (result,)
    finished = []
    for index, (data, found) in enumerate(zip(results, places, strict=False)):
        where_from = found
        target = outputs[index] if outputs is not None and index < len(outputs) else None
        if target is None:
            if where_from is not None and "where" in options:
                where_from = np.where(options["where"], where_from, 0)
            finished.append(with_places(data, where_from) if data is not None else None)
            continue
        if isinstance(target, TracedArray):
            mask = np.broadcast_to(options["where"], target.shape) if "where" in options else ...
            chosen = where_from
            if chosen is not None and mask is not ...:
                chosen = np.broadcast_to(chosen, target.shape)[mask]
            store_places(target, mask, chosen, data)
        elif where_from is not None:
            broken("result written into an array that was not made by the program")
        finished.append(target)
    return tuple(finished) if several else finished[0]


Found = tuple[Any, list[Places | None]]
Rule = Callable[[Any, list[Any], list[Places | None], Any, dict[str, Any]], Found]


def _called(function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]) -> Found:
    del options
    if function.signature is not None:
        from mlvet.runtime.provenance.arrays_linear import contracted

        return result, [contracted(function, data, places, result)]
    if function in COMPARISONS:
        a, b = wide(data[0]), wide(data[1])
        if function in (np.equal, np.not_equal) and np.asarray(result).dtype.kind != "b":
            return result, [None]
        return compared(result, np.subtract(a, b), places[0], places[1]), [None]
    if function in MAXIMA or function in MINIMA:
        return _chosen(function, data, places, result)
    if function.__name__ == "clip":
        return result, [_clipped(data, places, result)]
    if function in JUMPS:
        _jumped(wide(data[0]), places[0], JUMPS[function])
        return result, [None]
    if function in (np.sign, np.heaviside):
        compared(True, wide(data[0]), places[0], None)
        return result, [None]
    if function is np.floor_divide:
        _jumped(wide(data[0]) / wide(data[1]), places[0], 0.0)
        return result, [None]
    if function is np.divmod:
        partials = partials_of(np.remainder)
        assert partials is not None
        terms = zip(places, partials(wide(data[0]), wide(data[1]), wide(result[1])), strict=True)
        return result, [None, write(np.shape(result[1]), list(terms))]
    if function is np.modf:
        return result, [write(np.shape(result[0]), [(places[0], 1.0)]), None]
    if function in CONSTANT:
        return result, [None] * function.nout
    partials = partials_of(function)
    if partials is None or np.asarray(result).dtype.kind not in "fiu":
        broken(function.__name__)
        return result, [None] * function.nout
    derivatives = partials(*(wide(each) for each in data), wide(result))
    return result, [write(np.shape(result), list(zip(places, derivatives, strict=True)))]


def _jumped(values: Any, places: Places | None, offset: float) -> None:
    """The nearest jump of a rounding function counts as a comparison."""
    fraction = values - offset - np.floor(values - offset)
    compared(True, np.where(fraction <= 0.5, fraction, fraction - 1.0), places, None)


def _zeros(places: Places | None) -> Any:
    return np.int64(0) if places is None else places


def _chosen(function: Any, data: list[Any], places: list[Places | None], result: Any) -> Found:
    a, b = wide(data[0]), wide(data[1])
    takes_first = np.where(np.isnan(wide(result)), np.isnan(a), wide(result) == a)
    takes_first = takes_first & ~(np.isnan(a) & ~np.isnan(b)) if function in (np.fmax, np.fmin) else takes_first
    decided = compared(takes_first, a - b, places[0], places[1])
    if decided is not takes_first:
        result = np.where(decided, data[0], data[1]).astype(result.dtype)
    return result, [np.array(np.where(decided, _zeros(places[0]), _zeros(places[1])))]


def _clipped(data: list[Any], places: list[Places | None], result: Any) -> Places:
    value = wide(data[0])
    low, high = (None if each is None else wide(each) for each in data[1:3])
    found = np.broadcast_to(_zeros(places[0]), np.shape(result))
    for limit, where_from, beyond in ((low, places[1], np.less), (high, places[2], np.greater)):
        if limit is not None:
            passed = beyond(value, limit)
            compared(passed, value - limit, places[0], where_from)
            found = np.where(passed, _zeros(where_from), found)
    return np.array(found)


def _axes(axis: Any, dimensions: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(dimensions))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(each % dimensions for each in axes) if dimensions else ()


def _lined_up(array: Any, axes: tuple[int, ...]) -> Any:
    """An array as one line for each element of the result: those axes that are reduced come last, as one."""
    array = np.asarray(array)
    kept = [each for each in range(array.ndim) if each not in axes]
    moved = array.transpose(*kept, *axes)
    count = int(np.prod([array.shape[each] for each in axes], dtype=np.int64))
    return moved.reshape(*(array.shape[each] for each in kept), count)


def _reduced(
    function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]
) -> Found:
    values = np.asarray(data[0])
    axes = _axes(options.get("axis", 0 if len(data) < 2 else data[1]), values.ndim)
    sources = places[0]
    assert sources is not None
    if "where" in options:
        sources = np.where(options["where"], sources, 0)
    lines = _lined_up(sources, axes)
    inner = lines.shape[:-1]
    numbers = wide(_lined_up(values, axes))
    if function in MAXIMA or function in MINIMA:
        found, other = extreme(numbers, lines, function in MAXIMA)
        if other is not None:
            result = np.reshape(other, np.shape(result)).astype(result.dtype)[()]
    elif function in (np.logical_and, np.logical_or):
        return result, [None]
    else:
        partial = _reduction_partials(function, numbers, np.reshape(wide(result), inner), values, axes, options)
        if partial is None:
            broken(f"{function.__name__}.reduce")
            return result, [None]
        width = lines.shape[-1]
        found = write_groups(np.full(int(np.prod(inner, dtype=np.int64)), width), lines,
                             np.broadcast_to(partial, lines.shape).reshape(-1))  # fmt: skip
    return result, [found.reshape(np.shape(result))]


def _reduction_partials(
    function: Any, numbers: Any, total: Any, values: Any, axes: tuple[int, ...], options: dict[str, Any]
) -> Any:
    if function is np.add:
        return 1.0
    if function is np.logaddexp:
        return np.exp(numbers - total[..., None])
    if function is np.multiply:
        if "where" in options:
            numbers = np.where(_lined_up(np.broadcast_to(options["where"], values.shape), axes), numbers, 1.0)
        initial = options.get("initial", 1.0)
        ones = np.ones((*numbers.shape[:-1], 1))
        before = np.cumprod(np.concatenate((ones, numbers[..., :-1]), axis=-1), axis=-1)
        after = np.cumprod(np.concatenate((ones, numbers[..., :0:-1]), axis=-1), axis=-1)[..., ::-1]
        return before * after * (1.0 if initial is np._NoValue or initial is None else initial)
    return None


def extreme(numbers: Any, lines: Places, largest: bool) -> tuple[Places, Any]:
    """The places of the extreme element of each line, and its value where another run decides otherwise.

    The distance to the next element is a comparison.
    """
    best = numbers.argmax(axis=-1) if largest else numbers.argmin(axis=-1)
    decided = extreme_index(numbers, lines, best, largest)
    chosen = np.take_along_axis(lines, decided[..., None], -1)[..., 0]
    return chosen, None if decided is best else np.take_along_axis(numbers, decided[..., None], -1)[..., 0]


def extreme_index(numbers: Any, lines: Places, best: Any, largest: bool) -> Any:
    """The index of the extreme element to go on with."""
    if numbers.shape[-1] < 2:
        return best
    rest = np.array(numbers)
    np.put_along_axis(rest, best[..., None], -np.inf if largest else np.inf, -1)
    second = rest.argmax(axis=-1) if largest else rest.argmin(axis=-1)
    at_best, at_second = (each[..., None] for each in (best, second))
    margins = np.take_along_axis(numbers, at_best, -1) - np.take_along_axis(numbers, at_second, -1)
    first_places, second_places = (np.take_along_axis(lines, each, -1)[..., 0] for each in (at_best, at_second))
    outcome = np.ones(best.shape, np.bool_)
    decided = compared(outcome, margins[..., 0], first_places, second_places)
    return best if decided is outcome else np.where(decided, best, second)


def _accumulated(
    function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]
) -> Found:
    axis = options.get("axis", 0 if len(data) < 2 else data[1])
    sources = places[0]
    assert sources is not None
    values = np.moveaxis(wide(data[0]), axis, 0)
    lines = np.moveaxis(sources, axis, 0)
    if function in MAXIMA or function in MINIMA:
        is_new = values == np.moveaxis(wide(result), axis, 0)
        steps = np.arange(len(values)).reshape(-1, *[1] * (values.ndim - 1))
        latest = np.maximum.accumulate(np.where(is_new, steps, 0), axis=0)
        return result, [np.ascontiguousarray(np.moveaxis(np.take_along_axis(lines, latest, 0), 0, axis))]
    if function not in (np.add, np.multiply):
        broken(f"{function.__name__}.accumulate")
        return result, [None]
    chained = _chained(function, values, lines, np.moveaxis(wide(result), axis, 0))
    return result, [np.ascontiguousarray(np.moveaxis(chained, 0, axis))]


def _chained(function: Any, values: Any, lines: Places, results: Any) -> Places:
    """Each element follows from the one before it and its own source."""
    length = values.size
    TAPE.close()
    own = np.arange(TAPE.open.closed, TAPE.open.closed + length).reshape(values.shape)
    hangs = np.logical_or.accumulate(lines > 0, axis=0)
    before = np.zeros_like(own)
    before[1:] = np.where(hangs[:-1], own[:-1], 0)
    by_source, by_before = np.ones(values.shape), np.ones(values.shape)
    if function is np.multiply:
        by_before = values
        by_source[1:] = results[:-1]
    parents = np.stack((before, lines), axis=-1).reshape(-1)
    TAPE.rows(np.full(length, 2), parents, np.stack((by_before, by_source), axis=-1).reshape(-1))
    return np.where(hangs, own, 0)


def _outer(function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]) -> Found:
    first, second = np.asarray(data[0]), np.asarray(data[1])
    spread = first.reshape(first.shape + (1,) * second.ndim)
    if places[0] is not None:
        places = [places[0].reshape(spread.shape), places[1]]
    return _called(function, [spread, second], places, result, options)


def _at(function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]) -> Found:
    del result, options
    target, key = np.asarray(data[0]), data[1]
    own = np.zeros(target.shape, np.int64) if places[0] is None else places[0].copy()
    indices = np.arange(target.size).reshape(target.shape)[key]
    given = np.broadcast_to(_zeros(places[2] if len(places) > 2 else None), indices.shape).reshape(-1)
    flat = own.reshape(-1)
    if function in (np.add, np.subtract):
        flat_indices = indices.reshape(-1)
        order = np.argsort(flat_indices, kind="stable")
        touched, starts = np.unique(flat_indices[order], return_index=True)
        parents = np.insert(given[order], starts, flat[touched])
        partials = np.insert(np.full(len(given), 1.0 if function is np.add else -1.0), starts, 1.0)
        counts = np.diff(np.append(starts, len(given))) + 1
        flat[touched] = write_groups(counts, parents, partials)
    elif len(np.unique(indices)) == indices.size:
        before = [target[key], *data[2:]]
        sources: list[Places | None] = [own[key], *places[2:]]
        found = _called(function, before, sources, function(*before), {})[1][0]
        own[key] = 0 if found is None else found
    else:
        broken(f"{function.__name__}.at")
        flat[indices.reshape(-1)] = 0
    return target, [own]


def _reduced_at(
    function: Any, data: list[Any], places: list[Places | None], result: Any, options: dict[str, Any]
) -> Found:
    axis = options.get("axis", 0 if len(data) < 3 else data[2])
    sources = places[0]
    chooses = function in MAXIMA or function in MINIMA
    if (function is not np.add and not chooses) or sources is None:
        broken(f"{function.__name__}.reduceat")
        return result, [None]
    lines = np.moveaxis(sources, axis, 0)
    starts = np.asarray(data[1])
    stops = np.append(starts[1:], len(lines))
    stops = np.where(stops > starts, stops, starts + 1)
    counts = stops - starts
    taken = np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(counts.sum())
    width = int(np.prod(lines.shape[1:], dtype=np.int64))
    columns = lines.reshape(len(lines), width)[taken].T
    if chooses:
        values = np.moveaxis(wide(data[0]), axis, 0).reshape(len(lines), width)[taken].T
        segments = np.repeat(np.arange(len(starts)), counts)
        signed = values if function in MAXIMA else -values
        chosen = np.stack([np.lexsort((each, segments))[np.cumsum(counts) - 1] for each in signed])
        found = np.take_along_axis(columns, chosen, 1).T
    else:
        found = write_groups(np.tile(counts, width), columns, 1.0).reshape(width, len(starts)).T
    return result, [np.ascontiguousarray(np.moveaxis(found.reshape(len(starts), *lines.shape[1:]), 0, axis))]


_METHODS: dict[str, Rule] = {
    "__call__": _called, "reduce": _reduced, "accumulate": _accumulated, "outer": _outer, "at": _at,
    "reduceat": _reduced_at,
}  # fmt: skip


def _array_ufunc(self: Any, function: Any, method: str, *operands: Any, **options: Any) -> Any:
    del self
    return apply_ufunc(function, method, operands, options)


vars_of: Any = TracedArray
vars_of.__array_ufunc__ = _array_ufunc
