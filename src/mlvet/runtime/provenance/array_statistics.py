"""Means and spreads of traced arrays, by their own rows: one for each element of the result."""

from __future__ import annotations

from typing import Any

from mlvet.runtime.provenance.array_values import TracedArray, split
from mlvet.runtime.provenance.arrays_functions import _into, plain
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.ufuncs import _axes, _lined_up, wide, write_groups


def _summed(result: Any, values: Any, places: Any, axis: Any, where: Any, partials: Any) -> Any:
    """Places of a reduction, one line of partial derivatives for each element of the result."""
    axes = _axes(axis, np.ndim(values))
    if where is not None:
        places = np.where(where, places, 0)
    lines = _lined_up(places, axes)
    rows = int(np.prod(lines.shape[:-1], dtype=np.int64))
    weights = np.broadcast_to(partials, lines.shape).reshape(-1)
    return write_groups(np.full(rows, lines.shape[-1]), lines, weights).reshape(np.shape(result))


def _counts(values: Any, axis: Any, where: Any) -> Any:
    axes = _axes(axis, values.ndim)
    if where is None:
        return float(np.prod([values.shape[each] for each in axes], dtype=np.int64))
    return _lined_up(np.broadcast_to(where, values.shape), axes).sum(axis=-1)[..., None]


def _mean(self: TracedArray, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Any:
    values, places = split(self)
    options = {name: plain(each) for name, each in options.items()}
    result = values.mean(axis, dtype, plain(out), **options)
    if places is None:
        return _into(result, None, out)
    where = options.get("where")
    where = None if where is True else where
    with np.errstate(all="ignore"):
        found = _summed(result, values, places, axis, where, 1.0 / _counts(values, axis, where))
    return _into(result, found, out)


def _spread(name: str) -> Any:
    def method(
        self: TracedArray, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, **options: Any
    ) -> Any:
        values, places = split(self)
        options = {option: plain(each) for option, each in options.items()}
        if options.get("mean") is np._NoValue:
            del options["mean"]
        result = getattr(values, name)(axis, dtype, plain(out), ddof, **options)
        if places is None:
            return _into(result, None, out)
        where = options.get("where")
        where = None if where is True else where
        mean = values.mean(axis=axis, keepdims=True, **({} if where is None else {"where": where}))
        freedom = _counts(values, axis, where) - plain(options.get("correction", ddof))
        axes = _axes(axis, values.ndim)
        with np.errstate(all="ignore"):
            partials = 2.0 * wide(_lined_up(values - mean, axes)) / freedom
            if name == "std":
                partials = partials / (2.0 * wide(result).reshape(partials.shape[:-1])[..., None])
            found = _summed(result, values, places, axis, where, partials)
        return _into(result, found, out)

    return method


def _trace(
    self: TracedArray, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    values, places = split(self)
    result = values.trace(offset, axis1, axis2, dtype, plain(out))
    if places is None:
        return _into(result, None, out)
    diagonal = places.diagonal(offset, axis1, axis2)
    return _into(result, _summed(result, diagonal, diagonal, -1, None, 1.0), out)


def _accumulating(function: Any) -> Any:
    def method(self: TracedArray, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        lines = self.reshape(-1) if axis is None else self
        return function.accumulate(lines, axis=0 if axis is None else axis, dtype=dtype, out=out)

    return method


for _name, _method in (
    ("mean", _mean), ("var", _spread("var")), ("std", _spread("std")), ("trace", _trace),
    ("cumsum", _accumulating(np.add)), ("cumprod", _accumulating(np.multiply)),
):  # fmt: skip
    setattr(TracedArray, _name, _method)
