"""The element type that two operands of different types take in each framework.

NumPy, PyTorch, JAX and Keras find a common type, each by a rule of its own; TensorFlow and ONNX refuse. A Python number
counts less than a tensor everywhere, and a tensor without dims less than one with dims in PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeAlias

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind


class Framework(Enum):
    """Whose rule it is."""

    NUMPY = "numpy"
    TORCH = "torch"
    JAX = "jax"
    KERAS = "keras"
    TENSORFLOW = "tensorflow"
    ONNX = "onnx"


class Strength(Enum):
    """How much an operand has to say."""

    FULL = "full"
    DIMENSIONLESS = "dimensionless"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Operand:
    """An element type and its weight. A Python number is WEAK, of which the kind counts alone; so are weak JAX arrays.

    A tensor without dims may be called DIMENSIONLESS, which makes a difference in PyTorch only.
    """

    dtype: DType
    strength: Strength = Strength.FULL

    @property
    def weak(self) -> bool:
        return self.strength is Strength.WEAK


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Two element types that a framework refuses to mix."""

    left: DType
    right: DType
    framework: Framework

    def __str__(self) -> str:
        return f"{self.framework.value} does not mix {self.left} and {self.right}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What users can set: the default float of PyTorch and Keras, 64-bit types of JAX, and the backend of Keras."""

    floatx: DType = dtypes.f32
    x64: bool = False
    keras_backend: str = "jax"


Promotion: TypeAlias = Operand | Mismatch | None
"""The common operand, a refusal, or None where mlvet does not know."""

TRUTH = Operand(dtypes.bool_, Strength.WEAK)
INT = Operand(dtypes.i64, Strength.WEAK)
FLOAT = Operand(dtypes.f64, Strength.WEAK)
COMPLEX = Operand(dtypes.c128, Strength.WEAK)
DEFAULT = Settings()

_CATEGORY = {Kind.BOOL: 0, Kind.UNSIGNED: 1, Kind.SIGNED: 1, Kind.FLOAT: 2, Kind.COMPLEX: 3}
_EXTENSION = {dtype for dtype in dtypes.ALL if dtype.numpy.kind == "V" or dtype.bits < 8 or "f8" in dtype.name}
_STANDARD = {dtype for dtype in dtypes.ALL if dtype not in _EXTENSION and dtype not in (dtypes.bf16, dtypes.text)}


def promote(
    left: Operand | DType, right: Operand | DType, framework: Framework, settings: Settings = DEFAULT
) -> Promotion:
    """The common element type of two operands of an arithmetic operator."""
    a = left if isinstance(left, Operand) else Operand(left)
    b = right if isinstance(right, Operand) else Operand(right)
    if dtypes.text in (a.dtype, b.dtype):
        return a if a.dtype == b.dtype else Mismatch(a.dtype, b.dtype, framework)
    match framework:
        case Framework.NUMPY:
            return _numpy(a, b)
        case Framework.TORCH:
            return _torch(a, b, settings)
        case Framework.JAX:
            return _jax(a, b, settings)
        case Framework.KERAS:
            return _keras(a, b, settings)
        case Framework.TENSORFLOW | Framework.ONNX:
            return _exact(a, b, framework)


def _numpy(a: Operand, b: Operand) -> Promotion:
    if a.weak and not b.weak:
        a, b = b, a
    if not b.weak or b.dtype.kind is Kind.BOOL:
        strength = Strength.WEAK if a.weak and b.weak else Strength.FULL
        try:
            return Operand(dtypes.of(np.promote_types(a.dtype.numpy, b.dtype.numpy)), strength)
        except TypeError:
            return Mismatch(a.dtype, b.dtype, Framework.NUMPY)
        except KeyError:
            return None
    if a.weak:
        return max(a, b, key=lambda operand: _CATEGORY[operand.dtype.kind])
    if a.dtype not in _STANDARD:
        return None
    if _CATEGORY[b.dtype.kind] <= _CATEGORY[a.dtype.kind]:
        return Operand(a.dtype)
    if b.dtype.kind is Kind.COMPLEX and a.dtype.kind is Kind.FLOAT:
        return Operand(dtypes.c128 if a.dtype.bits > 32 else dtypes.c64)
    return Operand(b.dtype)


