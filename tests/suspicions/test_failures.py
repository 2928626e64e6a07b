"""A program that fails is told so once: what leads to the failure, or follows from it, is not suspected besides."""

from __future__ import annotations

from pathlib import Path

from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

FAILS = """
import torch
from torch import nn

conv, rnn = nn.Conv1d(8, 32, 5, stride=2), nn.GRU(30, 64, batch_first=True)
found = conv(torch.randn(4, 8, 101))
found = found.view(4, 49, 32)
steps, last = rnn(found)
"""
APART = """
import torch
from torch import nn

scores = nn.Linear(8, 1)(torch.randn(16, 8))
guess = scores.argmax(1)
print(torch.zeros(3, 4) @ torch.zeros(5, 6))
"""


def rules(text: str, folder: Path) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    return [each.rule for each in vet_program(Program(path, Source(path.name, text), folder)).findings]


def test_what_leads_to_a_failure_is_not_suspected(tmp_path: Path) -> None:
    assert len(rules(FAILS, tmp_path)) == 1
    assert rules(FAILS.replace("GRU(30", "GRU(32"), tmp_path) == ["reshape-mixes-batch"]


def test_what_has_nothing_to_do_with_it_is(tmp_path: Path) -> None:
    assert sorted(rules(APART, tmp_path)) == ["argmax-over-one", "matmul-inner-dims"]
