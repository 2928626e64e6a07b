"""NumPy's functions on traced arrays.

Many are written in Python over others that have rules, and those run as they are. The rules here are for functions
that are written in C or that first make plain arrays of their arguments. What has no rule gives a plain result, and the
break is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlvet.runtime.provenance.array_predicates import compared
from mlvet.runtime.provenance.array_values import (
    ARRAYS,
    TracedArray,
    as_traced,
    has_places,
    owned_places,
    split,
    store_places,
    with_places,
)  # fmt: skip
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.numbers import TRACED
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.ufuncs import wide, write, write_groups

RULES: dict[Any, Callable[..., Any]] = {}
_PADS = ("constant", "edge", "reflect", "symmetric", "wrap", "empty")
"""Ways of padding that move elements and make no new ones."""

_CONSTANT = frozenset(
    (np.zeros_like, np.ones_like, np.empty_like, np.shape, np.ndim, np.size, np.result_type, np.can_cast,
     np.may_share_memory, np.shares_memory, np.iscomplexobj, np.isrealobj, np.iscomplex, np.isreal, np.round,
     np.around, np.fix, np.atleast_1d, np.atleast_2d, np.atleast_3d)
)  # fmt: skip
_PLAIN = frozenset(
    (np.array2string, np.array_repr, np.array_str, np.savetxt, np.save, np.savez, np.savez_compressed,
     np.array_equal, np.array_equiv, np.min_scalar_type, np.ravel_multi_index, np.unravel_index, np.nonzero,
     np.flatnonzero, np.count_nonzero, np.argwhere)
)  # fmt: skip


def rule(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            RULES[function] = body
        return body

    return register


def plain(value: Any) -> Any:
    """An argument as NumPy's own functions take it."""
    kind = type(value)
    if kind in ARRAYS:
        return value.plain
    if kind in ANY_TRACED:
        return value.v
    if kind is list:
        return [plain(each) for each in value]
    if kind is tuple:
        return tuple(plain(each) for each in value)
    return value


