"""Programs of torch.export and TorchScript on the ways that torch has to run them, and a fault put into one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compare.conftest import Compare, faulty

pytest.importorskip("torch")
FAULT = """
import torch
library = torch.library.Library("aten", "IMPL")
def unpadded(x, size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    total = torch.nn.functional.conv2d(x, torch.ones(x.shape[1], 1, *size), None, stride, padding, 1, x.shape[1])
    ones = torch.nn.functional.conv2d(torch.ones_like(x), torch.ones(x.shape[1], 1, *size), None, stride, padding, 1,
        x.shape[1])
    return total / ones
library.impl("avg_pool2d", unpadded, "CPU")
"""


def told(report: dict[str, Any]) -> dict[str, Any]:
    return dict(report["summary"]["analyses"]["compare"])


def test_pooling_that_leaves_out_padding_is_found_in_the_exported_program(
    compare: Compare, torch_models: Path, tmp_path: Path
) -> None:
    python = faulty(tmp_path, FAULT)
    backends = "torch,torch-eager,mlvet,torch@faulty"
    code, report, _ = compare(str(torch_models / "model.pt2"), "--backends", backends, "--env", f"faulty={python}")
    (finding,) = report["findings"]
    assert (code, finding["location"]["node"], finding["evidence"]["blamed"]) == (1, "avg_pool2d", "torch@faulty")
    assert finding["evidence"]["oracle"] == "mlvet"
    assert finding["evidence"]["config"]["padding"] == [1, 1]
    judged = {each["layer"] for each in told(report)["layers"] if not each["wrong"]}
    assert judged >= {"conv2d", "batch_norm", "relu_", "linear", "max_1", "softmax"}


def test_scripted_modules_are_compared_by_their_outputs(compare: Compare, torch_models: Path, tmp_path: Path) -> None:
    images = np.random.default_rng(0).normal(size=(9, 3, 10, 10))
    np.savez(tmp_path / "data.npz", image=images)
    code, report, _ = compare(str(torch_models / "model.pt"), "--data", "data.npz")
    assert (code, report["findings"]) == (0, [])
    assert (told(report)["truth"], told(report)["examples"]) == ("torch", 9)
    assert set(told(report)["backends"]) == {"torch", "torch-eager"}


def test_a_scripted_module_does_not_tell_what_goes_in(compare: Compare, torch_models: Path) -> None:
    code, _, errors = compare(str(torch_models / "model.pt"), "--backends", "torch")
    assert (code, errors.count("\n")) == (2, 1)
    assert "give examples by --data" in errors


@pytest.mark.parametrize("name", ["broken.pt2", "broken.pt"])
def test_damaged_files_are_told_in_one_line(compare: Compare, torch_models: Path, tmp_path: Path, name: str) -> None:
    whole = (torch_models / f"model{Path(name).suffix}").read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    np.savez(tmp_path / "data.npz", image=np.ones((2, 3, 10, 10)))
    code, report, errors = compare(name, "--backends", "torch", "--data", "data.npz")
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert "no backend can open the model" in errors
