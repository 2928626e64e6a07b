"""The estimate beside what PyTorch really keeps: saved tensors, parameters, gradients and the optimiser's state.

Saved tensors are seen by `torch.autograd.graph.saved_tensors_hooks`, each storage once. Temporary tensors are not seen
by it, so the estimate is compared without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from mlvet.analyses.shapes.memory.estimate import Estimate, estimates
from mlvet.core.source import Source
from mlvet.frontends.python.program import interpret

NETWORKS = sorted((Path(__file__).parent / "networks").glob("*.py"))
FACTOR = 2.0
RATIOS = {"mlp": 1.0, "cnn": 0.97, "lstm": 0.83, "transformer": 0.97, "unet": 1.0}
"""Estimated by measured bytes, activations included."""


def estimated(path: Path) -> Estimate:
    found = interpret(Source(path.name, path.read_text(encoding="utf-8")), path)
    (one,), notes = estimates(found.graph, found.demanded)
    assert notes == []
    return one


def measured(path: Path) -> dict[str, int]:
    """What one run of the program's training steps keeps."""
    saved: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        saved[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    names: dict[str, Any] = {"__name__": path.stem}
    text = path.read_text(encoding="utf-8").replace("range(2)", "range(1)")
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        exec(compile(text, str(path), "exec"), names)
    model, optimizer = names["model"], names["optimizer"]
    own = {each.untyped_storage().data_ptr() for each in (*model.parameters(), *model.buffers())}
    held = [each for state in optimizer.state.values() for each in state.values() if torch.is_tensor(each)]
    return {
        "parameters": sum(each.nbytes for each in model.parameters()),
        "gradients": sum(each.grad.nbytes for each in model.parameters()),
        "state": sum(each.nbytes for each in held),
        "activations": sum(each.untyped_storage().nbytes() for place, each in saved.items() if place not in own),
    }


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.stem)
def test_the_estimate_is_near_what_torch_keeps(path: Path) -> None:
    guess, truth = estimated(path), measured(path)
    kept = {name: getattr(guess, name) for name in truth}
    assert kept["gradients"] == truth["gradients"]
    assert kept["parameters"] == pytest.approx(truth["parameters"], rel=0.1)
    assert kept["state"] == pytest.approx(truth["state"], rel=0.05)
    assert 1 / FACTOR <= kept["activations"] / truth["activations"] <= FACTOR
    assert sum(kept.values()) / sum(truth.values()) == pytest.approx(RATIOS[path.stem], abs=0.05)


def test_there_is_a_network_for_each_ratio() -> None:
    assert {path.stem for path in NETWORKS} == set(RATIOS)
