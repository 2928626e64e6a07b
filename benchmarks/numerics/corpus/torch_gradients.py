"""torch: sound values whose gradient is infinite or NaN."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.torch_form import Twin
from benchmarks.numerics.corpus.torch_form import pair as torch_pair

CASES: list[Case] = []
pair = partial(torch_pair, CASES, backward=True)


@pair("gradient of a norm", {"a": Input((4, 6), -1, 1), "b": Input((4, 6), -1, 1)}, ["sqrt"])
class TwinDistance(Twin):
    """The distance of two embeddings that can be one."""

    def layers(self) -> None:
        self.embed = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))

    def forward(self, a: Any, b: Any) -> Any:
        difference = self.embed(a) - self.embed(b)
        squared = (difference * difference).sum(-1)
        return torch.sqrt(squared + 1e-8 if self.sound else squared)


@pair("gradient through where", {"x": Input((4, 5), -3, 3)}, ["log"])
class GuardedLogarithm(Twin):
    """where(h > 0, log h, 0) has the value 0 and the gradient NaN; the sound form guards the operand too."""

    def layers(self) -> None:
        self.layer = nn.Linear(5, 3, bias=False)

    def forward(self, x: Any) -> Any:
        h = self.layer(x).square()
        seen = h > 1e-6
        operand = torch.where(seen, h, 1.0) if self.sound else h
        return torch.where(seen, torch.log(operand), 0.0)


@pair("gradient of a root", {"x": Input((5, 4), -2, 2)}, ["sqrt"])
class SignedRoot(Twin):
    """sign(h) sqrt(|h|) of a dense layer without bias, at 0."""

    def layers(self) -> None:
        self.layer = nn.Linear(4, 4, bias=False)

    def forward(self, x: Any) -> Any:
        h = self.layer(x)
        size = torch.abs(h)
        return torch.sign(h) * torch.sqrt(size + 1e-4 if self.sound else size)


@pair("gradient of a power", {"x": Input((3, 6), -1, 1)}, ["pow_1"])
class GeneralisedMean(Twin):
    """mean |h|^0.75, at h = 0."""

    def layers(self) -> None:
        self.layer = nn.Linear(6, 2, bias=False)

    def forward(self, x: Any) -> Any:
        h = torch.abs(self.layer(x))
        return (h.clamp_min(1e-4) if self.sound else h).pow(0.75).mean(0)


@pair("gradient of an angle", {"x": Input((4, 3), -2, 2)}, ["asin"])
class SaturatedAngle(Twin):
    """asin of a tanh that saturates: an infinite slope after one of 0."""

    def layers(self) -> None:
        self.layer = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        h = torch.tanh(self.layer(x) * 20)
        return torch.asin(h * 0.999 if self.sound else h)


@pair("weight normalisation", {"x": Input((2, 4), -1, 1)}, ["sqrt"])
class WeightNorm(Twin):
    """g v / (|v| + eps) where a row of v starts at 0: its gradient is NaN from the first step on."""

    def layers(self) -> None:
        start = torch.randn(3, 4)
        start[1] = 0
        self.direction = nn.Parameter(start)
        self.size = nn.Parameter(torch.ones(3, 1))

    def forward(self, x: Any) -> Any:
        squared = self.direction.square().sum(1, keepdim=True)
        length = torch.sqrt(squared + 1e-6) if self.sound else torch.sqrt(squared) + 1e-6
        return nn.functional.linear(x, self.size * self.direction / length)
