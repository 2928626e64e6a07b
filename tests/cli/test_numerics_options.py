"""`--range`, `--data` and the settings of the numerics engine: what is taken, and what is told in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import complaints, run
from onnx import TensorProto, helper, save


def onnx_model(path: Path, name: str = "x", kind: int = TensorProto.FLOAT) -> Path:
    graph = helper.make_graph(
        [helper.make_node("Add", [name, name], ["y"], name="twice")],
        "net",
        [helper.make_tensor_value_info(name, kind, ["batch", 4])],
        [helper.make_tensor_value_info("y", kind, None)],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with a model that takes `scores`, and one that takes integers `ids`."""
    (tmp_path / "mlvet.toml").touch()
    onnx_model(tmp_path / "model.onnx", "scores")
    onnx_model(tmp_path / "integers.onnx", "ids", TensorProto.INT64)
    np.savez(tmp_path / "samples.npz", scores=np.zeros((3, 4)), unrelated=np.zeros(2))
    np.savez(tmp_path / "nan.npz", scores=np.asarray([np.nan]))
    np.savez(tmp_path / "other.npz", labels=np.zeros(3))
    np.savez(tmp_path / "fractions.npz", ids=np.asarray([0.5]))
    (tmp_path / "program.py").write_text("print(1)\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--range", "scores=0:1"],
        ["--range", "scores=-1e3:inf", "--range", "ids=0:99"],
        ["--range", "scores=5:5"],
        ["--data", "samples.npz"],
        ["--tensor-abstraction", "smashing", "--numeric-abstraction", "intervals", "--witness-seconds", "0"],
    ],
)
def test_what_is_right_is_taken(models: Path, arguments: list[str]) -> None:
    done = run("check", "model.onnx", "integers.onnx", *arguments, cwd=models)
    assert done.returncode in (0, 1)
    assert not done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--range", "scores"], "argument --range: `scores` is not of the form NAME=LO:HI"),
        (["--range", "scores=1"], "argument --range: `scores=1` is not of the form NAME=LO:HI"),
        (["--range", "=0:1"], "argument --range: `=0:1` is not of the form NAME=LO:HI"),
        (["--range", "scores=1:0"], "argument --range: `scores=1:0` is empty: 1 is greater than 0"),
        (["--range", "scores=inf:inf"], "argument --range: `scores=inf:inf` is empty: it has no finite number"),
        (["--range", "scores=nan:0"], "argument --range: `scores=nan:0`: `nan` is not a number"),
        (["--range", "scores=0:one"], "argument --range: `scores=0:one`: `one` is not a number"),
        (["--range", "scores=:"], "argument --range: `scores=:`: `` is not a number"),
        (["--range", "scores=0:1", "--range", "scores=0:2"], "--range gives `scores` twice, with different numbers"),
        (
            ["--range", "score=0:1"],
            "no input or parameter of a checked model has the name `score`, for which a range is given; "
            "did you mean `scores`? (inputs: `scores`)",
        ),
        (["--data", "absent.npz"], "absent.npz: no such data file"),
        (["--data", "program.py"], "program.py: not an .npz file of arrays"),
        (["--data", "nan.npz"], "nan.npz: the array `scores` has NaN, which has no range"),
        (["--data", "other.npz"], "other.npz: no array has the name of an input or parameter (inputs: `scores`)"),
        (["--tensor-abstraction", "none"], "argument --tensor-abstraction: invalid choice: 'none'"),
        (["--numeric-abstraction", "none"], "argument --numeric-abstraction: invalid choice: 'none'"),
        (["--witness-seconds", "-1"], "argument --witness-seconds: `-1` is not a number of seconds"),
        (["--witness-seconds", "nan"], "argument --witness-seconds: `nan` is not a number of seconds"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(models: Path, arguments: list[str], complaint: str) -> None:
    done = run("check", "model.onnx", *arguments, cwd=models)
    (line,) = complaints(done)
    assert line.removeprefix("mlvet: ").startswith(complaint)
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--range", "ids=0.2:0.8"], "the range 0.2:0.8 of `ids` holds no i64"),
        (["--data", "fractions.npz"], "the array `ids` of fractions.npz has fractions, but the value is i64"),
    ],
)
def test_what_cannot_be_true_of_a_model_names_the_model(models: Path, arguments: list[str], complaint: str) -> None:
    done = run("check", "model.onnx", "integers.onnx", *arguments, cwd=models)
    (line,) = complaints(done)
    assert line.startswith(f"mlvet: integers.onnx: {complaint}")
    assert done.returncode == 2


def test_a_range_beyond_the_element_type_is_cut_with_a_note(models: Path) -> None:
    done = run("check", "model.onnx", "--range", "scores=0:1e60", cwd=models)
    assert "note: model.onnx: the range 0:1e+60 of `scores` is cut to the finite f32" in done.stdout


@pytest.mark.parametrize("arguments", [["--range", "x=0:1"], ["--data", "samples.npz"]])
def test_ranges_need_a_model(models: Path, arguments: list[str]) -> None:
    done = run("check", "program.py", *arguments, cwd=models)
    assert complaints(done) == [f"mlvet: {arguments[0]} is for models, and there is none among the paths"]
    assert done.returncode == 2


def test_ranges_of_the_configuration_need_not_be_of_this_model(models: Path) -> None:
    (models / "mlvet.toml").write_text("[ranges]\nscores = [0, 1]\nelsewhere = [0, 1]\n")
    for path in ("model.onnx", "integers.onnx", "program.py"):
        assert run("check", path, cwd=models).returncode in (0, 1)


def test_the_command_line_wins_over_the_configuration(models: Path) -> None:
    (models / "mlvet.toml").write_text("[ranges]\nscores = [0, 1e50]\n")
    note = "is cut to the finite f32"
    assert note in run("check", "model.onnx", cwd=models).stdout
    assert note not in run("check", "model.onnx", "--range", "scores=0:1", cwd=models).stdout


def test_a_model_that_cannot_be_read_is_told_before_a_name(models: Path) -> None:
    (models / "model.onnx").write_bytes(b"broken")
    done = run("check", "model.onnx", "--range", "scores=0:1", cwd=models)
    (line,) = complaints(done)
    assert line.startswith("mlvet: model.onnx: ")


def test_hidden_findings_are_counted_by_certainty(tmp_path: Path) -> None:
    (tmp_path / "mlvet.toml").touch()
    (tmp_path / "program.py").write_text("import sys\nif len(sys.argv) > 1:\n    name = 1\nprint(name)\n")
    done = run("check", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["summary"]["hidden"]["by_certainty"] == {"possible": 1}
    shown = run("check", cwd=tmp_path).stdout
    assert "1 more is less certain (1 possible): show it with --min-certainty possible" in shown
