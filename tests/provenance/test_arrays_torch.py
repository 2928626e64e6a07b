"""Tensors of torch that are made of traced numbers, and numbers made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from array_checks import check, clear

from mlvet.runtime.provenance.arrays import install, uninstall, wrap_array
from mlvet.runtime.provenance.breaks import BREAKS

torch = pytest.importorskip("torch")
INPUTS = np.random.default_rng(3).uniform(0.5, 2, 12)


@pytest.fixture(autouse=True)
def replaced() -> Iterator[None]:
    install()
    yield
    uninstall()


def without_gradients(x: Any) -> Any:
    t = torch.as_tensor(x)
    with torch.no_grad():
        y = (t * t).cumsum(0)
    return y.numpy(), y.detach().sum().item()


def written_into(x: Any) -> Any:
    t = torch.from_numpy(x)
    y = torch.zeros(3, dtype=torch.float64)
    y[0] = t[3]
    y[1:] += t[:2] * 2
    y.mul_(3.0)
    return y.tolist()


def layer(x: Any) -> Any:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)).double()
    model.eval()
    with torch.no_grad():
        return model(torch.tensor(x).reshape(3, 4)).numpy().ravel()


CASES = {
    "item": lambda x: ((torch.tensor(x) ** 2).sum().item(), torch.tensor(x).mean().item()),
    "list": lambda x: torch.tensor([x[0] * 2, x[1], 1.0], dtype=torch.float64).exp().tolist(),
    "numpy": lambda x: (torch.as_tensor(x).reshape(3, 4) @ torch.as_tensor(x).reshape(4, 3)).numpy() * 2.0,
    "asarray": lambda x: np.asarray(torch.from_numpy(x).sin()) + 1.0,
    "scalars": lambda x: (torch.ones(3, dtype=torch.float64) * x[0] + x[1]).numpy(),
    "no gradients": without_gradients,
    "written": written_into,
    "layer": layer,
    "stack": lambda x: torch.stack([torch.tensor(x)[0], torch.tensor(x)[1] * 2]).softmax(0).numpy(),
}


@pytest.mark.parametrize("name", CASES)
def test_torch(name: str) -> None:
    check(CASES[name], INPUTS)


def test_learning_breaks_the_chain() -> None:
    clear()
    data = torch.tensor(wrap_array(INPUTS.copy()))
    weight = torch.zeros(12, dtype=torch.float64, requires_grad=True)
    ((weight * data).sum() - 1).square().backward()
    assert weight.grad is not None
    assert any("backward" in what for _, _, what in BREAKS)
    assert repr(data) == repr(torch.tensor(INPUTS))
