"""References of functions of one element are as accurate as their kind says, in every float."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from running import results

from mlvet.domains import boxes
from mlvet.domains.dtypes import DType, f32, of
from mlvet.ops import REGISTRY, Op
from mlvet.ops.numeric import ByMode, Monotone, Piecewise
from mlvet.ops.pointwise import infer_pointwise

STEPS = 4
ATTRIBUTES: dict[str, list[dict[str, Any]]] = {
    "swish": [{"alpha": -0.2206868678331375}, {"alpha": 1.702}, {"alpha": 1e-3}],
    "hard_sigmoid": [{"alpha": 0.1666666667, "beta": 0.5}, {"alpha": -0.3, "beta": 7.0}],
    "gelu": [{"approximate": "tanh"}],
    "logit": [{"eps": 1e-3}],
    "celu": [{"alpha": 0.3}],
}


def kind_of(op: Op, attributes: dict[str, Any]) -> Any:
    return op.numeric.of(**attributes) if isinstance(op.numeric, ByMode) else op.numeric


CASES = [
    (name, attributes)
    for name, op in sorted(REGISTRY.items())
    if op.reference is not None and op.infer is infer_pointwise
    for attributes in [{}, *ATTRIBUTES.get(name, [])]
    if isinstance(kind_of(op, attributes), Monotone | Piecewise)
]


def points(dtype: DType) -> Any:
    """Numbers of all magnitudes, and many where functions have their bends and zeros."""
    random = np.random.default_rng(7)
    magnitudes = np.exp(random.uniform(np.log(dtype.smallest), np.log(float(dtype.largest)) - 1, 500))
    parts = [random.uniform(-r, r, 1000) for r in (1.0, 6.0, 30.0, 100.0)]
    around = [at + random.uniform(-1e-3, 1e-3, 200) for at in (-3.0, -2.5, 0.5, 1.0)]
    return np.concatenate([magnitudes, -magnitudes, *parts, *around]).astype(dtype.numpy)


@pytest.mark.parametrize(("name", "attributes"), CASES)
@pytest.mark.parametrize("numpy", [np.float32, np.float16, ml_dtypes.bfloat16], ids=["f32", "f16", "bf16"])
def test_a_reference_is_off_by_few_steps(name: str, attributes: dict[str, Any], numpy: Any) -> None:
    op, dtype = REGISTRY[name], of(np.dtype(numpy))
    kind = kind_of(op, attributes)
    x = points(dtype)
    found = results(op, [x], attributes)[0].astype(np.float64)
    exact = results(op, [x.astype(np.float64)], attributes)[0]
    with np.errstate(all="ignore"):
        slack = (np.abs(exact) + dtype.smallest) * STEPS * dtype.epsilon + kind.absolute * dtype.epsilon
        low, high = (end.astype(numpy).astype(np.float64) for end in (exact - slack, exact + slack))
    same = (found == exact) | (np.isnan(found) & np.isnan(exact))
    off = ~((low <= found) & (found <= high)) & ~same
    assert not off.any(), f"{name} of {x[off][:3]} is {found[off][:3]}, not {exact[off][:3]}"


def test_small_results_keep_their_digits() -> None:
    for name, x, value in [
        ("sigmoid", -23.0, 1.026187963e-10),
        ("silu", -23.0, -2.360232315e-09),
        ("gelu", -5.5, -1.0444259356e-07),
        ("logit", 0.5 + 2.0**-20, 2.0**-18),
    ]:
        found = results(REGISTRY[name], [np.array([x], np.float32)], {})[0]
        assert found[0] == pytest.approx(value, rel=1e-6), name


def test_an_absolute_error_widens_a_box_but_keeps_the_sign() -> None:
    box = boxes.of_interval(boxes.smashed(boxes.of_array(np.array([0.5, 0.75]))))
    exact = boxes.monotone(lambda x: 1e-9 * x, box, f32)
    wide = boxes.monotone(lambda x: 1e-9 * x, box, f32, absolute=4)
    assert exact.low > 0
    assert wide.low == 0
    assert wide.high == pytest.approx(4 * f32.epsilon, rel=1e-2)
    limited = boxes.piecewise(lambda x: x, (), box, f32, absolute=4, image=boxes.smashed(box))
    assert (float(limited.low), float(limited.high)) == (0.5, 0.75)
