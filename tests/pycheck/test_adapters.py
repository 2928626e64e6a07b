"""Every adapter, against the real tool: what it finds, where, and that nothing stops it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlvet.analyses.pycheck.checker import Checker, CheckerFailed, Diagnosis, Request, run_checker
from mlvet.analyses.pycheck.checkers import NAMES, checker
from mlvet.analyses.pycheck.environment import Environment, find_environment
from mlvet.core.errors import UsageError

WRITTEN = ("ruff", "pyrefly", "mypy", "pyright", "pylint", "pyflakes", "ty", "pytype")
INSTALLED = [name for name in WRITTEN if checker(name).executable() is not None]

SEEDED = """\
import json
import os
from os import nothing_here  # 3
import no_such_module_at_all  # 4
from typing import Optional


class Model:
    def __init__(self) -> None:
        self.width = 1


def train(data, rate=1):
    return undefined_name  # 14


def sometimes(flag: bool) -> int:
    if flag:
        value = 1
    return value  # 20


def find() -> Optional[Model]:
    return Model()


def crash() -> None:
    find().width  # 28
    train()  # 29
    train(1, 2, 3)  # 30
    train(1, other=2)  # 31
    Model().depth  # 32
    os.nothing  # 33
    json.loads(3)  # 34
    "a" + 1  # 35
    Model()()  # 36
    for _ in 3:  # 37
        pass
    Model()[0]  # 39
    (1, 2)[5]  # 40
    a, b = (1, 2, 3)  # 41
    1 / 0  # 42
    "%d %d" % (1,)  # 43
    "{} {}".format(1)  # 44
    raise 3  # 45
"""

NAME, MAYBE, MODULE, ATTRIBUTE = "undefined-variable", "possibly-undefined", "missing-module", "missing-attribute"
CALL, TYPE, PROTOCOL, FORMAT = "argument-mismatch", "type-mismatch", "not-callable-or-iterable", "bad-format-string"
INDEX, UNPACK, RAISE = "index-out-of-range", "unpacking-mismatch", "invalid-raise"

CALLS = {29: CALL, 30: CALL, 31: CALL}
MEMBERS = {3: ATTRIBUTE, 32: ATTRIBUTE, 33: ATTRIBUTE}
PROTOCOLS = {36: PROTOCOL, 37: PROTOCOL, 39: PROTOCOL}
TYPES = {34: TYPE, 35: TYPE, 41: UNPACK}
FORMATS = {43: FORMAT, 44: FORMAT}
TYPED = {4: MODULE, 14: NAME, **MEMBERS, **CALLS, **PROTOCOLS}

FOUND = {
    "ruff": {14: NAME, **FORMATS},
    "pyflakes": {14: NAME, **FORMATS},
    "mypy": {**TYPED, **TYPES, **FORMATS, 20: MAYBE, 28: ATTRIBUTE, 40: INDEX, 45: RAISE},
    "pyright": {**TYPED, **TYPES, 20: MAYBE, 28: ATTRIBUTE, 40: INDEX, 45: RAISE},
    "pyrefly": {**TYPED, **TYPES, 39: INDEX, 20: MAYBE, 28: ATTRIBUTE, 40: INDEX, 42: "zero-division"},
    "ty": {**TYPED, **TYPES, 20: MAYBE, 28: ATTRIBUTE, 40: INDEX, 42: "zero-division", 45: RAISE},
    "pylint": {**TYPED, **FORMATS, 20: MAYBE, 40: INDEX, 41: UNPACK, 45: RAISE},
    "pytype": {**TYPED, **TYPES, 28: ATTRIBUTE},
}

CLEAN = '''\
"""A program with nothing wrong, in more than ASCII: é 漢字."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Settings:
    rate: float = 0.1
    name: str | None = None


