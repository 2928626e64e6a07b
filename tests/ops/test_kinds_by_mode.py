"""Operators whose numeric kind hangs on a mode: the kind they name holds of what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlvet.domains.intervals import of_array
from mlvet.domains.tensors import constant
from mlvet.ops import REGISTRY
from mlvet.ops.numeric import ByMode, Convex, Enclosure, Selection

IMAGE = np.linspace(1.0, 7.0, 12).reshape(1, 1, 3, 4)
OTHER = np.cos(IMAGE)
ROW = np.asarray([3.0, -1.0, 2.0])
UPDATES = np.asarray([5.0, -4.0])
SIZES = np.asarray([1, 1, 5, 7])
BOX = np.asarray([0.0, 0.0, -0.5, -0.5, 1.0, 1.0, 1.5, 1.5])
GRID = np.linspace(-1.2, 1.2, 16).reshape(1, 2, 4, 2)
CROP = "tf_crop_and_resize"

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("pad", (IMAGE, np.asarray([0, 0, 1, 1, 0, 0, 1, 1]), np.asarray(9.0)), {}),
    ("pad", (IMAGE, np.asarray([0, 0, 1, 1, 0, 0, 1, 1])), {"mode": "reflect"}),
    ("resize", (IMAGE, None, None, SIZES), {}),
    ("resize", (IMAGE, None, None, SIZES), {"mode": "linear"}),
    ("resize", (IMAGE, None, None, SIZES), {"mode": "cubic"}),
    ("resize", (IMAGE, BOX, None, SIZES), {"coordinate_transformation_mode": CROP, "extrapolation_value": 9.0}),
    ("resize", (IMAGE, BOX, None, SIZES), {"mode": "linear", "coordinate_transformation_mode": CROP}),
    ("grid_sample", (IMAGE, GRID), {}),
    ("grid_sample", (IMAGE, GRID), {"mode": "cubic"}),
    ("scatter_elements", (ROW, np.asarray([1, 1]), UPDATES), {}),
    ("scatter_elements", (ROW, np.asarray([1, 1]), UPDATES), {"reduction": "add"}),
    ("scatter_elements", (ROW, np.asarray([1, 1]), UPDATES), {"reduction": "max"}),
    ("scatter_nd", (ROW, np.asarray([[0], [0]]), UPDATES), {"reduction": "min"}),
    ("scatter_nd", (ROW, np.asarray([[0], [0]]), UPDATES), {"reduction": "mul"}),
    (
        "resize",
        (IMAGE, BOX, None, SIZES),
        {"mode": "linear", "coordinate_transformation_mode": CROP, "extrapolation_value": 9.0},
    ),
    ("index_put", (ROW, UPDATES, np.asarray([2, 2])), {"accumulate": True}),
    ("index_put", (ROW, UPDATES, np.asarray([2, 2])), {}),
    ("constant_of_shape", (np.asarray([2]),), {"value": 4.0}),
]


@pytest.mark.parametrize(("name", "operands", "attributes"), CASES)
def test_the_kind_holds(name: str, operands: tuple[Any, ...], attributes: dict[str, Any]) -> None:
    op = REGISTRY[name]
    assert isinstance(op.numeric, ByMode)
    assert op.reference is not None
    result = op.reference(*operands, **attributes)
    match op.numeric.of(**attributes):
        case Selection(listed, fill):
            among = {fill} | {v for i in listed or () if i < len(operands) for v in np.ravel(operands[i]).tolist()}
            assert set(result.ravel().tolist()) <= among
        case Convex(of):
            assert min(operands[of].min(), 0) <= result.min()
            assert result.max() <= max(operands[of].max(), 0)
        case Enclosure(enclose):
            held = [None if operand is None else of_array(np.asarray(operand)) for operand in operands]
            known = [None if operand is None else constant(np.asarray(operand)) for operand in operands]
            (interval,) = enclose(held, known, **attributes)
            assert interval.finite
            assert interval.covers(of_array(result))
        case kind:
            pytest.fail(f"no law for {kind}")


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("resize", {"mode": "cubic", "exclude_outside": True}),
    ],
)
def test_of_other_modes_nothing_is_claimed(name: str, attributes: dict[str, Any]) -> None:
    numeric = REGISTRY[name].numeric
    assert isinstance(numeric, ByMode)
    assert numeric.of(**attributes) is None
