"""Promotion, held against the frameworks themselves over all pairs of element types."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.promotion import (
    COMPLEX,
    FLOAT,
    INT,
    TRUTH,
    Framework,
    Mismatch,
    Operand,
    Promotion,
    Settings,
    Strength,
    promote,
)  # fmt: skip

SCALARS = {TRUTH: True, INT: 1, FLOAT: 1.0, COMPLEX: 1j}
EXTENSIONS = ("bf16", *(dtype.name for dtype in dtypes.ALL if dtype.bits < 8 or dtype.name.startswith("f8")))
STANDARD = [dtype for dtype in dtypes.ALL if dtype.name not in EXTENSIONS and dtype.kind is not Kind.TEXT]
NUMBERS = [dtype for dtype in dtypes.ALL if dtype.kind is not Kind.TEXT]


def spelled(found: Promotion) -> str | None:
    return found.dtype.numpy.name if isinstance(found, Operand) else None


@pytest.mark.parametrize("left", NUMBERS, ids=str)
def test_numpy_pairs(left: DType) -> None:
    for right in NUMBERS:
        found = promote(left, right, Framework.NUMPY)
        try:
            wanted = np.result_type(left.numpy, right.numpy)
        except TypeError:
            assert isinstance(found, Mismatch), (left, right)
            continue
        if found is not None:
            assert spelled(found) == wanted.name, (left, right)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 looks at the value of a number")
@pytest.mark.parametrize("left", STANDARD, ids=str)
def test_numpy_python_numbers(left: DType) -> None:
    for operand, number in SCALARS.items():
        wanted = (np.zeros(1, left.numpy) + number).dtype
        assert spelled(promote(left, operand, Framework.NUMPY)) == wanted.name, number
        assert spelled(promote(operand, left, Framework.NUMPY)) == wanted.name, number


def test_numpy_does_not_guess_about_extension_types_and_numbers() -> None:
    assert promote(dtypes.bf16, FLOAT, Framework.NUMPY) is None


TORCH = {
    "bool": "bool", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip


def test_torch_pairs_of_every_strength() -> None:
    import torch

    strengths: list[tuple[Operand, Any]] = list(SCALARS.items())
    for name, theirs in TORCH.items():
        strengths.append((Operand(dtypes.BY_NAME[name]), torch.empty(1, dtype=getattr(torch, theirs))))
        zero = Operand(dtypes.BY_NAME[name], Strength.DIMENSIONLESS)
        strengths.append((zero, torch.empty((), dtype=getattr(torch, theirs))))
    checked = 0
    for (left, a), (right, b) in itertools.product(strengths, strengths):
        found = promote(left, right, Framework.TORCH)
        try:
            wanted = str(torch.result_type(a, b)).removeprefix("torch.")
        except RuntimeError:
            assert not isinstance(found, Operand), (left, right)
            continue
        if found is None:
            assert wanted == "complex32", (left, right)
            continue
        assert isinstance(found, Operand), (left, right, wanted)
        assert TORCH[found.dtype.name] == wanted, (left, right)
        checked += 1
    assert checked > 1000


@pytest.mark.parametrize("default", ["f64", "bf16"])
def test_torch_default_dtype(default: str) -> None:
    import torch

    settings = Settings(floatx=dtypes.BY_NAME[default])
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, TORCH[default]))
    try:
        wanted = torch.result_type(torch.ones(1, dtype=torch.int64), 1.0)
    finally:
        torch.set_default_dtype(before)
    found = promote(dtypes.i64, FLOAT, Framework.TORCH, settings)
    assert isinstance(found, Operand)
    assert f"torch.{TORCH[found.dtype.name]}" == str(wanted)


JAX = """
import itertools, json, sys
import jax, jax.numpy as jnp, numpy as np, ml_dtypes
names = json.loads(sys.argv[1])
jax.config.update("jax_enable_x64", sys.argv[2] == "1")
weak = {"bool*": True, "i64*": 1, "f64*": 1.0, "c128*": 1j}
items = {name: jnp.dtype(name) for name in names} | {name: jnp.asarray(value) for name, value in weak.items()}
out = {}
for (left, a), (right, b) in itertools.product(items.items(), items.items()):
    try:
        dtype, is_weak = jax._src.dtypes.lattice_result_type(a, b)
        out[left + " " + right] = [jax.dtypes.canonicalize_dtype(dtype).name, bool(is_weak)]
    except Exception as error:
        out[left + " " + right] = type(error).__name__
