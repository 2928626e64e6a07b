"""A model that is validated with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._translation import PATH, REPOSITORY, SYMBOLS, program, sentences

trial = Trial(REPOSITORY, PATH, 173, "missing-no-grad")


def prepare(folder: Path) -> Any:
    module, model = program(folder)
    return module, model, [(sentences(0, words, 128), sentences(1, words, 128)) for words in (20, 24)]


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    import torch

    del folder
    module, model, batches = prepared
    loss = torch.nn.CrossEntropyLoss(ignore_index=SYMBOLS["<pad>"])
    return [module.validate(model, batches, loss, SYMBOLS)]
