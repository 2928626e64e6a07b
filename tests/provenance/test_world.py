"""What comes from outside is recorded, and a rerun gets the same; what it may not touch it does not touch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from traced_runs import again, log_of, program, traced

LOG = "program.py.mlvet-trace"

FROM_OUTSIDE = {
    "random": "import random\nprint(random.random(), random.gauss(0, 1), random.choice('abcdef'))",
    "random_seeded_by_the_system": "import random\nrandom.seed()\nprint(random.random(), random.Random().random())",
    "entropy": "import os\nprint(os.urandom(8))",
    "secrets": "import secrets, uuid\nprint(secrets.token_hex(4), secrets.randbelow(10**9), uuid.uuid4())",
    "system_random": "import random\nprint(random.SystemRandom().random())",
    "numpy": "import numpy\nprint(numpy.random.rand(), numpy.random.default_rng().random())",
    "numpy_state": "import numpy\nprint(numpy.random.RandomState().rand(), numpy.random.SeedSequence().entropy)",
    "clocks": "import time\nfrom time import perf_counter\nprint(time.time(), time.monotonic_ns(), perf_counter())",
    "dates": "import datetime as d\nprint(d.datetime.now(), d.date.today(), d.datetime.now(d.timezone.utc).tzinfo)",
    "process": "import os\nprint(os.getpid())",
    "sets": "print({'a', 'b', 'c', 'd'}, hash('x'))",
    "listing": "import glob, os\nprint(os.listdir('.'), glob.glob('*'), [each.name for each in os.scandir('.')])",
    "processes": "import subprocess as s\nprint(s.check_output(['date', '+%N']), s.run('true', shell=True).returncode)",
    "failing_process": (
        "import subprocess as s\ntry:\n    s.run(['false'], check=True)\nexcept s.CalledProcessError as error:\n"
        "    print(error)"
    ),
    "temporary": (
        "import tempfile\nwith tempfile.NamedTemporaryFile() as f:\n    print(f.name)\n"
        "with tempfile.TemporaryDirectory() as d:\n    print(d)"
    ),
    "other_module": "import other\nprint(other.now())",
}


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_a_rerun_gets_what_the_traced_run_got(name: str, tmp_path: Path) -> None:
    program(tmp_path, "import time\ndef now():\n    return time.time()\n", "other.py")
    program(tmp_path, FROM_OUTSIDE[name] + "\n")
    first = traced(tmp_path, "program.py")
    assert (first.returncode, first.stderr) == (0, b"")
    assert again(tmp_path / LOG).faithful
    assert traced(tmp_path, "--output", "second", "program.py").returncode == 0


def test_standard_input(tmp_path: Path) -> None:
    reads = "print(sys.stdin.readline(), sys.stdin.buffer.read(3), sys.stdin.read())\n"
    program(tmp_path, f"import sys\nprint(input('name? '))\n{reads}")
    found = traced(tmp_path, "program.py", given=b"bob\nsecond\nabcdef\xc3\xa9\n")
    assert found.stdout.decode() == "name? bob\nsecond\n b'' abcdefé\n\n"
    assert b"".join(each.raw for each in log_of(tmp_path).of_kind("stdin")) == b"bob\nsecond\nabcdef\xc3\xa9\n"
    assert again(tmp_path / LOG).faithful


def test_clocks_of_libraries_are_not_logged(tmp_path: Path) -> None:
    program(tmp_path, "import logging\nlogging.warning('x')\nimport time\ntime.sleep(0)\n")
    traced(tmp_path, "program.py")
    assert not [each for each in log_of(tmp_path).events if each.kind.startswith("clock")]


def test_the_environment_is_not_logged(tmp_path: Path) -> None:
    program(tmp_path, "import os\nprint(os.environ['TOKEN'][:0])\n")
    traced(tmp_path, "--log", "full", "program.py", TOKEN="secret-4711")
    assert b"secret-4711" not in (tmp_path / LOG).read_bytes()


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1.5\n")
    program(tmp_path, "print(float(open('data.txt').read()) * 2)\n")
    traced(tmp_path, "program.py")
    assert again(tmp_path / LOG).faithful
    (tmp_path / "data.txt").write_text("2.5\n")
    assert str(again(tmp_path / LOG).diverged) == f"{tmp_path / 'data.txt'} changed since the trace"
    (tmp_path / "data.txt").unlink()
    assert "can no longer be read" in str(again(tmp_path / LOG).diverged)


def test_a_full_log_needs_neither_files_nor_sources(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1.5\n")
    program(tmp_path, "print(float(open('data.txt').read()) * 2)\n")
    traced(tmp_path, "--log", "full", "program.py")
    (tmp_path / "data.txt").unlink()
    (tmp_path / "program.py").write_text("print('another')\n")
    assert again(tmp_path / LOG).faithful


def test_a_changed_module_is_named_also_for_a_full_log(tmp_path: Path) -> None:
    program(tmp_path, "def f(x):\n    return x * 2.0\n", "other.py")
    program(tmp_path, "import other\nprint(other.f(1.0))\n")
    traced(tmp_path, "--log", "full", "program.py")
    program(tmp_path, "def f(x):\n    return x * 3.0\n", "other.py")
    assert again(tmp_path / LOG).error == f"{tmp_path / 'other.py'} changed since the trace; trace it again"


@pytest.mark.parametrize("changed", ["program.py", "other.py"])
def test_a_changed_source_is_named(changed: str, tmp_path: Path) -> None:
    program(tmp_path, "def f(x):\n    return x * 2.0\n", "other.py")
    program(tmp_path, "import other\nprint(other.f(1.0))\n")
    traced(tmp_path, "program.py")
    assert again(tmp_path / LOG).faithful
    with open(tmp_path / changed, "a") as file:
        file.write("\n# more\n")
    assert again(tmp_path / LOG).error == f"{tmp_path / changed} changed since the trace; trace it again"


CHANGES = """
import os, pathlib, shutil
print(os.path.exists("state"), pathlib.Path("kept").read_text(), os.path.exists("new"))
with open("new", "w") as file:
    file.write("new")