def batches(data: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def load(path: Path, **extra: Any) -> dict[str, Any]:
    try:
        return {**json.loads(path.read_text()), **extra}
    except FileNotFoundError as error:
        raise RuntimeError(f"no settings in {os.fspath(path)!r}") from error


def report(settings: Settings) -> str:
    if settings.name is not None:
        return settings.name.upper()
    total, *rest = [sum(batch) for batch in batches([1, 2, 3], 2)]
    return "%s %d {}".format("unused %") % (settings.rate, total) + "{0}".format(rest, "more is no error")
'''


def run(name: str, tmp_path: Path, files: dict[str, str], environment: Environment | None = None) -> list[Diagnosis]:
    """What the tool says about these files, with their folders as import roots."""
    project, workdir, cache = tmp_path / "project", tmp_path / "work", tmp_path / "cache"
    workdir.mkdir()
    cache.mkdir()
    paths = []
    for relative, text in files.items():
        path = project / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    search = tuple(dict.fromkeys(path.parent for path in paths))
    chosen = environment or find_environment(None, tmp_path)
    return run_checker(checker(name), Request(tuple(paths), chosen, search, workdir, cache))


def at(diagnoses: list[Diagnosis], file: str) -> list[Diagnosis]:
    return [found for found in diagnoses if found.path.endswith(f"/{file}")]


@pytest.mark.parametrize("name", INSTALLED)
def test_finds_the_seeded_crashes_and_says_which_kind(name: str, tmp_path: Path) -> None:
    found = {(diagnosis.line, diagnosis.rule) for diagnosis in run(name, tmp_path, {"program.py": SEEDED})}
    assert set(FOUND[name].items()) <= found
    marked = {number for number, line in enumerate(SEEDED.splitlines(), 1) if f"# {number}" in line}
    assert {line for line, _ in found} <= marked


@pytest.mark.parametrize("name", INSTALLED)
def test_positions_are_inside_the_file(name: str, tmp_path: Path) -> None:
    lines = SEEDED.splitlines()
    for found in run(name, tmp_path, {"program.py": SEEDED}):
        assert found.checker == name
        assert Path(found.path) == tmp_path / "project" / "program.py"
        assert 1 <= found.line <= found.end_line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1])
        assert found.end_column == 0 or (found.line, found.column) < (found.end_line, found.end_column)
        assert found.end_column <= len(lines[found.end_line - 1]) + 1


@pytest.mark.parametrize("name", INSTALLED)
def test_columns_count_characters_after_text_that_is_not_ascii(name: str, tmp_path: Path) -> None:
    found = run(name, tmp_path, {"program.py": "é = 1\nprint('漢字é😀', é, undefined_name)\n"})
    assert [(each.line, each.column, each.rule) for each in found] == [(2, 18, NAME)]


@pytest.mark.parametrize("name", INSTALLED)
def test_a_clean_file_has_no_diagnosis(name: str, tmp_path: Path) -> None:
    assert run(name, tmp_path, {"clean.py": CLEAN}) == []


@pytest.mark.parametrize("name", INSTALLED)
def test_a_file_with_a_syntax_error_does_not_hide_the_others(name: str, tmp_path: Path) -> None:
    good = "import broken\nprint(undefined_name, broken.anything)\n"
    found = run(name, tmp_path, {"broken.py": "def f(:\n    pass\n", "good.py": good, "package/__init__.py": ""})
    assert {(each.line, each.rule) for each in at(found, "good.py")} >= {(2, NAME)}
    assert {each.rule for each in at(found, "broken.py")} <= {"syntax-error"}


@pytest.mark.parametrize("name", [name for name in INSTALLED if name not in ("ruff", "pyflakes")])
def test_modules_of_the_same_name_in_two_folders_stay_apart(name: str, tmp_path: Path) -> None:
    files = {}
    for folder, function in (("one", "first"), ("two", "second")):
        files[f"{folder}/utils.py"] = f"def {function}(x):\n    return x\n"
        files[f"{folder}/main.py"] = f"import utils\nutils.{function}(1)\nutils.{function}(1, 2)\n"
    found = run(name, tmp_path, files)
    assert {(Path(each.path).parent.name, each.line, each.rule) for each in found} == {
        ("one", 3, CALL),
        ("two", 3, CALL),
    }


@pytest.mark.parametrize("name", INSTALLED)
def test_a_module_named_like_one_of_the_standard_library_stops_nobody(name: str, tmp_path: Path) -> None:
    program = "import helper\n\nprint(helper.f(1), undefined_name)\n"
    found = run(name, tmp_path, {"types.py": "X = 1\n", "helper.py": "def f(x):\n    return x\n", "main.py": program})
    assert [(each.line, each.rule) for each in found] == [(3, NAME)]


@pytest.mark.parametrize("name", [name for name in INSTALLED if name not in ("ruff", "pyflakes")])
def test_packages_of_an_environment_are_found_without_running_it(name: str, tmp_path: Path) -> None:
    site_packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    (site_packages / "installed").mkdir(parents=True)
    (site_packages / "installed" / "__init__.py").write_text("def f(x: int) -> int:\n    return x\n")
    (site_packages / "installed" / "py.typed").touch()
    found = run(
        name,
        tmp_path,
        {"program.py": "import installed\nimport absent_from_it\nprint(installed.f(1))\n"},
        Environment((site_packages,), "3.11", None, "a test"),
    )
    assert [(each.line, each.rule) for each in found] == [(2, MODULE)]


@pytest.mark.parametrize("name", [name for name in INSTALLED if checker(name).partial])
def test_what_holds_for_part_of_a_union_has_a_code_of_its_own(name: str, tmp_path: Path) -> None:
    text = "def f(width: 'int | None'):\n    return width.bit_length()\n\n\ndef g():\n    return (3).nothing\n"
    codes = {each.line: each.code for each in run(name, tmp_path, {"program.py": text})}
    assert {line: code in checker(name).partial for line, code in codes.items()} == {2: True, 6: False}


@pytest.mark.parametrize("name", WRITTEN)
def test_codes_and_rules_are_consistent(name: str) -> None:
    adapter: Checker = checker(name)
    assert adapter.name == name
    assert adapter.partial <= set(adapter.kinds)


def test_a_tool_that_is_not_installed_says_so(tmp_path: Path) -> None:
    ruff = checker("ruff")
    absent = Checker("no-such-checker", ruff.arguments, ruff.parse, {})
    environment = find_environment(None, tmp_path)
    with pytest.raises(CheckerFailed, match="not installed"):
        run_checker(absent, Request((), environment, (), tmp_path, tmp_path))


if "pytype" in INSTALLED:

    def test_pytype_names_the_python_that_it_does_not_know(tmp_path: Path) -> None:
        future = Environment((), "3.14", None, "a test")
        with pytest.raises(CheckerFailed, match=r"3\.14"):
            run("pytype", tmp_path, {"program.py": "print(1)\n"}, future)


def test_an_unknown_checker_is_the_users_error() -> None:
    with pytest.raises(UsageError, match="did you mean `pyright`"):
        checker("pyrigth")
    assert set(WRITTEN) == set(NAMES)
