"""Programs through the command line: their shapes, their numerical bugs, and what is modelled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=1))
x = torch.randn(16, 8)
p = net(x)
loss = -torch.log(p).mean()
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlvet", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_shapes_stand_beside_the_lines(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    done = run(tmp_path, "shapes", "train.py")
    assert done.returncode == 0
    assert "6 | p = net(x)" in done.stdout
    assert "# p: f32[16, 4]" in done.stdout
    assert "statements reached: 6 of 6" in done.stdout


def test_shapes_of_a_notebook_are_placed_in_cells(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "# words", "metadata": {}},
        {"cell_type": "code", "source": "%matplotlib inline\nimport torch", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "x = torch.zeros(2, 3)\ny = x.sum(0)", "metadata": {}, "outputs": []},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    done = run(tmp_path, "shapes", "train.ipynb", "--output-format", "json")
    values = {each["name"]: each for each in json.loads(done.stdout)["values"] if each["name"]}
    assert values["y"]["type"] == "f32[3]"
    assert (values["y"]["location"]["cell"], values["y"]["location"]["line"]) == (3, 2)


def test_a_numerical_bug_is_found_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    done = run(tmp_path, "check", "train.py", "--select", "NUM", "--output-format", "json")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["rule"] == "log-of-nonpositive"
    assert finding["location"]["line"] == 7


def test_a_text_that_is_not_python_3_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("print 'hello'\n", encoding="utf-8")
    done = run(tmp_path, "shapes", "old.py")
    assert done.returncode == 0
    assert "not Python 3" in done.stderr


def test_what_is_modelled_is_listed(tmp_path: Path) -> None:
    counted = json.loads(run(tmp_path, "libraries", "--output-format", "json").stdout)["libraries"]
    assert {"torch", "keras", "tensorflow", "jax", "numpy", "builtins"} <= set(counted)
    named = run(tmp_path, "libraries", "torch.nn.functional").stdout
    assert "torch.nn.functional.relu" in named
    unknown = run(tmp_path, "libraries", "torhc")
    assert unknown.returncode == 2
    assert "torch" in unknown.stderr


def test_a_model_file_that_is_missing_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "mlvet.toml").write_text('[models]\nacme = "vet/acme.py"\n', encoding="utf-8")
    (tmp_path / "train.py").write_text("import acme\n", encoding="utf-8")
    done = run(tmp_path, "check", "train.py")
    assert done.returncode == 2
    assert "acme" in done.stderr


def test_confirm_runs_the_library_and_quotes_it(tmp_path: Path) -> None:
    text = "import numpy as np\nnp.zeros((3, 4)) @ np.zeros((5, 6))\n"
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    done = run(tmp_path, "check", "--select", "SHP", "--confirm", "train.py")
    assert done.returncode == 1
    assert "was run on `float64[3, 4] @ float64[5, 6]`: ValueError: matmul:" in done.stdout
    plain = run(tmp_path, "check", "--select", "SHP", "train.py")
    assert "was run on" not in plain.stdout


TRAINING = """\
import torch
model = torch.nn.Linear(100_000, 10_000)
optimizer = torch.optim.Adam(model.parameters())
loss = model(torch.zeros(8, 100_000)).mean()
loss.backward()
optimizer.step()
"""


def test_memory_says_what_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING, encoding="utf-8")
    done = run(tmp_path, "check", "--select", "memory-exceeds-device", "--memory", "12G", "train.py")
    assert done.returncode == 1
    assert "training needs about 14.9 GiB at its peak, the device has 12 GiB" in done.stdout
    assert "assuming Adam keeps 2 numbers per parameter" in done.stdout
    enough = run(tmp_path, "check", "--select", "memory-exceeds-device", "--memory", "16G", "train.py")
    assert enough.returncode == 0
    unasked = run(tmp_path, "check", "--select", "memory-exceeds-device", "train.py")
    assert unasked.returncode == 0


def test_a_memory_that_is_no_size_is_bad_usage(tmp_path: Path) -> None:
    done = run(tmp_path, "check", "--memory", "much")
    assert done.returncode == 2
    assert "`much` must be a size such as 16G or 512M" in done.stderr
