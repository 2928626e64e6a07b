"""Element types are known though ranks are not."""

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
from mlvet.ops.unranked import element_types

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
        ("lstm_cell", (None,), {}, ()),
    ],
)
def test_rules_tell_element_types(
    name: str, operands: tuple[Any, ...], attributes: dict[str, Any], found: tuple[DType, ...]
) -> None:
    assert element_types(REGISTRY[name], operands, attributes) == found


def test_inference_keeps_them() -> None:
    builder = Builder()
    x = builder.input("x", HALF)
    y = builder.add("expand", x, builder.constant("shape", np.asarray([1, 3])))
    z = builder.add("reduce_max", y, builder.constant("axes", np.asarray([-1])))
    types = infer(builder.graph([z]))
    assert types.type_of(y).dtype is dtypes.f16
    assert types.type_of(z).dtype is dtypes.f16
    assert not types.violated
