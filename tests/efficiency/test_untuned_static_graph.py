"""Convolutions that cuDNN could tune: which loops are told and which are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from suggesting import edited, lines, told

RULE = "untuned-static-graph"
PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 8, 3)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(1000, 3, 64, 64))
loader = DataLoader(data, batch_size=32, drop_last=True)
for epoch in range(5):
    for (images,) in loader:
        images = images.to(device)
        loss = model(images).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_inputs_of_one_shape_are_told_once(tmp_path: Path) -> None:
    found = told(PROGRAM, tmp_path, RULE)
    assert [each.location.line for each in found] == [11]
    assert found[0].assumptions[0].text == "a GPU with cuDNN is used"
    after = edited(PROGRAM, found)
    assert after.splitlines()[2:5] == [
        "from torch.utils.data import DataLoader, TensorDataset",
        "",
        "torch.backends.cudnn.benchmark = True",
    ]
    assert lines(after, tmp_path, RULE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 8, 3)", "nn.Linear(64, 64), nn.ReLU()"),
        ('torch.device("cuda")', 'torch.device("cpu")'),
        (", drop_last=True", ""),
        ("images = images.to(device)", "images = images[:, :, : 10 + int(images.sum())].to(device)"),
        ("optimizer = ", "model = torch.compile(model)\noptimizer = "),
        ("optimizer = ", "torch.backends.cudnn.deterministic = True\noptimizer = "),
    ],
)
def test_other_programs_are_not_told(old: str, new: str, tmp_path: Path) -> None:
    assert old in PROGRAM
    assert lines(PROGRAM.replace(old, new), tmp_path, RULE) == []


def test_a_loop_that_only_starts_processes_is_not_told(tmp_path: Path) -> None:
    text = PROGRAM.replace("for epoch in range(5):\n", "def train():\n")
    text += "\n\nworkers = []\nfor rank in range(4):\n    worker = torch.multiprocessing.Process(target=train)\n"
    text += "    worker.start()\n    workers.append(worker)\n"
    assert 23 not in lines(text, tmp_path, RULE)


def test_a_model_of_another_file_is_followed(tmp_path: Path) -> None:
    head, _, tail = PROGRAM.partition("model = ")
    made, _, rest = tail.partition("\n")
    (tmp_path / "networks.py").write_text(f"from torch import nn\n\nmodel = {made.removesuffix('.to(device)')}\n")
    assert lines(f"{head}from networks import model\nmodel.to(device)\n{rest}", tmp_path, RULE) == [12]


def test_few_inputs_of_unknown_shape_are_assumed_to_keep_it(tmp_path: Path) -> None:
    layers = ", ".join(["nn.Conv2d(8, 8, 3)"] * 6)
    text = PROGRAM.replace("nn.ReLU(), nn.Conv2d(32, 8, 3)", f"nn.Conv2d(32, 8, 3), {layers}")
    open_ = "loss = model(images).square().mean() + nn.functional.conv2d(torch.cat(kept), kernel).mean()"
    before = "kept = [torch.randn(1, 3, 64, 64).to(device)]\nkernel = torch.randn(8, 3, 3, 3).to(device)\n"
    text = text.replace("loss = model(images).square().mean()", open_).replace("for epoch", f"{before}for epoch")
    text = text.replace(
        "        optimizer.zero_grad()", "        kept.append(images[:1])\n        optimizer.zero_grad()"
    )
    (found,) = told(text, tmp_path, RULE)
    assert any("of unknown shape, keep it too" in each.text for each in found.assumptions)
