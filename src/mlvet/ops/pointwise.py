"""Operators of one operand, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import Danger, GradientAt, Outside, Overflow
from mlvet.ops.derivative import Derivative, Partials, Zero
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import NONNEGATIVE, POSITIVE, Monotone, Numeric, Range
from mlvet.ops.op import Effects, Op, Reference, register
from mlvet.ops.samples import Samples, Tensors

ANY = Tensors()


def infer_pointwise(x: Tensor, **_: Any) -> Tensor:
    """The result has the operand's shape and dtype."""
    return x.without_value()


def pointwise(
    name: str,
    reference: Reference,
    numeric: Numeric,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
    samples: Samples = ANY,
) -> Op:
    """An operator that maps each element to one of the same dtype."""
    return register(
        Op(
            name,
            "pointwise",
            infer=infer_pointwise,
            numeric=numeric,
            index_map=Elementwise(),
            danger=tuple(danger),
            derivative=derivative,
            effects=Effects.PURE,
            reference=reference,
            samples=samples,
        )
    )


log = pointwise(
    "log",
    np.log,
    Monotone(domain=POSITIVE),
    danger=[Outside(POSITIVE, rule="log-of-nonpositive"), GradientAt(0, rule="infinite-gradient")],
    derivative=Partials(lambda x: (1 / x,)),
    samples=Tensors(low=1e-3, high=1e3),
)
exp = pointwise(
    "exp",
    np.exp,
    Monotone(image=NONNEGATIVE),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.exp(x),)),
)
sqrt = pointwise(
    "sqrt",
    np.sqrt,
    Monotone(domain=NONNEGATIVE, image=NONNEGATIVE),
    danger=[Outside(NONNEGATIVE, rule="sqrt-of-negative"), GradientAt(0, rule="infinite-gradient")],
    derivative=Partials(lambda x: (0.5 / np.sqrt(x),)),
    samples=Tensors(low=1e-2, high=1e3),
)
sigmoid = pointwise(
    "sigmoid",
    lambda x: (0.5 * (np.tanh(0.5 * x) + 1)).astype(x.dtype),
    Monotone(image=Range(0, 1)),
    derivative=Partials(lambda x: (0.25 / np.cosh(0.5 * x) ** 2,)),
)
relu = pointwise(
    "relu",
    lambda x: np.maximum(x, x.dtype.type(0)),
    Monotone(image=NONNEGATIVE),
    derivative=Partials(lambda x: ((x > 0).astype(x.dtype),)),
)
floor = pointwise("floor", np.floor, Monotone(), derivative=Zero())
