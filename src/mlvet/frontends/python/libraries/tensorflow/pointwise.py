"""Functions of single elements: arithmetic, relations, logic, and the functions of tf.math."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.tensorflow.arguments import cast_to, inexact
from mlvet.frontends.python.libraries.tensorflow.tensor import (
    Tensor,
    alongside,
    convert,
    like,
    magnitude,
    matched,
    op_of,
    quotient,
)
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of

_MATH = "tensorflow.math."


def _unary(op: str, floats: bool) -> Callable[..., Any]:
    def function(x: ArrayLike, name: Any = None) -> Tensor:
        del name
        return op_of(op, inexact(x, op) if floats else convert(x))

    function.__name__ = op
    return function


_FLOAT = (
    "acos acosh asin asinh atan atanh cos cosh digamma erf erfc erfinv exp expm1 lgamma log log1p reciprocal rsqrt sin "
    "sinh sigmoid sqrt tan tanh softplus is_nan is_inf is_finite ceil floor rint=round"
)
_ANY = "negative=neg round sign square"
_NOT_ALONE = frozenset(
    "digamma erf erfc expm1 lgamma log log1p reciprocal rsqrt is_nan is_inf is_finite ceil rint squared_difference "
    "floordiv floormod".split()
)
"""Names of tf.math that are names of tf itself in the first version only."""


def _names(name: str) -> list[str]:
    """The names under which a function of tf.math goes."""
    if name in ("erfinv", "softplus"):
        return [_MATH + name]
    return [_MATH + name, ("tensorflow.compat.v1." if name in _NOT_ALONE else "tensorflow.") + name]


for entry in f"{_FLOAT} {_ANY}".split():
    _name, _, _op = entry.partition("=")
    model(*_names(_name))(_unary(_op or _name, entry in _FLOAT.split()))

model("tensorflow.neg")(_unary("neg", False))
model("tensorflow.logical_not", "tensorflow.math.logical_not")(_unary("not", False))
model("tensorflow.math.conj")(_unary("conj", False))
model("tensorflow.bitwise.invert")(_unary("bitwise_not", False))
model("tensorflow.identity")(_unary("identity", False))
model("tensorflow.stop_gradient")(_unary("stop_gradient", False))
model("tensorflow.nn.relu")(_unary("relu", False))
model("tensorflow.nn.relu6")(_unary("relu6", False))
model("tensorflow.nn.elu")(_unary("elu", True))
model("tensorflow.nn.selu")(_unary("selu", True))
model("tensorflow.nn.softplus")(_unary("softplus", True))
model("tensorflow.nn.softsign", "tensorflow.math.softsign")(_unary("softsign", True))
model("tensorflow.nn.sigmoid")(_unary("sigmoid", True))
model("tensorflow.nn.tanh")(_unary("tanh", True))
model("tensorflow.math.log_sigmoid", "tensorflow.compat.v1.log_sigmoid")(_unary("log_sigmoid", True))


@model("tensorflow.abs", "tensorflow.math.abs")
def absolute(x: ArrayLike, name: Any = None) -> Tensor:
    del name
    return magnitude(convert(x))


def _binary(op: str) -> Callable[..., Any]:
    def function(x: Any, y: Any, name: Any = None) -> Tensor:
        del name
        return op_of(op, *matched(x, y))

    function.__name__ = op
    return function


for entry in (
    "subtract=sub multiply=mul floordiv=floor_div floormod=remainder maximum=max minimum=min pow "
    "greater greater_equal=greater_or_equal less less_equal=less_or_equal "
    "equal not_equal logical_and=and logical_or=or atan2 squared_difference"
).split():
    _name, _, _op = entry.partition("=")
    model(*_names(_name))(_binary(_op or _name))

model("tensorflow.compat.v1.mod", "tensorflow.math.mod", "tensorflow.truncatemod")(_binary("remainder"))
model("tensorflow.math.logical_xor", "tensorflow.compat.v1.logical_xor")(_binary("xor"))
model("tensorflow.mul")(_binary("mul"))
model("tensorflow.sub")(_binary("sub"))
model("tensorflow.bitwise.bitwise_and")(_binary("bitwise_and"))
model("tensorflow.bitwise.bitwise_or")(_binary("bitwise_or"))
model("tensorflow.bitwise.bitwise_xor")(_binary("bitwise_xor"))


@model("tensorflow.add", "tensorflow.math.add")
def add(x: Any, y: Any, name: Any = None) -> Tensor:
    """Numbers on the left become tensors before the right side is looked at."""
    del name
    first = convert(x)
    return op_of("add", first, alongside(y, first))


@model("tensorflow.divide", "tensorflow.math.divide", "tensorflow.truediv", "tensorflow.math.truediv")
def divide(x: Any, y: Any, name: Any = None) -> Tensor:
    del name
    return quotient(x, y)


@model("tensorflow.compat.v1.div", "tensorflow.truncatediv")
def div(x: Any, y: Any, name: Any = None) -> Tensor:
    """The division of Python 2: whole numbers stay whole."""
    del name
    a, b = matched(x, y)
    known = dtype_of(a)
    return op_of("floor_div" if known is not None and known.is_integer else "div", a, b)


@model("tensorflow.math.multiply_no_nan", "tensorflow.math.xlogy", "tensorflow.math.xdivy", "tensorflow.math.xlog1py")
def unless_zero(x: Any, y: Any, name: Any = None) -> Tensor:
    """A factor of 0 yields 0, whatever the other is."""
    del name
    a, b = matched(x, y)
    return like("unless_zero", op_of("add", a, b), a, b)


@model("tensorflow.math.divide_no_nan", "tensorflow.compat.v1.div_no_nan")
def divide_no_nan(x: Any, y: Any, name: Any = None) -> Tensor:
    del name
    a, b = matched(x, y)
    zero = op_of("zeros_like", b)
    is_zero = op_of("equal", b, zero)
    safe = op_of("where", is_zero, op_of("ones_like", b), b)
    return op_of("where", is_zero, zero, op_of("div", a, safe))


@model("tensorflow.add_n", "tensorflow.math.add_n", "tensorflow.compat.v1.accumulate_n", "tensorflow.math.accumulate_n")
def add_n(inputs: Any, name: Any = None, shape: Any = None, tensor_dtype: Any = None) -> Tensor:
    del name, shape, tensor_dtype
    return op_of("sum", *(matched(inputs) if isinstance(inputs, Tensor) else matched(*as_items(inputs))))


@model("tensorflow.clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Tensor:
    del name
    x = convert(t)
    low, high = (alongside(end, x) for end in (clip_value_min, clip_value_max))
    if tensor_of(low).shape == () and tensor_of(high).shape == ():
        return op_of("clip", x, low, high)
    return op_of("max", op_of("min", x, high), low)


@model("tensorflow.cast", "tensorflow.dtypes.cast")
def cast(x: Any, dtype: DType | None, name: Any = None) -> Tensor:
    del name
    made = convert(x)
    if dtype is None:
        return opaque("cast", [made], Known(None, tensor_of(made).shape), Tensor)
    return cast_to(made, dtype)


@model("tensorflow.dtypes.saturate_cast", "tensorflow.saturate_cast")
def saturate_cast(value: Any, dtype: DType, name: Any = None) -> Tensor:
    return cast(value, dtype, name)


@model("tensorflow.bitcast")
def bitcast(input: ArrayLike, type: DType, name: Any = None) -> Tensor:
    del name
    return op_of("bit_cast", convert(input), to=type)


def _converter(to: DType) -> Callable[..., Any]:
    def function(x: Any, name: Any = None) -> Tensor:
        del name
        return cast_to(convert(x), to)

    return function


for _name, _dtype in (("float", dtypes.f32), ("double", dtypes.f64), ("int32", dtypes.i32), ("int64", dtypes.i64)):
    model(f"tensorflow.compat.v1.to_{_name}")(_converter(_dtype))
model("tensorflow.compat.v1.to_bfloat16")(_converter(dtypes.bf16))


@model("tensorflow.complex", "tensorflow.dtypes.complex")
def complex(real: Any, imag: Any, name: Any = None) -> Tensor:
    del name
    a, b = matched(real, imag)
    total = op_of("add", a, b)
    wide = dtypes.c128 if dtype_of(a) is dtypes.f64 else dtypes.c64
    return opaque("complex", [a, b], Known(wide, tensor_of(total).shape), Tensor)


@model("tensorflow.math.real", "tensorflow.compat.v1.real")
def real(input: ArrayLike, name: Any = None) -> Tensor:
    del name
    return _part("real", convert(input))


@model("tensorflow.math.imag", "tensorflow.compat.v1.imag")
def imag(input: ArrayLike, name: Any = None) -> Tensor:
    del name
    return _part("imag", convert(input))


@model("tensorflow.math.angle", "tensorflow.compat.v1.angle")
def angle(input: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = convert(input)
    wide = {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}.get(dtype_of(x), dtype_of(x))  # type: ignore[arg-type]
    return opaque("angle", [x], Known(wide, tensor_of(x).shape), Tensor)


def _part(op: str, x: Tensor) -> Tensor:
    known = dtype_of(x)
    return (
        op_of(op, x) if known in (dtypes.c64, dtypes.c128) else op_of("identity" if op == "real" else "zeros_like", x)
    )


@model("tensorflow.nn.leaky_relu")
def leaky_relu(features: ArrayLike, alpha: Any = 0.2, name: Any = None) -> Tensor:
    del name
    x = convert(features)
    if dtype_of(x) is dtypes.i32:
        x = cast_to(x, dtypes.f32)
    return op_of("leaky_relu", x, alpha=alpha if isinstance(alpha, float | int) else 0.2)


@model("tensorflow.nn.gelu")
def gelu(features: ArrayLike, approximate: bool = False, name: Any = None) -> Tensor:
    del name
    return op_of("gelu", inexact(features, "gelu"), approximate="tanh" if approximate else "none")


@model("tensorflow.nn.silu", "tensorflow.nn.swish")
def silu(features: ArrayLike, beta: Any = 1.0) -> Tensor:
    del beta
    return op_of("silu", inexact(features, "silu"))


@model("tensorflow.nn.crelu")
def crelu(features: ArrayLike, name: Any = None, axis: int = -1) -> Tensor:
    del name
    x = convert(features)
    return op_of("relu", op_of("concat", x, op_of("neg", x), axis=axis))


@model("tensorflow.clip_by_norm")
def clip_by_norm(t: ArrayLike, clip_norm: Any, axes: Any = None, name: Any = None) -> Tensor:
    del clip_norm, axes, name
    return like("clip_by_norm", inexact(t, "clip_by_norm"))


@model("tensorflow.ensure_shape")
def ensure_shape(x: ArrayLike, shape: Any, name: Any = None) -> Tensor:
    from mlvet.frontends.python.libraries.tensorflow.tensor import reshaped_as_said

    del name
    return reshaped_as_said(convert(x), shape)


@model(
    "tensorflow.debugging.check_numerics",
    "tensorflow.compat.v1.check_numerics",
    "tensorflow.compat.v1.verify_tensor_all_finite",
)
def check_numerics(tensor: ArrayLike, message: Any, name: Any = None) -> Tensor:
    del message, name
    return op_of("identity", inexact(tensor, "check_numerics"))


@model("tensorflow.compat.v1.Print")
def printed(input_: ArrayLike, data: Any, *rest: Any, **keywords: Any) -> Tensor:
    del data, rest, keywords
    return op_of("identity", convert(input_))


@model(
    "tensorflow.quantization.fake_quant_with_min_max_vars", "tensorflow.quantization.fake_quant_with_min_max_args",
    "tensorflow.quantization.fake_quant_with_min_max_vars_per_channel",
)  # fmt: skip
def fake_quant(inputs: ArrayLike, min: Any = -6.0, max: Any = 6.0, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    x = inexact(inputs, "fake_quant")
    return op_of("fake_quantize", x, alongside(min, x), alongside(max, x))


for _name in ("vars", "args", "vars_per_channel"):
    alias(f"tensorflow.fake_quant_with_min_max_{_name}", f"tensorflow.quantization.fake_quant_with_min_max_{_name}")


@model("tensorflow.math.polyval")
def polyval(coeffs: Any, x: ArrayLike, name: Any = None) -> Tensor:
    del coeffs, name
    return like("polyval", convert(x))


@model("tensorflow.nn.l2_loss")
def l2_loss(t: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = inexact(t, "l2_loss")
    return quotient(op_of("reduce_sum_square", x, None, keepdims=False), 2.0)


def _special(name: str) -> Callable[..., Any]:
    def function(x: ArrayLike, name: Any = None) -> Tensor:
        del name
        return like(title, inexact(x, title))

    title = name
    return function


for _name in "ndtri bessel_i0 bessel_i1 bessel_i0e bessel_i1e special.expint special.dawsn special.spence".split():
    model(_MATH + _name)(_special(_name))
