"""`check`, `shapes` and `ops` on model files, as processes of their own."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import pytest
from command import complaints, run
from onnx import TensorProto, helper, save

GRAPH = """mlvet-graph 1 "model"
graph(%x: f32[batch, 64], %w: f32[{rows}, 10]) {{
  %y = matmul(%x, %w) @fc1
  return %y
}}
"""


def onnx_model(path: Path, rows: int = 64) -> Path:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"], name="fc1"), helper.make_node("Relu", ["h"], ["y"], name="act")],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [helper.make_tensor("w", TensorProto.FLOAT, [rows, 10], [0.0] * (rows * 10))],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


class TestCheck:
    def test_a_sound_model_is_clean(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx")
        done = run("check", "model.onnx", cwd=tmp_path)
        assert done.returncode == 0, done.stdout
        assert "Analysed 2 operators." in done.stdout

    def test_a_contradiction_is_reported_at_its_node(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx", rows=32)
        done = run("check", "model.onnx", "--output-format", "json", cwd=tmp_path)
        (finding,) = json.loads(done.stdout)["findings"]
        assert (finding["rule"], finding["certainty"], finding["severity"]) == ("matmul-inner-dims", "proved", "error")
        assert finding["location"] == {"path": "model.onnx", "node": "fc1"}
        assert "f32[batch, 64]" in finding["message"]
        assert "f32[32, 10]" in finding["message"]
        assert finding["evidence"]["left"] == "64"
        assert finding["fingerprint"]
        assert done.returncode == 1

    def test_the_summary_counts_operators(self, tmp_path: Path) -> None:
        graph = helper.make_graph(
            [helper.make_node("Magic", ["x"], ["y"], domain="com.acme")],
            "net",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
        save(helper.make_model(graph, opset_imports=opsets, ir_version=9), tmp_path / "model.onnx")
        document = json.loads(run("check", "model.onnx", "--output-format", "json", cwd=tmp_path).stdout)
        assert document["summary"]["operators"] == {"analysed": 0, "unanalysed": 1}
        assert any("com.acme:Magic (1)" in note for note in document["summary"]["notes"])

    def test_models_and_programs_of_a_folder_are_checked_together(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx", rows=32)
        (tmp_path / "train.py").write_text("print(undefined_name)\n", encoding="utf-8")
        (tmp_path / "data.h5").write_bytes(b"not a model at all")
        done = run("check", "--output-format", "json", cwd=tmp_path)
        document = json.loads(done.stdout)
        assert {finding["rule"] for finding in document["findings"]} == {"undefined-variable", "matmul-inner-dims"}
        assert document["summary"]["problems"] == []
        assert document["summary"]["files"] == 2

    def test_rules_can_be_selected_and_findings_remembered(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx", rows=32)
        assert run("check", "--ignore", "SHP1", cwd=tmp_path).returncode == 0
        run("baseline", cwd=tmp_path)
        assert run("check", cwd=tmp_path).returncode == 0

    def test_the_text_form_is_a_model_file(self, tmp_path: Path) -> None:
        (tmp_path / "model.mlvet").write_text(GRAPH.format(rows=32), encoding="utf-8")
        assert "error[matmul-inner-dims] proved" in run("check", "model.mlvet", cwd=tmp_path).stdout


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("empty.onnx", b"", "empty"),
            ("text.onnx", b"hello, world\n" * 50, "not an ONNX model"),
            ("picture.onnx", b"\x89PNG\r\n\x1a\n" + bytes(100), "not an ONNX model"),
            ("empty.keras", b"", ""),
            ("text.keras", b"hello", ""),
            ("empty.pb", b"", ""),
            ("text.pbtxt", b"node {", ""),
            ("text.pt2", b"hello", ""),
            ("text.h5", b"hello", ""),
            ("text.mlvet", b"hello", "line 1"),
        ],
    )
    def test_one_line_names_the_file_and_the_defect(
        self, name: str, content: bytes, reason: str, tmp_path: Path
    ) -> None:
        (tmp_path / name).write_bytes(content)
        for arguments in (["check", name], ["shapes", name]):
            done = run(*arguments, cwd=tmp_path)
            assert done.returncode == 2
            (line,) = complaints(done)
            assert name in line
            assert reason in line

    @pytest.mark.parametrize("name", ["model.pt", "model.pth", "weights.ckpt"])
    def test_a_pickle_is_refused_and_not_run(self, name: str, tmp_path: Path) -> None:
        (tmp_path / name).write_bytes(pickle.dumps(_Bomb(tmp_path / "executed")))
        done = run("check", name, cwd=tmp_path)
        assert done.returncode == 2
        assert "pickle" in complaints(done)[0]
        assert not (tmp_path / "executed").exists()

    def test_a_bomb_does_not_go_off(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "bomb.keras", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("metadata.json", "{}")
            with archive.open("config.json", "w", force_zip64=True) as member:
                for _ in range(600):
                    member.write(b" " * (1 << 20))
        done = run("check", "bomb.keras", cwd=tmp_path)
        assert done.returncode == 2
        assert len(complaints(done)) == 1

    def test_one_bad_model_does_not_hide_the_findings_of_another(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "wrong.onnx", rows=32)
        (tmp_path / "broken.onnx").write_bytes(b"broken")
        done = run("check", "wrong.onnx", "broken.onnx", cwd=tmp_path)
        assert done.returncode == 2
        assert "matmul-inner-dims" in done.stdout


class _Bomb:
    """Unpickling it creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.path), "w")


class TestShapes:
    def test_every_node_with_its_shapes(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx")
        done = run("shapes", "model.onnx", cwd=tmp_path)
        assert done.stdout.splitlines() == [
            "input x: f32[batch, 64]",
            "fc1  matmul(f32[batch, 64], f32[64, 10]) -> f32[batch, 10]",
            "act  relu(f32[batch, 10]) -> f32[batch, 10]",
            "output y: f32[batch, 10]",
            "2 operators, 0 without a shape rule",
        ]

    def test_as_json(self, tmp_path: Path) -> None:
        onnx_model(tmp_path / "model.onnx")
        document = json.loads(run("shapes", "model.onnx", "--output-format", "json", cwd=tmp_path).stdout)
        assert [node["outputs"][0]["type"] for node in document["nodes"]] == ["f32[batch, 10]", "f32[batch, 10]"]

    def test_a_text_is_not_a_model(self, tmp_path: Path) -> None:
        (tmp_path / "train.txt").write_text("pass\n", encoding="utf-8")
        done = run("shapes", "train.txt", cwd=tmp_path)
        assert done.returncode == 2
        assert "neither a program nor a model file" in complaints(done)[0]

    def test_a_missing_file(self, tmp_path: Path) -> None:
        assert "no such file" in complaints(run("shapes", "model.onnx", cwd=tmp_path))[0]


class TestOps:
    def test_the_table(self, tmp_path: Path) -> None:
        lines = run("ops", cwd=tmp_path).stdout.splitlines()
        assert lines[0].split()[:3] == ["operator", "family", "infer"]
        assert any(line.split()[0] == "conv" for line in lines)
        assert lines[-1].split()[1] == "operators"

    def test_as_json(self, tmp_path: Path) -> None:
        document = json.loads(run("ops", "--output-format", "json", cwd=tmp_path).stdout)
        by_name = {entry["name"]: entry for entry in document["operators"]}
        assert by_name["log"]["facets"]["danger"] is True
        assert by_name["opaque"]["facets"]["infer"] is False
        assert document["counts"]["infer"] == sum(entry["facets"]["infer"] for entry in document["operators"])