with open("kept", "a") as file:
    file.write("+")
with open("old", "r+") as file:
    file.write("O")
os.rename("moved", "moved2")
os.remove("gone")
os.makedirs("folder/deep", exist_ok=True)
pathlib.Path("folder/deep/file").write_text("deep")
shutil.rmtree("tree")
shutil.copy("kept", "copied")
os.chmod("kept", 0o600)
print(open("new").read(), open("kept").read(), open("old").read(), open("moved2").read(), open("copied").read())
print([os.path.exists(name) for name in ("moved", "gone", "folder/deep/file", "tree", "state")])
print(sorted(os.listdir("folder")), os.path.getsize("kept"))
open("state", "x").close()
"""


def test_a_rerun_changes_no_file_of_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for name in ("kept", "old", "moved", "gone"):
        (folder / name).write_text(name)
    (folder / "tree").mkdir()
    (folder / "tree" / "leaf").write_text("leaf")
    program(tmp_path, CHANGES)
    found = traced(folder, "--output", "../log", "../program.py")
    assert (found.returncode, found.stderr) == (0, b"")
    before = _everything(folder)
    assert again(tmp_path / "log").faithful
    assert _everything(folder) == before


def _everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        os.fspath(each): (each.stat().st_mtime_ns, each.read_bytes() if each.is_file() else b"")
        for each in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\n", "a forked process"),
        ("import subprocess\nsubprocess.Popen(['true']).wait()\n", "a process"),
        ("import sqlite3\nsqlite3.connect('base')\n", "a database"),
        ("import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\n", "a network connection"),
        ("import os, signal\nos.kill(os.getpid(), 0)\n", "a signal"),
    ],
)
def test_a_rerun_stops_at_what_it_may_not_do(text: str, words: str, tmp_path: Path) -> None:
    program(tmp_path, text)
    assert traced(tmp_path, "program.py").returncode == 0
    line = len(text.splitlines())
    diverged = str(again(tmp_path / LOG).diverged)
    assert diverged.startswith(f"the replay cannot go past {words} ({tmp_path / 'program.py'}, line ")
    assert int(diverged.rstrip(")").rpartition(" ")[2]) <= line


def test_a_rerun_that_asks_for_more_says_what(tmp_path: Path) -> None:
    """The environment is not logged, so a program can take another path by it."""
    program(tmp_path, "import os, time\nif 'MORE' in os.environ:\n    time.time()\n")
    traced(tmp_path, "program.py")
    os.environ["MORE"] = "1"
    try:
        diverged = str(again(tmp_path / LOG).diverged)
    finally:
        del os.environ["MORE"]
    assert diverged.startswith("the replay asks for clock.time which the traced run did not")
