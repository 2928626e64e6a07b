"""torch: losses and samplers written by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.torch_form import Twin
from benchmarks.numerics.corpus.torch_form import pair as torch_pair

CASES: list[Case] = []
pair = partial(torch_pair, CASES)


@pair("log of softmax", {"x": Input((4, 8), -100, 100), "target": Input((4,), 0, 4, "int64")}, ["log"])
class LikelihoodOfSoftmax(Twin):
    """The probability of the label is picked, then its logarithm taken."""

    def layers(self) -> None:
        top = nn.Linear(16, 5)
        with torch.no_grad():
            top.weight.mul_(20)
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), top)

    def forward(self, x: Any, target: Any) -> Any:
        logits = self.net(x)
        if self.sound:
            return -torch.log_softmax(logits, -1).gather(1, target[:, None]).mean()
        return -torch.log(torch.softmax(logits, -1).gather(1, target[:, None])).mean()


@pair("exponential of log-variance", {"x": Input((3, 12), -255, 255)}, ["exp"], follow=["sum_1"], witness={"x": 88.5})
class VariationalEncoder(Twin):
    """exp(logvar) in the divergence from the prior."""

    def layers(self) -> None:
        self.body = nn.Linear(12, 8, bias=False)
        self.mean = nn.Linear(8, 4)
        self.spread = nn.Linear(8, 4, bias=False)
        nn.init.constant_(self.body.weight, 1 / 12)
        nn.init.constant_(self.spread.weight, 1 / 8)

    def forward(self, x: Any) -> Any:
        hidden = torch.relu(self.body(x))
        mean, logvar = self.mean(hidden), self.spread(hidden)
        if self.sound:
            logvar = logvar.clamp(-30, 20)
        return -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(1)


@pair("softmax by hand", {"x": Input((2, 5, 8), -60, 60)}, ["exp"], follow=["sum_1", "div"],
      witness={"x": 3.328})  # fmt: skip
class SelfAttention(Twin):
    """exp(q k) / sum exp(q k), with stored projections."""

    def layers(self) -> None:
        self.q, self.k, self.v = (nn.Linear(8, 8, bias=False) for _ in range(3))
        with torch.no_grad():
            self.q.weight.copy_(torch.eye(8))
            self.k.weight.copy_(torch.eye(8).roll(1, 0))

    def forward(self, x: Any) -> Any:
        scores = self.q(x) @ self.k(x).transpose(-1, -2)
        if self.sound:
            return torch.softmax(scores / 8**0.5, -1) @ self.v(x)
        powers = torch.exp(scores)
        return (powers / powers.sum(-1, keepdim=True)) @ self.v(x)


@pair("noise", {"logits": Input((4, 6), -10, 10), "u": Input((4, 6), 0, 1)}, ["log", "log_1"])
class GumbelSample(Twin):
    """-log(-log u), u from [0, 1]."""

    def forward(self, logits: Any, u: Any) -> Any:
        if self.sound:
            u = u.clamp(1e-6, 1 - 1e-6)
        return torch.softmax((logits - torch.log(-torch.log(u))) / 0.5, dim=-1)


@pair("noise", {"u": Input((16,), 0, 1), "v": Input((16,), 0, 1)}, ["log"])
class BoxMuller(Twin):
    """sqrt(-2 log u) cos(2 pi v)."""

    def forward(self, u: Any, v: Any) -> Any:
        if self.sound:
            u = torch.maximum(u, torch.tensor(1e-7))
        return torch.sqrt(-2.0 * torch.log(u)) * torch.cos(6.2831855 * v)


@pair("likelihood of a normal", {"x": Input((5, 6), -100, 100), "y": Input((5, 1), -10, 10)}, ["log", "div"],
      follow=["mean"])  # fmt: skip
class GaussianLikelihood(Twin):
    """log var + (y - mean)^2 / var, where var = softplus(h) underflows to 0."""

    def layers(self) -> None:
        self.mean = nn.Linear(6, 1)
        self.spread = nn.Linear(6, 1)
        with torch.no_grad():
            self.spread.weight.copy_(torch.tensor([[1.0, -1.0, 0.5, 1.0, -0.5, 1.0]]))

    def forward(self, x: Any, y: Any) -> Any:
        var = functional.softplus(self.spread(x))
        if self.sound:
            var = var + 1e-3
        return (torch.log(var) + (y - self.mean(x)) ** 2 / var).mean() * 0.5


@pair("focal loss", {"z": Input((8,), -120, 120), "y": Input((8,), 0, 1)}, ["log", "log_1"])
class FocalLoss(Twin):
    """(1 - p)^2 log p and p^2 log(1 - p)."""

    def forward(self, z: Any, y: Any) -> Any:
        p = torch.sigmoid(z)
        if self.sound:
            log_p, log_q = functional.logsigmoid(z), functional.logsigmoid(-z)
        else:
            log_p, log_q = torch.log(p), torch.log(1 - p)
        return -(y * (1 - p).square() * log_p + (1 - y) * p.square() * log_q).mean()


@pair("overlap of masks", {"z": Input((2, 1, 6, 6), -150, 150), "t": Input((2, 1, 6, 6), 0, 1)}, ["div"])
class DiceLoss(Twin):
    """Prediction and truth both empty."""

    def forward(self, z: Any, t: Any) -> Any:
        p = torch.sigmoid(z).flatten(1)
        t = t.flatten(1)
        smooth = 1.0 if self.sound else 0.0
        inter = (p * t).sum(1)
        return 1 - ((2 * inter + smooth) / (p.sum(1) + t.sum(1) + smooth)).mean()


@pair("perplexity", {"x": Input((4, 10), -50, 50), "target": Input((4,), 0, 6, "int64")}, ["exp"])
class Perplexity(Twin):
    """exp of a mean loss that can be in the hundreds."""

    def layers(self) -> None:
        self.head = nn.Linear(10, 7)
        with torch.no_grad():
            self.head.weight.mul_(3)

    def forward(self, x: Any, target: Any) -> Any:
        loss = functional.cross_entropy(self.head(x), target)
        return torch.exp(loss.clamp(max=60.0) if self.sound else loss)


@pair("temperature", {"logits": Input((3, 9), -50, 50), "temperature": Input((3, 1), 0, 2)}, ["div"],
      witness={"temperature": 0.0})  # fmt: skip
class Temperature(Twin):
    """Sampling at temperature 0."""

    def forward(self, logits: Any, temperature: Any) -> Any:
        if self.sound:
            temperature = temperature.clamp_min(0.01)
        return torch.softmax(logits / temperature, dim=-1)


@pair("masked softmax", {"x": Input((2, 4, 6), -5, 5), "keep": Input((2, 4), 0, 1, "bool")}, ["softmax"])
class PaddedAttention(Twin):
    """A sequence that is padding only; the sound form always sees the position itself."""

    def layers(self) -> None:
        self.q, self.k = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x: Any, keep: Any) -> Any:
        scores = self.q(x) @ self.k(x).transpose(1, 2)
        visible = keep[:, None, :]
        if self.sound:
            visible = visible | torch.eye(4, dtype=torch.bool)
        return torch.softmax(scores.masked_fill(~visible, float("-inf")), dim=-1) @ x


@pair("logit", {"p": Input((3, 5), 0, 1)}, ["div", "log"])
class LogOdds(Twin):
    """log(p / (1 - p)) of probabilities that are exactly 0 and 1."""

    def forward(self, p: Any) -> Any:
        if self.sound:
            p = p.clamp(1e-6, 1 - 1e-6)
        return torch.log(p / (1 - p)).mean(-1)


@pair("survival", {"hazard": Input((3, 12), 0, 1)}, ["log"])
class SurvivalCurve(Twin):
    """The logarithm of a cumulative product of 1 - h."""

    def forward(self, hazard: Any) -> Any:
        if self.sound:
            return torch.cumsum(torch.log1p(-hazard.clamp(max=1 - 1e-6)), dim=1)
        return torch.log(torch.cumprod(1 - hazard, dim=1))
