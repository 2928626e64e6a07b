"""However a program ends, its log is whole up to there, and says how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from traced_runs import PATIENCE, again, environment, log_of, plain, program, traced

WORK = """
import sys
def work(n):
    total = 0.0
    for i in range(n):
        for j in range(10):
            if i * j > 50:
                total += i / (j + 1)
    return total
print(work(200))
"""


@pytest.mark.parametrize(
    ("end", "how", "status", "ending"),
    [
        ("", "end", 0, "exit status 0"),
        ("sys.exit(5)", "exit", 5, "exit status 5"),
        ("sys.exit('words')", "exit", 1, "exit status 1"),
        ("import os; sys.stdout.flush(); os._exit(4)", "os._exit", 4, "exit status 4"),
        ("raise KeyError('k')", "exception", 1, "ended by KeyError: 'k'"),
        ("1 / 0", "exception", 1, "ended by ZeroDivisionError: division by zero"),
    ],
)
def test_the_footer_says_how(end: str, how: str, status: int, ending: str, tmp_path: Path) -> None:
    program(tmp_path, WORK + end + "\n")
    done = traced(tmp_path, "program.py")
    log = log_of(tmp_path)
    assert done.returncode == status
    assert log.footer is not None
    assert (log.footer.how, log.footer.status, log.ending, log.cut) == (how, status, ending, None)
    assert log.footer.folds == 200
    assert log.footer.stdout_bytes == len(done.stdout)
    if how != "os._exit":
        assert again(tmp_path / "program.py.mlvet-trace").faithful


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_as_ever_and_leaves_what_was_written(number: signal.Signals, tmp_path: Path) -> None:
    program(tmp_path, WORK + f"import os\nos.urandom(3)\nos.kill(os.getpid(), {int(number)})\nprint('after')\n")
    expected, found = plain(tmp_path, "program.py"), traced(tmp_path, "program.py")
    assert (found.returncode, found.stdout, found.stderr) == (expected.returncode, expected.stdout, expected.stderr)
    assert found.returncode == -number
    log = log_of(tmp_path)
    assert len(log.of_kind("urandom")) == 1
    folds = [each.fold for each in log.checkpoints]
    assert folds[0] == 1
    assert len(folds) > 3
    assert folds == sorted(set(folds))
    assert (log.footer is None) == (number != signal.SIGINT)
    if log.footer is None:
        assert log.ending == "killed, or still running"


def test_threads_and_forks_are_noted(tmp_path: Path) -> None:
    text = "import os, threading\nt = threading.Thread(target=print, args=('t',))\nt.start()\nt.join()\n"
    program(tmp_path, text + "if os.fork() == 0:\n    os.urandom(2)\n    raise SystemExit\nos.wait()\n")
    assert traced(tmp_path, "program.py").stdout == plain(tmp_path, "program.py").stdout
    log = log_of(tmp_path)
    assert [each.data["line"] for each in log.of_kind("thread")] == [3]
    assert [each.data["line"] for each in log.of_kind("fork")] == [5]
    assert log.of_kind("urandom") == ()
    assert log.footer is not None


def test_a_program_that_closes_all_descriptors(tmp_path: Path) -> None:
    program(tmp_path, "import os\nos.closerange(3, 4096)\nf = open('mine', 'w')\nprint(f.fileno())\nos.urandom(1)\n")
    expected, found = plain(tmp_path, "program.py"), traced(tmp_path, "program.py")
    assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)
    assert b"the log is incomplete: the program closed its descriptor" in found.stderr


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A limit on the size of files stands for it: the program runs to its end, and the loss is told."""
    text = "import os\nfor i in range(200):\n    os.urandom(100)\nprint('done')\n"
    program(tmp_path, text)
    limited = (
        "import resource, signal, os, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'mlvet', 'trace', 'program.py'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited], cwd=tmp_path, capture_output=True, timeout=PATIENCE,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert done.stderr == b"mlvet: program.py.mlvet-trace: the log is incomplete: File too large\n"
    log = log_of(tmp_path)
    assert 0 < len(log.of_kind("urandom")) < 200
    assert log.cut is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    folder = tmp_path / "fixed"
    program(folder, "print(1)\n")
    folder.chmod(0o555)
    assert traced(tmp_path, "fixed/program.py").stdout == b"1\n"
    assert (tmp_path / "program.py.mlvet-trace").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing.py"], "nothing.py: no such file"),
        (["--output", "missing/log", "program.py"], "No such file or directory; `--output FILE` names another log"),
        (["--output", "program.py", "program.py"], "exists and is no log of mlvet; `--output FILE` names another log"),
        (["folder"], "folder: a folder without __main__.py"),
        (["--log", "half", "program.py"], "invalid choice: 'half'"),
        (["--delta", "-1", "program.py"], "--delta and --max-derivative are not negative"),
        ([], "the following arguments are required: SCRIPT, ARGS"),
    ],
)
def test_bad_usage_is_one_line_and_runs_nothing(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    program(tmp_path, "print('ran')\n")
    (tmp_path / "folder").mkdir()
    done = traced(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("mlvet: ")
    assert complaint in line
    assert (tmp_path / "program.py").read_text() == "print('ran')\n"
