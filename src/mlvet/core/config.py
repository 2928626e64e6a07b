"""Settings: from `[tool.mlvet]` in pyproject.toml or from mlvet.toml, then the command line on top."""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.core.grade import Certainty, Grade, Severity
from mlvet.core.rule import did_you_mean

LARGEST = 1_000_000
"""The most jobs, and the most seconds, that a setting can ask for."""
TENSOR_ABSTRACTIONS = ("partitioning", "smashing", "expansion")
NUMERIC_ABSTRACTIONS = ("affine", "intervals")
SPECULATIONS = ("attribute", "method-name", "uniform-elements", "one-type", "no-hidden-effect")
"""What suggestions about efficiency can take for granted."""
_MEMORY = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT])(?:i?B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting with its default.

    `root` is the folder of the configuration file, else of the repository, else the working folder. Patterns in
    `exclude` and `per_file_ignores` are relative to it. `ranges` maps input names to (low, high). `trust_python` says
    that the user named `python` himself, so checkers may execute it; a file of the project cannot set it. Nor can it
    name `data`, the file that ranges are taken from, or say that `asked_ranges` must be of inputs that there are.
    `models` maps modules of libraries to files of the project that stand in for them when programs are interpreted.
    `confirm` has failing calls of libraries made again with the real library, `memory` is the bytes of the device that
    programs train on. `efficiency_rules` are files of the user's own rules about efficiency; `speculate` and
    `no_speculate` name what suggestions about efficiency may (if empty: all) and may not take for granted. `measure` is
    the program that is run to try suggestions; only the user himself can name it.
    """

    root: Path = field(default_factory=Path.cwd)
    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    min_certainty: Certainty = Certainty.LIKELY
    min_severity: Severity = Severity.SUGGESTION
    fail_on: Severity = Severity.WARNING
    checkers: tuple[str, ...] = ("ruff", "pyrefly")
    python: Path | None = None
    trust_python: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    asked_ranges: frozenset[str] = frozenset()
    data: Path | None = None
    tensor_abstraction: str = "partitioning"
    numeric_abstraction: str = "affine"
    witness_seconds: float = 5.0
    models: Mapping[str, Path] = field(default_factory=dict)
    confirm: bool = False
    memory: int | None = None
    efficiency_rules: tuple[Path, ...] = ()
    speculate: tuple[str, ...] = ()
    no_speculate: tuple[str, ...] = ()
    measure: str | None = None
    baseline: Path | None = None
    timeout: float = 120.0
    jobs: int | None = None

    def excluded(self, path: Path) -> bool:
        return any(matches(path, pattern, self.root) for pattern in self.exclude)

    def ignored_in(self, path: Path) -> tuple[str, ...]:
        """Rule selectors ignored in one file."""
        listed = (rules for pattern, rules in self.per_file_ignores.items() if matches(path, pattern, self.root))
        return tuple(rule for rules in listed for rule in rules)


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a pattern means a path: it matches the path below `root`, one of its parents, or its name."""
    relative = path.relative_to(root) if path.is_relative_to(root) else path
    wanted = pattern.rstrip("/").removeprefix("./")
    candidates = [str(relative), *map(str, relative.parents), *(relative.parts if "/" not in wanted else ())]
    return any(fnmatch.fnmatch(candidate, wanted) for candidate in candidates if candidate != ".")


def find_config(start: Path) -> Path | None:
    """The nearest mlvet.toml, or pyproject.toml with a `[tool.mlvet]` table, in `start` or above it."""
    for folder in (start, *start.parents):
        if os.path.isfile(folder / "mlvet.toml"):
            return folder / "mlvet.toml"
        pyproject = folder / "pyproject.toml"
        if os.path.isfile(pyproject) and "mlvet" in _table(_read(pyproject), "tool", pyproject):
            return pyproject
    return None


def find_root(start: Path) -> Path:
    """The folder of the repository around `start`, or the working folder when there is none."""
    return next((folder for folder in (start, *start.parents) if os.path.exists(folder / ".git")), Path.cwd())


def load_config(start: Path, explicit: Path | None = None) -> Config:
    """The configuration that applies to `start`; `explicit` names the file instead of searching."""
    path = explicit or find_config(start)
    if path is None:
        return Config(root=find_root(start))
    document = _read(path)
    if path.name == "pyproject.toml":
        document = _table(_table(document, "tool", path), "mlvet", path)
    return _parse(document, path)


def _table(document: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"{path}: `{key}` must be a table, not {table!r}")
    return table


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the configuration: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: not valid TOML: it nests too deeply") from error


INTERNAL = ("root", "trust_python", "asked_ranges", "data", "measure")
"""The settings that a file cannot have."""


def _parse(table: Mapping[str, Any], path: Path) -> Config:
    known = [setting.name.replace("_", "-") for setting in fields(Config) if setting.name not in INTERNAL]
    settings: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise UsageError(f"{path}: unknown key `{key}`{did_you_mean(key, known)}")
        try:
            settings[key.replace("-", "_")] = _READERS[key](value)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{path}: `{key}` {error}, not {value!r}") from error
    root = Path(os.path.abspath(path)).parent
    for key in ("python", "baseline"):
        if key in settings:
            settings[key] = root / settings[key]
    settings["models"] = {module: root / file for module, file in settings.get("models", {}).items()}
    for module, file in settings["models"].items():
        if not file.is_file():
            raise UsageError(f"{path}: the model file of `{module}` does not exist: {file}")
    settings["efficiency_rules"] = tuple(root / file for file in settings.get("efficiency_rules", ()))
    return replace(Config(root=root), **settings)


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("must be a list of strings")
    return tuple(value)


def _speculations(value: Any) -> tuple[str, ...]:
    names = _strings(value)
    for name in names:
        if name != "all" and name not in SPECULATIONS:
            raise ValueError(f"must be a list of {', '.join(SPECULATIONS)} or all")
    return names


def _paths(value: Any) -> tuple[Path, ...]:
    return tuple(map(_path, _strings(value)))


def _table_of_strings(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise TypeError("must be a table from file pattern to a list of rules")
    return {pattern: _strings(rules) for pattern, rules in value.items()}


def _files(value: Any) -> dict[str, Path]:
    if not isinstance(value, dict):
        raise TypeError("must be a table from module to file")
    return {module: _path(file) for module, file in value.items()}


def _ranges(value: Any) -> dict[str, tuple[float, float]]:
    if not isinstance(value, dict):
        raise TypeError("must be a table from input name to [low, high]")
    return {name: _range(bounds) for name, bounds in value.items()}


def holds_numbers(low: float, high: float) -> bool:
    """Whether there is a finite number from `low` to `high`."""
    return low <= high and low < inf and high > -inf


def _range(value: Any) -> tuple[float, float]:
    numbers = isinstance(value, list) and len(value) == 2 and all(type(bound) in (int, float) for bound in value)
    if not numbers or not holds_numbers(float(value[0]), float(value[1])):
        raise ValueError("must give [low, high] with low <= high for each input")
    return (float(value[0]), float(value[1]))


def _member(scale: type[Grade]) -> Callable[[Any], Grade]:
    def read(value: Any) -> Grade:
        if value not in list(scale):
            raise ValueError(f"must be one of {', '.join(scale)}")
        return scale(value)

    return read


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return str(value)

    return read


def _path(value: Any) -> Path:
    if not isinstance(value, str) or not value:
        raise TypeError("must be a path")
    return Path(os.path.expanduser(value))


def memory_of(text: Any) -> int:
    """The bytes that a size such as `16G` or `512M` means; units are powers of 1024."""
    found = _MEMORY.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or float(found[1]) <= 0:
        raise ValueError("must be a size such as 16G or 512M")
    return int(float(found[1]) * 1024 ** "KMGT".index(found[2].upper()) * 1024)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _positive(value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value <= LARGEST:
        raise ValueError(f"must be a number above zero, at most {LARGEST}")
    return float(value)


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= LARGEST:
        raise ValueError(f"must be a number of seconds, at most {LARGEST}, or 0")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 < value <= LARGEST:
        raise ValueError(f"must be a whole number above zero, at most {LARGEST}")
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "select": _strings,
    "ignore": _strings,
    "per-file-ignores": _table_of_strings,
    "exclude": _strings,
    "min-certainty": _member(Certainty),
    "min-severity": _member(Severity),
    "fail-on": _member(Severity),
    "checkers": _strings,
    "python": _path,
    "ranges": _ranges,
    "tensor-abstraction": _one_of(TENSOR_ABSTRACTIONS),
    "numeric-abstraction": _one_of(NUMERIC_ABSTRACTIONS),
    "witness-seconds": _seconds,
    "models": _files,
    "confirm": _flag,
    "memory": memory_of,
    "efficiency-rules": _paths,
    "speculate": _speculations,
    "no-speculate": _speculations,
    "baseline": _path,
    "timeout": _positive,
    "jobs": _count,
}
