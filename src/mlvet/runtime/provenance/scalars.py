"""NumPy's scalars with a place on the tape: elements of traced arrays, with NumPy's own arithmetic and warnings.

An element of an array is an `np.float64`, which divides by zero, prints and converts differently from a float. Its
traced form is a subclass of the same NumPy type, with the plain scalar `v` and the place `i`, as traced floats have.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.numbers import TRACED, traced, whole
from mlvet.runtime.provenance.predicates import PREDICATES
from mlvet.runtime.provenance.roundings import rounded
from mlvet.runtime.provenance.tape import TAPE

Partials: TypeAlias = Callable[[float, float, float], tuple[float, float]]

_KINDS = (
    np.float16, np.float32, np.float64, np.longdouble,
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.longlong, np.ulonglong,
)  # fmt: skip
SCALARS: dict[type, type] = {}
"""The traced class of each of NumPy's real scalars."""
_BASES: dict[type, Any] = {}
"""NumPy's own class of each traced one."""
TRACED_SCALARS: set[type] = set()
ANY_TRACED: set[type] = set(TRACED)
"""All classes of traced numbers, NumPy's and Python's."""
_PLAIN: set[type] = {float, int, bool, np.bool_, *_KINDS}
_row = TAPE.open.row


def scalar(value: Any, place: int) -> Any:
    """A scalar of NumPy or of Python with its place; without one, and for what is no real number, the plain one."""
    if not place:
        return value
    kind = SCALARS.get(type(value))
    if kind is None:
        return traced(value, place) if type(value) in (float, int) else value
    number: Any = _BASES[kind].__new__(kind, value)
    number.v = value
    number.i = place
    return number


def _guarded(apply: Callable[[Any, Any], float], a: Any, b: Any, otherwise: float = math.inf) -> float:
    try:
        return apply(a, b)
    except (ZeroDivisionError, OverflowError, ValueError):
        return otherwise


def _quotient(a: float, b: float, value: float) -> tuple[float, float]:
    del a
    return _guarded(operator.truediv, 1.0, b), _guarded(operator.truediv, -value, b)


def _power(a: float, b: float, value: float) -> tuple[float, float]:
    by_base = b * _guarded(math.pow, a, b - 1) if b else 0.0
    return by_base, value * math.log(a) if a > 0 else (0.0 if value == 0 else math.nan)


def _remainder(a: float, b: float, value: float) -> tuple[float, float]:
    del value
    return 1.0, -_guarded(operator.floordiv, a, b)


