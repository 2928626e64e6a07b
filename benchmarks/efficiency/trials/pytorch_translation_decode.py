"""A sentence that is translated word by word, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._translation import PATH, REPOSITORY, SYMBOLS, program, sentences

trial = Trial(REPOSITORY, PATH, 41, "missing-no-grad")


def prepare(folder: Path) -> Any:
    module, model = program(folder)
    return module, model.eval()


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    import torch

    del folder
    module, model = prepared
    found = []
    for words in (10, 12, 14, 16, 18, 20):
        seen = torch.zeros(words, words, dtype=torch.bool)
        source = sentences(0, words, 1)
        found.append(module.greedy_decode(model, source, seen, words + 5, SYMBOLS["<bos>"], SYMBOLS["<eos>"]))
    return found
