"""Programs that are hard or impossible to follow end soon, with an honest answer and without running anything."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from command import document, run
from python_badly import CIRCLE, EXAMPLES

SECONDS = 20
"""Processor time that one process may take; what takes more is killed."""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("kind", EXAMPLES)
@pytest.mark.parametrize("command", ["check", "shapes"])
def test_a_program_that_is_hard_to_follow(command: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(EXAMPLES[kind](), encoding="utf-8")
    before = sorted(os.listdir(tmp_path))
    done = run(command, "program.py", "--output-format", "json", cwd=tmp_path, preexec_fn=limited)
    assert done.returncode in (0, 1, 2)
    assert done.returncode == 2 or document(done)
    assert done.returncode != 2 or done.stderr.startswith("mlvet: ")
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("command", ["check", "shapes"])
def test_modules_that_import_each_other(command: str, tmp_path: Path) -> None:
    for name, text in CIRCLE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in CIRCLE:
        done = run(command, name, "--output-format", "json", cwd=tmp_path, preexec_fn=limited)
        assert done.returncode in (0, 1)
        assert document(done)
