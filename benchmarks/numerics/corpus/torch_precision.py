"""torch: half precision and bfloat16."""

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


@pair("half-precision overflow", {"x": Input((2, 4, 8), -2000, 2000, "float16")}, ["pow_1"])
class RootMeanSquareNorm(Twin):
    """The mean of squares in half precision, as a language model converted by `.half()` does it."""

    def layers(self) -> None:
        self.weight = nn.Parameter(torch.ones(8, dtype=torch.float16))

    def forward(self, x: Any) -> Any:
        wide = x.float() if self.sound else x
        mean = wide.pow(2).mean(-1, keepdim=True)
        return self.weight * (wide / torch.sqrt(mean + 0.01)).half()


@pair("half-precision overflow", {"x": Input((1, 1024), 0, 100, "float16")}, ["sum_1"])
class HalfMean(Twin):
    """A sum, then a division by the count."""

    def forward(self, x: Any) -> Any:
        return (x.float() if self.sound else x).sum(-1) / 1024


@pair("half-precision overflow", {"x": Input((2, 6, 32), -60, 60, "float16")}, ["matmul"])
class HalfAttentionScores(Twin):
    """x x^T is scaled after the product instead of before."""

    def forward(self, x: Any) -> Any:
        if self.sound:
            return torch.matmul(x / 8, x.transpose(1, 2) / 8)
        return torch.matmul(x, x.transpose(1, 2)) / 64


@pair("exponential in half precision", {"x": Input((3, 7), -16, 16, "float16")}, ["exp", "exp_1"])
class HalfTanh(Twin):
    """(e^x - e^-x) / (e^x + e^-x) by hand in half precision."""

    def forward(self, x: Any) -> Any:
        if self.sound:
            return torch.tanh(x)
        grown, shrunk = torch.exp(x), torch.exp(-x)
        return (grown - shrunk) / (grown + shrunk)


@pair("lost epsilon", {"x": Input((4, 16), 0, 4, "bfloat16")}, ["log"])
class BrainFloatLoss(Twin):
    """-log(1 + 1e-3 - p) where p = x / (x + 1/64) rounds to 1."""

    def forward(self, x: Any) -> Any:
        p = x / (x + 0.015625)
        if self.sound:
            return -torch.log(1 - p.float() * 0.99)
        return -torch.log(1.001 - p)
