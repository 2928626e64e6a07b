"""`mlvet check` on models that can produce NaN or infinity, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import complaints, run
from onnx import TensorProto, helper, save


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model whose log fails for scores that are far apart, and an operator that nobody knows."""
    top = tmp_path_factory.mktemp("numerics")
    graph = helper.make_graph(
        [
            helper.make_node("Softmax", ["x"], ["p"], name="probs", axis=-1),
            helper.make_node("Log", ["p"], ["l"], name="logp"),
            helper.make_node("Mystery", ["l"], ["m"], name="odd", domain="com.acme"),
        ],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("m", TensorProto.FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), top / "model.onnx")
    return top


def document(folder: Path, *options: str) -> Any:
    return json.loads(run("check", "model.onnx", "--output-format", "json", *options, cwd=folder).stdout)


def test_an_observed_hazard_fails_the_check_and_can_be_run_again(folder: Path) -> None:
    done = run("check", "model.onnx", "--range", "x=-200:200", cwd=folder)
    assert done.returncode == 1
    assert "model.onnx:logp: error[log-of-nonpositive] observed" in done.stdout
    assert "`Log` receives [0, 1], which reaches 0, so the result can be -inf" in done.stdout
    assert "help: take log_softmax(x) in place of log(softmax(x)) (re-checked" in done.stdout


def test_the_script_of_the_witness_shows_it(folder: Path) -> None:
    (finding,) = document(folder, "--range", "x=-200:200")["findings"]
    witness = finding["evidence"]["witness"]
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, witness["script"]], env={"PYTHONPATH": source}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "inf" in done.stdout


def test_a_narrow_range_is_clean(folder: Path) -> None:
    done = run("check", "model.onnx", "--range", "x=-10:10", "--min-certainty", "possible", cwd=folder)
    assert done.returncode == 0
    assert "No problems found" in done.stdout


def test_the_summary_counts_what_was_analysed(folder: Path) -> None:
    summary = document(folder, "--range", "x=-10:10")["summary"]
    assert "operators without a rule, whose results can be anything: com.acme:Mystery (1)" in summary["notes"]
    assert summary["operators"] == {"analysed": 2, "unanalysed": 1}
    assert summary["analyses"]["numerics"]["operators_analysed"] == 2


def test_what_is_only_possible_is_hidden_but_counted(folder: Path) -> None:
    done = run("check", "model.onnx", "--witness-seconds", "0", cwd=folder)
    assert done.returncode == 0
    assert "1 more is less certain (1 possible): show it with --min-certainty possible" in done.stdout
    shown = run("check", "model.onnx", "--witness-seconds", "0", "--min-certainty", "possible", cwd=folder)
    assert shown.returncode == 1
    assert "it vanishes while |x| <= " in shown.stdout


def test_rules_can_be_ignored(folder: Path) -> None:
    assert run("check", "model.onnx", "--ignore", "NUM", cwd=folder).returncode == 0


def test_an_unknown_input_is_a_mistake_of_the_user(folder: Path) -> None:
    done = run("check", "model.onnx", "--range", "z=0:1", cwd=folder)
    assert done.returncode == 2
    (complaint,) = complaints(done)
    assert "`z`" in complaint
    assert "`x`" in complaint


def test_the_message_is_the_same_with_and_without_a_witness_so_that_a_baseline_holds(folder: Path) -> None:
    observed, possible = (
        document(folder, "--min-certainty", "possible", *options)["findings"]
        for options in (["--range", "x=-200:200"], ["--witness-seconds", "0"])
    )
    assert [each["certainty"] for each in (*observed, *possible)] == ["observed", "possible"]
    for key in ("message", "fingerprint"):
        assert observed[0][key] == possible[0][key]


def test_a_finding_in_the_baseline_stays_there_with_other_ranges(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mlvet.toml").touch()
    (tmp_path / "model.onnx").write_bytes((folder / "model.onnx").read_bytes())
    assert run("baseline", "model.onnx", "--range", "x=-200:200", cwd=tmp_path).returncode == 0
    done = run("check", "model.onnx", "--range", "x=-900:900", cwd=tmp_path)
    assert done.returncode == 0
    assert "1 more is in the baseline" in done.stdout


def one_node(path: Path, operator: str, kind: int = TensorProto.FLOAT, **more: Any) -> Path:
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"], name="only", **more)] if operator else [],
        "net",
        [helper.make_tensor_value_info("x", kind, [4])],
        [helper.make_tensor_value_info("y" if operator else "x", kind, None)],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    (path.parent / "mlvet.toml").touch()
    return path


def test_what_was_analysed_is_said_once(tmp_path: Path) -> None:
    said = run("check", one_node(tmp_path / "m.onnx", "Tanh"), cwd=tmp_path).stdout
    assert "Analysed 1 operator." in said
    assert "numerics" not in said


@pytest.mark.parametrize("form", ["full", "concise"])
def test_a_model_of_unknown_operators_is_not_called_analysed(tmp_path: Path, form: str) -> None:
    model = one_node(tmp_path / "m.onnx", "Mystery", domain="com.acme")
    said = run("check", model, "--output-format", form, cwd=tmp_path).stdout
    assert "Analysed 0 operators, 1 not analysed." in said


def test_a_model_without_operators_says_so(tmp_path: Path) -> None:
    said = run("check", one_node(tmp_path / "m.onnx", ""), cwd=tmp_path).stdout
    assert "m.onnx: the model has no operators, so there was nothing to analyse" in said


def test_operators_of_text_have_a_shape_but_no_numbers(tmp_path: Path) -> None:
    model = one_node(tmp_path / "m.onnx", "Identity", TensorProto.STRING)
    assert "numerics: analysed 0 of 1 operator; not followed: Identity (1)" in run("check", model, cwd=tmp_path).stdout


def test_text_has_no_range(tmp_path: Path) -> None:
    model = one_node(tmp_path / "m.onnx", "Identity", TensorProto.STRING)
    done = run("check", model, "--range", "x=0:1", cwd=tmp_path)
    assert complaints(done) == ["mlvet: m.onnx: `x` is text, which has no range"]
    assert done.returncode == 2


def test_one_file_that_only_looks_like_a_model_is_told_in_the_singular(tmp_path: Path) -> None:
    one_node(tmp_path / "m.onnx", "Tanh")
    (tmp_path / "words.pb").write_text("no model")
    note = "1 file looks like a model by its name only and was passed over"
    assert note in run("check", ".", cwd=tmp_path).stdout
