"""Programs that are hard or impossible to follow end soon, with an honest answer and without running anything."""

from __future__ import annotations

import os
import re
import resource
from pathlib import Path

import pytest
from command import document, run
from python_badly import CIRCLE, EXAMPLES

SECONDS = 20
"""Processor time that one process may take; what takes more is killed."""
ALL_SECONDS = 600


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_shapes_of_a_program_that_is_hard_to_follow(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(EXAMPLES[kind](), encoding="utf-8")
    done = run("shapes", "program.py", "--output-format", "json", cwd=tmp_path, preexec_fn=limited)
    assert done.returncode in (0, 2)
    assert document(done) if done.returncode == 0 else done.stderr.startswith("mlvet: ")
    assert os.listdir(tmp_path) == ["program.py"]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("badly")
    (folder / "mlvet.toml").touch()
    for kind, program in EXAMPLES.items():
        (folder / f"{re.sub('[^a-z0-9]+', '_', kind)}.py").write_text(program(), encoding="utf-8")
    return folder


def test_all_of_them_are_checked_and_none_hides_another(everything: Path) -> None:
    before = sorted(os.listdir(everything))
    bug = everything / "a_bug.py"
    bug.write_text("import torch\nprint(torch.zeros(2, 3) @ undefined_name)\n")
    options = ("--checkers", "ruff", "--output-format", "json", "--timeout", str(SECONDS))
    done = run("check", *options, cwd=everything, patience=ALL_SECONDS)
    said = document(done)
    assert ("a_bug.py", "undefined-variable") in {(each["location"]["path"], each["rule"]) for each in said["findings"]}
    assert said["summary"]["files"] == len(EXAMPLES)  # the one with null bytes is none
    assert [note for note in said["summary"]["notes"] if re.search("defect|could not|left out", note)] == []
    assert sorted(os.listdir(everything)) == sorted([*before, "a_bug.py"])


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    for name, text in CIRCLE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in CIRCLE:
        done = run("shapes", name, "--output-format", "json", cwd=tmp_path, preexec_fn=limited)
        assert done.returncode == 0
        assert document(done)