def _torch(a: Operand, b: Operand, settings: Settings) -> Promotion:
    order = (Strength.FULL, Strength.DIMENSIONLESS, Strength.WEAK)
    high, low = sorted((a, b), key=lambda operand: order.index(operand.strength))
    strong, faint = _torch_number(high, settings), _torch_number(low, settings)
    if strong not in _TORCH or faint not in _TORCH:
        return None
    result: DType | None = strong
    kinds = (strong.kind, faint.kind)
    if high.strength is low.strength or strong.kind is Kind.BOOL:
        result = _torch_common(strong, faint)
    elif kinds == (Kind.FLOAT, Kind.COMPLEX):
        if strong is dtypes.f16:
            return None
        wide = dtypes.c128 if strong is dtypes.f64 else dtypes.c64
        result = None if strong in _TORCH_ALONE else wide
    elif strong in _TORCH_UNSIGNED and faint.kind is Kind.COMPLEX:
        result = faint
    elif strong.is_integer and faint.kind in (Kind.FLOAT, Kind.COMPLEX):
        result = _torch_common(strong, faint)
    if result is None:
        return Mismatch(a.dtype, b.dtype, Framework.TORCH)
    return Operand(result, high.strength)


def _torch_number(operand: Operand, settings: Settings) -> DType:
    """The element type that a Python number has as long as nothing stronger is about."""
    if operand.weak and operand.dtype.kind is Kind.FLOAT:
        return settings.floatx
    if operand.weak and operand.dtype.kind is Kind.COMPLEX:
        return dtypes.c128 if settings.floatx is dtypes.f64 else dtypes.c64
    return dtypes.i64 if operand.weak and operand.dtype.is_integer else operand.dtype


def _torch_common(a: DType, b: DType) -> DType | None:
    """The common type of two tensors of equal standing; None if PyTorch refuses."""
    if a == b:
        return a
    if a in _TORCH_ALONE or b in _TORCH_ALONE:
        return None
    low, high = sorted((a, b), key=lambda dtype: _CATEGORY[dtype.kind])
    if low in _TORCH_UNSIGNED or high in _TORCH_UNSIGNED:
        return high if high.kind is Kind.FLOAT else None
    if high.kind is Kind.COMPLEX:
        return dtypes.c128 if dtypes.c128 in (a, b) or dtypes.f64 in (a, b) else dtypes.c64
    if _CATEGORY[low.kind] != _CATEGORY[high.kind]:
        return high
    if {a, b} == {dtypes.f16, dtypes.bf16}:
        return dtypes.f32
    if {a, b} == {dtypes.u8, dtypes.i8}:
        return dtypes.i16
    return max(a, b, key=lambda dtype: dtype.bits)


def _jax(a: Operand, b: Operand, settings: Settings) -> Promotion:
    left, right = _jax_canonical(a.dtype, settings.x64), _jax_canonical(b.dtype, settings.x64)
    if left == right and not (a.weak and b.weak):
        return Operand(left)
    weak = a.weak and b.weak
    nodes = (left.name, right.name) if weak else (_node(a, left), _node(b, right))
    found = _least_upper_bound("jax64" if settings.x64 else "jax", *nodes)
    if found is None:
        return Mismatch(a.dtype, b.dtype, Framework.JAX)
    weak = weak or found.endswith("*")
    dtype = _jax_canonical(_DEFAULT_OF.get(found) or dtypes.BY_NAME[found], settings.x64)
    return Operand(dtype, Strength.WEAK if weak and dtype is not dtypes.bool_ else Strength.FULL)


def _jax_canonical(dtype: DType, x64: bool) -> DType:
    return dtype if x64 else _NARROW.get(dtype, dtype)


def _keras(a: Operand, b: Operand, settings: Settings) -> Promotion:
    wide = settings.keras_backend == "tensorflow"
    left, right = _keras_number(a, wide), _keras_number(b, wide)
    weak = (a.weak and _star(left.kind) != "c*", b.weak and _star(right.kind) != "c*")
    found: str | None
    if left not in _KERAS or right not in _KERAS:
        return Mismatch(a.dtype, b.dtype, Framework.KERAS)
    if left == right and not all(weak):
        found = left.name
    elif all(weak):
        found = _least_upper_bound("keras", left.name, right.name)
        if found is not None and found != "bool":
            found = f"{found[0]}*"
    else:
        found = _least_upper_bound("keras", *(_keras_node(d, w) for d, w in zip((left, right), weak, strict=True)))
    if found is None:
        return Mismatch(a.dtype, b.dtype, Framework.KERAS)
    if found.endswith("*"):
        found = f"{found[0]}{16 if settings.floatx is dtypes.bf16 else settings.floatx.bits}"
    dtype = dtypes.BY_NAME[found]
    narrow = {**_NARROW, dtypes.i64: dtypes.i64, dtypes.f64: dtypes.f64} if wide else _NARROW
    return Operand(narrow.get(dtype, dtype))