print(json.dumps(out))
"""


def run(program: str, *arguments: str, **environment: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", **environment},
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("x64", [False, True])
def test_jax_pairs_and_weak_types(x64: bool) -> None:
    numbers = {dtype.numpy.name: Operand(dtype) for dtype in NUMBERS}
    operands = numbers | {"bool*": TRUTH, "i64*": INT, "f64*": FLOAT, "c128*": COMPLEX}
    checked = 0
    for pair, wanted in run(JAX, json.dumps(list(numbers)), str(int(x64))).items():
        left, right = (operands[name] for name in pair.split())
        found = promote(left, right, Framework.JAX, Settings(x64=x64))
        if isinstance(wanted, str):
            assert isinstance(found, Mismatch), (pair, wanted, found)
            continue
        assert isinstance(found, Operand), (pair, wanted)
        assert [found.dtype.numpy.name, found.weak and found.dtype.kind is not Kind.BOOL] == wanted, pair
        checked += 1
    assert checked > 350


KERAS = """
import itertools, json, sys
import keras
keras.config.set_floatx(sys.argv[2])
items = {name: name for name in json.loads(sys.argv[1])}
items |= {"int": int, "float": float, "bool*": bool, "complex": complex}
out = {}
for (left, a), (right, b) in itertools.product(items.items(), items.items()):
    try:
        out[left + " " + right] = keras.backend.result_type(a, b)
    except Exception as error:
        out[left + " " + right] = None
print(json.dumps(out))
"""


@pytest.mark.parametrize(
    ("backend", "floatx"), [("jax", "f32"), ("torch", "bf16"), ("torch", "f64"), ("tensorflow", "f32")]
)
def test_keras_pairs(backend: str, floatx: str) -> None:
    numbers = {dtype.numpy.name: Operand(dtype) for dtype in NUMBERS if dtype in STANDARD or dtype.bits in (8, 16)}
    numbers = {name: operand for name, operand in numbers.items() if "fnuz" not in name and "e8m0" not in name}
    operands = numbers | {"int": INT, "float": FLOAT, "bool*": TRUTH, "complex": COMPLEX}
    settings = Settings(floatx=dtypes.BY_NAME[floatx], keras_backend=backend)
    answers = run(KERAS, json.dumps(list(numbers)), settings.floatx.numpy.name, KERAS_BACKEND=backend)
    for pair, wanted in answers.items():
        left, right = (operands[name] for name in pair.split())
        assert spelled(promote(left, right, Framework.KERAS, settings)) == wanted, pair
    assert sum(wanted is not None for wanted in answers.values()) > 250


@pytest.mark.parametrize("framework", [Framework.TENSORFLOW, Framework.ONNX])
def test_tensorflow_and_onnx_do_not_promote(framework: Framework) -> None:
    for left, right in itertools.product(NUMBERS, NUMBERS):
        found = promote(left, right, framework)
        assert found == (Operand(left) if left == right else Mismatch(left, right, framework))
    assert promote(dtypes.f16, INT, framework) == Operand(dtypes.f16)
    assert isinstance(promote(dtypes.i32, FLOAT, framework), Mismatch)
    assert str(promote(dtypes.i32, dtypes.f32, framework)) == f"{framework.value} does not mix i32 and f32"


def test_tensorflow_itself_agrees() -> None:
    import tensorflow

    for name, (operand, number) in itertools.product(("int32", "float32", "float16", "int64"), SCALARS.items()):
        tensor = tensorflow.constant(1, dtype=name)
        try:
            wanted = (tensor + number).dtype.name
        except (TypeError, ValueError, tensorflow.errors.InvalidArgumentError):
            wanted = None
        assert spelled(promote(dtypes.of(np.dtype(name)), operand, Framework.TENSORFLOW)) == wanted, (name, number)


def test_text_mixes_with_nothing() -> None:
    for framework in Framework:
        assert isinstance(promote(dtypes.text, dtypes.f32, framework), Mismatch)
        assert promote(dtypes.text, dtypes.text, framework) == Operand(dtypes.text)
