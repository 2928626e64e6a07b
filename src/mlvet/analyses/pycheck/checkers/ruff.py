"""ruff: names, format strings and syntax, in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request

KINDS = {
    "F821": "undefined-variable",
    "F822": "missing-attribute",
    "F823": "undefined-variable",
    "F502": "bad-format-string",
    "F503": "bad-format-string",
    "F505": "bad-format-string",
    "F506": "bad-format-string",
    "F507": "bad-format-string",
    "F508": "bad-format-string",
    "F509": "bad-format-string",
    "F521": "bad-format-string",
    "F524": "bad-format-string",
    "F525": "bad-format-string",
    "F621": "syntax-error",
    "F622": "syntax-error",
    "F633": "type-mismatch",
    "F701": "syntax-error",
    "F702": "syntax-error",
    "F704": "syntax-error",
    "F706": "syntax-error",
    "F707": "syntax-error",
    "F901": "invalid-raise",
    "PLE0115": "syntax-error",
    "PLE0117": "syntax-error",
    "PLE0118": "syntax-error",
    "PLE1142": "syntax-error",
    "invalid-syntax": "syntax-error",
}


def _arguments(request: Request) -> list[str]:
    selected = ",".join(code for code in KINDS if code != "invalid-syntax")
    target = f"py{request.environment.version.replace('.', '')}"
    options = ["--isolated", "--no-cache", "--preview", "--output-format=json", "--force-exclude", "--exit-zero"]
    return ["check", *options, f"--target-version={target}", f"--select={selected}", "--", *map(str, request.files)]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    del request
    for entry in json.loads(output):
        code = entry["code"] or "invalid-syntax"
        start, end = entry["location"], entry["end_location"]
        rule = KINDS.get(code)
        yield Diagnosis(
            "ruff",
            code,
            rule,
            entry["filename"],
            start["row"],
            start["column"],
            end["row"],
            end["column"],
            entry["message"],
        )


CHECKER = Checker("ruff", _arguments, _parse, KINDS, grouped=False)
