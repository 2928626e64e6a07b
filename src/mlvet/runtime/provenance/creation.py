"""Arrays that the program makes during a replay: traced ones, so that traced numbers may be stored into them later.

NumPy converts lists in C, where places would be lost, and gives plain arrays. For a replay its functions are replaced
in its own namespace: those that make arrays give traced arrays to the program, and those that take lists look for
traced numbers in them first.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from mlvet.runtime.provenance.array_methods import objects
from mlvet.runtime.provenance.array_values import ARRAYS, TracedArray, as_traced, attach, has_places, split, with_places
from mlvet.runtime.provenance.arrays_objects import from_objects, holds_traced
from mlvet.runtime.provenance.breaks import is_users
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.ufuncs import write

_CREATORS = (
    "zeros ones empty arange eye identity tri loadtxt genfromtxt load fromfile frombuffer fromstring fromfunction "
    "linspace logspace geomspace indices meshgrid vander zeros_like ones_like empty_like"
).split()
_DRAWS = (
    "rand randn random random_sample uniform normal standard_normal randint exponential gamma beta dirichlet choice "
    "permutation lognormal poisson binomial laplace"
).split()
_SEQUENCES = frozenset(
    (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.select, np.block)
)  # fmt: skip
_FOLLOWED = f"{os.sep}scipy{os.sep}sparse{os.sep}"
"""Library files whose own arrays hold what the program's arrays held."""

_BARE = frozenset(
    (np.where, np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dot, np.vdot, np.inner, np.outer,
     np.einsum, np.tensordot, np.interp, np.bincount, np.histogram, np.average, np.cov, np.corrcoef, np.convolve,
     np.linalg.norm, np.linalg.solve, np.linalg.inv, np.linalg.det, np.searchsorted, np.digitize, np.percentile,
     np.quantile, np.median, np.append, np.diff, np.polyval)
)  # fmt: skip
"""Functions that first make arrays of their arguments, whatever those are."""

CONVERTED: dict[type, Callable[[Any], Any]] = {}
"""Containers of other libraries: how a traced array is made of one, None where nothing in it is traced."""

_replaced: list[tuple[Any, str, Any]] = []
_followed: dict[str, bool] = {}
Function = Callable[..., Any]


def _is_followed(filename: str) -> bool:
    known = _followed.get(filename)
    if known is None:
        known = _followed[filename] = _FOLLOWED in filename and f"{os.sep}csgraph{os.sep}" not in filename
    return known


def _wanted(result: Any, frame: types.FrameType) -> bool:
    """Whether an array goes to the program, or to a library that keeps its data for it."""
    if type(result) is not np.ndarray:
        return False
    kind = result.dtype.kind
    filename = frame.f_code.co_filename
    return (kind in "fiu" and is_users(filename)) or (kind == "f" and _is_followed(filename))


def adopted(result: Any) -> Any:
    """A new array as a traced one; what else there is, as it is."""
    if type(result) is np.ndarray and result.dtype.kind in "fiu":
        return result.view(TracedArray)
    return result


def _creating(real: Function) -> Function:
    @functools.wraps(real)
    def create(*arguments: Any, **options: Any) -> Any:
        if _any_traced((*arguments, *options.values())):
            arguments, options = _converted(real, arguments, options)
        result = real(*arguments, **options)
        if _wanted(result, sys._getframe(1)):
            return result.view(TracedArray)
        return result

    return create


def _stepping(real: Function) -> Function:
    """`arange`: its elements follow the start and the step, its length jumps with the stop."""
    plainly = _creating(real)

    @functools.wraps(real)
    def arange(*arguments: Any, **options: Any) -> Any:
        if not any(type(each) in ANY_TRACED for each in (*arguments, *options.values())):
            result = real(*arguments, **options)
            return result.view(TracedArray) if _wanted(result, sys._getframe(1)) else result
        result = plainly(
            *(split(each)[0] for each in arguments), **{name: split(each)[0] for name, each in options.items()}
        )
        start = options.get("start", arguments[0] if len(arguments) > 1 else None)
        step = options.get("step", arguments[2] if len(arguments) > 2 else None)
        if result.dtype.kind != "f":
            return result
        return with_places(
            result, write(result.shape, [(split(start)[1], 1.0), (split(step)[1], np.arange(len(result)))])
        )

    return arange


