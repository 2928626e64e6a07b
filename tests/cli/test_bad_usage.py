"""A wrong option or setting is told in one line before any work is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import complaints, run


def told(project: Path, *arguments: str) -> str:
    done = run("check", *arguments, "bug.py", cwd=project)
    (line,) = complaints(done)
    assert (done.returncode, done.stdout) == (2, "")
    return line.removeprefix("mlvet: ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--select", "undefined-varable"], "unknown rule `undefined-varable`; did you mean `undefined-variable`?"),
        (["--select", ""], "argument --select: names nothing"),
        (["--ignore", "zzz"], "unknown rule `zzz`"),
        (["--output-format", "jsn"], "unknown output format `jsn`; did you mean `json`?"),
        (["--checkers", "ruf"], "unknown checker `ruf`; did you mean `ruff`?"),
        (["--checkers", ","], "argument --checkers: names nothing"),
        (["--engine", "slurm"], "unknown engine `slurm`; choose `local`"),
        (["--jobs", "0"], "argument --jobs: `0` is not a number above zero"),
        (["--jobs", "1.5"], "argument --jobs: `1.5` is not a number above zero"),
        (["--jobs", "9" * 30], f"argument --jobs: `{'9' * 30}` is not a number above zero, at most 1000000"),
        (["--timeout", "-1"], "argument --timeout: `-1` is not a number above zero"),
        (["--timeout", "nan"], "argument --timeout: `nan` is not a number above zero"),
        (["--timeout", "1e300"], "argument --timeout: `1e300` is not a number above zero, at most 1000000"),
        (["--timeout"], "argument --timeout: `bug.py` is not a number above zero"),
        (
            ["--min-certainty", "sure"],
            "argument --min-certainty: `sure` is not one of possible, likely, observed, proved",
        ),
        (["--min-severity", ""], "argument --min-severity: `` is not one of suggestion, warning, error"),
        (["--fail-on", "never"], "argument --fail-on: `never` is not one of suggestion, warning, error"),
        (["--color", "maybe"], "argument --color: invalid choice: 'maybe'"),
        (["--config", "absent.toml"], "absent.toml: no such configuration file"),
        (["--baseline", "absent.json"], "absent.json: cannot read the baseline"),
        (["--baseline", "bug.py"], "bug.py: not a baseline file"),
        (["--python", "absent"], "absent: not a Python interpreter or environment"),
        (["--output", "absent/report"], "absent/report: cannot write the report"),
        (["--output", "."], ".: cannot write the report"),
    ],
)
def test_a_wrong_option(project: Path, arguments: list[str], complaint: str) -> None:
    assert told(project, *arguments).startswith(complaint)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("select = [", "mlvet.toml: not valid TOML: "),
        ("selct = []", "mlvet.toml: unknown key `selct`; did you mean `select`?"),
        ("jobs = 0", "mlvet.toml: `jobs` must be a whole number above zero"),
        ('ignore = ["zzz"]', "unknown rule `zzz`"),
        ('checkers = ["zzz"]', "unknown checker `zzz`"),
        ('[per-file-ignores]\n"*" = ["zzz"]', "unknown rule `zzz`"),
        ('python = "~nobody-of-that-name/x"', "~nobody-of-that-name/x: not a Python interpreter or environment"),
        ('"escape\\u001b[31m\\n" = 1', "mlvet.toml: unknown key `escape\\x1b[31m\\n`"),
    ],
)
def test_a_wrong_setting(project: Path, text: str, complaint: str) -> None:
    (project / "mlvet.toml").write_text(text)
    assert told(project).replace(f"{project}/", "").startswith(complaint)


@pytest.mark.parametrize(("text", "complaint"), [("tool = 3", "`tool` must be a table"), ("[tool", "not valid TOML")])
def test_a_wrong_pyproject(project: Path, text: str, complaint: str) -> None:
    (project / "mlvet.toml").unlink()
    (project / "pyproject.toml").write_text(text)
    assert told(project).startswith(f"{project / 'pyproject.toml'}: {complaint}")


def test_an_unknown_command(tmp_path: Path) -> None:
    done = run("chekc", cwd=tmp_path)
    (line,) = complaints(done)
    assert line.startswith("mlvet: argument COMMAND: invalid choice: 'chekc'")
    assert done.returncode == 2


def test_a_checker_named_twice_runs_once(project: Path) -> None:
    done = run("check", "--checkers", "ruff,ruff", cwd=project)
    assert "note: found by ruff (F821)\n" in done.stdout
