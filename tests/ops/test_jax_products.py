"""Products and convolutions in the form of JAX, against JAX."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mlvet.domains.tensors import constant
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require


@pytest.mark.parametrize("seed", range(20))
def test_convolution_with_dilated_input_and_batch_groups(seed: int) -> None:
    import jax

    pick, rng = random.Random(seed), np.random.default_rng(seed)
    groups, batch_groups = pick.choice([(1, 1), (2, 1), (1, 2)])
    size, stride, dilation, spread = pick.randint(1, 3), pick.randint(1, 3), pick.randint(1, 2), pick.randint(1, 3)
    pads = [(pick.randint(-1, 2), pick.randint(-1, 2)) for _ in range(2)]
    x = rng.standard_normal((2, 4, 7, 6)).astype(np.float32)
    w = rng.standard_normal((4, 4 // groups, size, size)).astype(np.float32)
    wanted = jax.lax.conv_general_dilated(
        x, w, (stride, stride), pads, (spread, spread), (dilation, dilation),
        feature_group_count=groups, batch_group_count=batch_groups,
    )  # fmt: skip
    options = {
        "strides": (stride, stride),
        "pads": (pads[0][0], pads[1][0], pads[0][1], pads[1][1]),
        "input_dilation": (spread, spread),
        "dilations": (dilation, dilation),
        "group": groups,
        "batch_group_count": batch_groups,
    }
    op = REGISTRY["conv"]
    np.testing.assert_allclose(op.reference(x, w, **options), wanted, rtol=1e-4, atol=1e-4)
    assert op.infer(constant(x), constant(w), require=Require(), **options).dims == wanted.shape


def test_dot_general() -> None:
    import jax

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 3, 4, 5)).astype(np.float32), rng.standard_normal((5, 6, 2, 4)).astype(np.float32)
    numbers = (((3, 2), (0, 3)), ((0,), (2,)))
    wanted = jax.lax.dot_general(a, b, numbers)
    result = REGISTRY["dot_general"].reference(a, b, dimension_numbers=numbers)
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)
