"""The first of two recurrent cells, run step by step over a sequence that is there from the start."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._loading import loaded

trial = Trial(
    "pytorch/examples", "time_sequence_prediction/train.py", 26, "python-loop",
    changes=(
        Change(14, 14, "        self.lstm1 = nn.LSTM(1, 51, batch_first=True)"),
        Change(25, 26, (
            "        steps, (h_t, c_t) = self.lstm1(input.unsqueeze(2), (h_t.unsqueeze(0), c_t.unsqueeze(0)))\n"
            "        for h_t in steps.unbind(1):"
        )),
        Change(30, 34, ""),
    ),
)  # fmt: skip


def prepare(folder: Path) -> Any:
    import torch

    module = loaded(folder / trial.path)
    torch.manual_seed(0)
    model = module.Sequence().double()
    for parameter in model.parameters():
        torch.nn.init.uniform_(parameter, -0.1, 0.1, generator=torch.Generator().manual_seed(parameter.numel()))
    return model, torch.randn(97, 999, dtype=torch.double)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    model, data = prepared
    found = model(data)
    found.square().mean().backward()
    return [found, *(each.grad for each in model.parameters())]
