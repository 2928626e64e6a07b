"""Element types and last dims are known though ranks are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlvet.analyses.shapes.inference import infer
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, Unranked, constant
from mlvet.ir.builder import Builder
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require
from mlvet.ops.unranked import inferred

HALF, TRUTH = Tensor(dtypes.f16, Unranked("x")), Tensor(dtypes.bool_, Unranked("t"))
AXES = constant(np.asarray([1], np.int64))


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "found"),
    [
        ("expand", (HALF, constant(np.asarray([2, 3]))), {}, (dtypes.f16,)),
        ("reduce_sum", (HALF, AXES), {}, (dtypes.f16,)),
        ("reduce_any", (TRUTH, AXES), {}, (dtypes.bool_,)),
        ("arg_max", (HALF,), {"axis": 1}, (dtypes.i64,)),
        ("matmul", (HALF, HALF), {}, (dtypes.f16,)),
        ("conv_transpose", (HALF, Tensor(dtypes.f16, (3, 4, 2, 2))), {}, (dtypes.f16,)),
        ("transpose", (HALF,), {"perm": (2, 0, 1)}, (dtypes.f16,)),
    ],
)
def test_rules_tell_element_types(
    name: str, operands: tuple[Any, ...], attributes: dict[str, Any], found: tuple[DType, ...]
) -> None:
    results = inferred(REGISTRY[name], operands, attributes, Require("node"))
    assert tuple(each.dtype for each in results) == found


F32 = dtypes.f32
OPEN = Tensor(F32, Unranked("x"))


def ending(*dims: int) -> Tensor:
    return Tensor(F32, Unranked("x", dims))


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "found"),
    [
        ("linear", (OPEN, Tensor(F32, (20, 10)), Tensor(F32, (20,))), {}, "f32[..., 20]"),
        ("matmul", (OPEN, Tensor(F32, (10, 20))), {}, "f32[..., 20]"),
        ("matmul", (Tensor(F32, (7, 10)), OPEN), {}, "f32[...]"),
        ("relu", (ending(5),), {}, "f32[..., 5]"),
        ("add", (OPEN, Tensor(F32, (4, 5))), {}, "f32[..., 4, 5]"),
        ("add", (OPEN, Tensor(F32, (4, 1))), {}, "f32[...]"),
        ("add", (ending(5), Tensor(F32, (4, 1))), {}, "f32[..., 4, 5]"),
        ("add", (ending(5), Tensor(F32, ())), {}, "f32[..., 5]"),
        ("transpose", (OPEN,), {"perm": (2, 0, 1)}, "f32[last(x), dim(-3, x), dim(-2, x)]"),
        ("concat", (ending(5), ending(5)), {"axis": -1}, "f32[..., 10]"),
    ],
)
def test_what_all_ranks_agree_on_is_known(
    name: str, operands: tuple[Any, ...], attributes: dict[str, Any], found: str
) -> None:
    require = Require("node")
    (result,) = inferred(REGISTRY[name], operands, attributes, require)
    assert str(result) == found
    assert not require.violated


def test_known_ends_are_held_against_demands() -> None:
    require = Require("node")
    inferred(REGISTRY["linear"], (ending(20), Tensor(F32, (5, 30))), {}, require)
    assert [str(each) for each in require.violated] == ["20 == 30"]
    inferred(REGISTRY["add"], (ending(20), Tensor(F32, (30,))), {}, require := Require("node"))
    assert require.violated


def test_inference_keeps_them() -> None:
    builder = Builder()
    x = builder.input("x", HALF)
    y = builder.add("expand", x, builder.constant("shape", np.asarray([1, 3])))
    z = builder.add("reduce_max", y, builder.constant("axes", np.asarray([-1])))
    types = infer(builder.graph([z]))
    assert types.type_of(y).dtype is dtypes.f16
    assert types.type_of(z).dtype is dtypes.f16
    assert not types.violated
