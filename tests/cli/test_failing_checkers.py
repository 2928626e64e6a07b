"""A checker that is absent, crashes or hangs is a note, not a failure; and what lasts can be interrupted.

The failing checkers are programs of that name on PATH, and mlvet runs on a Python that has no checker beside it.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import PATIENCE, command, complaints, document, environment, eventually, run

StandIns = Callable[..., dict[str, str | None]]

HANGS = "echo $$ >> {note}; exec sleep 1000"
UNUSED = "x = 1  # mlvet: ignore[undefined-variable]\n"


@pytest.mark.parametrize(
    ("scripts", "note"),
    [
        ({}, "ruff did not take part: not installed"),
        ({"ruff": "exit 42"}, "ruff did not take part: exit code 42"),
        (
            {"ruff": "echo first >&2; echo the last word >&2; exit 2"},
            "ruff did not take part: exit code 2: the last word",
        ),
        ({"ruff": "kill -SEGV $$"}, "ruff did not take part: signal 11"),
        ({"ruff": "echo nonsense"}, "ruff did not take part: answered in a form that mlvet does not know"),
        ({"ruff": "exec sleep 1000"}, "ruff did not take part: no answer within 0.5 s"),
    ],
)
def test_a_checker_that_fails_is_a_note(
    scripts: dict[str, str], note: str, project: Path, bare_python: Path, stand_ins: StandIns
) -> None:
    arguments = ["check", "--checkers", "ruff", "--timeout", "0.5"]
    done = run(*arguments, cwd=project, env=stand_ins(**scripts), python=bare_python)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\nnote: {note}" in done.stdout


def test_a_checker_that_fails_does_not_stop_the_others(project: Path, bare_python: Path, stand_ins: StandIns) -> None:
    (project / "bug.py").write_text(UNUSED)
    variables = stand_ins(ruff="echo '[]'", pyrefly="exit 9")
    done = run("check", "--output-format", "json", cwd=project, env=variables, python=bare_python)
    summary = document(done)["summary"]
    assert summary["analyses"]["pycheck"]["checkers"] == ["ruff"]
    assert summary["notes"] == ["pyrefly did not take part: exit code 9"]
    assert document(done)["findings"] == [], "a suppression is not unused when a checker that could need it is silent"


def _runs(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_an_interrupt_ends_the_run_and_its_checkers(
    project: Path, bare_python: Path, stand_ins: StandIns, tmp_path: Path
) -> None:
    note = tmp_path / "started"
    process = subprocess.Popen(
        command("check", "--checkers", "ruff", python=bare_python),
        cwd=project,
        env=environment(stand_ins(ruff=HANGS.format(note=note))),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert eventually(lambda: note.exists() and note.read_text().endswith("\n"))
    os.killpg(process.pid, signal.SIGINT)
    output, complaint = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output, complaint) == (130, "", "mlvet: interrupted\n")
    assert eventually(lambda: not any(_runs(int(pid)) for pid in note.read_text().split()))


@pytest.mark.parametrize(
    ("change", "after"),
    [(lambda path: path.write_text("y = 2\n"), "y = 2\n"), (lambda path: path.unlink(), None)],
    ids=["edited", "deleted"],
)
def test_a_file_that_changes_during_the_run_is_not_overwritten(
    change: Callable[[Path], object],
    after: str | None,
    project: Path,
    bare_python: Path,
    stand_ins: StandIns,
    tmp_path: Path,
) -> None:
    file, started, go = project / "bug.py", tmp_path / "started", tmp_path / "go"
    file.write_text(UNUSED)
    waits = f"echo '[]'; : > {started}; until [ -e {go} ]; do sleep 0.05; done"
    process = subprocess.Popen(
        command("check", "--checkers", "ruff", "--fix", "bug.py", python=bare_python),
        cwd=project,
        env=environment(stand_ins(ruff=waits)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert eventually(started.exists)
    change(file)
    go.touch()
    output, complaint = process.communicate(timeout=PATIENCE)
    assert (file.read_text() if file.exists() else None) == after
    assert "Traceback" not in output + complaint
    assert "applied" not in complaint
    assert process.returncode == (1 if after else 2)


def test_the_progress_bar_is_for_terminals(
    project: Path, bare_python: Path, stand_ins: StandIns, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    variables = stand_ins(ruff=f"echo '[]'; until [ -e {go} ]; do sleep 0.05; done")
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        command("check", "--checkers", "ruff", python=bare_python),
        cwd=project,
        env=environment(variables),
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    )
    os.close(terminal)
    drawn = b""
    while b"checker runs" not in drawn:
        drawn += os.read(master, 1000)
    go.touch()
    output, _ = process.communicate(timeout=PATIENCE)
    drawn += os.read(master, 100_000)
    os.close(master)
    assert b"[------------------------] 0 of 1 checker runs, " in drawn
    assert drawn.endswith(b"\r\x1b[K"), "the line is wiped at the end"
    assert output.startswith("No problems found in 1 file ")
    assert "checker runs" not in output


def test_there_is_no_progress_bar_elsewhere(project: Path, bare_python: Path, stand_ins: StandIns) -> None:
    """The same wait, long enough for a bar, with standard error in a pipe."""
    done = run(
        "check", "--checkers", "ruff", "--timeout", "1.6", cwd=project,
        env=stand_ins(ruff="exec sleep 1000"), python=bare_python,
    )  # fmt: skip
    assert complaints(done) == []
    assert "checker runs" not in done.stdout


def test_watch_checks_again_after_a_change(project: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    with report.open("w") as output:
        process = subprocess.Popen(
            command("check", "--watch", "--output-format", "concise"),
            cwd=project,
            env=environment(),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert eventually(lambda: "Found 1 error in 1 file" in report.read_text())
    (project / "new.py").write_text("print(1 // 0)\n")
    assert eventually(lambda: "Found 2 errors in 2 files" in report.read_text())
    (project / "bug.py").write_text("x = 'fixed, and of another length'\n")
    (project / "new.py").unlink()
    assert eventually(lambda: "No problems found in 1 file" in report.read_text())
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Traceback" not in complaint
    assert set(complaint.splitlines()) == {"mlvet: watching for changes (Ctrl-C ends)"}