def _keras_number(operand: Operand, wide: bool) -> DType:
    if not operand.weak or operand.dtype.kind is Kind.BOOL:
        return operand.dtype
    if operand.dtype.is_integer:
        return dtypes.i64 if wide else dtypes.i32
    if operand.dtype.kind is Kind.COMPLEX:
        return dtypes.c128 if wide else dtypes.c64
    return dtypes.f32


def _keras_node(dtype: DType, weak: bool) -> str:
    return _star(dtype.kind) if weak and dtype.kind is not Kind.BOOL else dtype.name


def _exact(a: Operand, b: Operand, framework: Framework) -> Promotion:
    """No promotion: a Python number takes the tensor's type if it can be told in it, all else must be equal."""
    if a.weak and b.weak:
        return max(a, b, key=lambda operand: _CATEGORY[operand.dtype.kind])
    if a.weak or b.weak:
        number, tensor = (a, b) if a.weak else (b, a)
        if number.dtype.kind is Kind.BOOL and tensor.dtype not in _TAKES_TRUTH:
            return None
        fits = _CATEGORY[number.dtype.kind] <= _CATEGORY[tensor.dtype.kind]
        return Operand(tensor.dtype) if fits else Mismatch(a.dtype, b.dtype, framework)
    return Operand(a.dtype) if a.dtype == b.dtype else Mismatch(a.dtype, b.dtype, framework)


def _node(operand: Operand, dtype: DType) -> str:
    return _star(dtype.kind) if operand.weak and dtype.kind is not Kind.BOOL else dtype.name


def _star(kind: Kind) -> str:
    return {Kind.FLOAT: "f*", Kind.COMPLEX: "c*"}.get(kind, "i*")


_NARROW = {dtypes.i64: dtypes.i32, dtypes.u64: dtypes.u32, dtypes.f64: dtypes.f32, dtypes.c128: dtypes.c64}
_DEFAULT_OF = {"i*": dtypes.i64, "f*": dtypes.f64, "c*": dtypes.c128}
_TAKES_TRUTH = {dtypes.bool_, dtypes.i32, dtypes.i64, dtypes.f16, dtypes.f32}
_TORCH_UNSIGNED = {dtypes.u16, dtypes.u32, dtypes.u64}
_TORCH_ALONE = {dtypes.f8e4m3fn, dtypes.f8e4m3fnuz, dtypes.f8e5m2, dtypes.f8e5m2fnuz}
_TORCH = _STANDARD | _TORCH_ALONE | {dtypes.bf16}
_KERAS = _STANDARD | {dtypes.bf16}

_SMALL_FLOATS = ["f4e2m1", "f6e2m3", "f6e3m2", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0"]
_SHARED = {
    "bool": ["i*"], "u8": ["i16", "u16"], "u16": ["i32", "u32"], "u32": ["i64", "u64"], "u64": ["f*"],
    "i8": ["i16"], "i16": ["i32"], "i32": ["i64"], "i64": ["f*"],
    "bf16": ["f32"], "f16": ["f32"], "f32": ["f64", "c64"], "f64": ["c128"], "c64": ["c128"], "c128": [],
}  # fmt: skip
_JAX64: dict[str, list[str]] = {
    **_SHARED, **{name: [] for name in ("u2", "u4", "i2", "i4", *_SMALL_FLOATS)}, "c*": ["c64"],
    "i*": ["u8", "u2", "u4", "i8", "i2", "i4"], "f*": [*_SMALL_FLOATS, "bf16", "f16", "c*"],
}  # fmt: skip
_LATTICES: Mapping[str, Mapping[str, list[str]]] = {
    "jax64": _JAX64,
    "jax": {**_JAX64, "u32": ["i32", "u64"]},
    "keras": {**_SHARED, "i*": ["u8", "i8", "c64"], "f*": ["bf16", "f16"]},
}
"""The next higher types of each type; `i*`, `f*` and `c*` are those of weak operands."""


@cache
def _above(lattice: str, name: str) -> frozenset[str]:
    found, pending = {name}, [name]
    while pending:
        for higher in _LATTICES[lattice][pending.pop()]:
            if higher not in found:
                found.add(higher)
                pending.append(higher)
    return frozenset(found)


@cache
def _least_upper_bound(lattice: str, left: str, right: str) -> str | None:
    if left not in _LATTICES[lattice] or right not in _LATTICES[lattice]:
        return None
    shared = _above(lattice, left) & _above(lattice, right)
    least = [name for name in shared if shared <= _above(lattice, name)]
    return least[0] if len(least) == 1 else None
