"""torch: means, distances, angles and other functions of finite domain."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.torch_form import Twin
from benchmarks.numerics.corpus.torch_form import pair as torch_pair

CASES: list[Case] = []
pair = partial(torch_pair, CASES)


@pair("angle", {"rotation": Input((4, 3, 3), -1, 1)}, ["acos"])
class RotationAngle(Twin):
    """acos((trace - 1) / 2) of what need not be a rotation."""

    def forward(self, rotation: Any) -> Any:
        cosine = (torch.diagonal(rotation, dim1=-2, dim2=-1).sum(-1) - 1) / 2
        return torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6) if self.sound else cosine)


@pair("inverse hyperbolic tangent", {"x": Input((6, 2), -30, 30)}, ["atanh"])
class FisherTransform(Twin):
    """atanh of a correlation that rounding makes 1."""

    def forward(self, x: Any) -> Any:
        correlation = torch.tanh(x)
        return torch.atanh(correlation * (1 - 1e-6) if self.sound else correlation)


@pair("weights by inverses", {"x": Input((4, 8), 0, 1)}, ["reciprocal"], follow=["sum_1"], witness={"x": 1.2e-38})
class InverseVarianceWeights(Twin):
    """(1 / x) / sum(1 / x): an exact measurement has the variance 0."""

    def forward(self, x: Any) -> Any:
        weight = torch.reciprocal(x + 1e-3 if self.sound else x)
        return weight / weight.sum(1, keepdim=True)


@pair("product of many", {"x": Input((3, 16), 0, 10000)}, ["prod"])
class GeometricMean(Twin):
    """The sixteenth root of a product."""

    def forward(self, x: Any) -> Any:
        if self.sound:
            return torch.exp(torch.log(x.clamp_min(1e-12)).mean(1))
        return torch.prod(x, 1) ** (1 / 16)


@pair("cancellation", {"a": Input((6, 4), 10, 20), "b": Input((6, 4), 10, 20)}, ["sqrt"])
class ExpandedDistance(Twin):
    """|a|^2 + |b|^2 - 2 a b turns negative for neighbours."""

    def forward(self, a: Any, b: Any) -> Any:
        squared = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
        return torch.sqrt(squared.clamp_min(0) if self.sound else squared)


@pair("cancellation", {"x": Input((2, 32), 4000, 4001)}, ["sqrt"])
class RunningDeviation(Twin):
    """sqrt of a mean of squares less a squared mean, as streaming statistics do it."""

    def forward(self, x: Any) -> Any:
        if self.sound:
            return torch.sqrt(((x - x.mean(1, keepdim=True)) ** 2).mean(1) + 1e-6)
        return torch.sqrt((x**2).mean(1) - x.mean(1) ** 2)


@pair("constant batch", {"x": Input((6, 5), -3, 3)}, ["div"])
class BatchDeviation(Twin):
    """Each feature over its deviation within the batch."""

    def forward(self, x: Any) -> Any:
        centred = x - x.mean(0)
        deviation = torch.sqrt((centred * centred).mean(0))
        return centred / (deviation + 1e-5 if self.sound else deviation)


@pair("cotangent", {"angle": Input((5,), 0, 1.5)}, ["reciprocal"])
class Cotangent(Twin):
    """1 / tan(angle)."""

    def forward(self, angle: Any) -> Any:
        if self.sound:
            return torch.cos(angle) / torch.sin(angle).clamp(min=1e-4)
        return 1.0 / torch.tan(angle)


@pair("zero norm", {"x": Input((4, 3), -1, 1)}, ["div"])
class DirectionOfRay(Twin):
    """A ray without length, normalised after a stored rotation."""

    def layers(self) -> None:
        self.register_buffer("turn", torch.linalg.qr(torch.randn(3, 3))[0].contiguous())

    def forward(self, x: Any) -> Any:
        ray = x @ self.turn
        length = torch.linalg.vector_norm(ray, dim=-1, keepdim=True)
        return ray / (length.clamp_min(1e-6) if self.sound else length)


@pair("expm1 overflow", {"rate": Input((4, 4), -2, 2), "time": Input((4, 4), 0, 100)}, ["expm1"])
class CompoundGrowth(Twin):
    """e^(rate time) - 1."""

    def forward(self, rate: Any, time: Any) -> Any:
        exponent = rate * time
        return torch.expm1(torch.where(exponent > 80, 80.0, exponent) if self.sound else exponent)


@pair("log1p", {"r": Input((4, 6), -1, 1)}, ["log1p"])
class LogReturns(Twin):
    """log(1 + r) of a total loss."""

    def forward(self, r: Any) -> Any:
        return torch.log1p(r.clamp(min=-0.999) if self.sound else r).sum(-1)


@pair("zero to a negative power", {"x": Input((3, 5), -2, 2)}, ["pow_1"])
class InverseSquareLaw(Twin):
    """|x|^-2 at the source."""

    def layers(self) -> None:
        self.gain = nn.Parameter(torch.tensor([0.5, 1.0, 2.0, 1.0, 0.1]), requires_grad=False)

    def forward(self, x: Any) -> Any:
        distance = torch.abs(x)
        return torch.pow(distance + 0.01 if self.sound else distance, -2.0) * self.gain
