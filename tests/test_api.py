"""The names that a program may use, and that they do what they say."""

from __future__ import annotations

import subprocess
import sys
from math import nan
from pathlib import Path

import numpy as np
import pytest

import mlvet

EXAMPLE = Path(__file__).parents[1] / "examples" / "wrong_linear.onnx"


def test_the_public_names_are_few_and_exist() -> None:
    assert len(mlvet.__all__) <= 15
    assert all(getattr(mlvet, name) is not None for name in mlvet.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'form_onnx'"):
        _ = mlvet.form_onnx


def test_a_graph_can_be_checked() -> None:
    (finding,) = mlvet.check(mlvet.from_onnx(EXAMPLE))
    assert (finding.rule, finding.location.node) == ("matmul-inner-dims", "fc1")
    assert finding.fingerprint


def test_a_path_can_be_checked() -> None:
    (finding,) = mlvet.check(EXAMPLE)
    assert finding.rule == "matmul-inner-dims"


def test_ranges_are_of_inputs_that_there_are(tmp_path: Path) -> None:
    graph = mlvet.from_onnx(EXAMPLE)
    (name, *_) = [value.name for value in graph.inputs]
    np.savez(tmp_path / "samples.npz", **{name: np.zeros(3)})
    for subject in (graph, EXAMPLE):
        assert mlvet.check(subject, ranges={name: (0, 1)})
        assert mlvet.check(subject, data=tmp_path / "samples.npz", min_certainty="possible")
        for ranges, complaint in (
            ({"zzz": (0, 1)}, "`zzz`"),
            ({name: (1, 0)}, "no number"),
            ({name: (0, nan)}, "no number"),
            ({name: 1}, "not a pair of numbers: 1"),
            ({name: ("a", 1)}, "not a pair of numbers"),
            ({name: (0, 10**400)}, "not a pair of numbers"),
        ):
            with pytest.raises(mlvet.UsageError, match=complaint):
                mlvet.check(subject, ranges=ranges)
        with pytest.raises(mlvet.UsageError, match="no such data file"):
            mlvet.check(subject, data=tmp_path / "absent.npz")
        with pytest.raises(mlvet.UsageError, match="not one of"):
            mlvet.check(subject, min_certainty="sure")


def test_ranges_decide_what_is_found() -> None:
    graph = mlvet.from_onnx(EXAMPLE.with_name("log_of_softmax.onnx"))
    (finding,) = mlvet.check(graph)
    assert (finding.rule, finding.certainty, finding.location.node) == ("log-of-nonpositive", "observed", "log")
    assert not mlvet.check(graph, ranges={"features": (-1, 1)}, min_certainty="possible")


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"broken")
    with pytest.raises(mlvet.UnsupportedInput, match=r"model\.onnx"):
        mlvet.check(tmp_path / "model.onnx")


def test_a_live_module_of_torch_can_be_checked() -> None:
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(8, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.fc(x))

    graph = mlvet.from_torch(Net(), (torch.zeros(2, 8),))
    assert mlvet.check(graph) == []
    assert "fc.weight" in str(graph)


def test_a_function_of_jax_can_be_checked() -> None:
    import jax.numpy as jnp
    import numpy as np

    graph = mlvet.from_jax(lambda x, w: jnp.tanh(x @ w), np.zeros((2, 8), np.float32), np.zeros((8, 4), np.float32))
    assert mlvet.check(graph) == []
    assert [str(value.declared) for value in graph.outputs] == ["f32[2, 4]"]


def test_importing_mlvet_loads_no_framework_and_no_numpy() -> None:
    program = "import sys, mlvet; print(sorted({'numpy', 'torch', 'jax', 'keras', 'tensorflow'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"
