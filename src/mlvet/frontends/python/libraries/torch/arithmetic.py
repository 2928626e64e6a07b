"""Arithmetic, comparison and logic of two tensors, or of a tensor and numbers, with the promotion of torch."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import Kind
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import binary, cast, common_dtype, operand
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import as_tensor
from mlvet.frontends.python.libraries.torch.element_types import as_float, default_float, is_integral
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, changing, made, method
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown

COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "not_equal": "not_equal", "lt": "less", "le": "less_or_equal", "gt": "greater",
    "ge": "greater_or_equal", "less": "less", "less_equal": "less_or_equal", "greater": "greater",
    "greater_equal": "greater_or_equal",
}  # fmt: skip


def combined(op: str, left: Any, right: Any, **attributes: Any) -> Tensor:
    """An operator on two operands, of which at least one is a tensor, in their common element type."""
    left, right = _counted(left), _counted(right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _beside_unknown(op, left, right, attributes)
    found: Tensor = binary(op, left, right, kind=Tensor, **attributes)
    return found


def _beside_unknown(op: str, left: Any, right: Any, attributes: dict[str, Any]) -> Tensor:
    """Beside something unknown the rank is open, and so is the element type of integers unless it is a relation."""
    sides = _known(left), _known(right)
    if op in COMPARISONS.values() or not any(isinstance(x, TensorValue) and is_integral(x) for x in sides):
        return made(op, *sides, **attributes)
    return opaque(op, sides, unknown(machine().fresh(op)), Tensor)


def _counted(value: Any) -> Any:
    """An unknown that the program has used as a size is a number."""
    return value.size if isinstance(value, Unknown) and value.size is not None else value


def _known(value: Any) -> Any:
    return as_tensor(value, "torch") if isinstance(value, Unknown) else value


def _scaled(value: Any, alpha: Any) -> Any:
    return value if alpha == 1 else combined("mul", value, alpha) if isinstance(value, TensorValue) else value * alpha


def _are_truths(left: Any, right: Any) -> bool:
    return common_dtype(left, right, Framework.TORCH) is dtypes.bool_


@method("torch.add", in_place=True)
def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    return combined("or" if _are_truths(input, other) else "add", input, _scaled(other, alpha))


@method("torch.sub", "torch.subtract", in_place=True)
def sub(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    for each in (input, other):
        truth = dtype_of(each) is dtypes.bool_ if isinstance(each, TensorValue) else isinstance(each, bool)
        demand(not truth, "truth values cannot be subtracted; use ^ or logical_not", "dtype-differs")
    return combined("sub", input, _scaled(other, alpha))


@method("torch.rsub")
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    return combined("sub", other, _scaled(input, alpha))


@method("torch.mul", "torch.multiply", in_place=True)
def mul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    return combined("and" if _are_truths(input, other) else "mul", input, other)


@method("torch.div", "torch.divide", in_place=True)
def div(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Tensor:
    match rounding_mode:
        case "floor":
            return combined("floor_div", input, other)
        case "trunc":
            found = made("trunc", true_divide(input, other))
            return made("cast", found, to=common_dtype(input, other, Framework.TORCH) or default_float())
    return true_divide(input, other)


@method("torch.true_divide", in_place=True)
def true_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    common = common_dtype(input, other, Framework.TORCH)
    if common is not None and not common.is_float and common.kind is not Kind.COMPLEX:
        input, other = operand(input, default_float(), Tensor), operand(other, default_float(), Tensor)
    return combined("div", input, other)


@method("torch.floor_divide", in_place=True)
def floor_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    return combined("floor_div", input, other)


@method("torch.remainder", in_place=True)
def remainder(input: Any, other: Any, *, out: Any = None) -> Tensor:
    return combined("remainder", input, other)


@method("torch.fmod", in_place=True)
def fmod(input: Any, other: Any, *, out: Any = None) -> Tensor:
    return combined("mod", input, other, fmod=1)


@method("torch.pow", in_place=True)
def pow(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    known = common_dtype(input, exponent, Framework.TORCH)
    if known is not None and known.is_integer and isinstance(exponent, int) and not isinstance(exponent, bool):
        demand(exponent >= 0, "integers to negative integer powers are not allowed")
    return combined("pow", input, exponent)


@method("torch.float_power")
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    return combined("pow", operand(input, dtypes.f64, Tensor), operand(exponent, dtypes.f64, Tensor))


@method("torch.atan2", "torch.arctan2", in_place=True)
def atan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return combined("atan2", as_float(input), as_float(other))


@method("torch.hypot", in_place=True)
def hypot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return combined("hypot", input, other)


@method("torch.maximum", "torch.fmax")
def maximum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return combined("max", input, other)


@method("torch.minimum", "torch.fmin")
def minimum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return combined("min", input, other)


def _alike(name: str, left: Any, right: Any) -> Tensor:
    """An operator that has no name here, of the type that any of two operands has."""
    return opaque(name, [left, right], tensor_of(combined("max", left, right)).without_value(), Tensor)


@method("torch.logaddexp2")
def logaddexp2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return _alike("logaddexp2", input, other)


@method("torch.nextafter", in_place=True)
def nextafter(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return _alike("nextafter", input, other)


@method("torch.heaviside", in_place=True)
def heaviside(input: Tensor, values: Tensor, *, out: Any = None) -> Tensor:
    return _alike("heaviside", input, values)


@method("torch.logaddexp")
def logaddexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    gap = made("neg", made("abs", combined("sub", input, other)))
    return combined("add", combined("max", input, other), made("softplus", gap))


@method("torch.copysign", in_place=True)
def copysign(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    sign = operand(other, default_float(), Tensor) if not isinstance(other, TensorValue) else as_float(other)
    return _alike("copysign", as_float(input), sign)


@method("torch.xlogy", "torch.special.xlogy", in_place=True)
def xlogy(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """x * log(y), in which a factor of 0 yields 0."""
    x = as_float(input) if isinstance(input, TensorValue) else input
    y = as_float(other) if isinstance(other, TensorValue) else operand(other, default_float(), Tensor)
    product = combined("mul", x, made("log", y))
    zero = made("zeros_like", product)
    return made("where", combined("equal", x, 0), zero, product) if isinstance(x, TensorValue) else product


@method("torch.gcd", in_place=True)
def gcd(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return _alike("gcd", input, other)


@method("torch.lcm", in_place=True)
def lcm(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return _alike("lcm", input, other)


def _comparing(op: str) -> Any:
    def function(input: Any, other: Any, *, out: Any = None) -> Tensor:
        return combined(op, input, other)

    return function


for _name, _op in COMPARISONS.items():
    method(f"torch.{_name}", in_place=True)(_comparing(_op))


@method("torch.isclose")
def isclose(input: Tensor, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Tensor:
    return made("is_close", input, other)


def _logical(op: str) -> Any:
    def function(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
        return made(op, cast(input, dtypes.bool_), cast(other, dtypes.bool_))

    return function


def _bitwise(op: str) -> Any:
    def function(input: Any, other: Any, *, out: Any = None) -> Tensor:
        common = common_dtype(input, other, Framework.TORCH)
        demand(common is None or not common.is_float, f"bitwise {op} does not take floats", "dtype-differs")
        return combined(op if common is dtypes.bool_ else f"bitwise_{op}", input, other)

    return function


for _name in ("and", "or", "xor"):
    method(f"torch.logical_{_name}", in_place=True)(_logical(_name))
    method(f"torch.bitwise_{_name}", in_place=True)(_bitwise(_name))


def _shifting(direction: str) -> Any:
    def function(input: Any, other: Any, *, out: Any = None) -> Tensor:
        return combined("bit_shift", input, other, direction=direction)

    return function


method("torch.bitwise_left_shift", "torch.Tensor.__lshift__")(_shifting("LEFT"))
method("torch.bitwise_right_shift", "torch.Tensor.__rshift__")(_shifting("RIGHT"))


@method("torch.clamp", "torch.clip", in_place=True)
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    demand(min is not None or max is not None, "clamp needs at least one of min and max")
    found = combined("max", input, min) if min is not None else input
    return combined("min", found, max) if max is not None else found


@method("torch.clamp_min", in_place=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    return clamp(input, min)


@method("torch.clamp_max", in_place=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    return clamp(input, None, max)


@method("torch.addcmul", in_place=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Any = None) -> Tensor:
    return combined("add", input, _scaled(combined("mul", tensor1, tensor2), value))


@method("torch.addcdiv", in_place=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Any = None) -> Tensor:
    return combined("add", input, _scaled(combined("div", tensor1, tensor2), value))


@method("torch.lerp", in_place=True)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Any = None) -> Tensor:
    return combined("add", input, combined("mul", combined("sub", end, input), weight))


@method("torch.where")
def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """A choice between two; of the condition alone, the places where it holds."""
    if input is None and other is None:
        from mlvet.frontends.python.libraries.torch.indexing import nonzero

        return nonzero(condition, as_tuple=True)
    known = dtype_of(condition)
    demand(
        known is None or known in (dtypes.bool_, dtypes.u8), "where needs truth values as condition", "dtype-differs"
    )
    if not isinstance(input, TensorValue | Unknown) and not isinstance(other, TensorValue | Unknown):
        input = from_python(input, Tensor)
    common = common_dtype(input, other, Framework.TORCH)
    sides = (_known(input), _known(other))
    return made("where", cast(condition, dtypes.bool_), *(operand(side, common, Tensor) for side in sides))


attach("where", lambda self, condition, other: where(condition, self, other))


@method("torch.equal")
def equal(input: Tensor, other: Tensor) -> Any:
    from mlvet.frontends.python.values.numbers import Scalar

    return Scalar(bool, "tensors are equal")


@method("torch.allclose")
def allclose(input: Tensor, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    combined("equal", input, other)
    return equal(input, other)


def _operator(function: Any, *, reflected: bool = False) -> Any:
    """A function of torch as an operator of Python; what is no operand is left to the other side."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, ListValue | tuple | str) or other is None:
            return NotImplemented
        return function(other, self) if reflected else function(self, other)

    return operator


_OPERATORS = {
    "add": add, "sub": sub, "mul": mul, "truediv": true_divide, "floordiv": floor_divide, "mod": remainder, "pow": pow,
    "and": _bitwise("and"), "or": _bitwise("or"), "xor": _bitwise("xor"),
}  # fmt: skip
for _name, _function in _OPERATORS.items():
    attach(f"__{_name}__", _operator(_function))
    attach(f"__r{_name}__", _operator(_function, reflected=True))
for _name, _op in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_or_equal"), ("gt", "greater"),
    ("ge", "greater_or_equal")):  # fmt: skip
    attach(f"__{_name}__", _operator(_comparing(_op)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    attach(f"__i{_name}__", changing(_operator(_OPERATORS[_name])))
