"""Nothing of an analysed project is executed, and none of its settings changes what is found."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile
import pytest

from mlvet.analyses.pycheck.checker import CheckerFailed, Request, run_checker
from mlvet.analyses.pycheck.checkers import NAMES, checker
from mlvet.analyses.pycheck.environment import find_environment

# An entry point takes the project, the files to look at and a private folder, and returns the lines of `main.py`
# for which it reports an undefined name.
EntryPoint = Callable[[Path, list[Path], Path], set[int]]


def through_adapter(name: str) -> EntryPoint:
    def run(project: Path, files: list[Path], private: Path) -> set[int]:
        workdir, cache = private / "work", private / "cache"
        workdir.mkdir(parents=True)
        cache.mkdir()
        environment = find_environment(None, project)
        assert environment.interpreter is None, "the project's own .venv is data"
        found = run_checker(checker(name), Request(tuple(files), environment, (project,), workdir, cache))
        return {
            each.line for each in found if each.rule == "undefined-variable" and Path(each.path) == project / "main.py"
        }

    return run


def _written(name: str) -> bool:
    try:
        return checker(name).executable() is not None
    except ModuleNotFoundError:
        return False


ENTRY_POINTS: dict[str, EntryPoint] = {name: through_adapter(name) for name in NAMES if _written(name)}


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_nothing_of_the_project_is_executed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, markers = tmp_path / "project", tmp_path / "markers"
    files = hostile.build(project, markers)
    monkeypatch.chdir(project)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(project))
    monkeypatch.setenv("MYPYPATH", str(project))
    monkeypatch.setenv("PYLINTRC", str(project / ".pylintrc"))
    assert ENTRY_POINTS[name](project, files, tmp_path / "private") == {7}
    assert hostile.executed(markers) == []


def test_the_payloads_do_run_when_something_executes_them(tmp_path: Path) -> None:
    project, markers = tmp_path / "project", tmp_path / "markers"
    hostile.build(project, markers)
    subprocess.run([sys.executable, "-c", "import json, package.inner"], cwd=project, check=True)
    assert {"json.py", "package", "package.inner"} <= set(hostile.executed(markers))
    subprocess.run([str(project / ".venv/bin/python")], check=True)
    assert "started .venv bin python" in hostile.executed(markers)


@pytest.mark.parametrize("name", [name for name in ENTRY_POINTS if checker(name).python_module])
def test_a_checker_that_could_import_from_the_project_would_be_caught(name: str, tmp_path: Path) -> None:
    project, markers = tmp_path / "project", tmp_path / "markers"
    files = hostile.build(project, markers)
    unsealed = replace(checker(name), environment={"PYTHONPATH": str(project)})
    request = Request(tuple(files), find_environment(None, project), (project,), tmp_path, tmp_path)
    with contextlib.suppress(CheckerFailed):
        run_checker(unsealed, request)
    assert "sitecustomize.py" in hostile.executed(markers)
