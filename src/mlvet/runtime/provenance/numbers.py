"""Numbers that carry their place on the tape: floats and ints to any program, with derivatives by the chain rule.

A traced number is a float or an int for every test of types and every function written in C. Its own operators write a
row each; the sites of `fused.py` write one row for a whole expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from mlvet.runtime.provenance import open_rows
from mlvet.runtime.provenance.predicates import PREDICATES
from mlvet.runtime.provenance.tape import TAPE

Partials: TypeAlias = Callable[[Any, Any, Any], tuple[float, float]]
"""The partial derivatives of an operator by both operands, of the operands and the result."""

PLAIN = frozenset((float, int, bool))
_row = TAPE.open.row


TracedFloat = open_rows.TracedFloat
"""A float with its plain value `v` and its place `i`; code that calls the class itself wants `float`."""


class TracedInt(int):
    """An int with its plain value and its place; results of true division and of floats are floats."""

    v: int
    i: int

    def __new__(cls, value: Any = 0, /, *base: Any) -> Any:
        return value if type(value) is cls and not base else int(value, *base)


TRACED = frozenset((TracedFloat, TracedInt))
_new_int = int.__new__


def traced(value: Any, place: int) -> Any:
    """A number with its place; without one, the plain number."""
    if not place:
        return value
    if type(value) is float:
        return open_rows.number(value, place)
    whole: Any = _new_int(TracedInt, value)
    whole.v = value
    whole.i = place
    return whole


def place_of(number: Any) -> int:
    return number.i if type(number) in TRACED else 0


def plain(number: Any) -> Any:
    """The number without its place."""
    return number.v if type(number) in TRACED else number


def written(value: Any, parents: tuple[int, ...], partials: tuple[float, ...]) -> Any:
    """A number that follows from others, written to the tape; what is no plain number goes on as it is."""
    if type(value) not in PLAIN:
        return value
    return traced(value, _row(parents, partials))


def _is_scalar(other: object) -> bool:
    """Whether this is a real number of NumPy that is no array."""
    return type(other).__module__ == "numpy" and getattr(other, "shape", None) == () and other.dtype.kind in "fiu"  # type: ignore[attr-defined]


_ARITHMETIC = (
    *(f"__{side}{name}__" for name in "add sub mul truediv floordiv mod pow".split() for side in ("", "r")),
    "__neg__", "__abs__", "__lt__", "__le__", "__gt__", "__ge__",
)  # fmt: skip


@cache
def _has_own_arithmetic(kind: type, base: type) -> bool:
    return any(getattr(kind, each) is not getattr(base, each) for each in _ARITHMETIC)


def is_bare(other: Any) -> bool:
    """Whether this is a number of a class that has only Python's own arithmetic, such as a member of an enumeration."""
    kind: Any = type(other)
    base = float if isinstance(other, float) else int if isinstance(other, int) else None
    return base is not None and kind not in TRACED and not _has_own_arithmetic(kind, base)


def bare(other: Any) -> Any:
    """Such a number as a plain one."""
    return float.__pos__(other) if isinstance(other, float) else int.__pos__(other)


def _binary(apply: Callable[[Any, Any], Any], partials: Partials) -> tuple[Any, Any]:
    """An operator and its reflected form; operands of other kinds are left to their own operators."""

    def forward(self: Any, other: Any) -> Any:
        if type(other) in TRACED:
            a, b = self.v, other.v
            value = apply(a, b)
            return written(value, (self.i, other.i), partials(a, b, value))
        if type(other) in PLAIN:
            a = self.v
            value = apply(a, other)
            return written(value, (self.i,), partials(a, other, value)[:1])
        if type(other) is complex:
            return apply(self.v, other)
        return forward(self, bare(other)) if is_bare(other) else NotImplemented

    def reflected(self: Any, other: Any) -> Any:
        if type(other) in PLAIN:
            b = self.v
            value = apply(other, b)
            return written(value, (self.i,), partials(other, b, value)[1:])
        if type(other) is complex:
            return apply(other, self.v)
        return reflected(self, bare(other)) if is_bare(other) else NotImplemented

    return forward, reflected