def _full(real: Function) -> Function:
    @functools.wraps(real)
    def full(shape: Any, fill_value: Any, *arguments: Any, **options: Any) -> Any:
        value, places = split(fill_value)
        result = real(shape, value, *arguments, **options)
        if places is not None and result.dtype.kind == "f":
            return with_places(result, np.array(np.broadcast_to(places, result.shape)))
        return result.view(TracedArray) if _wanted(result, sys._getframe(1)) else result

    return full


def _converting(real: Function) -> Function:
    """`array`, `asarray` and their kin: arrays made of lists, other arrays and single numbers."""

    @functools.wraps(real)
    def convert(*arguments: Any, **options: Any) -> Any:
        source: Any = arguments[0] if arguments else options.get("object", options.get("a"))
        kind: Any = type(source)
        if kind is np.ndarray:
            result = real(*arguments, **options)
            return result.view(TracedArray) if result is not source and _wanted(result, sys._getframe(1)) else result
        if kind in CONVERTED:
            found = CONVERTED[kind](source)
            kind, source = (type(found), found) if found is not None else (kind, source)
        if kind in ARRAYS:
            return _of_array(real, source, arguments, options)
        if kind in (list, tuple) or kind in ANY_TRACED:
            data, places = split(source)
            if places is not None:
                dtype = options.get("dtype", arguments[1] if len(arguments) > 1 else None)
                if dtype is not None and np.dtype(dtype).kind == "O":
                    return real(*arguments, **options)
                result = real(data, *arguments[1:], **options)
                same = result.dtype.kind == "f" or np.asarray(data).dtype.kind == result.dtype.kind
                return _with(result, places if same else None)
        result = real(*arguments, **options)
        return result.view(TracedArray) if _wanted(result, sys._getframe(1)) else result

    return convert


def _with(result: Any, places: Any) -> Any:
    return with_places(result, None if places is None else np.array(places).reshape(result.shape))


