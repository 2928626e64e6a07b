"""Whatever a path leads to: one clear line or a finding, the other files analysed, the right exit code."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import BUG, PATIENCE, complaints, document, environment, findings, run

THE_BUG = ("bug.py", 1, "undefined-variable")


def absent(path: Path) -> None:
    assert not os.path.isfile(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def holding(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


UNREADABLE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "missing": ("bad.py", absent, "no such file or folder"),
    "below a file": ("bug.py/bad.py", absent, "no such file or folder"),
    "too long a name": (f"{'a' * 300}.py", absent, "file name too long"),
    "dangling link": ("bad.py", dangling, "a symbolic link that leads nowhere"),
    "link to itself": ("bad.py", to_itself, "a symbolic link that leads to itself"),
    "named pipe": ("bad.py", os.mkfifo, "not a regular file"),
    "socket": ("bad.py", bound_socket, "not a regular file"),
    "device": ("/dev/null", absent, "not a regular file"),
    "other kind": ("bad.txt", holding(b"x"), "not a kind of file that mlvet reads (.h5, "),
    "binary": ("bad.py", holding(bytes(range(256))), "a binary file, not Python source (it holds NUL bytes)"),
    "not UTF-8": ("bad.py", holding(b"x = 1\ny = '\xe9'\n"), "not UTF-8 text: byte 0xe9 in line 2"),
    "unknown encoding": ("bad.py", holding(b"# coding: klingon\n"), "not readable as text: unknown encoding: klingon"),
    "no encoding of text": ("bad.py", holding(b"# coding: hex\n"), "not readable as text: "),
    "no notebook": ("bad.ipynb", holding(b"{}"), "not a Jupyter notebook"),
    "deep notebook": ("bad.ipynb", holding(b"[" * 100_000), "not a Jupyter notebook"),
    "not a name in text": ("bad\udcff.py", holding(b"x = 1\n"), "a path that is not text"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_bad_file_costs_one_line_and_not_the_others(kind: str, project: Path) -> None:
    name, make, reason = UNREADABLE[kind]
    make(project / name)
    done = run("check", "--output-format", "json", name, "bug.py", cwd=project)
    (line,) = complaints(done)
    assert line.startswith("mlvet: ")
    assert reason in line
    assert findings(done) == [THE_BUG]
    assert done.returncode == 2


def test_bad_files_in_a_folder_cost_a_line_each(project: Path) -> None:
    dangling(project / "a.py")
    to_itself(project / "b.py")
    (project / "c.py").write_bytes(b"\0")
    os.mkfifo(project / "d.py")
    (project / "folder.py").mkdir()
    (project / "loop").mkdir()
    (project / "loop" / "up").symlink_to("..")
    done = run("check", "--output-format", "json", cwd=project)
    assert [line.split(": ")[1] for line in complaints(done)] == ["a.py", "b.py", "c.py"]
    assert [problem["path"] for problem in document(done)["summary"]["problems"]] == ["a.py", "b.py", "c.py"]
    assert findings(done) == [THE_BUG]
    assert done.returncode == 2


def test_a_bad_file_outweighs_exit_zero(project: Path) -> None:
    assert run("check", "--exit-zero", "missing.py", cwd=project).returncode == 2


# Root may read everything; a process that has left these two capabilities behind may not.
WITHOUT_PRIVILEGE = """
import ctypes, os, sys
for capability in (CAP_DAC_OVERRIDE := 1, CAP_DAC_READ_SEARCH := 2):
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP := 24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "mlvet", *sys.argv[1:]])
"""


@pytest.mark.parametrize("folder_mode", [0o000, 0o444])
def test_what_may_not_be_read_costs_a_line_each(folder_mode: int, project: Path) -> None:
    locked, unreadable = project / "locked", project / "unreadable.py"
    locked.mkdir()
    for path in (unreadable, locked / "inner.py"):
        path.write_text(BUG)
    unreadable.chmod(0)
    locked.chmod(folder_mode)
    arguments = ["check", "--output-format", "json", ".", "locked/inner.py"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PRIVILEGE, *arguments],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    locked.chmod(0o700)
    assert findings(done) == [THE_BUG]
    assert done.returncode == 2
    lines = complaints(done)
    assert all(line.endswith(": permission denied") for line in lines)
    assert {"mlvet: unreadable.py: permission denied", "mlvet: locked/inner.py: permission denied"} <= set(lines)


def test_an_empty_file_and_an_empty_folder_are_clean(project: Path) -> None:
    (project / "bug.py").write_bytes(b"")
    (project / "empty").mkdir()
    done = run("check", "bug.py", "empty", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No problems found in 1 file ")


def test_a_syntax_error_is_a_finding(project: Path) -> None:
    (project / "broken.py").write_text("for epoch in range(10)\n    print(epoch)\n")
    done = run("check", "--output-format", "json", cwd=project)
    assert set(findings(done)) >= {("broken.py", 1, "syntax-error"), THE_BUG}
    assert (done.returncode, done.stderr) == (1, "")


LARGE: dict[str, Callable[[], str]] = {
    "five megabytes": lambda: "".join(f"value_{i} = {i}  # padding padding padding\n" for i in range(120_000)),
    "one line of five megabytes": lambda: f"x = [{'1,' * 2_500_000}]\n",
    "a comment of five megabytes": lambda: f"# {'x' * 5_000_000}\n",
    "50,000 functions": lambda: "".join(f"def f{i}(a):\n    return a + {i}\n" for i in range(50_000)),
    "5,000 parentheses": lambda: f"x = {'(' * 5_000}1{')' * 5_000}\n",
    "100,000 signs": lambda: f"x = {'-' * 100_000}1\n",
    "20,000 attributes": lambda: f"import os\nx = os{'.path' * 20_000}\n",
    "30,000 summands": lambda: f"x = {'+'.join(['1'] * 30_000)}\n",
    "99 levels": lambda: "".join(f"{' ' * depth}if 1:\n" for depth in range(99)) + f"{' ' * 99}pass\n",
}


@pytest.mark.parametrize("kind", LARGE)
def test_a_large_or_deep_file_does_not_hide_the_others(kind: str, project: Path) -> None:
    (project / "large.py").write_text(LARGE[kind]())
    done = run("check", "--output-format", "json", cwd=project)
    assert THE_BUG in findings(done)
    assert document(done)["summary"]["files"] == 2
    assert (done.returncode, done.stderr) == (1, "")


STRANGE_NAMES = [
    "two words.py",
    "new\nline.py",
    "tab\t.py",
    "return\r.py",
    "ünï𝄞.py",
    "-dash.py",
    "--select.py",
    "escape\x1b[31m\x07.py",
    "quote'\".py",
    "back\\slash.py",
    "glob[ab]*?.py",
    "{brace}.py",
    "$dollar.py",
    "co:lon.py",
    "com,ma.py",
    "@at.py",
    "#hash.py",
    "!bang.py",
    "%41.py",
    "line\u2028separator.py",
    "right\u202eto left.py",
    ".hidden.py",
]


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strange")
    (folder / "mlvet.toml").touch()
    for name in STRANGE_NAMES:
        (folder / name).write_text(BUG)
    return folder


def test_every_file_name_is_possible(strange: Path) -> None:
    done = run("check", "--output-format", "json", cwd=strange)
    assert sorted(path for path, _, _ in findings(done)) == sorted(STRANGE_NAMES)
    assert (done.returncode, done.stderr) == (1, "")


def test_every_file_name_can_be_given(strange: Path) -> None:
    done = run("check", "--output-format", "json", "--", *STRANGE_NAMES, cwd=strange)
    assert len(findings(done)) == len(STRANGE_NAMES)


def test_every_file_name_without_line_ends_can_come_from_standard_input(strange: Path) -> None:
    names = [name for name in STRANGE_NAMES if not set(name) & set("\r\n")]
    for env in ({}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"}):
        done = run("check", "--stdin-paths", "--output-format", "json", cwd=strange, env=env, input="\n".join(names))
        assert sorted(path for path, _, _ in findings(done)) == sorted(names)


@pytest.mark.parametrize("format", ["full", "concise", "github"])
def test_no_file_name_reaches_the_terminal_raw(format: str, strange: Path) -> None:
    done = run("check", "--output-format", format, cwd=strange)
    assert not set(done.stdout) & set("\x1b\x07\r\u2028\u202e")


def test_no_missing_name_reaches_the_terminal_raw(project: Path) -> None:
    done = run("check", "gone\x1b[31m\n.py", "bug.py", cwd=project)
    assert complaints(done) == ["mlvet: gone\\x1b[31m\\n.py: no such file or folder"]


def test_a_name_that_looks_like_an_option_is_told(project: Path) -> None:
    done = run("check", "-dash.py", cwd=project)
    assert complaints(done) == ["mlvet: unrecognized arguments: -dash.py (`mlvet --help` shows the options)"]
    assert done.returncode == 2


def test_an_empty_name_is_told(project: Path) -> None:
    assert complaints(run("check", "", cwd=project)) == ["mlvet: a path is empty; use `.` for the current folder"]


def test_a_name_that_no_system_takes_is_told(project: Path) -> None:
    done = run("check", "--stdin-paths", "--output-format", "json", cwd=project, input="a\0b.py\nbug.py\n")
    assert complaints(done) == ["mlvet: a\\x00b.py: not a path"]
    assert findings(done) == [THE_BUG]


def test_a_notebook_is_reported_by_cell(project: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "x"}, {"cell_type": "code", "source": f"%matplotlib inline\n{BUG}"}]
    (project / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    (found,) = document(run("check", "--output-format", "json", "n.ipynb", cwd=project))["findings"]
    assert (found["location"]["cell"], found["location"]["line"]) == (2, 2)
