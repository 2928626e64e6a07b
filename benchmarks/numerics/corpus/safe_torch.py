"""Safe patterns as torch programs."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.torch_form import Twin, sound

CASES: list[Case] = []
safe = partial(sound, CASES)


@safe("stable softmax", {"x": Input((3, 9), -1000, 1000)})
class StableSoftmax(Twin):
    """The largest element is subtracted, so the sum is at least 1."""

    def forward(self, x: Any) -> Any:
        powers = torch.exp(x - x.amax(-1, keepdim=True))
        return powers / powers.sum(-1, keepdim=True)


@safe("log-sum-exp", {"x": Input((3, 9), -1000, 1000)})
class LogSumExp(Twin):
    """max + log sum exp(x - max)."""

    def forward(self, x: Any) -> Any:
        largest = x.max(dim=1, keepdim=True).values
        return largest + (x - largest).exp().sum(dim=1, keepdim=True).log()


@safe("layer norm", {"x": Input((2, 12), -20, 20)})
class LayerNorm(Twin):
    """The mean of d * d is not negative; what comes before is trained."""

    def layers(self) -> None:
        self.layer = nn.Linear(12, 6)

    def forward(self, x: Any) -> Any:
        h = self.layer(x)
        d = h - h.mean(-1, keepdim=True)
        return d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)


@safe("unit length", {"x": Input((5, 4), -10, 10)})
class UnitLength(Twin):
    """x / sqrt(sum x * x + eps), trained."""

    def layers(self) -> None:
        self.layer = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        h = self.layer(x)
        return h / torch.sqrt((h * h).sum(-1, keepdim=True) + 1e-6)


@safe("guarded log", {"x": Input((4, 4), -10, 10)}, guarded=("log",))
class GuardedLog(Twin):
    """Nothing is trained, so a discarded infinity does no harm."""

    def forward(self, x: Any) -> Any:
        return torch.where(x > 0, torch.log(x), torch.zeros(()))


@safe("bounded quotient", {"x": Input((6,), -100, 100)})
class BoundedQuotient(Twin):
    """x / (x * x + 1)."""

    def forward(self, x: Any) -> Any:
        return x / (x * x + 1)


@safe("rectangle", {"center": Input((20, 2), -100, 100), "offset": Input((20, 2), 1, 10)})
class Rectangle(Twin):
    """The center cancels [DEBAR 2]."""

    def forward(self, center: Any, offset: Any) -> Any:
        left, bottom, right, top = torch.cat([center - offset, center + offset], 1).chunk(4, 1)
        return torch.reciprocal((right - left) * (top - bottom))


@safe("masked attention", {"x": Input((2, 5, 4), -3, 3), "keep": Input((2, 5), 0, 1, "bool")})
class MaskedAttention(Twin):
    """A row that is masked throughout by -1e9 still has a softmax."""

    def forward(self, x: Any, keep: Any) -> Any:
        scores = (x @ x.transpose(1, 2)).masked_fill(~keep[:, None, :], -1e9)
        return torch.softmax(scores, -1) @ x
