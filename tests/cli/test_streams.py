"""Standard streams that are closed, full or without a reader, and poor surroundings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import BUG, complaints, document, findings, run, shell

COMMANDS = ("check bug.py", "baseline bug.py", "rule", "rule PY101", "clean", "--version", "--help", "check --help")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("target", "reason"), [("&-", " is closed"), ("/dev/full", ": No space left on device")])
def test_standard_output_that_takes_nothing(command: str, target: str, reason: str, project: Path) -> None:
    private = {"MLVET_CACHE_DIR": str(project / "cache")}
    done = shell(f"$MLVET {command} >{target}", project, private)
    assert (complaints(done), done.returncode) == ([f"mlvet: standard output{reason}"], 2)


@pytest.mark.parametrize("target", ["&-", "/dev/full"])
def test_standard_error_that_takes_nothing(target: str, project: Path) -> None:
    done = shell(f"$MLVET check --output-format json bug.py missing.py 2>{target}", project)
    assert [path for path, _, _ in findings(done)] == ["bug.py"]
    assert done.returncode == 2
    assert shell(f"$MLVET check --nonsense 2>{target}", project).returncode == 2


def test_neither_stream(project: Path) -> None:
    assert shell("$MLVET check bug.py missing.py >&- 2>&-", project).returncode == 2


def test_a_closed_standard_input_matters_only_when_it_is_read(project: Path) -> None:
    done = shell("$MLVET check --stdin-paths <&-", project)
    assert complaints(done) == ["mlvet: --stdin-paths needs standard input, which is closed"]
    assert done.returncode == 2
    assert shell("$MLVET check bug.py <&-", project).returncode == 1


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_checkers_work_whatever_is_closed(closed: str, project: Path) -> None:
    shell(f"$MLVET check bug.py --output report --output-format json {closed}", project)
    report = json.loads((project / "report").read_text())
    assert report["summary"]["notes"] == []
    assert len(report["findings"][0]["evidence"]["checkers"]) == 2


def test_a_reader_that_goes_away(project: Path) -> None:
    """The report is larger than any pipe, so mlvet surely writes to one that nobody reads."""
    (project / "bug.py").write_text(f"x = '{'y' * 2_000_000}'; {BUG}")
    (project / "many.py").write_text("".join(f"print(name_{i})\n" for i in range(300)))
    done = shell("$MLVET check --output-format html | head -c 1; echo ${PIPESTATUS[0]}", project)
    assert done.stdout.split("\n")[0] in ("<0", "<1")
    assert done.stderr == ""


def test_an_ascii_terminal(project: Path) -> None:
    (project / "bug.py").write_text("print(größe)\n", encoding="utf-8")
    poor: dict[str, str | None] = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    done = run("check", "bug.py", cwd=project, env=poor)
    assert done.stdout.isascii()
    assert "`gr\\xf6\\xdfe` is not defined" in done.stdout
    report = document(run("check", "bug.py", "--output-format", "json", cwd=project, env=poor))
    assert "`größe`" in report["findings"][0]["message"]


@pytest.mark.parametrize("home", [None, "/proc", "/nonexistent", "relative", ""])
def test_a_home_that_cannot_be_written(home: str | None, project: Path) -> None:
    done = run("check", cwd=project, env={"HOME": home, "MLVET_CACHE_DIR": None, "XDG_CACHE_HOME": None})
    assert (done.returncode, done.stderr) == (1, "")


def test_a_cache_that_cannot_be_written(project: Path) -> None:
    done = run("check", cwd=project, env={"MLVET_CACHE_DIR": "/proc/mlvet"})
    assert complaints(done) == ["mlvet: /proc/mlvet: cannot write the cache; set MLVET_CACHE_DIR to another folder"]
    assert done.returncode == 2


@pytest.mark.parametrize("path", ["", "../project/bug.py", "/dev/null"])
def test_a_working_folder_that_is_gone(path: str, project: Path) -> None:
    (project.parent / "gone").mkdir()
    done = shell(f"rmdir ../gone && $MLVET check {path}", project.parent / "gone")
    assert complaints(done) == ["mlvet: the working folder has been deleted, or cannot be entered"]
    assert done.returncode == 2


def test_a_project_that_may_only_be_read(project: Path) -> None:
    before = sorted(project.rglob("*"))
    assert run("check", cwd=project).returncode == 1
    assert sorted(project.rglob("*")) == before


def test_links_into_another_folder_are_files_of_the_project(project: Path) -> None:
    shutil.move(project / "bug.py", project.parent / "elsewhere.py")
    (project / "link.py").symlink_to(project.parent / "elsewhere.py")
    assert findings(run("check", "--output-format", "json", cwd=project)) == [("link.py", 1, "undefined-variable")]
