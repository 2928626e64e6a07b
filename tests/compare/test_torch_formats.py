"""Programs of torch.export and TorchScript on the ways that torch has to run them, and a fault put into one of them."""

from __future__ import annotations

import subprocess
import sys
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


@pytest.fixture
def images(tmp_path: Path) -> tuple[str, str]:
    """Nine pictures for a module of TorchScript, which does not tell what goes in."""
    np.savez(tmp_path / "data.npz", image=np.random.default_rng(0).normal(size=(9, 3, 10, 10)))
    return "--data", "data.npz"


def test_pooling_that_leaves_out_padding_is_found_in_the_call_of_a_scripted_module(
    compare: Compare, torch_models: Path, tmp_path: Path, images: tuple[str, str]
) -> None:
    env = ("--env", f"faulty={faulty(tmp_path, FAULT)}")
    backends = ("--backends", "torch,torch-eager,torch@faulty")
    code, report, _ = compare(str(torch_models / "model.pt"), *images, *backends, *env)
    (finding,) = report["findings"]
    assert (code, finding["location"]["node"]) == (1, "body.3/avg_pool2d")
    assert (finding["evidence"]["blamed"], finding["evidence"]["oracle"]) == ("torch@faulty", "mlvet")
    assert finding["evidence"]["config"]["padding"] == [1, 1]


def test_every_call_of_a_scripted_module_is_judged_by_the_reference(
    compare: Compare, torch_models: Path, images: tuple[str, str]
) -> None:
    code, report, _ = compare(str(torch_models / "model.pt"), *images)
    assert (code, report["findings"]) == (0, [])
    assert (told(report)["truth"], told(report)["examples"], told(report)["unjudged"]) == ("mlvet", 9, {})
    assert set(told(report)["backends"]) == {"torch", "torch-eager", "mlvet"}
    judged = {each["layer"] for each in told(report)["layers"]}
    body = {"body.0/_convolution", "body.1/batch_norm", "body.2/relu_", "body.3/avg_pool2d", "body.5/linear"}
    assert judged >= {*body, "max", "softmax"}


ODD_MODULES = """
import torch
class Branches(torch.nn.Module):
    def forward(self, image):
        parts = torch.chunk(image, 2, dim=2)
        if image.dim() > 3:
            parts = parts[::-1]
        total = torch.zeros_like(image[:, :, :1])
        for part in parts:
            total = total + part.sum(dim=2, keepdim=True)
        return {"total": total.to(torch.float32), "sizes": image.flatten(1).view(image.size(0), -1)}
class Overwrites(torch.nn.Module):
    def forward(self, image):
        doubled = image * 2
        first = doubled[:, 0]
        first.relu_()
        return doubled.sum(dim=(2, 3))
class Untraceable(torch.nn.Module):
    def forward(self, image):
        return torch.quantize_per_tensor(image, 0.1, 0, torch.qint8).dequantize()
torch.jit.script(Branches()).save("branches.pt")
torch.jit.script(Untraceable()).save("untraceable.pt")
torch.jit.script(Overwrites()).save("overwrites.pt")
"""


@pytest.fixture(scope="module")
def odd_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module with a branch, a loop and a dictionary of results, and one that changes a value through a view."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "make.py").write_text(ODD_MODULES, encoding="utf-8")
    subprocess.run([sys.executable, "-W", "ignore", "make.py"], cwd=folder, check=True, capture_output=True)
    return folder


def test_branches_and_loops_are_calls_that_are_judged_whole(
    compare: Compare, odd_modules: Path, images: tuple[str, str]
) -> None:
    code, report, _ = compare(str(odd_modules / "branches.pt"), *images, "--backends", "torch,torch-eager")
    assert (code, report["findings"], told(report)["unjudged"]) == (0, [], {})
    assert {"Loop", "to", "view"} <= {each["layer"] for each in told(report)["layers"]}


def test_calls_that_the_reference_cannot_follow_are_no_defect(
    compare: Compare, odd_modules: Path, images: tuple[str, str]
) -> None:
    code, report, _ = compare(str(odd_modules / "untraceable.pt"), *images)
    assert (code, report["findings"]) == (0, [])
    assert any(note.startswith("mlvet: not compared") for note in report["summary"]["notes"])


def test_what_changes_values_in_place_is_compared_by_its_outputs(
    compare: Compare, odd_modules: Path, images: tuple[str, str]
) -> None:
    code, report, _ = compare(str(odd_modules / "overwrites.pt"), *images, "--backends", "torch,torch-eager")
    assert (code, report["findings"], told(report)["layers"]) == (0, [], [])
    assert "the model has no layers that can be run alone" in report["summary"]["notes"]


def test_a_version_that_takes_the_module_apart_in_another_way_is_compared_by_its_outputs(
    compare: Compare, torch_models: Path, tmp_path: Path, images: tuple[str, str]
) -> None:
    python = faulty(tmp_path, "import torch\ndel torch.jit.freeze\n")
    backends = ("--backends", "torch,torch@old")
    code, report, _ = compare(str(torch_models / "model.pt"), *images, *backends, "--env", f"old={python}")
    assert (code, report["findings"]) == (0, [])
    assert {each["backend"] for each in told(report)["layers"]} == {"torch"}
    assert any("`torch@old` takes the model apart in other layers" in note for note in report["summary"]["notes"])


def test_a_scripted_module_does_not_tell_what_goes_in(compare: Compare, torch_models: Path) -> None:
    code, _, errors = compare(str(torch_models / "model.pt"), "--backends", "torch")
    assert (code, errors.count("\n")) == (2, 1)
    assert "give examples by --data" in errors


def test_pictures_of_another_shape_are_told_in_the_words_of_torch(
    compare: Compare, torch_models: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "data.npz", image=np.ones((2, 5, 10, 10), np.float32))
    code, report, errors = compare(str(torch_models / "model.pt"), "--data", "data.npz", "--backends", "torch")
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert "expected input[2, 5, 10, 10] to have 3 channels" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("name", ["broken.pt2", "broken.pt"])
def test_damaged_files_are_told_in_one_line(compare: Compare, torch_models: Path, tmp_path: Path, name: str) -> None:
    whole = (torch_models / f"model{Path(name).suffix}").read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    np.savez(tmp_path / "data.npz", image=np.ones((2, 3, 10, 10)))
    code, report, errors = compare(name, "--backends", "torch", "--data", "data.npz")
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert "no backend can open the model" in errors
