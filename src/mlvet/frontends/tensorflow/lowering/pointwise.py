"""Operators that work element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def named(op: str, **attributes: Any) -> Lowering:
    """The rule for an operator with the same operands and other names."""

    def lower(site: Site) -> Sequence[Value]:
        return site.emit(op, attributes=attributes, outputs=1)

    return lower


def _identities(site: Site) -> Sequence[Value]:
    """One identity per operand."""
    results = []
    declared = site.declared
    for position, value in enumerate(site.inputs):
        site.declared = declared[position : position + 1]
        results += site.emit("identity", [value], outputs=1)
    return results


def _leaky_relu(site: Site) -> Sequence[Value]:
    return site.emit("leaky_relu", attributes={"alpha": site.attributes.float("alpha", 0.2)})


def _clip(site: Site) -> Sequence[Value] | None:
    """Bounds that are single numbers as bounds, others by minimum and maximum."""
    if len(site.inputs) != 3:
        return None
    x, low, high = site.inputs
    if site.rank(low) == 0 and site.rank(high) == 0:
        return site.emit("clip")
    return site.emit("max", [site.extra("min", x, high), low])


def _equality(op: str) -> Lowering:
    """Shapes that do not fit can mean different rather than wrong."""

    def lower(site: Site) -> Sequence[Value]:
        strict = site.attributes.bool("incompatible_shape_error", True)
        return site.emit(op, attributes={} if strict else {"incompatible_shape_error": False})

    return lower


def _div_no_nan(site: Site) -> Sequence[Value] | None:
    """Division in which a divisor of 0 yields 0."""
    if len(site.inputs) != 2:
        return None
    x, y = site.inputs
    zero = site.extra("zeros_like", y)
    is_zero = site.extra("equal", y, zero)
    safe = site.extra("where", is_zero, site.extra("ones_like", y), y)
    return site.emit("where", [is_zero, zero, site.extra("div", x, safe)])


def _unless_zero(function: str) -> Lowering:
    """A first operand times a function of the second, in which a factor of 0 yields 0."""

    def lower(site: Site) -> Sequence[Value] | None:
        if len(site.inputs) != 2:
            return None
        x, y = site.inputs
        zero = site.extra("zeros_like", x)
        product = site.extra("div", x, y) if function == "reciprocal" else site.extra("mul", x, site.extra(function, y))
        return site.emit("where", [site.extra("equal", x, zero), zero, product])

    return lower


def _cast(site: Site) -> Sequence[Value] | None:
    dtype = site.attributes.dtype("DstT")
    return site.emit("cast", attributes={"to": dtype}) if dtype is not None else None


def _bit_cast(site: Site) -> Sequence[Value] | None:
    source, target = site.attributes.dtype("T"), site.attributes.dtype("type")
    if source is None or target is None or source.bits != target.bits:
        return None
    return site.emit("bit_cast", attributes={"to": target})


_SAME_NAME = (
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Digamma Elu Erf Erfc Erfinv Exp Expm1 Floor Lgamma Log Log1p "
    "Neg Reciprocal Relu Relu6 Rint=round Round Rsqrt Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Square Tan "
    "Tanh Inv=reciprocal ComplexAbs=complex_abs Conj=conj Invert=bitwise_not IsFinite=is_finite IsInf=is_inf "
    "IsNan=is_nan LogicalNot=not Identity=identity PreventGradient=identity Snapshot=identity CheckNumerics=identity "
    "CheckNumericsV2=identity EnsureShape=identity PlaceholderWithDefault=identity _Retval=identity "
    "StopGradient=stop_gradient DeepCopy=identity "
    "Add AddV2=add Sub Mul Div RealDiv=div TruncateDiv=div FloorDiv=floor_div FloorMod=remainder Maximum=max "
    "Minimum=min Pow Atan2=atan2 SquaredDifference=squared_difference Greater Less "
    "GreaterEqual=greater_or_equal LessEqual=less_or_equal LogicalAnd=and LogicalOr=or BitwiseAnd=bitwise_and "
    "BitwiseOr=bitwise_or BitwiseXor=bitwise_xor AddN=sum AccumulateNV2=sum SelectV2=where"
)


def _table() -> dict[str, Lowering]:
    table: dict[str, Lowering] = {}
    for entry in _SAME_NAME.split():
        name, _, op = entry.partition("=")
        table[name] = named(op or name.lower())
    return table


TABLE: dict[str, Lowering] = {
    **_table(),
    "IdentityN": _identities,
    "LeakyRelu": _leaky_relu,
    "ClipByValue": _clip,
    "DivNoNan": _div_no_nan,
    "Xlogy": _unless_zero("log"),
    "Xlog1py": _unless_zero("log1p"),
    "Xdivy": _unless_zero("reciprocal"),
    "Equal": _equality("equal"),
    "NotEqual": _equality("not_equal"),
    "Mod": named("mod", fmod=1),
    "TruncateMod": named("mod", fmod=1),
    "LeftShift": named("bit_shift", direction="LEFT"),
    "RightShift": named("bit_shift", direction="RIGHT"),
    "Cast": _cast,
    "Bitcast": _bit_cast,
}
