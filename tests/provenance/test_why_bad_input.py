"""Bad input of `why`: one clear line and exit code 2, or an answer that says what it does not know."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
def f(x, table):
    total = 0.0
    for key in table:
        total += table[key] * x
    return total

x = 2.0
table = {"alpha": 1.0, "beta": 3.0}
words = ["no", "numbers"]
out = f(x, table)
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mlvet", *arguments], cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a traced program: `program.py` and `log`."""
    made = tmp_path_factory.mktemp("traced")
    (made / "program.py").write_text(PROGRAM, encoding="utf-8")
    assert run("trace", "--quiet", "--output", "log", "program.py", cwd=made).returncode == 0
    return made


def traced(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(program, encoding="utf-8")
    return run("trace", "--quiet", "--output", "log", "program.py", cwd=folder)


def answer(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run("why", "log", *arguments, "--output-format", "json", "--exit-zero", cwd=folder)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("log", "--of", "oot", "--inputs", "x@f"), "did you mean out?"),
        (("log", "--of", 'table["alfa"]', "--inputs", "x@f"), 'the nearest are "alpha"'),
        (("log", "--of", "out[", "--inputs", "x@f"), "not an expression"),
        (("log", "--of", "words", "--inputs", "x@f"), "holds no numbers"),
        (("log", "--of", "out", "--inputs", "x"), "expected NAME@FUNCTION:LINE"),
        (("log", "--of", "out", "--inputs", "x@g"), "no function `g`"),
        (("log", "--of", "out / 0", "--inputs", "x@f"), "--of out / 0: ZeroDivisionError"),
        (("log", "--of", "out", "--inputs", "tabel@f"), "does not assign `tabel` there; did you mean table"),
        (("log", "--of", "out", "--inputs", "x@f:9"), "it is a parameter: x@f"),
        (("log", "--of", "out", "--inputs", "total@f:7"), "it is assigned in line 3"),
        (("log", "--of", "out", "--inputs", "words@<module>"), "hold no numbers"),
        (("log", "--of", "out", "--inputs", "x@program:7"), "a variable of it is x@program.<module>:7"),
        (("log", "--of", "out"), "name them with --inputs NAME@FUNCTION:LINE, such as x@f, table@f"),
        (("missing", "--of", "out"), "no such file"),
        (("program.py", "--of", "out"), "not a log"),
        (("log", "--of", "out", "--inputs", "x@f", "--output-format", "yaml"), "unknown output format"),
        (("log", "--of", "out", "--inputs", "x@f", "--against", "nowhere"), "no such file"),
        (("log", "--of", "out", "--inputs", "x@f", "--output", "nowhere/file"), "cannot write the report"),
    ],
)
def test_a_wrong_question_gets_one_clear_line(arguments: tuple[str, ...], said: str, folder: Path) -> None:
    done = run("why", *arguments, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_a_changed_source_is_told(tmp_path: Path) -> None:
    traced(PROGRAM, tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM.replace("2.0", "5.0"), encoding="utf-8")
    done = run("why", "log", "--of", "out", "--inputs", "x@f", cwd=tmp_path)
    assert done.returncode == 2
    assert "changed since the trace" in done.stderr


def test_a_changed_file_is_told_unless_the_log_has_it(tmp_path: Path) -> None:
    program = "numbers = [float(line) for line in open('data.txt')]\nout = numbers[0] * numbers[1]\n"
    for mode, code in (("default", 2), ("full", 0)):
        (tmp_path / "data.txt").write_text("2.5\n4.0\n", encoding="utf-8")
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        run("trace", "--quiet", "--log", mode, "--output", "log", "program.py", cwd=tmp_path)
        (tmp_path / "data.txt").write_text("7.5\n4.0\n", encoding="utf-8")
        done = run("why", "log", "--of", "out", "--inputs", "numbers@<module>", cwd=tmp_path)
        assert done.returncode == code, (mode, done.stdout, done.stderr)
        assert ("data.txt" in done.stderr) if code else ("numbers[0]" in done.stdout)


def test_a_program_that_raises_is_explained_up_to_there(tmp_path: Path) -> None:
    assert traced("x = 3.0\nout = x * x\nraise ValueError('no')\n", tmp_path).returncode == 1
    found = answer(tmp_path, "--of", "out", "--inputs", "x@<module>:1")
    assert found["influences"][0]["derivative"] == 6.0
    assert any("ValueError: no" in note for note in found["notes"])


def test_a_program_that_exits_is_explained(tmp_path: Path) -> None:
    assert traced("import sys\nx = 3.0\nout = x * x\nsys.exit(4)\n", tmp_path).returncode == 4
    assert answer(tmp_path, "--of", "out", "--inputs", "x@<module>:2")["influences"][0]["derivative"] == 6.0


KILLED = """
import os, signal, sys

def train(rate):
    weight = 1.0
    for step in range(10**9):
        weight = weight - rate * weight
        if step == 200_000 and len(sys.argv) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
    return weight

train(1e-6)
"""


def test_a_killed_program_is_replayed_up_to_its_last_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(KILLED, encoding="utf-8")
    done = run("trace", "--quiet", "--output", "log", "program.py", "die", cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    found = answer(tmp_path, "--of", "weight@train:7", "--inputs", "rate@train")
    assert found["influences"][0]["input"] == "rate"
    assert found["influences"][0]["derivative"] < 0
    assert any("did not end" in note for note in found["notes"])


def test_a_log_cut_in_the_middle_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    traced(PROGRAM, tmp_path)
    whole = (tmp_path / "log").read_bytes()
    (tmp_path / "log").write_bytes(whole[: len(whole) - 20])
    found = answer(tmp_path, "--of", "out", "--inputs", "x@f")
    assert found["influences"][0]["derivative"] == 4.0
    assert any("cut" in note for note in found["notes"])
    (tmp_path / "log").write_bytes(whole[:25])
    assert run("why", "log", "--of", "out", "--inputs", "x@f", cwd=tmp_path).returncode == 2


def test_a_run_that_did_not_come_to_its_end_misses_nothing(tmp_path: Path) -> None:
    program = """
rates = {"a": 1.5, "b": 2.5}
total = 0.0
for step in range(200):
    for rate in rates.values():
        total += rate * step
"""
    traced(program, tmp_path)
    whole = bytearray((tmp_path / "log").read_bytes())
    whole[len(whole) // 2] ^= 255
    (tmp_path / "log").write_bytes(whole)
    found = answer(tmp_path, "--of", "total", "--inputs", "rates@<module>")
    assert any("cut" in note for note in found["notes"])
    assert found["findings"] == []


def test_threads_are_told_not_to_be_followed(tmp_path: Path) -> None:
    program = """
import threading

x = 3.0
seen = []
thread = threading.Thread(target=lambda: seen.append(1))
thread.start()
thread.join()
out = x * x * len(seen)
"""
    assert traced(program, tmp_path).returncode == 0
    found = answer(tmp_path, "--of", "out", "--inputs", "x@<module>:4")
    assert found["influences"][0]["derivative"] == 6.0
    assert any("threads, which are not followed" in note for note in found["notes"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_is_traced_and_told_to_end_the_replay(tmp_path: Path) -> None:
    program = """
import os

x = 3.0
before = x * x
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
out = x * 2
"""
    assert traced(program, tmp_path).returncode == 0
    assert answer(tmp_path, "--of", "before", "--inputs", "x@<module>:4")["influences"][0]["derivative"] == 6.0
    done = run("why", "log", "--of", "out", "--inputs", "x@<module>:4", cwd=tmp_path)
    assert done.returncode == 2
    assert "a forked process" in done.stderr


def test_nothing_that_the_program_writes_is_touched_by_an_answer(tmp_path: Path) -> None:
    program = "x = 2.0\nwith open('result.txt', 'a') as file:\n    print(x * 3, file=file)\nout = x * 3\n"
    traced(program, tmp_path)
    before = sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir() if each.is_file())
    assert answer(tmp_path, "--of", "out", "--inputs", "x@<module>:1")["influences"][0]["derivative"] == 3.0
    assert sorted((each.name, each.read_bytes()) for each in tmp_path.iterdir() if each.is_file()) == before


def test_random_numbers_and_clocks_are_those_of_the_traced_run(tmp_path: Path) -> None:
    program = """
import random, time

x = 2.0
draw = random.random()
when = time.time()
out = x * draw + when * 0
print(draw)
"""
    done = traced(program, tmp_path)
    found = answer(tmp_path, "--of", "out", "--inputs", "x@<module>:4")
    assert found["influences"][0]["derivative"] == float(done.stdout)


def test_inputs_that_were_named_for_the_trace_need_not_be_named_again(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = run("trace", "--inputs", "x@f", "--output", "log", "program.py", cwd=tmp_path)
    assert done.stderr.endswith("--of 'NAME'`\n")
    assert [each["input"] for each in answer(tmp_path, "--of", "out")["influences"]] == ["x"]
