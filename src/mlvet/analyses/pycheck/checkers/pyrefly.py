"""pyrefly: types, attributes and calls across files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.imports import import_root

_LINK = "project"
_QUALIFIED = re.compile(rf"(?<=`){_LINK}\.[\w.]+")

KINDS = {
    "parse-error": "syntax-error",
    "invalid-syntax": "syntax-error",
    "unknown-name": "undefined-variable",
    "unbound-name": "possibly-undefined",
    "missing-import": "missing-module",
    "missing-attribute": "missing-attribute",
    "missing-module-attribute": "missing-attribute",
    "missing-argument": "argument-mismatch",
    "bad-argument-count": "argument-mismatch",
    "unexpected-keyword": "argument-mismatch",
    "bad-keyword-argument": "argument-mismatch",
    "unexpected-positional-argument": "argument-mismatch",
    "no-matching-overload": "type-mismatch",
    "bad-argument-type": "type-mismatch",
    "unsupported-operation": "type-mismatch",
    "bad-instantiation": "type-mismatch",
    "not-callable": "not-callable-or-iterable",
    "not-iterable": "not-callable-or-iterable",
    "bad-index": "index-out-of-range",
    "bad-typed-dict-key": "missing-key",
    "bad-unpacking": "unpacking-mismatch",
    "division-by-zero": "zero-division",
    "bad-raise": "invalid-raise",
}


def _arguments(request: Request) -> list[str]:
    """Settings come from an empty file of ours: a project's own could name an interpreter to execute.

    pyrefly looks for modules in the folders between a file and its settings, so the project is seen through a link
    beside them.
    """
    settings = request.workdir / "pyrefly.toml"
    settings.write_text("", encoding="utf-8")
    (request.workdir / _LINK).symlink_to(request.base, target_is_directory=True)
    environment = request.environment
    options = [
        f"--config={settings}",
        "--preset=default",
        "--error=division-by-zero",
        "--skip-interpreter-query",
        f"--python-version={environment.version}",
        "--enable-fallback-search-path=true",
        "--use-ignore-files=false",
        "--disable-project-excludes-heuristics=true",
        "--permissive-ignores=true",
        "--output-format=json",
        "--summary=none",
        "--min-severity=info",
        "--threads=1",
    ]
    options += [f"--site-packages-path={folder}" for folder in environment.site_packages]
    options += [f"--search-path={_seen(folder, request)}" for folder in request.first]
    return ["check", *options, "--", *(str(_seen(file, request)) for file in request.files)]


def _seen(path: Path, request: Request) -> Path:
    below = path.is_relative_to(request.base)
    return request.workdir / _LINK / path.relative_to(request.base) if below else path


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    for entry in json.loads(output)["errors"]:
        code = entry["name"]
        rule = KINDS.get(code)
        if rule is None and code != "reveal-type":
            continue
        shown = Path(entry["path"])
        path = request.base / shown.relative_to(_LINK) if shown.parts[0] == _LINK else request.workdir / shown
        end_line, end_column = entry["stop_line"], entry["stop_column"]
        said = _QUALIFIED.sub(lambda match: _plain(match.group(), request), entry["description"])
        yield Diagnosis("pyrefly", code, rule, str(path), entry["line"], entry["column"], end_line, end_column, said)


def _plain(qualified: str, request: Request) -> str:
    """A name as the program knows it: `project.app.models.Net`, counted from the link, is `models.Net` for `app/`."""
    parts = qualified.split(".")[1:]
    for depth in range(len(parts), 0, -1):
        file = request.base.joinpath(*parts[:depth])
        if file.is_dir() or file.with_suffix(".py").is_file():
            root = import_root(file / "__init__.py" if file.is_dir() else file.with_suffix(".py"))
            return ".".join((*file.relative_to(root).parts, *parts[depth:]))
    return qualified


CHECKER = Checker("pyrefly", _arguments, _parse, KINDS)
