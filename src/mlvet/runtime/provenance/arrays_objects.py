"""Functions of Python over arrays: they see traced numbers one by one, in arrays of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from mlvet.runtime.provenance.array_methods import objects
from mlvet.runtime.provenance.array_values import TracedArray, as_traced, has_places, split, with_places
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED


def holds_traced(array: Any) -> bool:
    """Whether an array of objects has traced numbers in it."""
    return array.dtype.kind == "O" and not ANY_TRACED.isdisjoint(map(type, array.reshape(-1).tolist()))


def from_objects(array: Any, dtype: Any) -> Any:
    """An array of numbers made of one of objects."""
    elements = np.asarray(array).reshape(-1).tolist()
    plain = np.empty(len(elements), object)
    plain[:] = [each.v if type(each) in ANY_TRACED else each for each in elements]
    data = plain.astype(dtype).reshape(np.shape(array))
    places = None
    if data.dtype.kind == "f" or all(each.v.__class__ is int for each in elements if type(each) in ANY_TRACED):
        found = [each.i if type(each) in ANY_TRACED else 0 for each in elements]
        places = np.array(found, np.int64).reshape(np.shape(array))
    return with_places(data, places)


def is_of_objects(function: Any) -> bool:
    """Whether an elementwise function was made of a function of Python, by `frompyfunc`."""
    return all(set(each) <= set("O->") for each in function.types)


def applied(function: Any, method: str, operands: Sequence[Any], options: dict[str, Any]) -> Any:
    """Such a function, on traced operands."""
    given = [objects(as_traced(each)) if has_places(each) else split(each)[0] for each in operands]
    result = getattr(function, method)(*given, **options)
    if isinstance(result, tuple):
        return tuple(each.view(TracedArray) if type(each) is np.ndarray else each for each in result)
    return result.view(TracedArray) if type(result) is np.ndarray else result


_real_call: Any = numpy.vectorize._vectorize_call  # type: ignore[attr-defined]


def _vectorize_call(self: Any, func: Any, args: Sequence[Any]) -> Any:
    if self.signature is not None or not args:
        return _real_call(self, func, args)
    function, kinds = self._get_ufunc_and_otypes(func=func, args=args)
    given = [objects(as_traced(each)) if has_places(each) else np.asanyarray(each, dtype=object) for each in args]
    found = function(*given)
    several = found if function.nout > 1 else (found,)
    made = tuple(_of_kind(each, kind) for each, kind in zip(several, kinds, strict=True))
    return made if function.nout > 1 else made[0]


def _of_kind(found: Any, kind: Any) -> Any:
    elements = np.asanyarray(found, object)
    return from_objects(elements, kind) if kind != "O" and holds_traced(elements) else elements.astype(kind)


def install() -> None:
    vars_of: Any = numpy.vectorize
    vars_of._vectorize_call = _vectorize_call


def uninstall() -> None:
    vars_of: Any = numpy.vectorize
    vars_of._vectorize_call = _real_call