def plain_call(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    return function(*map(plain, arguments), **{name: plain(each) for name, each in options.items()})


def call_function(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """What `__array_function__` of every traced value does."""
    if function in _PLAIN:
        return plain_call(function, arguments, options)
    known = RULES.get(function)
    if known is not None:
        return known(*arguments, **options)
    arguments = [as_traced(each) if type(each) in TRACED else each for each in arguments]
    result = function._implementation(*arguments, **options)
    if function not in _CONSTANT and not _is_known(result) and any(map(_hangs, (*arguments, *options.values()))):
        broken(f"{function.__module__}.{function.__name__}")
    return result


def _hangs(value: Any) -> bool:
    return (isinstance(value, (TracedArray, list, tuple)) and has_places(value)) or type(value) in ANY_TRACED


def _is_known(result: Any) -> bool:
    """Whether a result carries places, or needs none."""
    kind = type(result)
    if isinstance(result, (list, tuple)):
        return all(map(_is_known, result))
    if kind in ARRAYS:
        return result.places is not None or result.dtype.kind not in "fc"
    if isinstance(result, np.ndarray):
        return result.dtype.kind not in "fc"
    return kind in ANY_TRACED or not isinstance(result, (float, np.floating))


def composed(data: Any, traced: Any) -> Any:
    """NumPy's own result with the places of the same formula written out with traced arrays."""
    places = split(traced)[1]
    return with_places(data, None if places is None else np.array(np.broadcast_to(places, np.shape(data))))


def _moved(function: Any, *positions: int) -> None:
    """Register a function that only moves elements of its arguments at these positions."""

    def move(*arguments: Any, **options: Any) -> Any:
        data = plain_call(function, arguments, options)
        moved = list(arguments)
        known = False
        for position in positions:
            if position < len(moved):
                values, places = split(moved[position])
                known = known or places is not None
                moved[position] = np.zeros(np.shape(values), np.int64) if places is None else places
        if not known:
            return with_places(data, None) if isinstance(data, np.ndarray) else data
        return with_places(data, np.array(plain_call(function, moved, options)))

    RULES[function] = move


for _function, _positions in (
    (np.copy, (0,)), (np.tile, (0,)), (np.delete, (0,)), (np.insert, (0, 2)), (np.append, (0, 1)), (np.diag, (0,)),
    (np.diagflat, (0,)), (np.broadcast_to, (0,)), (np.compress, (1,)), (np.extract, (1,)), (np.resize, (0,)),
    (np.take, (0,)), (np.repeat, (0,)), (np.choose, (1,)),
):  # fmt: skip
    _moved(_function, *_positions)


@rule(np.pad)
def _pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    values, places = split(array)
    data = np.pad(values, plain(pad_width), mode, **{name: plain(each) for name, each in options.items()})
    constants = split(options.pop("constant_values", 0))[1]
    if places is None and constants is None:
        return with_places(data, None)
    if mode not in _PADS or options.get("reflect_type", "even") != "even":
        broken(f"numpy.pad with mode={mode!r}")
        return with_places(data, None)
    if mode == "constant":
        options["constant_values"] = 0 if constants is None else constants
    own = np.zeros(np.shape(values), np.int64) if places is None else places
    return with_places(data, np.pad(own, plain(pad_width), mode, **options))


@rule(np.nan_to_num)
def _nan_to_num(x: Any, copy: bool = True, **options: Any) -> Any:
    values, places = split(x)
    finite = np.isfinite(values)
    data = np.nan_to_num(values, copy, **{name: plain(each) for name, each in options.items()})
    if not copy and isinstance(x, TracedArray):
        if places is not None:
            places[~finite] = 0
        return x
    return with_places(data, None if places is None else np.where(finite, places, 0))


@rule(np.concatenate)
def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    if isinstance(arrays, TracedArray):
        arrays = list(arrays)
    parts = [split(each) for each in arrays]
    data = np.concatenate([each for each, _ in parts], axis, plain(out), **options)
    if all(places is None for _, places in parts):
        return _into(data, None, out)
    places = [np.zeros(np.shape(each), np.int64) if where_from is None else where_from for each, where_from in parts]
    return _into(data, np.concatenate(places, axis), out)


def _into(data: Any, places: Any, out: Any) -> Any:
    if out is None:
        return with_places(data, places)
    if isinstance(out, TracedArray):
        store_places(out, ..., places, data)
    elif places is not None:
        broken("result written into an array that was not made by the program")
    return out


def _nested_places(value: Any) -> Any:
    if type(value) is list:
        return [_nested_places(each) for each in value]
    data, places = split(value)
    return np.zeros(np.shape(data), np.int64) if places is None else places


@rule(np.block)
def _block(arrays: Any) -> Any:
    return with_places(np.block(plain(arrays)), np.block(_nested_places(arrays)))


@rule(np.where)
def _where(condition: Any, *choices: Any) -> Any:
    values, places = split(condition)
    if places is not None and np.asarray(values).dtype.kind != "b":
        compared(np.asarray(values, np.bool_), wide(values), places, None)
    if not choices:
        return np.where(values)
    (a, from_a), (b, from_b) = map(split, choices)
    data = np.where(values, a, b)
    if from_a is None and from_b is None:
        return with_places(data, None)
    zero = np.int64(0)
    return with_places(data, np.where(values, zero if from_a is None else from_a, zero if from_b is None else from_b))


@rule(np.select)
def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    data = np.select(plain(list(conditions)), plain(list(choices)), plain(default))
    parts = [split(each) for each in (*choices, default)]
    if all(places is None for _, places in parts):
        return with_places(data, None)
    *places, other = [np.zeros(np.shape(each), np.int64) if known is None else known for each, known in parts]
    found = np.broadcast_to(other, data.shape)
    for condition, each in reversed(list(zip(plain(list(conditions)), places, strict=True))):
        found = np.where(condition, each, found)
    return with_places(data, np.array(found))


@rule(np.copyto)
def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    values, places = split(src)
    np.copyto(plain(dst), values, casting, plain(where))
    if not isinstance(dst, TracedArray):
        if places is not None:
            broken("copied into an array that was not made by the program")
        return
    own = dst.places if places is None else owned_places(dst)
    if own is not None:
        np.copyto(own, np.int64(0) if places is None else places, where=plain(where))


@rule(np.putmask, np.place)
def _putmask(a: Any, mask: Any, values: Any) -> None:
    chosen = np.flatnonzero(plain(mask))
    data, places = split(values)
    repeated = (
        np.resize(data, chosen.shape) if np.ndim(data) == 0 or np.size(data) != np.size(a) else np.ravel(data)[chosen]
    )
    sources = None
    if places is not None:
        sources = np.resize(places, chosen.shape) if np.size(data) != np.size(a) else np.ravel(places)[chosen]
    a.flat[chosen] = with_places(np.asarray(repeated), None if sources is None else np.array(sources))


@rule(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    values, places = split(a)
    wanted, wanted_places = split(v)
    found = np.searchsorted(values, wanted, side, plain(sorter))
    ordered = np.asarray(values) if sorter is None else np.asarray(values)[plain(sorter)]
    if len(ordered):
        sources = None
        if places is not None:
            sources = places if sorter is None else places[plain(sorter)]
        for nearest in (np.maximum(found - 1, 0), np.minimum(found, len(ordered) - 1)):
            margins = wide(wanted) - wide(ordered)[nearest]
            compared(margins > 0, margins, wanted_places, None if sources is None else sources[nearest])
    return with_places(found, None)


@rule(np.digitize)
def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    edges = plain(bins)
    if len(edges) > 1 and edges[0] > edges[-1]:
        return with_places(np.digitize(plain(x), edges, right), None)
    return _searchsorted(bins, x, "left" if right else "right")


@rule(np.bincount)
def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    data = np.bincount(plain(x), plain(weights), plain(minlength))
    places = None if weights is None else split(weights)[1]
    return with_places(data, None if places is None else grouped(plain(x), places, 1.0, len(data)))


def grouped(bins: Any, places: Any, partials: Any, count: int) -> Any:
    """Places of sums over elements that share a bin."""
    bins = np.asarray(bins).reshape(-1)
    order = np.argsort(bins, kind="stable")
    partials = np.broadcast_to(partials, bins.shape)[order]
    return write_groups(np.bincount(bins, minlength=count), np.reshape(places, -1)[order], partials)


@rule(np.histogram)
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    counts, edges = np.histogram(plain(a), plain(bins), range, density, plain(weights))
    places = None if weights is None else split(weights)[1]
    if places is None:
        if has_places(a) and not density:
            _searchsorted(edges, a)
        return with_places(counts, None), with_places(edges, None)
    values = np.asarray(plain(a)).reshape(-1)
    inside = (values >= edges[0]) & (values <= edges[-1])
    bins = np.clip(np.searchsorted(edges, values, "right") - 1, 0, len(counts) - 1)
    sums = as_traced(with_places(
        np.histogram(plain(a), edges, weights=plain(weights))[0],
        grouped(bins[inside], np.reshape(places, -1)[inside], 1.0, len(counts)),
    ))  # fmt: skip
    return composed(counts, sums / np.diff(edges) / sums.sum() if density else sums), with_places(edges, None)


@rule(np.interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    data = np.interp(plain(x), plain(xp), plain(fp), plain(left), plain(right), plain(period))
    if period is not None:
        broken("numpy.interp with a period")
        return data
    knots, values = as_traced(xp), as_traced(fp)
    at = wide(plain(x))
    below = np.clip(np.searchsorted(plain(knots), at, "right") - 1, 0, len(knots) - 2)
    x = as_traced(x)
    inside = values[below] + (values[below + 1] - values[below]) / (knots[below + 1] - knots[below]) * (
        x - knots[below]
    )
    ends = np.where(at < plain(knots)[0], values[0] if left is None else left, values[-1] if right is None else right)
    return composed(data, np.where((at >= plain(knots)[0]) & (at <= plain(knots)[-1]), inside, ends))


@rule(np.linspace)
def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, **options: Any
) -> Any:
    make: Any = np.linspace
    result = make(plain(start), plain(stop), plain(num), endpoint, retstep, **options)
    data = result[0] if retstep else result
    count = len(data)
    share = (np.arange(count) / max(1, count - 1 if endpoint else count)).reshape(-1, *[1] * (data.ndim - 1))
    if options.get("axis", 0) != 0:
        broken("numpy.linspace along another axis")
        return result
    places = write(data.shape, [(split(start)[1], 1.0 - share), (split(stop)[1], share)])
    return (with_places(data, places), result[1]) if retstep else with_places(data, places)


def _sliding(function: Any) -> Any:
    def slide(a: Any, v: Any, mode: Any = None) -> Any:
        mode = mode if mode is not None else ("full" if function is np.convolve else "valid")
        data = function(plain(a), plain(v), mode)
        (first, from_first), (second, from_second) = split(a), split(v)
        n, m = len(first), len(second)
        if function is np.correlate:
            second, from_second = np.asarray(second)[::-1], None if from_second is None else from_second[::-1]
        i, j = (each.reshape(-1) for each in np.indices((n, m)))
        full = n + m - 1
        size = len(data)
        skip = {"full": 0, "same": (full - size) // 2, "valid": (full - size) // 2}[mode]
        inside = (i + j >= skip) & (i + j < skip + size)
        i, j = i[inside], j[inside]
        bins = np.concatenate((i, i)) + np.concatenate((j, j)) - skip
        zeros = np.zeros(max(n, m), np.int64)
        parents = np.concatenate(((zeros if from_first is None else from_first)[i],
                                  (zeros if from_second is None else from_second)[j]))  # fmt: skip
        partials = np.concatenate((wide(second)[j], wide(first)[i]))
        return with_places(data, grouped(bins, parents, partials, size))

    return slide


RULES[np.convolve], RULES[np.correlate] = _sliding(np.convolve), _sliding(np.correlate)


def _quantiles(function: Any, scale: float) -> Any:
    def quantile(a: Any, q: Any, axis: Any = None, *arguments: Any, **options: Any) -> Any:
        data = plain_call(function, (a, q, axis, *arguments), options)
        if arguments or not set(options) <= {"method", "axis"} or options.get("method", "linear") != "linear":
            broken(f"numpy.{function.__name__} by this method")
            return data
        if axis is not None and not isinstance(axis, (int, np.integer)):
            broken(f"numpy.{function.__name__} over several axes")
            return data
        ordered = np.sort(as_traced(a), axis=axis)
        ordered = ordered if axis is None else np.moveaxis(ordered, axis, 0)
        position = wide(plain(q)) / scale * (len(ordered) - 1)
        below = np.clip(np.floor(position).astype(np.int64), 0, max(0, len(ordered) - 2))
        share = (position - below).reshape(np.shape(position) + (1,) * (ordered.ndim - 1))
        low, high = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)]
        return composed(data, low + (high - low) * share)

    return quantile


RULES[np.quantile], RULES[np.percentile] = _quantiles(np.quantile, 1.0), _quantiles(np.percentile, 100.0)


@rule(np.cov)
def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, **options: Any) -> Any:
    data = np.cov(plain(m), plain(y), rowvar, bias, ddof, **options)
    if y is not None or any(each is not None for each in options.values()):
        broken("numpy.cov with weights or two arrays")
        return data
    values: Any = as_traced(m)
    values = values.reshape(1, -1) if values.ndim == 1 else values if rowvar else values.T
    centred = values - values.mean(axis=1)[:, None]
    freedom = values.shape[1] - (ddof if ddof is not None else 0 if bias else 1)
    return composed(data, np.reshape(centred @ centred.T / freedom, np.shape(data)))


@rule(np.corrcoef)
def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, **options: Any) -> Any:
    data = np.corrcoef(plain(x), plain(y), rowvar, **options)
    rows = x if y is None else np.concatenate((np.atleast_2d(as_traced(x)), np.atleast_2d(as_traced(y))))
    covariance = np.atleast_2d(_cov(rows, rowvar=rowvar))
    spread = np.sqrt(np.diag(covariance))
    return composed(data, np.reshape(covariance / spread[:, None] / spread[None, :], np.shape(data)))


