"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Apply, Expr, at_least, equal, inhabited, symbols
from mlvet.domains.written import Int, Origin
from mlvet.frontends.python.interpretation.branches import distributed
from mlvet.frontends.python.interpretation.truth import negated
from mlvet.frontends.python.libraries.binding import library_of
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import OpenSize, Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.ratios import Ratio, divided, ratio_of, square_root
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import MADE, Reason, Undecided, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any], str]] = {
    ast.Add: ("add", operator.add, "+"),
    ast.Sub: ("sub", operator.sub, "-"),
    ast.Mult: ("mul", operator.mul, "*"),
    ast.Div: ("truediv", operator.truediv, "/"),
    ast.FloorDiv: ("floordiv", operator.floordiv, "//"),
    ast.Mod: ("mod", operator.mod, "%"),
    ast.Pow: ("pow", operator.pow, "**"),
    ast.MatMult: ("matmul", operator.matmul, "@"),
    ast.BitAnd: ("and", operator.and_, "&"),
    ast.BitOr: ("or", operator.or_, "|"),
    ast.BitXor: ("xor", operator.xor, "^"),
    ast.LShift: ("lshift", operator.lshift, "<<"),
    ast.RShift: ("rshift", operator.rshift, ">>"),
}
COMPARED: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any], str, str]] = {
    ast.Eq: ("eq", operator.eq, "==", "eq"),
    ast.NotEq: ("ne", operator.ne, "!=", "ne"),
    ast.Lt: ("lt", operator.lt, "<", "gt"),
    ast.LtE: ("le", operator.le, "<=", "ge"),
    ast.Gt: ("gt", operator.gt, ">", "lt"),
    ast.GtE: ("ge", operator.ge, ">=", "le"),
}
NUMBERS = (bool, int, float, complex)
_LARGEST_POWER = 4096
_LONGEST = 100_000
_LONGEST_SIZE = 200
_WIDE = re.compile(r"\*|[0-9]{6}")


