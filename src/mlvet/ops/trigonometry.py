"""Circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from math import pi

import numpy as np

from mlvet.ops.danger import GradientAt, Near, Outside, Overflow
from mlvet.ops.derivative import Partials
from mlvet.ops.enclosures_elementwise import COSINE, SINE, TANGENT
from mlvet.ops.numeric import Monotone, Piecewise, Range
from mlvet.ops.pointwise import pointwise
from mlvet.ops.samples import Tensors

UNIT = Range(-1, 1)
INNER = Range(-1, 1, open_low=True, open_high=True)
FROM_ONE = Range(low=1)
STEEP = [GradientAt(-1, rule="infinite-gradient"), GradientAt(1, rule="infinite-gradient")]

sin = pointwise("sin", np.sin, SINE, derivative=Partials(lambda x: (np.cos(x),)))
cos = pointwise("cos", np.cos, COSINE, derivative=Partials(lambda x: (-np.sin(x),)))
tan = pointwise(
    "tan",
    np.tan,
    TANGENT,
    danger=[Near(pi / 2, rule="outside-domain", operand=0), Near(-pi / 2, rule="outside-domain", operand=0)],
    derivative=Partials(lambda x: (1 + np.tan(x) ** 2,)),
    samples=Tensors(low=-1.4, high=1.4),
)
asin = pointwise(
    "asin",
    np.arcsin,
    Monotone(domain=UNIT, image=Range(-pi / 2, pi / 2)),
    danger=[Outside(UNIT, rule="outside-domain"), *STEEP],
    derivative=Partials(lambda x: (1 / np.sqrt(1 - x * x),)),
    samples=Tensors(low=-0.9, high=0.9),
)
acos = pointwise(
    "acos",
    np.arccos,
    Monotone(increasing=False, domain=UNIT, image=Range(0, pi)),
    danger=[Outside(UNIT, rule="outside-domain"), *STEEP],
    derivative=Partials(lambda x: (-1 / np.sqrt(1 - x * x),)),
    samples=Tensors(low=-0.9, high=0.9),
)
atan = pointwise(
    "atan", np.arctan, Monotone(image=Range(-pi / 2, pi / 2)), derivative=Partials(lambda x: (1 / (1 + x * x),))
)
sinh = pointwise(
    "sinh",
    np.sinh,
    Monotone(),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.cosh(x),)),
)
cosh = pointwise(
    "cosh",
    np.cosh,
    Piecewise((0.0,), image=FROM_ONE),
    danger=[Overflow("exp-overflow", beyond_log_max=True)],
    derivative=Partials(lambda x: (np.sinh(x),)),
)
tanh = pointwise("tanh", np.tanh, Monotone(image=UNIT), derivative=Partials(lambda x: (1 - np.tanh(x) ** 2,)))
asinh = pointwise("asinh", np.arcsinh, Monotone(), derivative=Partials(lambda x: (1 / np.sqrt(x * x + 1),)))
acosh = pointwise(
    "acosh",
    np.arccosh,
    Monotone(domain=FROM_ONE, image=Range(low=0)),
    danger=[Outside(FROM_ONE, rule="outside-domain"), GradientAt(1, rule="infinite-gradient")],
    derivative=Partials(lambda x: (1 / np.sqrt(x * x - 1),)),
    samples=Tensors(low=1.1, high=50),
)
atanh = pointwise(
    "atanh",
    np.arctanh,
    Monotone(domain=INNER),
    danger=[Outside(INNER, rule="outside-domain"), *STEEP],
    derivative=Partials(lambda x: (1 / (1 - x * x),)),
    samples=Tensors(low=-0.9, high=0.9),
)
