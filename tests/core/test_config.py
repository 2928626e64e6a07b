"""Settings: every key, every wrong value, and where they are looked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlvet.core.config import Config, find_config, load_config, matches
from mlvet.core.errors import UsageError
from mlvet.core.grade import Certainty, Severity


def load(folder: Path, text: str, name: str = "mlvet.toml") -> Config:
    (folder / name).write_text(text, encoding="utf-8")
    return load_config(folder)


EVERY_KEY = """
select = ["PY"]
ignore = ["missing-module"]
exclude = ["build", "*_pb2.py"]
min-certainty = "proved"
min-severity = "error"
fail-on = "error"
checkers = ["ruff"]
python = "env/bin/python"
baseline = "known.json"
timeout = 2
jobs = 3
tensor-abstraction = "expansion"
numeric-abstraction = "intervals"
witness-seconds = 0
[per-file-ignores]
"tests/*" = ["undefined-variable"]
[ranges]
image = [0, 255]
mask = [-inf, 1.5]
"""


def test_every_key(tmp_path: Path) -> None:
    assert load(tmp_path, EVERY_KEY) == Config(
        root=tmp_path,
        select=("PY",),
        ignore=("missing-module",),
        per_file_ignores={"tests/*": ("undefined-variable",)},
        exclude=("build", "*_pb2.py"),
        min_certainty=Certainty.PROVED,
        min_severity=Severity.ERROR,
        fail_on=Severity.ERROR,
        checkers=("ruff",),
        python=tmp_path / "env/bin/python",
        ranges={"image": (0.0, 255.0), "mask": (float("-inf"), 1.5)},
        baseline=tmp_path / "known.json",
        timeout=2.0,
        jobs=3,
        tensor_abstraction="expansion",
        numeric_abstraction="intervals",
        witness_seconds=0.0,
    )


def test_nothing_written_means_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Config(root=tmp_path)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('select = "all"', "`select` must be a list of strings, not 'all'"),
        ("select = [1]", "`select` must be a list of strings, not [1]"),
        ("ignore = {}", "`ignore` must be a list of strings"),
        ("exclude = 1", "`exclude` must be a list of strings"),
        ("checkers = true", "`checkers` must be a list of strings"),
        ("per-file-ignores = []", "`per-file-ignores` must be a table from file pattern to a list of rules"),
        ('per-file-ignores = {"*.py" = "PY"}', "`per-file-ignores` must be a list of strings"),
        ('min-certainty = "sure"', "`min-certainty` must be one of possible, likely, observed, proved, not 'sure'"),
        ("min-certainty = []", "`min-certainty` must be one of"),
        ("min-severity = 1", "`min-severity` must be one of suggestion, warning, error"),
        ('fail-on = "never"', "`fail-on` must be one of suggestion, warning, error"),
        ("python = 3", "`python` must be a path"),
        ('baseline = ""', "`baseline` must be a path"),
        ("timeout = 0", "`timeout` must be a number above zero"),
        ("timeout = nan", "`timeout` must be a number above zero"),
        ("timeout = inf", "`timeout` must be a number above zero, at most 1000000"),
        ("timeout = true", "`timeout` must be a number above zero"),
        ("jobs = 1.5", "`jobs` must be a whole number above zero"),
        ("jobs = 0", "`jobs` must be a whole number above zero"),
        ("jobs = 99999999999999999999", "`jobs` must be a whole number above zero, at most 1000000"),
        ("ranges = []", "`ranges` must be a table from input name to [low, high]"),
        ("ranges = {x = [2, 1]}", "low <= high"),
        ("ranges = {x = [nan, 1]}", "low <= high"),
        ("ranges = {x = [1]}", "low <= high"),
        ("ranges = {x = [inf, inf]}", "low <= high"),
        ('tensor-abstraction = "affine"', "must be one of partitioning, smashing, expansion"),
        ("tensor-abstraction = []", "must be one of partitioning, smashing, expansion"),
        ('numeric-abstraction = "boxes"', "must be one of affine, intervals"),
        ("witness-seconds = -1", "must be a number of seconds"),
        ("witness-seconds = true", "must be a number of seconds"),
        ('data = "samples.npz"', "unknown key `data`"),
        ('asked-ranges = ["x"]', "unknown key `asked-ranges`"),
        ('ranges = {x = ["0", "1"]}', "low <= high"),
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        ("per_file_ignores = {}", "unknown key `per_file_ignores`; did you mean `per-file-ignores`?"),
        ("root = '.'", "unknown key `root`"),
        ("zzz = 1", "unknown key `zzz`"),
        ("select = [", "not valid TOML"),
    ],
)
def test_a_wrong_value_is_quoted_with_its_key_and_file(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)) as caught:
        load(tmp_path, line + "\n")
    assert str(caught.value).startswith(f"{tmp_path / 'mlvet.toml'}: ")


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nmlvet = 3\n"])
def test_a_table_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="must be a table, not 3"):
        load(tmp_path, text, "pyproject.toml")


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "mlvet.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not valid TOML"):
        load_config(tmp_path)


def test_a_document_that_nests_too_deeply_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not valid TOML: it nests too deeply"):
        load(tmp_path, f"x = {'[' * 100_000}")


def test_pyproject_has_its_own_table(tmp_path: Path) -> None:
    assert load(tmp_path, '[tool.mlvet]\nselect = ["SHP"]\n', "pyproject.toml").select == ("SHP",)


def test_the_nearest_file_decides(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "mlvet.toml").write_text("jobs = 1\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.mlvet]\njobs = 2\n")
    (inner / "pyproject.toml").write_text("[tool.other]\njobs = 3\n")
    assert find_config(inner) == tmp_path / "a" / "pyproject.toml"
    assert load_config(inner).root == tmp_path / "a"


def test_mlvet_toml_goes_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.mlvet]\njobs = 2\n")
    assert load(tmp_path, "jobs = 1\n").jobs == 1


def test_an_explicit_file_is_not_searched_for(tmp_path: Path) -> None:
    (tmp_path / "mlvet.toml").write_text("jobs = 1\n")
    (tmp_path / "other.toml").write_text("jobs = 2\n")
    assert load_config(tmp_path, tmp_path / "other.toml").jobs == 2


def test_the_root_without_configuration_is_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    assert load_config(tmp_path / "src").root == tmp_path


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("build", "build/a.py", True),
        ("build", "src/build/a.py", True),
        ("build/", "src/build/a.py", True),
        ("build", "rebuild/a.py", False),
        ("src/build", "src/build/deep/a.py", True),
        ("src/build", "other/src/build/a.py", False),
        ("./src", "src/a.py", True),
        ("*_pb2.py", "src/deep/x_pb2.py", True),
        ("tests/*", "tests/deep/a.py", True),
        ("tests/*", "src/tests.py", False),
        ("[", "[/a.py", True),
        ("A.py", "a.py", False),
    ],
)
def test_what_a_pattern_means(pattern: str, path: str, meant: bool) -> None:
    root = Path("/project")
    assert matches(root / path, pattern, root) is meant
    assert Config(root=root, exclude=(pattern,)).excluded(root / path) is meant
    assert Config(root=root, per_file_ignores={pattern: ("PY",)}).ignored_in(root / path) == (("PY",) if meant else ())


def test_a_path_outside_the_root_is_matched_by_name() -> None:
    assert matches(Path("/elsewhere/x_pb2.py"), "*_pb2.py", Path("/project"))
    assert not matches(Path("/elsewhere/x.py"), "src", Path("/project"))
