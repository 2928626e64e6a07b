"""The second of two recurrent cells, run step by step over a sequence that is there from the start."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._loading import loaded

trial = Trial(
    "pytorch/examples", "time_sequence_prediction/train.py", 27, "python-loop",
    changes=(
        Change(15, 15, "        self.lstm2 = nn.LSTM(51, 51, batch_first=True)"),
        Change(25, 35, (
            "        lower = []\n"
            "        for input_t in input.split(1, dim=1):\n"
            "            h_t, c_t = self.lstm1(input_t, (h_t, c_t))\n"
            "            lower.append(h_t)\n"
            "        steps, _ = self.lstm2(torch.stack(lower, 1), (h_t2.unsqueeze(0), c_t2.unsqueeze(0)))\n"
            "        outputs = self.linear(steps).squeeze(2)"
        )),
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