def _power(a: Any, b: Any, value: Any) -> tuple[float, float]:
    if type(value) is complex:
        return math.nan, math.nan
    try:
        by_base = b * a ** (b - 1) if b else 0.0
    except (ZeroDivisionError, OverflowError):
        by_base = math.inf
    return by_base, value * math.log(a) if a > 0 else (0.0 if value == 0 else math.nan)


def _remainder(a: Any, b: Any, value: Any) -> tuple[float, float]:
    del value
    return 1.0, -float(a // b)


def _unary(apply: Callable[[Any], Any], partial: Callable[[Any], float]) -> Any:
    def operator(self: Any) -> Any:
        return written(apply(self.v), (self.i,), (partial(self.v),))

    return operator


def _comparison(apply: Callable[[Any, Any], bool]) -> Any:
    def compare(self: Any, other: Any, depth: int = 2) -> Any:
        if type(other) in TRACED:
            margin = self.v - other.v
            return PREDICATES.seen(apply(self.v, other.v), margin, (self.i, 1.0), (other.i, -1.0), depth)
        if type(other) in PLAIN or _is_scalar(other):
            margin = self.v - float(other) if type(self.v) is float else self.v - other
            return PREDICATES.seen(apply(self.v, other), margin, (self.i, 1.0), (0, 0.0), depth)
        if is_bare(other):
            margin = self.v - bare(other)
            return PREDICATES.seen(apply(self.v, bare(other)), margin, (self.i, 1.0), (0, 0.0), depth)
        return NotImplemented

    return compare


def _equality(apply: Callable[[Any, Any], bool]) -> Any:
    """Equality of floats is a comparison like others; that of ints looks up keys and counts."""
    compare = _comparison(apply)

    def equal(self: Any, other: Any) -> Any:
        if type(self.v) is int and (type(other) is int or type(other) is TracedInt):
            return apply(self.v, plain(other))
        return compare(self, other, 3)

    return equal


def _truth(self: Any) -> bool:
    return PREDICATES.seen(bool(self.v), float(self.v), (self.i, 1.0), (0, 0.0))


def _jumping(apply: Callable[[Any], int], lower: Callable[[float], float]) -> Any:
    """A function that jumps: its result hangs on no input, but it comes near to a jump as a comparison does."""

    def jump(self: Any, depth: int = 2) -> int:
        result = apply(self.v)
        below = lower(self.v)
        margin = self.v - below if self.v - below <= below + 1 - self.v else self.v - below - 1
        PREDICATES.seen(True, margin, (self.i, 1.0), (0, 0.0), depth)
        return result

    return jump


def _floor_halves(value: float) -> float:
    return math.floor(value - 0.5) + 0.5


_rounded_to_whole = _jumping(round, _floor_halves)


def _round(self: Any, digits: Any = None) -> Any:
    """To a whole number, which jumps, or to digits."""
    if type(self.v) is float and digits is None:
        return _rounded_to_whole(self, 3)
    value = round(self.v, plain(digits))
    return whole(self) if type(value) is int and value == self.v else _rounded(self, value, plain(digits))


def whole(number: Any) -> Any:
    """A traced int that is made an int once more."""
    return _rounded(number, number.v, None)


def _rounded(number: Any, value: Any, digits: int | None) -> Any:
    from mlvet.runtime.provenance.roundings import rounded

    return traced(value, rounded(number.i, digits))


def _floor_division(a: Any, b: Any, places: tuple[tuple[int, float], tuple[int, float]]) -> Any:
    result = a // b
    if type(result) is float and math.isfinite(result):
        remainder = a - result * b
        margin = remainder if abs(remainder) <= abs(b - remainder) else remainder - b
        PREDICATES.seen(True, margin, *places, depth=3)
    return result


def _floordiv(self: Any, other: Any) -> Any:
    if type(other) in TRACED:
        return _floor_division(self.v, other.v, ((self.i, 1.0), (other.i, -float(self.v // other.v))))
    if type(other) in PLAIN:
        return _floor_division(self.v, other, ((self.i, 1.0), (0, 0.0)))
    return NotImplemented


def _rfloordiv(self: Any, other: Any) -> Any:
    if type(other) in PLAIN:
        return _floor_division(other, self.v, ((self.i, -float(other // self.v)), (0, 0.0)))
    return NotImplemented


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Any, other: Any) -> Any:
    return other // self, other % self


def _losing(name: str, apply: Callable[..., Any]) -> Any:
    """A method by which other code takes the bare number, so that the chain breaks there."""

    def method(self: Any, *given: Any) -> Any:
        from mlvet.runtime.provenance.breaks import broken

        broken(name)
        return apply(self.v, *given)

    return method


def _float(kind: type, value: Any = 0.0, /) -> Any:
    """What a call of the class makes: a float, or the traced number that it is given."""
    return value if type(value) is kind else float(value)


def _itself(self: Any, *memory: Any) -> Any:
    del memory
    return self


def _reduced(self: Any, protocol: Any) -> Any:
    """Pickled as the plain number: what leaves the process carries no place."""
    del protocol
    return type(self.v), (self.v,)


def _array_function(self: Any, function: Any, method: str, *operands: Any, **options: Any) -> Any:
    from mlvet.runtime.provenance.arrays import apply_function

    del self
    return apply_function(function, method, operands, options)


_OPERATORS: dict[str, Any] = {}
for _name, _apply, _partials in (
    ("add", lambda a, b: a + b, lambda a, b, v: (1.0, 1.0)),
    ("sub", lambda a, b: a - b, lambda a, b, v: (1.0, -1.0)),
    ("mul", lambda a, b: a * b, lambda a, b, v: (b, a)),
    ("truediv", lambda a, b: a / b, lambda a, b, v: (1 / b, -v / b)),
    ("pow", lambda a, b: a**b, _power),
    ("mod", lambda a, b: a % b, _remainder),
):  # fmt: skip
    _OPERATORS[f"__{_name}__"], _OPERATORS[f"__r{_name}__"] = _binary(_apply, _partials)
_OPERATORS |= {
    "__neg__": _unary(lambda a: -a, lambda a: -1.0),
    "__pos__": _itself,
    "__abs__": _unary(abs, lambda a: -1.0 if a < 0 else 1.0),
    "__floordiv__": _floordiv, "__rfloordiv__": _rfloordiv, "__divmod__": _divmod, "__rdivmod__": _rdivmod,
    "__lt__": _comparison(lambda a, b: a < b), "__le__": _comparison(lambda a, b: a <= b),
    "__gt__": _comparison(lambda a, b: a > b), "__ge__": _comparison(lambda a, b: a >= b),
    "__eq__": _equality(lambda a, b: a == b), "__ne__": _equality(lambda a, b: a != b),
    "__bool__": _truth, "__copy__": _itself, "__deepcopy__": _itself, "__reduce_ex__": _reduced, "__round__": _round,
    "__array_ufunc__": _array_function, "conjugate": _itself,
}  # fmt: skip
for _class in TRACED:
    for _name, _function in _OPERATORS.items():
        setattr(_class, _name, _function)
for _name, _jumps in (("__int__", int), ("__trunc__", math.trunc), ("__floor__", math.floor), ("__ceil__", math.ceil)):
    setattr(TracedFloat, _name, _jumping(_jumps, math.floor))
    if _name != "__int__":
        setattr(TracedInt, _name, whole)
for _class in TRACED:
    for _name, _losing_name, _apply_losing in (
        ("__float__", "float", float), ("as_integer_ratio", "as_integer_ratio", lambda v: v.as_integer_ratio()),
    ):  # fmt: skip
        setattr(_class, _name, _losing(_losing_name, _apply_losing))
setattr(TracedFloat, "__new__", staticmethod(_float))  # noqa: B010
for _class, _base in ((TracedFloat, float), (TracedInt, int)):
    setattr(_class, "__hash__", _base.__hash__)  # noqa: B010
open_rows.bind(TracedInt, traced)
PREDICATES.size = lambda: TAPE.size