def _of_array(real: Function, source: TracedArray, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """A copy, a conversion or the array itself."""
    plain = source.plain
    dtype = options.get("dtype", arguments[1] if len(arguments) > 1 else None)
    if dtype is not None and np.dtype(dtype).kind == "O" and source.places is not None:
        return objects(source)
    if dtype is not None and np.dtype(dtype).kind in "fiu" and holds_traced(plain):
        return from_objects(plain, dtype)
    options.pop("object", None)
    options.pop("a", None)
    result = real(plain, *arguments[1:], **options)
    if result is plain:
        return source
    if result.base is plain or (result.base is plain.base and result.base is not None):
        return source.view(np.ndarray).reshape(result.shape) if result.dtype == source.dtype else result
    array = result.view(TracedArray)
    places = source.places
    if places is not None and not (source.dtype.kind == "f" and result.dtype.kind != "f"):
        attach(array, np.array(places).reshape(result.shape))
    return array


def _from_iterator(real: Function) -> Function:
    @functools.wraps(real)
    def fromiter(iterable: Any, dtype: Any, count: int = -1, **options: Any) -> Any:
        listed = list(iterable) if count < 0 else [each for each, _ in zip(iterable, range(count), strict=False)]
        data, places = split(listed)
        result = real(data, dtype, count, **options)
        if places is not None and result.dtype.kind == "f":
            return _with(result, places)
        return result.view(TracedArray) if _wanted(result, sys._getframe(1)) else result

    return fromiter


def _any_traced(values: Sequence[Any]) -> bool:
    return any(type(each) in (list, tuple) and has_nested(each) for each in values)


def has_nested(values: Any) -> bool:
    """Whether a list holds traced numbers, or lists of them."""
    kinds = set(map(type, values))
    if not kinds.isdisjoint(ANY_TRACED):
        return True
    return (list in kinds or tuple in kinds) and any(
        type(each) in (list, tuple) and has_nested(each) for each in values
    )


def _converted(real: Function, arguments: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    def convert(value: Any) -> Any:
        if type(value) not in (list, tuple) or not has_nested(value):
            return value
        if real in _SEQUENCES and not all(type(each) in ANY_TRACED for each in value):
            return [as_traced(each) if type(each) in (list, tuple) else each for each in value]
        return as_traced(value) if has_places(value) else value

    return tuple(map(convert, arguments)), {name: convert(each) for name, each in options.items()}


def _listening(real: Function) -> Function:
    """A function that takes lists."""

    @functools.wraps(real)
    def listen(*arguments: Any, **options: Any) -> Any:
        if CONVERTED and real in _BARE:
            arguments = tuple(map(_bare, arguments))
            options = {name: _bare(each) for name, each in options.items()}
        for each in arguments:
            if type(each) in (list, tuple) and has_nested(each):
                arguments, options = _converted(real, arguments, options)
                break
        return real(*arguments, **options)

    return listen


def _bare(value: Any) -> Any:
    if type(value) in (list, tuple) and any(type(each) in CONVERTED for each in value):
        return [_bare(each) for each in value]
    found = CONVERTED[type(value)](value) if type(value) in CONVERTED else None
    return value if found is None else found


class Elementwise:
    """An elementwise function of NumPy that finds traced numbers in lists; else the function itself."""

    __slots__ = ("_real",)

    def __init__(self, real: Any) -> None:
        object.__setattr__(self, "_real", real)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        for each in arguments:
            if type(each) in (list, tuple) and has_nested(each):
                arguments = tuple(as_traced(one) if type(one) in (list, tuple) else one for one in arguments)
                break
        return self._real(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __eq__(self, other: object) -> bool:
        return self._real is other or (type(other) is Elementwise and other._real is self._real)

    def __hash__(self) -> int:
        return hash(self._real)

    def __repr__(self) -> str:
        return repr(self._real)

    def __reduce__(self) -> Any:
        return self._real.__reduce__()

    @property
    def __class__(self) -> Any:
        return np.ufunc

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError(value)


_BY_THEMSELVES = tuple(
    f"{os.sep}site-packages{os.sep}{name}{os.sep}"
    for name in "ml_dtypes numba llvmlite jax jaxlib torch tensorflow keras pandas h5py pyarrow matplotlib".split()
)
"""Libraries that read NumPy's functions for what they are."""

_given: dict[str, Any] = {}
_real: dict[str, Any] = {}
_takes: dict[str, bool] = {}


def _takes_ours(filename: str) -> bool:
    known = _takes.get(filename)
    if known is None:
        known = _takes[filename] = not any(each in filename for each in _BY_THEMSELVES)
    return known


def _attribute(otherwise: Any) -> Any:
    """NumPy's attributes: the replaced functions for the program and for libraries over NumPy, its own for others."""

    def __getattr__(name: str) -> Any:  # noqa: N807
        made = _given.get(name)
        if made is None:
            return otherwise(name)
        filename = sys._getframe(1).f_code.co_filename
        if is_users(filename) or (type(made) is not Elementwise and _takes_ours(filename)):
            return made
        return _real[name]

    return __getattr__


def _replace(module: Any, name: str, function: Any) -> None:
    if module is numpy:
        _real[name] = vars(numpy).get(name, _real.get(name))
        _given[name] = function
        vars(numpy).pop(name, None)
    elif hasattr(module, name):
        _replaced.append((module, name, getattr(module, name)))
        setattr(module, name, function)


def install() -> None:
    """Replace NumPy's functions for a replay; other libraries follow when the program imports them."""
    if _given:
        return
    from mlvet.runtime.provenance import arrays_objects, drawing, late

    vars(numpy)["__getattr__"] = _attribute(vars(numpy)["__getattr__"])
    for module in (numpy, numpy.linalg):
        for name, function in list(vars(module).items()):
            if hasattr(function, "_implementation") and name not in _CREATORS:
                _replace(module, name, _listening(function))
            elif type(function) is np.ufunc:
                _replace(module, name, Elementwise(function))
    for name in "array asarray asanyarray ascontiguousarray asfortranarray require asarray_chkfinite".split():
        _replace(numpy, name, _converting(getattr(np, name)))
    for name in _CREATORS:
        _replace(numpy, name, _creating(getattr(np, name)))
    for name in _DRAWS:
        _replace(numpy.random, name, _creating(drawing.followed(getattr(np.random, name), name)))
    _replace(numpy.random, "default_rng", drawing.made(np.random.default_rng))
    _replace(numpy, "arange", _stepping(np.arange))
    _replace(numpy, "full", _full(np.full))
    _replace(numpy, "fromiter", _from_iterator(np.fromiter))
    arrays_objects.install()
    late.install()


def uninstall() -> None:
    """NumPy and the other libraries are as before."""
    from mlvet.runtime.provenance import arrays_objects, late

    late.uninstall()
    arrays_objects.uninstall()
    while _replaced:
        setattr(*_replaced.pop())
    if _given:
        vars(numpy).update(_real)
        vars(numpy)["__getattr__"] = vars(np)["__getattr__"]
        _given.clear()
        _real.clear()