def _binary(apply: Callable[[Any, Any], Any], partials: Partials) -> tuple[Any, Any]:
    """An operator and its reflected form; arrays and what else is no scalar are left to their own operators."""

    def forward(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind in ANY_TRACED:
            a, b = self.v, other.v
            value = apply(a, b)
            if type(value) in SCALARS:
                by_a, by_b = partials(float(a), float(b), float(value))
                return scalar(value, _row((self.i, other.i), (by_a, by_b)))
            return value
        if kind in _PLAIN:
            a = self.v
            value = apply(a, other)
            if type(value) in SCALARS:
                return scalar(value, _row((self.i,), partials(float(a), float(other), float(value))[:1]))
            return value
        return apply(self.v, other) if kind is complex else NotImplemented

    def reflected(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind in ANY_TRACED:
            value = apply(other.v, self.v)
            by_a, by_b = partials(float(other.v), float(self.v), float(value))
            return scalar(value, _row((other.i, self.i), (by_a, by_b)))
        if kind in _PLAIN:
            b = self.v
            value = apply(other, b)
            if type(value) in SCALARS:
                return scalar(value, _row((self.i,), partials(float(other), float(b), float(value))[1:]))
            return value
        return apply(other, self.v) if kind is complex else NotImplemented

    return forward, reflected


def _comparison(apply: Callable[[Any, Any], Any]) -> Any:
    def compare(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind in ANY_TRACED:
            outcome = apply(self.v, other.v)
            margin = float(self.v) - float(other.v)
            seen = PREDICATES.seen(bool(outcome), margin, (self.i, 1.0), (other.i, -1.0))
            return outcome if seen == outcome else type(outcome)(seen)
        if kind in _PLAIN:
            outcome = apply(self.v, other)
            margin = float(self.v) - float(other)
            seen = PREDICATES.seen(bool(outcome), margin, (self.i, 1.0), (0, 0.0))
            return outcome if seen == outcome else type(outcome)(seen)
        return NotImplemented

    return compare


def _truth(self: Any) -> bool:
    return PREDICATES.seen(bool(self.v), float(self.v), (self.i, 1.0), (0, 0.0))


def _negative(self: Any) -> Any:
    return scalar(-self.v, _row((self.i,), (-1.0,)))


def _absolute(self: Any) -> Any:
    return scalar(abs(self.v), _row((self.i,), (-1.0 if self.v < 0 else 1.0,)))


def _cut(apply: Callable[..., Any]) -> Any:
    """An operator whose result jumps: a plain number, after the comparison with the nearest jump."""

    def jumping(self: Any, *others: Any) -> Any:
        return apply(self.v, *(other.v if type(other) in ANY_TRACED else other for other in others))

    return jumping


def _jumping(apply: Callable[[Any], int], offset: float) -> Callable[..., int]:
    """A function that jumps: to be near to the next jump counts as a comparison."""

    def jump(self: Any, depth: int = 2) -> int:
        value = float(self.v)
        if math.isfinite(value) and self.v.dtype.kind == "f":
            below = math.floor(value - offset) + offset
            margin = value - below if value - below <= below + 1 - value else value - below - 1
            PREDICATES.seen(True, margin, (self.i, 1.0), (0, 0.0), depth)
        return apply(self.v)

    return jump


def _to_whole(apply: Callable[[Any], int], offset: float) -> Any:
    """The same of what keeps the place of a number that is whole already, as `__int__` must not."""
    jump = _jumping(apply, offset)

    def whole_of(self: Any, depth: int = 3) -> Any:
        return whole(scalar(int(self.v), self.i)) if self.v.dtype.kind in "iu" else jump(self, depth)

    return whole_of


_nearest = _to_whole(round, 0.5)


def _round(self: Any, digits: Any = None) -> Any:
    return _nearest(self, 4) if digits is None else scalar(round(self.v, digits), rounded(self.i, digits))


def _item(self: Any, *index: Any) -> Any:
    return scalar(self.v.item(*index), self.i)


def _float(self: Any) -> float:
    broken("float")
    return float(self.v)


def _itself(self: Any, *ignored: Any, **options: Any) -> Any:
    del ignored, options
    return self


def _astype(self: Any, dtype: Any, *ignored: Any, **options: Any) -> Any:
    del ignored, options
    value = self.v.astype(dtype)
    if self.v.dtype.kind == "f" and value.dtype.kind != "f":
        return value
    return scalar(value, self.i)


def _as_array_method(name: str) -> Any:
    """A method that scalars share with arrays, done by an array without dimensions."""

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        from mlvet.runtime.provenance.array_values import as_traced

        return getattr(as_traced(self), name)(*arguments, **options)

    return method


def _ufunc(self: Any, function: Any, method: str, *operands: Any, **options: Any) -> Any:
    from mlvet.runtime.provenance.arrays import apply_function

    del self
    return apply_function(function, method, operands, options)


def _function(self: Any, function: Any, kinds: Any, arguments: Any, options: Any) -> Any:
    from mlvet.runtime.provenance.arrays import call_function

    del self, kinds
    return call_function(function, arguments, options)


def _called(kind: Any) -> Any:
    """What code gets that calls a traced class: a number of NumPy's own class."""

    def new(cls: type, value: Any = 0, /) -> Any:
        return value if type(value) is cls else kind(value)

    return new


def _reduced(self: Any, protocol: Any) -> Any:
    """Pickled as the plain scalar: what leaves the process carries no place."""
    return self.v.__reduce_ex__(protocol)


_OPERATORS: dict[str, Any] = {}
for _name, _apply, _partials in (
    ("add", operator.add, lambda a, b, v: (1.0, 1.0)),
    ("sub", operator.sub, lambda a, b, v: (1.0, -1.0)),
    ("mul", operator.mul, lambda a, b, v: (b, a)),
    ("truediv", operator.truediv, _quotient),
    ("pow", operator.pow, _power),
    ("mod", operator.mod, _remainder),
):  # fmt: skip
    _OPERATORS[f"__{_name}__"], _OPERATORS[f"__r{_name}__"] = _binary(_apply, _partials)
for _name in ("floordiv", "divmod", "and", "or", "xor", "lshift", "rshift"):
    _plain_operator = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    _OPERATORS[f"__{_name}__"] = _cut(_plain_operator)
    _OPERATORS[f"__r{_name}__"] = _cut(lambda a, b, apply=_plain_operator: apply(b, a))
_OPERATORS |= {
    "__neg__": _negative, "__pos__": _itself, "__abs__": _absolute, "__bool__": _truth,
    "__lt__": _comparison(operator.lt), "__le__": _comparison(operator.le), "__gt__": _comparison(operator.gt),
    "__ge__": _comparison(operator.ge), "__eq__": _comparison(operator.eq), "__ne__": _comparison(operator.ne),
    "__int__": _jumping(int, 0.0), "__trunc__": _to_whole(math.trunc, 0.0), "__floor__": _to_whole(math.floor, 0.0),
    "__ceil__": _to_whole(math.ceil, 0.0), "__round__": _round,
    "__copy__": _itself, "__deepcopy__": _itself, "copy": _itself, "conjugate": _itself, "conj": _itself,
    "squeeze": _itself, "item": _item, "tolist": _item, "astype": _astype, "__reduce_ex__": _reduced,
    "real": property(_itself), "T": property(_itself), "__getitem__": _as_array_method("__getitem__"),
    "__float__": _float, "__format__": lambda self, form: format(self.v, form),
    "__str__": lambda self: str(self.v), "__repr__": lambda self: repr(self.v),
    "__array_ufunc__": _ufunc, "__array_function__": _function,
    "__array_wrap__": lambda self, array, *ignored: array[()],
}  # fmt: skip
for _name in ("sum mean min max prod cumsum cumprod std var clip round dot reshape ravel flatten repeat argmax argmin "
              "any all take transpose").split():  # fmt: skip
    _OPERATORS[_name] = _as_array_method(_name)
for _kind in _KINDS:
    if _kind in SCALARS:
        continue
    _class = type(_kind.__name__, (_kind,), {**_OPERATORS, "__hash__": _kind.__hash__, "__new__": _called(_kind)})
    SCALARS[_kind] = _class
    _BASES[_class] = _kind
    TRACED_SCALARS.add(_class)
    ANY_TRACED.add(_class)