@rule(np.cross)
def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    data = np.cross(plain(a), plain(b), axisa, axisb, axisc, axis)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    one, other = np.moveaxis(as_traced(a), axisa, -1), np.moveaxis(as_traced(b), axisb, -1)
    if one.shape[-1] != 3 or other.shape[-1] != 3:
        broken("numpy.cross of vectors with two elements")
        return data
    after, last = [1, 2, 0], [2, 0, 1]
    product = one[..., after] * other[..., last] - one[..., last] * other[..., after]
    return composed(data, np.moveaxis(product, -1, axisc))


@rule(np.polyfit)
def _polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    fitting: Any = np.polyfit
    data = fitting(*map(plain, (x, y, deg, rcond)), full, plain(w), cov)
    if full or cov or w is not None:
        broken("numpy.polyfit with weights or more than coefficients")
        return data
    powers = np.stack([as_traced(x) ** each for each in range(int(plain(deg)), -1, -1)], axis=-1)
    return composed(data, np.linalg.pinv(powers) @ as_traced(y))


@rule(np.polyval)
def _polyval(p: Any, x: Any) -> Any:
    data = np.polyval(plain(p), plain(x))
    value: Any = np.zeros_like(as_traced(x), np.float64)
    for coefficient in as_traced(p):
        value = value * as_traced(x) + coefficient
    return composed(data, value)


@rule(np.apply_along_axis)
def _apply_along_axis(func1d: Any, axis: int, arr: Any, *arguments: Any, **options: Any) -> Any:
    lines = np.moveaxis(as_traced(arr), axis, -1)
    results = [as_traced(func1d(lines[index], *arguments, **options)) for index in np.ndindex(lines.shape[:-1])]
    stacked = np.stack(results).reshape(*lines.shape[:-1], *results[0].shape)
    inner = results[0].ndim
    order = [*range(axis % lines.ndim), *range(lines.ndim - 1, lines.ndim - 1 + inner),
             *range(axis % lines.ndim, lines.ndim - 1)]  # fmt: skip
    return stacked.transpose(order)


def _array_function(self: Any, function: Any, kinds: Any, arguments: Any, options: Any) -> Any:
    del self, kinds
    return call_function(function, arguments, options)


for _class in (TracedArray, *TRACED):
    _traced_class: Any = _class
    _traced_class.__array_function__ = _array_function
