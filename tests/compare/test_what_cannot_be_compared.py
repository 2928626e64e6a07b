"""What cannot be compared is told in one line, and what can be is compared all the same."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import h5py
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlvet.analyses.compare.inputs import check_labels, load_data
from mlvet.analyses.compare.subject import Port, Subject
from mlvet.core.errors import UsageError
from tests.compare.conftest import Compare
from tests.compare.test_fusion import environment

PAIR = ("--backends", "onnxruntime,onnx-reference")


def refused(compare: Compare, *arguments: str) -> str:
    code, report, errors = compare(*arguments)
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    return errors


def test_a_file_that_is_not_there(compare: Compare) -> None:
    assert "no such file" in refused(compare, "nowhere.onnx")


def test_a_file_that_is_no_model(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"\x08\x09nothing of a model")
    assert "model.onnx" in refused(compare, "model.onnx", *PAIR)


def test_a_kind_of_file_that_cannot_be_compared(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("words", encoding="utf-8")
    assert "no kind of model" in refused(compare, "model.txt")


def test_weights_without_a_model(compare: Compare, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "model.h5", "w") as file:
        file.create_group("dense").create_dataset("kernel", data=np.ones(3))
    assert "--build MODULE:FUNCTION" in refused(compare, "model.h5")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"image": np.zeros((4, 3, 9, 9), np.float32)}, "the model takes (any, 3, 10, 10)"),
        ({"image": np.zeros((4, 3, 10), np.float32)}, "the model takes (any, 3, 10, 10)"),
        ({"image": np.array(["a", "b"])}, "no number"),
        ({"image": np.zeros((0, 3, 10, 10), np.float32)}, "without elements"),
        ({"image": np.full((4, 3, 10, 10), np.nan, np.float32)}, "every example holds NaN"),
        ({"left": np.zeros(3), "right": np.zeros(3)}, "no array for the input `image`"),
    ],
)
def test_data_that_does_not_fit(compare: Compare, onnx_model: Path, arrays: dict[str, np.ndarray], words: str) -> None:
    np.savez(onnx_model.parent / "data.npz", **arrays)
    assert words in refused(compare, onnx_model.name, "--data", "data.npz", *PAIR)


def test_labels_of_another_length(compare: Compare, onnx_model: Path) -> None:
    np.savez(onnx_model.parent / "data.npz", image=np.ones((4, 3, 10, 10), np.float32))
    np.save(onnx_model.parent / "labels.npy", np.zeros(3, int))
    options = ("--data", "data.npz", "--labels", "labels.npy", *PAIR)
    assert "3 labels for 4 examples" in refused(compare, onnx_model.name, *options)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.array([0, 1, 2, 7]), "labels from 0 to 7 for 5 classes"),
        (np.array([0, -1, 2, 3]), "labels from -1 to 3 for 5 classes"),
        (np.zeros((4, 3)), "labels of the shape (4, 3) for outputs of the shape (4, 5)"),
        (np.full((4, 5), np.nan), "not finite"),
        (np.array(["a", "b", "c", "d"]), "no number"),
    ],
)
def test_labels_that_are_no_answers(labels: np.ndarray, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        check_labels(Path("labels.npy"), labels, np.zeros((4, 5)))


def test_numbers_with_fractions_for_a_model_of_tokens(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", words=np.array([[0.5, 1.0]]))
    subject = Subject(tmp_path / "model.keras", "keras", (Port("words", (None, 2), "int32"),), ("y",), ())
    with pytest.raises(UsageError, match="but the model takes int32"):
        load_data(tmp_path / "data.npz", subject)


def test_examples_with_nan_are_left_out(compare: Compare, onnx_model: Path) -> None:
    images = np.random.default_rng(0).normal(size=(6, 3, 10, 10)).astype(np.float32)
    images[2, 0, 0, 0] = np.nan
    np.savez(onnx_model.parent / "data.npz", image=images)
    code, report, _ = compare(onnx_model.name, "--data", "data.npz", *PAIR)
    assert code == 0
    assert report["summary"]["analyses"]["compare"]["examples"] == 5
    assert "1 of 6 examples hold NaN and are left out" in report["summary"]["notes"]


def test_a_backend_that_there_is_not(compare: Compare, onnx_model: Path) -> None:
    assert "did you mean `onnxruntime`" in refused(compare, onnx_model.name, "--backends", "onnxruntim")


def test_an_environment_that_is_not_given(compare: Compare, onnx_model: Path) -> None:
    assert "not given by --env" in refused(compare, onnx_model.name, "--backends", "onnxruntime@old")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file or directory"),
        ("#!/bin/sh\nexit 0\n", "cannot run a worker, which ended with code 0"),
        ("#!/bin/sh\necho words\n", "cannot run a worker, "),
        (f"#!/bin/sh\nexec {sys.executable} -S -I $@\n", "No module named 'numpy'"),
    ],
)
def test_a_dead_environment_leaves_the_other_pairs(
    compare: Compare, onnx_model: Path, content: str | None, words: str
) -> None:
    python = onnx_model.parent / "python"
    if content is not None:
        python.write_text(content)
        python.chmod(0o755)
    backends = "onnxruntime,onnx-reference,onnxruntime@old"
    code, report, errors = compare(onnx_model.name, "--env", f"old={python}", "--backends", backends)
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (2, [])
    assert errors.startswith("mlvet: model.onnx: onnxruntime@old: ")
    assert words in errors
    assert errors.count("\n") == 1
    assert set(told["backends"]) == {"onnxruntime", "onnx-reference"}
    assert [each["backend"] for each in told["unsupported"]] == ["onnxruntime@old"]
    assert len(told["pairs"]) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--output", "absent/report"), "absent/report: cannot write the report: No such file or directory"),
        (("--output", "model.onnx/report"), "model.onnx/report: cannot write the report: Not a directory"),
        (("--reproduce", "model.onnx/scripts"), "model.onnx is no folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(
    compare: Compare, onnx_model: Path, options: tuple[str, str], words: str
) -> None:
    assert words in refused(compare, onnx_model.name, *options, "--backends", "absent")


def test_a_backend_that_is_not_installed_is_no_defect(compare: Compare, onnx_model: Path) -> None:
    python = environment(onnx_model.parent, "import sys\nsys.modules['onnxruntime'] = None\n")
    backends = "onnxruntime,onnx-reference,onnxruntime@bare"
    code, report, _ = compare(onnx_model.name, "--env", f"bare={python}", "--backends", backends)
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"], len(told["pairs"])) == (0, [], 1)
    assert "onnxruntime cannot be imported" in told["unsupported"][0]["reason"]


def test_a_model_that_nobody_can_run_is_no_defect_of_a_backend(compare: Compare, tmp_path: Path) -> None:
    text = """
    <ir_version: 9, opset_import: ["": 17]>
    model (float[n, 4] x) => (float[n, 1] y) {
      fifth = Constant <value_ints = [4]> ()
      y = Gather <axis = 1> (x, fifth)
    }
    """
    onnx.save(onnx.parser.parse_model(text), str(tmp_path / "model.onnx"))
    assert "no backend can run the model" in refused(compare, "model.onnx", *PAIR)


def test_an_interpreter_that_dies_is_a_crash(compare: Compare, onnx_model: Path) -> None:
    killed = onnx_model.parent / "killed"
    killed.write_text("#!/bin/sh\nread line\nkill -9 $$\n", encoding="utf-8")
    killed.chmod(0o755)
    backends = "onnxruntime,onnx-reference,onnxruntime@old"
    code, report, _ = compare(onnx_model.name, "--env", f"old={killed}", "--backends", backends)
    (finding,) = report["findings"]
    assert code == 1
    assert (finding["rule"], finding["evidence"]["blamed"]) == ("backend-crash", "onnxruntime@old")
    assert "SIGKILL" in finding["message"]
    assert len(report["summary"]["analyses"]["compare"]["pairs"]) == 1


def test_a_backend_that_hangs_is_told(compare: Compare, onnx_model: Path) -> None:
    hung = onnx_model.parent / "hung"
    hung.write_text("#!/bin/sh\nexec tail -f /dev/null\n", encoding="utf-8")
    hung.chmod(0o755)
    backends = "onnxruntime,onnxruntime@old"
    code, report, _ = compare(onnx_model.name, "--env", f"old={hung}", "--backends", backends, "--timeout", "20")
    (finding,) = report["findings"]
    assert code == 1
    assert "does not answer" in finding["message"]
    assert finding["evidence"]["failure"] == "hang"


def test_examples_that_no_backend_takes_blame_nobody(compare: Compare, tmp_path: Path) -> None:
    rows = numpy_helper.from_array(np.array([-1, 7], np.int64), "rows")
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "rows"], ["y"], name="rows_of")], "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["k", 7])], [rows],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), tmp_path / "m.onnx")
    code, report, said = compare("m.onnx", "--backends", "onnxruntime,onnx-reference")
    assert (code, report) == (2, {})
    assert "no backend can run the model" in said
    assert "--data" in said
