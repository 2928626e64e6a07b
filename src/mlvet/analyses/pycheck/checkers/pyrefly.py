"""pyrefly: types, attributes and calls across files."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request

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
    "division-by-zero": "division-by-zero",
    "bad-raise": "invalid-raise",
}


def _arguments(request: Request) -> list[str]:
    """Settings come from an empty file of ours: a project's own could name an interpreter to execute."""
    settings = request.workdir / "pyrefly.toml"
    settings.write_text("", encoding="utf-8")
    environment = request.environment
    options = [
        f"--config={settings}",
        "--preset=default",
        "--error=division-by-zero",
        "--skip-interpreter-query",
        f"--python-version={environment.version}",
        "--use-ignore-files=false",
        "--disable-project-excludes-heuristics=true",
        "--permissive-ignores=true",
        "--output-format=json",
        "--summary=none",
        "--min-severity=info",
        "--relative-to=",
        "--threads=1",
    ]
    options += [f"--site-packages-path={folder}" for folder in environment.site_packages]
    options += [f"--search-path={folder}" for folder in request.search]
    return ["check", *options, "--", *map(str, request.files)]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    for entry in json.loads(output)["errors"]:
        code = entry["name"]
        rule = KINDS.get(code)
        if rule is None and code != "reveal-type":
            continue
        path = str((request.workdir / entry["path"]).resolve()) if not entry["path"].startswith("/") else entry["path"]
        end_line, end_column = entry["stop_line"], entry["stop_column"]
        yield Diagnosis(
            "pyrefly", code, rule, path, entry["line"], entry["column"], end_line, end_column, entry["description"]
        )


CHECKER = Checker("pyrefly", _arguments, _parse, KINDS)
