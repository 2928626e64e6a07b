"""Arrays of JAX that hang on inputs: each call of a function of JAX on them is pulled back by JAX itself."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp

from mlvet.runtime.provenance import creation
from mlvet.runtime.provenance.array_methods import objects
from mlvet.runtime.provenance.array_predicates import compared
from mlvet.runtime.provenance.array_values import ARRAYS, Places, split, with_places
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.numbers import traced
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.tape import TAPE

_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


class TracedJax:
    """An array of JAX with the places of its elements; methods and operators are those of the array."""

    __array_priority__ = 3000

    def __init__(self, value: Any, places: Places) -> None:
        self.value = value
        self.places = places

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.value, name)
        if name in ("shape", "dtype", "ndim", "size", "aval", "sharding", "weak_type", "nbytes", "itemsize"):
            return found
        if callable(found):
            return lambda *given, **named: called(lambda x, *a, **k: getattr(x, name)(*a, **k), (self, *given), named)
        return called(lambda x: getattr(x, name), (self,), {})

    def __getitem__(self, key: Any) -> Any:
        key = jax.tree.map(lambda each: each.value if isinstance(each, TracedJax) else each, key)
        return called(lambda x: x[key], (self,), {})

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self.value)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.value, dtype, copy=copy)

    def __bool__(self) -> bool:
        outcome = bool(self.value)
        return bool(compared(np.array(outcome), np.asarray(self.value, np.float64).reshape(()), self.places.reshape(()),
                             None))  # fmt: skip

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def item(self, *index: Any) -> Any:
        return traced(self.value.item(*index), int(self.places.item(*index)))

    def tolist(self) -> Any:
        return objects(self.array()).tolist() if self.value.ndim else self.item()

    def array(self) -> Any:
        """The array of NumPy with the same places."""
        return with_places(np.asarray(self.value), np.array(self.places))


def _hangs(value: Any) -> bool:
    kind = type(value)
    return kind is TracedJax or kind in ANY_TRACED or (kind in ARRAYS and value.places is not None)


def _is_leaf(value: Any) -> bool:
    return type(value) is TracedJax or type(value) in ARRAYS


def called(function: Callable[..., Any], arguments: Any, options: dict[str, Any]) -> Any:
    """A call of a function of JAX with traced values among its arguments."""
    leaves, structure = jax.tree.flatten((tuple(arguments), options), is_leaf=_is_leaf)
    if any(isinstance(each, jax.core.Tracer) for each in leaves):
        broken("array captured by a function that JAX transforms")
        given, named = jax.tree.unflatten(structure, [_plain(each)[0] for each in leaves])
        return function(*given, **named)
    parts = [_plain(each) for each in leaves]
    hanging = [at for at, (value, places) in enumerate(parts) if places is not None and jnp.issubdtype(
        jnp.result_type(value), jnp.floating)]  # fmt: skip

    def of_hanging(*values: Any) -> Any:
        filled = [value for value, _ in parts]
        for at, value in zip(hanging, values, strict=True):
            filled[at] = value
        given, named = jax.tree.unflatten(structure, filled)
        return function(*given, **named)

    plain_values = [value for value, _ in parts]
    given, named = jax.tree.unflatten(structure, plain_values)
    result = function(*given, **named)
    outputs, shape = jax.tree.flatten(result)
    if not hanging or not any(_is_float(each) for each in outputs):
        return result
    pull = jax.vjp(of_hanging, *(jnp.asarray(parts[at][0]) for at in hanging))[1]
    parents = [np.array(parts[at][1]).reshape(-1) for at in hanging]
    sizes = [int(np.size(each)) if _is_float(each) else 0 for each in outputs]

    def pullback(slopes: Any) -> list[Any]:
        pieces: list[Any] = []
        start = 0
        for each, size in zip(outputs, sizes, strict=True):
            if size or _is_float(each):
                pieces.append(jnp.asarray(slopes[start : start + size], each.dtype).reshape(each.shape))
                start += size
            else:
                pieces.append(np.zeros(np.shape(each), jax.dtypes.float0))
        found = pull(jax.tree.unflatten(shape, pieces))
        return [np.asarray(each, np.float64).reshape(-1) for each in found]

    first = TAPE.step(sum(sizes), parents, pullback, "jax")
    finished, start = [], first
    for each, size in zip(outputs, sizes, strict=True):
        places = np.arange(start, start + size).reshape(np.shape(each)) if _is_float(each) else None
        finished.append(each if places is None else TracedJax(each, places))
        start += size
    return jax.tree.unflatten(shape, finished)


def _is_float(value: Any) -> bool:
    return isinstance(value, jax.Array) and bool(jnp.issubdtype(value.dtype, jnp.floating))


def _plain(value: Any) -> tuple[Any, Places | None]:
    if type(value) is TracedJax:
        return value.value, value.places
    return split(value) if type(value) in ANY_TRACED or type(value) in ARRAYS else (value, None)


def _any_hangs(values: Any) -> bool:
    return any(
        _hangs(each)
        or (type(each) in (list, tuple, dict) and any(map(_hangs, jax.tree.leaves(each, is_leaf=_is_leaf))))
        for each in values
    )


def _listening(real: Any) -> Any:
    @functools.wraps(real)
    def listen(*arguments: Any, **options: Any) -> Any:
        if _any_hangs((*arguments, *options.values())):
            return called(real, arguments, options)
        return real(*arguments, **options)

    return listen


class Transformed:
    """A function that JAX made of another one."""

    def __init__(self, real: Any) -> None:
        self.real = real
        functools.update_wrapper(self, real)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if _any_hangs((*arguments, *options.values())):
            return called(self.real, arguments, options)
        return self.real(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def _transforming(real: Any) -> Any:
    @functools.wraps(real)
    def transform(*arguments: Any, **options: Any) -> Any:
        made = real(*arguments, **options)
        return Transformed(made) if callable(made) and arguments and callable(arguments[0]) else made

    return transform


def _operator(apply: Callable[..., Any], name: str) -> Any:
    def method(self: TracedJax, *others: Any) -> Any:
        result = called(apply, (self, *others), {})
        if name in _COMPARISONS and np.size(result) == 1:
            margin = called(operator.sub, (self, *others), {})
            if type(margin) is TracedJax:
                compared(np.asarray(result).reshape(()), np.asarray(margin.value, np.float64).reshape(()),
                         margin.places.reshape(()), None)  # fmt: skip
        return result

    return method


for _name in "add sub mul truediv floordiv mod pow matmul lt le gt ge eq ne neg pos abs".split():
    _apply = getattr(operator, _name)
    setattr(TracedJax, f"__{_name}__", _operator(_apply, _name))
    if _name in "add sub mul truediv floordiv mod pow matmul".split():
        setattr(TracedJax, f"__r{_name}__", _operator(lambda a, b, apply=_apply: apply(b, a), _name))

_replaced: list[tuple[Any, str, Any]] = []


def _replace(module: Any, name: str, made: Any) -> None:
    _replaced.append((module, name, getattr(module, name)))
    setattr(module, name, made)


def install(module: ModuleType) -> None:
    """Replace JAX's functions by those that look for traced values."""
    import jax.nn
    import jax.scipy.special

    for each in (jnp, jnp.linalg, jax.nn, jax.lax, jax.scipy.special):
        for name, function in list(vars(each).items()):
            if callable(function) and not isinstance(function, type) and not name.startswith("_"):
                _replace(each, name, _listening(function))
    for name in ("jit", "grad", "value_and_grad", "vmap", "jacrev", "jacfwd", "hessian"):
        _replace(module, name, _transforming(getattr(module, name)))
    creation.CONVERTED[TracedJax] = TracedJax.array


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
    creation.CONVERTED.pop(TracedJax, None)