def binary(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op right`."""
    if isinstance(left, Choice):
        return distributed(machine, left, lambda value: binary(machine, kind, value, right))
    if isinstance(right, Choice):
        return distributed(machine, right, lambda value: binary(machine, kind, left, value))
    name, python, sign = BINARY[kind]
    if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
        return _numbers(machine, python, sign, left, right)
    if isinstance(left, int | Expr) and isinstance(right, int | Expr):
        return _sizes(machine, kind, left, right)
    if isinstance(left, int | float | Expr | Ratio) and isinstance(right, int | float | Expr | Ratio):
        return _ratios(kind, left, right)
    if isinstance(left, str | bytes) and kind is ast.Mod:
        return _formatted(left, right)
    if isinstance(left, Object) or isinstance(right, Object):
        return _overloaded(machine, name, left, right)
    if (
        isinstance(left, str | bytes)
        and isinstance(right, str | bytes)
        and kind is ast.Add
        and type(left) is type(right)
    ):
        return left + right if len(left) + len(right) < _LONGEST else Scalar(str)  # type: ignore[operator]
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _unknowns(machine, kind, left, right)
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return _scalars(machine, kind, left, right)
    return _containers(machine, kind, left, right)


def _unknowns(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    """An operator on something unknown: on what it was used as before, else unknown, but as a size still computed."""
    known = [_used(side) for side in (left, right)]
    if not any(isinstance(side, Unknown) for side in known):
        return binary(machine, kind, *known)
    unknown = left if isinstance(left, Unknown) else right
    made = machine.unknown(unknown.reason, unknown.detail, unknown.name)
    if kind in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv) and all(
        isinstance(each, int | Expr | Unknown) for each in known
    ):
        made.parts[MADE] = (BINARY[kind][1], left, right)
    return made


def _used(value: Any) -> Any:
    """What an unknown was used as, itself if as nothing yet."""
    if not isinstance(value, Unknown):
        return value
    return value.tensor if value.tensor is not None else value.size if value.size is not None else value


def _numbers(machine: Machine, python: Callable[[Any, Any], Any], sign: str, left: Any, right: Any) -> Any:
    if sign == "**" and isinstance(right, int | float) and abs(right) > _LARGEST_POWER:
        return Scalar(float)
    if sign == "<<" and isinstance(right, int) and right > _LARGEST_POWER:
        return Scalar(int)
    try:
        found = python(left, right)
    except ZeroDivisionError as error:
        return machine.raises(error)
    except (ArithmeticError, TypeError, ValueError):
        return machine.unknown(Reason.EXCEPTION, f"{left!r} {sign} {right!r}")
    if type(found) is int and (isinstance(left, Int) or isinstance(right, Int)):
        return Int(found, Origin(f"{_spelled(left, sign)}{sign}{_spelled(right, sign)}", machine.location))
    return found


def _spelled(value: Any, sign: str) -> str:
    if not isinstance(value, Int):
        return str(value)
    text = value.origin.text
    plain = not value.origin.is_computed or (sign == "*" and set(text) <= set("0123456789*_")) or sign == "+"
    return (text if plain else f"({text})") if len(text) < 40 else str(int(value))


def _sizes(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    """Integers of which some are symbols."""
    if kind is ast.Div:
        return divided(left, right)
    if kind in (ast.FloorDiv, ast.Mod) and isinstance(right, int) and right == 0:
        return machine.raises(ZeroDivisionError("integer division or modulo by zero"))
    match kind.__name__:
        case "Add" | "Sub" | "Mult" | "FloorDiv" | "Mod":
            return _bounded(machine, BINARY[kind][1](left, right))
        case "Pow" if isinstance(right, int) and 0 <= right <= 8:
            product: Any = 1
            for _ in range(right):
                product = product * left
            return _bounded(machine, product)
        case "RShift" if isinstance(right, int) and 0 <= right < 63:
            return left // 2**right
        case "LShift" if isinstance(right, int) and 0 <= right < 63:
            return left * 2**right
    from mlvet.frontends.python.libraries.binding import as_size
    from mlvet.frontends.python.variation import listed

    found = as_size(machine.unknown(Reason.DATA_DEPENDENT_BRANCH, f"{left} {BINARY[kind][2]} {right}"))
    if not listed(machine).isdisjoint(each.name for side in (left, right) for each in symbols(side)):
        machine.listed.add(str(found))
    return found


def _bounded(machine: Machine, size: Any) -> Any:
    """A size as it is, or a new symbol in place of one so long that each further step would take ever longer."""
    pending, seen = [size], 0
    while pending:
        for monomial, _ in getattr(pending.pop(), "terms", ()):
            seen += len(monomial)
            if seen > _LONGEST_SIZE:
                from mlvet.frontends.python.libraries.binding import as_size

                return as_size(machine.unknown(Reason.BUDGET, "a size that is a very long expression"))
            pending += [side for atom in monomial if isinstance(atom, Apply) for side in (atom.left, atom.right)]
    return size


def _ratios(kind: type[ast.operator], left: Any, right: Any) -> Any:
    """Quotients of symbols, and floats beside symbols; what is computed alike has one name."""
    if kind is ast.Pow and isinstance(right, float) and right == 0.5 and isinstance(left, Expr):
        exact = square_root(left)
        return Scalar(float) if exact is None else Ratio(exact)
    sides = [ratio_of(left), ratio_of(right)]
    if any(side is None for side in sides) or kind not in (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv):
        return Scalar(float, f"({left} {BINARY[kind][2]} {right})")
    return BINARY[kind][1](*sides)


def _scalars(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    kinds = {_scalar_kind(left), _scalar_kind(right)}
    if kinds <= {int, bool} and kind is not ast.Div:
        from mlvet.frontends.python.libraries.binding import as_size

        return as_size(Unknown(Reason.DATA_DEPENDENT_BRANCH, "", "n"))
    if kinds <= {int, bool, float}:
        return Scalar(float)
    if str in kinds and (kind is ast.Mod or kinds == {str} or kinds <= {str, int}):
        return Scalar(str)
    if kinds == {complex} or kinds <= {int, bool, float, complex}:
        return Scalar(complex)
    return machine.unknown(Reason.OPERATOR_OVERLOADING, f"{left!r} {BINARY[kind][2]} {right!r}")


def _scalar_kind(value: Any) -> type | None:
    if isinstance(value, Scalar):
        return value.kind
    if isinstance(value, Expr):
        return int
    return next((kind for kind in (bool, int, float, complex, str) if isinstance(value, kind)), type(value))


def _formatted(left: str | bytes, right: Any) -> Any:
    """Formatting with `%`."""
    values = right if isinstance(right, tuple) else (right,)
    wide = _WIDE.search(left if isinstance(left, str) else left.decode("latin-1"))
    if wide is None and all(isinstance(value, int | float | str) for value in values):
        try:
            return left % right
        except (TypeError, ValueError):
            return Scalar(str)
    return Scalar(str)


def _containers(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    from mlvet.frontends.python.libraries.builtins.operators import concatenated, repeated

    try:
        if kind is ast.Add and isinstance(left, ListValue | tuple):
            return concatenated(left, right)
        if kind is ast.Mult and isinstance(left, ListValue | tuple | str | bytes):
            return repeated(left, right)
        if kind is ast.Mult and isinstance(right, ListValue | tuple | str | bytes):
            return repeated(right, left)
        if kind is ast.BitOr and isinstance(left, DictValue) and isinstance(right, DictValue):
            return DictValue({**left.cells, **right.cells}, right.rest or left.rest)
        if kind in (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor) and isinstance(left, ListValue):
            name = {"BitOr": "union", "BitAnd": "intersection", "Sub": "difference"}.get(kind.__name__)
            if name:
                return machine.send(left, name, right)
        if kind is ast.BitOr and (isinstance(left, type) or left is None or isinstance(right, type)):
            return left
    except Undecided as undecided:
        return undecided.unknown
    return machine.unknown(
        Reason.OPERATOR_OVERLOADING, f"{type(left).__name__} {BINARY[kind][2]} {type(right).__name__}"
    )


def _overloaded(machine: Machine, name: str, left: Any, right: Any) -> Any:
    """The operator that a class of the program or of a library defines."""
    for receiver, method, other in ((left, f"__{name}__", right), (right, f"__r{name}__", left)):
        if isinstance(receiver, Object):
            found = _method(machine, receiver, method)
            if found is not MISSING:
                result = machine.call(found, other)
                if result is not NotImplemented:
                    return result
    for side in (left, right):
        if isinstance(side, Unknown):
            return machine.unknown(side.reason, side.detail, side.name)
    return machine.unknown(Reason.OPERATOR_OVERLOADING, f"{left!r} {name} {right!r}")


def _method(machine: Machine, receiver: Object, name: str) -> Any:
    from mlvet.frontends.python.interpretation.attributes import lookup

    return lookup(machine, receiver, name)


def in_place(machine: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op= right`: by `__iadd__` and its kin where a class has them, extending a list in its place."""
    if isinstance(left, Choice):
        return distributed(machine, left, lambda value: in_place(machine, kind, value, right))
    if isinstance(left, ListValue) and kind is ast.Add:
        machine.send(left, "extend", right)
        return left
    if isinstance(left, Object):
        method = _method(machine, left, f"__i{BINARY[kind][0]}__")
        if method is not MISSING:
            result = machine.call(method, right)
            if result is not NotImplemented:
                return result
    if isinstance(left, DictValue) and kind is ast.BitOr:
        machine.send(left, "update", right)
        return left
    result = binary(machine, kind, left, right)
    if isinstance(left, TensorValue) and isinstance(result, TensorValue) and library_of(type(left)) in _IN_PLACE:
        _demand_kept(left, result)
    return result


_IN_PLACE = ("numpy", "torch")
"""Libraries whose tensors `+=` changes; those of others are bound anew."""


def _demand_kept(left: TensorValue, result: TensorValue) -> None:
    """A tensor that is changed in its place keeps its shape, and one of integers does not become one of floats."""
    from mlvet.frontends.python.emission import demand

    before, after = dims_of(left), dims_of(result)
    if before == () and library_of(type(left)) == "numpy":
        return
    if before is not None and after is not None:
        fits = len(before) == len(after) and all(equal(a, b) is not False for a, b in zip(before, after, strict=True))
        what = f"it is changed in its place, so it cannot become {tensor_of(result).without_value()}"
        demand(fits, what, "broadcast-mismatch", [left])
    kinds = dtype_of(left), dtype_of(result)
    if kinds[0] is not None and kinds[1] is not None:
        what = f"elements of {kinds[0]} cannot become {kinds[1]} in their place"
        demand(not (kinds[0].is_integer and kinds[1].is_float), what, "dtype-differs", [left])


def unary(machine: Machine, kind: type[ast.unaryop], value: Any) -> Any:
    """`-x`, `+x`, `~x`; `not x` is the business of truth."""
    if isinstance(value, Choice):
        return distributed(machine, value, lambda each: unary(machine, kind, each))
    if isinstance(value, NUMBERS):
        signed: dict[type[ast.unaryop], Callable[[Any], Any]]
        signed = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
        try:
            return signed[kind](value)
        except TypeError:
            return machine.unknown(Reason.EXCEPTION, repr(value))
    if isinstance(value, Expr) and kind is not ast.Invert:
        return -value if kind is ast.USub else value
    if isinstance(value, Ratio):
        return -value if kind is ast.USub else value
    if isinstance(value, Scalar) and value.kind in (int, float, bool):
        return Scalar(value.kind)
    if isinstance(value, Object):
        found = _method(machine, value, {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}[kind])
        if found is not MISSING:
            return machine.call(found)
    if isinstance(value, Unknown):
        return machine.unknown(value.reason, value.detail, value.name)
    return machine.unknown(Reason.OPERATOR_OVERLOADING, f"{kind.__name__} of {type(value).__name__}")


def compare(machine: Machine, kind: type[ast.cmpop], left: Any, right: Any) -> Any:
    """`left op right` of one comparison: a truth value, a condition, or a tensor of truth values."""
    if isinstance(left, Choice):
        return distributed(machine, left, lambda value: compare(machine, kind, value, right))
    if isinstance(right, Choice):
        return distributed(machine, right, lambda value: compare(machine, kind, left, value))
    match kind.__name__:
        case "Is":
            return identical(left, right)
        case "IsNot":
            return _negated(identical(left, right))
        case "In":
            return _contains(machine, right, left)
        case "NotIn":
            return _negated(_contains(machine, right, left))
    name, python, sign, swapped = COMPARED[kind]
    if isinstance(left, (*NUMBERS, str)) and isinstance(right, (*NUMBERS, str)):
        try:
            return bool(python(left, right))
        except TypeError:
            return machine.unknown(Reason.EXCEPTION, f"{left!r} {sign} {right!r}")
    if isinstance(left, int | Expr) and isinstance(right, int | Expr):
        return _compared_sizes(machine, sign, left, right)
    if isinstance(left, Object) or isinstance(right, Object):
        found = _compared_objects(machine, name, swapped, left, right)
        if found is not NotImplemented:
            return found
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        known = [_used(side) for side in (left, right)]
        if not any(isinstance(side, Unknown) for side in known):
            return compare(machine, kind, *known)
        unknown, other = (left, right) if isinstance(left, Unknown) else (right, left)
        if kind in (ast.Eq, ast.NotEq) and isinstance(other, str | int) and not isinstance(other, bool):
            return _asked(machine, unknown, other, kind is ast.Eq)
        if kind in (ast.Eq, ast.NotEq) and _are_members(left, right):
            return (left.detail == right.detail) == (kind is ast.Eq)
        return machine.unknown(unknown.reason, unknown.detail)
    if kind in (ast.Eq, ast.NotEq):
        return _equality(machine, kind is ast.Eq, left, right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        plain = all(isinstance(each, NUMBERS) for each in (*left, *right))
        return bool(python(left, right)) if plain else Scalar(bool)
    return Scalar(bool, condition=_named(left, sign, right))


def _are_members(left: Any, right: Any) -> bool:
    """Whether both are constants of one enumeration of a library without a model, which differ by name."""
    if not (isinstance(left, Unknown) and isinstance(right, Unknown)):
        return False
    paths = [each.detail.rpartition(".") for each in (left, right)]
    reasons = {left.reason, right.reason} <= {Reason.UNMODELLED_LIBRARY, Reason.UNMODELLED_CALL}
    return reasons and paths[0][0] == paths[1][0] != "" and all(path[2].isupper() for path in paths)


def _asked(machine: Machine, unknown: Unknown, other: str | int, same: bool) -> Unknown:
    """Whether something unknown is a constant: one condition, however often it is asked, that excludes others."""
    key = ("==" if same else "!=", type(other), other)
    if key not in unknown.parts:
        asked = unknown if same else _asked(machine, unknown, other, True)
        found = machine.unknown(unknown.reason, unknown.detail)
        if same:
            name = machine.fresh(f"{unknown.name or 'it'} == {other!r}")
            machine.subjects[name] = (f"value of {id(unknown)}", frozenset((other,)))
            found.parts["?"] = Scalar(bool, condition=name)
        else:
            found.parts["?"] = negated(asked.parts["?"])
        unknown.parts[key] = found
    return unknown.parts[key]  # type: ignore[no-any-return]


def _compared_objects(machine: Machine, name: str, swapped: str, left: Any, right: Any) -> Any:
    for receiver, method, other in ((left, f"__{name}__", right), (right, f"__{swapped}__", left)):
        if isinstance(receiver, TensorValue) or (isinstance(receiver, Object) and receiver.kind is not None):
            found = _method(machine, receiver, method)
            if found is not MISSING:
                result = machine.call(found, other)
                if result is not NotImplemented:
                    return result
    return NotImplemented


def _compared_sizes(machine: Machine, sign: str, left: Any, right: Any) -> Any:
    match sign:
        case "==" | "!=":
            found = equal(left, right)
            if found is None and isinstance(left, Expr) and isinstance(right, Expr):
                found = equal(
                    inhabited(left), inhabited(right)
                )  # 16*n and 32*n are the same only where there is nothing.
        case ">=" | "<":
            found = at_least(left, right)
        case _:
            found = at_least(right, left)
    flipped = sign in ("!=", "<", ">")
    if found is not None:
        return found != flipped
    base = {"!=": "==", "<": ">=", ">": "<="}.get(sign, sign)
    scalar = Scalar(bool, condition=f"{left} {base} {right}", **_default(machine, base, left, right))
    return negated(scalar) if flipped else scalar


def _default(machine: Machine, sign: str, left: Any, right: Any) -> dict[str, Any]:
    """What a comparison is when all settings have their defaults."""
    from mlvet.domains.dims import substitute

    known = {name: setting.default for name, setting in machine.settings.items() if setting.default is not None}
    sides: list[Any] = [substitute(side, known) if isinstance(side, Expr) else side for side in (left, right)]
    if not all(isinstance(side, int) for side in sides):
        return {}
    python: Callable[[Any, Any], Any] = {"==": operator.eq, ">=": operator.ge, "<=": operator.le}[sign]
    return {"default": bool(python(*sides)), "has_default": True}


def _equality(machine: Machine, positive: bool, left: Any, right: Any) -> Any:
    from mlvet.frontends.python.libraries.builtins.operators import equal as same

    for setting, other in ((left, right), (right, left)):
        if isinstance(setting, Scalar) and isinstance(other, str | int | float) and setting.name:
            if setting.choices is not None and other not in setting.choices:
                return not positive
            name = f"{setting.name} == {other!r}"
            machine.subjects[name] = (setting.name, frozenset((other,)))
            if setting.choices is not None:
                machine.choices[setting.name] = frozenset(setting.choices)
            default = {"default": setting.default == other, "has_default": True} if setting.has_default else {}
            scalar = Scalar(bool, condition=name, location=setting.location, mixed=setting.mixed, **default)
            return scalar if positive else negated(scalar)
    found = same(left, right)
    if found is None:
        return Scalar(bool)
    return found == positive


def _contains(machine: Machine, container: Any, item: Any) -> Any:
    from mlvet.frontends.python.libraries.builtins.operators import contains

    if isinstance(container, Object) and not isinstance(container, TensorValue):
        method = _method(machine, container, "__contains__")
        if method is not MISSING:
            return machine.call(method, item)
    if isinstance(item, Scalar) and item.name and isinstance(container, ListValue | tuple | DictValue):
        found = _member(machine, container, item)
        if found is not None:
            return found
    try:
        found = contains(container, item)
    except Undecided:
        found = None
    return Scalar(bool) if found is None else found


def _member(machine: Machine, container: Any, setting: Scalar) -> bool | Scalar | None:
    """Whether a setting is one of some constants; None if they are not all constants."""
    if isinstance(container, DictValue) and container.rest is not None:
        return None
    items = container.items if isinstance(container, ListValue) else tuple(getattr(container, "cells", container))
    if not isinstance(items, tuple) or not all(isinstance(each, str | int | float) for each in items):
        return None
    values = frozenset(items)
    if setting.choices is not None:
        machine.choices[setting.name] = frozenset(setting.choices)
    name = f"{setting.name} in {sorted(values, key=repr)}"
    machine.subjects[name] = (setting.name, values)
    usual = setting.default in values if setting.has_default else None
    return Scalar(bool, "", usual, setting.has_default, None, name, setting.location, setting.mixed)


def identical(left: Any, right: Any) -> bool | Scalar:
    """`left is right`."""
    if left is right:
        return True
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        unknown, other = (left, right) if isinstance(left, Unknown) else (right, left)
        key = ("is", repr(other))
        if key not in unknown.parts:
            unknown.parts[key] = Scalar(bool, condition=f"{unknown.name} is {other!r}" if unknown.name else "")
        found: Scalar = unknown.parts[key]
        return found
    if left is None or right is None:
        other = left if right is None else right
        if isinstance(other, OpenSize):
            return True
        if isinstance(other, Scalar) and other.has_default and other.default is None:
            return Scalar(bool, other.name, True, True, None, f"{other.name} is None", other.location)
        return False
    plain = (bool, int, str, float)
    if isinstance(left, plain) and isinstance(right, plain):
        return type(left) is type(right) and left == right
    if isinstance(left, Scalar | Expr) or isinstance(right, Scalar | Expr):
        return Scalar(bool)
    return False


def _negated(value: Any) -> Any:
    return negated(value) if isinstance(value, bool | Scalar) else value


def _named(left: Any, sign: str, right: Any) -> str:
    names = [
        value.name
        if isinstance(value, Scalar)
        else repr(value)
        if isinstance(value, int | float | str)
        else str(value)
        if isinstance(value, Expr)
        else ""
        for value in (left, right)
    ]
    return f"{names[0]} {sign} {names[1]}" if all(names) else ""
