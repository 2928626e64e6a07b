"""A projection of what the encoder yields, computed again for every word that is decoded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._loading import loaded

trial = Trial(
    "graykode/nlp-tutorial", "4-2.Seq2Seq(Attention)/Seq2Seq(Attention).py", 72, "loop-invariant",
    changes=(
        Change(43, 43, "        model = torch.empty([n_step, 1, n_class])\n        projected = self.attn(enc_outputs)"),
        Change(49, 49, "            attn_weights = self.get_att_weight(dec_output, projected)"),
        Change(72, 72, "        score = enc_output"),
    ),
)  # fmt: skip


def prepare(folder: Path) -> Any:
    import torch

    module = loaded(folder / trial.path)
    vars(module).update(n_class=11, n_hidden=128)
    torch.manual_seed(0)
    return module.Attention(), torch.eye(11)[None, :5], torch.eye(11)[None, 5:10]


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    import torch

    del folder
    model, source, target = prepared
    for _ in range(400):
        model.zero_grad()
        found, weights = model(source, torch.zeros(1, 1, 128), target)
        found.square().mean().backward()
    return [found, *weights, torch.cat([each.grad.flatten() for each in model.parameters()])]
