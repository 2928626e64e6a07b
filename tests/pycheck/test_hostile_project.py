"""Nothing of an analysed project is executed, and none of its settings changes what is found."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile
import pytest

import mlvet
from mlvet.analyses.pycheck.checker import CheckerFailed, Request, run_checker
from mlvet.analyses.pycheck.checkers import NAMES, checker
from mlvet.analyses.pycheck.environment import find_environment

# An entry point takes the project, the files to look at and a private folder, and returns the lines of `main.py`
# for which it reports an undefined name.
EntryPoint = Callable[[Path, list[Path], Path], set[int]]
SOURCE = str(Path(mlvet.__file__).parents[1])


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


def through_command(*arguments: str, with_files: bool = False) -> EntryPoint:
    """The whole tool, started in the project as the installed `mlvet` is: without the working folder on its path."""

    def run(project: Path, files: list[Path], private: Path) -> set[int]:
        paths = map(str, files) if with_files else ["."]
        answer = subprocess.run(
            [sys.executable, "-P", "-m", "mlvet", "check", "--output-format", "json", *arguments, *paths],
            cwd=project,
            env={**os.environ, "PYTHONPATH": SOURCE, "MLVET_CACHE_DIR": str(private)},
            capture_output=True,
            text=True,
            timeout=240,
        )
        document = json.loads(answer.stdout)
        assert (answer.returncode, answer.stderr, document["summary"]["notes"]) == (1, "", [])
        return {
            each["location"]["line"]
            for each in document["findings"]
            if (each["rule"], each["location"]["path"]) == ("undefined-variable", "main.py")
        }

    return run


def _written(name: str) -> bool:
    try:
        return checker(name).executable() is not None
    except ModuleNotFoundError:
        return False


ADAPTERS = [name for name in NAMES if _written(name)]
ENTRY_POINTS: dict[str, EntryPoint] = {
    **{name: through_adapter(name) for name in ADAPTERS},
    "mlvet check": through_command(),
    "mlvet check with every checker": through_command("--checkers", ",".join(ADAPTERS), with_files=True),
}


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
    program = "import sys; sys.path.insert(0, ''); import json, package.inner"
    subprocess.run([sys.executable, "-P", "-c", program], cwd=project, check=True)
    assert {"json.py", "package", "package.inner"} <= set(hostile.executed(markers))
    subprocess.run([str(project / ".venv/bin/python")], check=True)
    assert "started .venv bin python" in hostile.executed(markers)


@pytest.mark.parametrize("name", [name for name in ADAPTERS if checker(name).python_module])
def test_a_checker_that_could_import_from_the_project_would_be_caught(name: str, tmp_path: Path) -> None:
    project, markers = tmp_path / "project", tmp_path / "markers"
    files = hostile.build(project, markers)
    unsealed = replace(checker(name), environment={"PYTHONPATH": str(project)})
    request = Request(tuple(files), find_environment(None, project), (project,), tmp_path, tmp_path)
    with contextlib.suppress(CheckerFailed):
        run_checker(unsealed, request)
    assert "sitecustomize.py" in hostile.executed(markers)


def test_starting_mlvet_as_a_module_imports_nothing_of_the_working_folder(tmp_path: Path) -> None:
    """Python itself imports `types` and `warnings` from there before mlvet begins; the rest is mlvet's affair."""
    markers = tmp_path / "markers"
    markers.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    for name in (
        "argparse",
        "ast",
        "dataclasses",
        "difflib",
        "json",
        "pathlib",
        "pathspec",
        "tempfile",
        "tokenize",
        "tomllib",
    ):
        (project / f"{name}.py").write_text(hostile.payload(name, markers))
    (project / "main.py").write_text("print(undefined_name)\n")
    answer = subprocess.run(
        [sys.executable, "-m", "mlvet", "check", "main.py"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": SOURCE, "MLVET_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (answer.returncode, answer.stderr) == (1, "")
    assert hostile.executed(markers) == []
