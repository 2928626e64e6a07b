"""`rule`, `clean`, `--version`, help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import complaints, run

from mlvet import __version__
from mlvet.analyses.catalogue import catalogue
from mlvet.core.rule import CONFIGURATION, HEADINGS


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str, tmp_path: Path) -> None:
    done = run(option, cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (f"mlvet {__version__}\n", "", 0)


@pytest.mark.parametrize("arguments", [["--help"], ["check", "-h"], ["baseline", "--help"], ["rule", "--help"]])
def test_help(arguments: list[str], tmp_path: Path) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.stdout.startswith("usage: mlvet")
    assert (done.stderr, done.returncode) == ("", 0)


def test_no_arguments(tmp_path: Path) -> None:
    done = run(cwd=tmp_path)
    assert complaints(done) == [
        "mlvet: the following arguments are required: COMMAND (`mlvet --help` shows the options)"
    ]
    assert done.returncode == 2


def test_the_list_of_rules(tmp_path: Path) -> None:
    lines = run("rule", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in catalogue().values()]


@pytest.mark.parametrize("name", ["undefined-variable", "PY101", "Undefined-Variable"])
def test_the_page_of_a_rule(name: str, tmp_path: Path) -> None:
    text = run("rule", name, cwd=tmp_path).stdout
    assert text.startswith("undefined-variable (PY101, error)\n====")
    assert all(f"## {heading}\n" in text for heading in HEADINGS if heading != CONFIGURATION)


def test_rules_as_json(tmp_path: Path) -> None:
    entries = json.loads(run("rule", "--output-format", "json", cwd=tmp_path).stdout)
    assert [entry["name"] for entry in entries] == list(catalogue())
    (entry,) = json.loads(run("rule", "PY101", "--output-format", "json", cwd=tmp_path).stdout)
    assert list(entry["sections"]) == [heading for heading in HEADINGS if heading != CONFIGURATION]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("undefined-varable", "mlvet: unknown rule `undefined-varable`; did you mean `undefined-variable`?"),
        ("", "mlvet: unknown rule ``"),
        ("PY1", "mlvet: `PY1` means"),
    ],
)
def test_a_name_that_is_no_rule(name: str, complaint: str, tmp_path: Path) -> None:
    done = run("rule", name, cwd=tmp_path)
    (line,) = complaints(done)
    assert line.startswith(complaint)
    assert (done.returncode, done.stdout) == (2, "")


def test_clean_deletes_the_cache_and_nothing_else(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "deep").mkdir(parents=True)
    (cache / "deep" / "entry").write_bytes(bytes(1 << 20))
    (tmp_path / "mine").touch()
    done = run("clean", cwd=tmp_path, env={"MLVET_CACHE_DIR": str(cache)})
    assert (done.stdout, done.returncode) == ("Freed 1.0 MB.\n", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert run("clean", cwd=tmp_path, env={"MLVET_CACHE_DIR": str(cache)}).stdout == "Freed 0.0 MB.\n"


def test_clean_does_not_delete_the_working_folder(tmp_path: Path) -> None:
    done = run("clean", cwd=tmp_path, env={"MLVET_CACHE_DIR": str(tmp_path)})
    assert done.returncode == 2
    assert tmp_path.exists()
