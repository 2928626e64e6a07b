"""pyright: types, names and imports, with inference across files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.columns import from_utf16
from mlvet.analyses.pycheck.module_names import home

# Both names where pyright has renamed a rule.
KINDS = {
    "syntax": "syntax-error",
    "reportUndefinedVariable": "undefined-variable",
    "reportUnboundVariable": "undefined-variable",
    "reportPossiblyUnbound": "possibly-undefined",
    "reportPossiblyUnboundVariable": "possibly-undefined",
    "reportMissingImports": "missing-module",
    "reportAttributeAccessIssue": "missing-attribute",
    "reportFunctionMemberAccess": "missing-attribute",
    "reportOptionalMemberAccess": "missing-attribute",
    "reportCallIssue": "argument-mismatch",
    "reportAbstractUsage": "type-mismatch",
    "reportArgumentType": "type-mismatch",
    "reportArgumentType:union": "type-mismatch",
    "reportOperatorIssue": "type-mismatch",
    "reportOperatorIssue:union": "type-mismatch",
    "reportOptionalOperand": "type-mismatch",
    "reportUnhashable": "type-mismatch",
    "reportIndexIssue": "not-callable-or-iterable",
    "reportOptionalCall": "not-callable-or-iterable",
    "reportOptionalContextManager": "not-callable-or-iterable",
    "reportOptionalIterable": "not-callable-or-iterable",
    "reportOptionalSubscript": "not-callable-or-iterable",
    "reportTypedDictNotRequiredAccess": "missing-key",
}
PARTIAL = frozenset(code for code in KINDS if code.endswith(":union") or code.startswith("reportOptional")) | {
    "reportTypedDictNotRequiredAccess"
}

# Decides before the code does; the codes below crash only with one of these messages.
_BY_MESSAGE = (
    (re.compile(r"is not callable|cannot be called"), "not-callable-or-iterable"),
    (re.compile(r'is not iterable|cannot be used with "(async )?with"'), "not-callable-or-iterable"),
    (re.compile(r"^Index -?\d+ is out of range"), "index-out-of-range"),
    (re.compile(r"[Tt]uple size mismatch"), "unpacking-mismatch"),
    (re.compile(r"^Invalid exception class|is not a valid exception class|^Exceptions must derive"), "invalid-raise"),
    (re.compile(r"^Could not access item in TypedDict|is not a defined key in"), "missing-key"),
    (re.compile(r"is not awaitable|^Duplicate base class|^Argument to class must be"), "type-mismatch"),
    (re.compile(r"consistent method ordering|metaclass conflict"), "type-mismatch"),
    (re.compile(r'^Zero-argument form of "super"'), "argument-mismatch"),
)
_DECIDED_BY_MESSAGE = ("reportGeneralTypeIssues", "reportAssignmentType")


def _arguments(request: Request) -> list[str]:
    """One settings file of our own. Its virtual environment is named so that pyright starts no interpreter to ask
    for one; each import root is an execution environment so that same-named modules stay apart."""
    prefix = request.environment.prefix()
    if prefix is None:
        prefix = request.workdir / "no-environment"
        (prefix / "lib" / f"python{request.environment.version}" / "site-packages").mkdir(parents=True, exist_ok=True)
        packages = [str(folder) for folder in request.environment.site_packages]
    else:
        packages = [str(folder) for folder in request.environment.site_packages[1:]]
    search = [str(folder) for folder in request.search]
    roots = sorted({home(path, request.search) for path in request.files}, key=lambda root: -len(root.parts))
    settings: dict[str, object] = {
        "include": [_relative(path, request) for path in request.files],
        "exclude": ["nothing-at-all"],
        "pythonVersion": request.environment.version,
        "venvPath": str(prefix.parent),
        "venv": prefix.name,
        "typeCheckingMode": "off",
        "executionEnvironments": [
            {
                "root": _relative(root, request),
                "extraPaths": [folder for folder in search if folder != str(root)] + packages,
            }
            for root in roots
        ],
    }
    settings |= {code: "error" for code in (*KINDS, *_DECIDED_BY_MESSAGE) if code.isalpha() and code != "syntax"}
    config = request.workdir / "pyright.json"
    config.write_text(json.dumps(settings), encoding="utf-8")
    return [f"--project={config}", "--outputjson", "--level=error"]


def _relative(path: Path, request: Request) -> str:
    """pyright takes no absolute paths in its settings."""
    return os.path.relpath(path, request.workdir)


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    del request
    for entry in json.loads(output)["generalDiagnostics"]:
        message = entry["message"].replace("\N{NO-BREAK SPACE}", " ")
        code = _code(entry.get("rule", "syntax"), message)
        rule = _rule(code, message)
        if entry["severity"] != "error" or rule is None:
            continue
        path = entry["file"]
        places = [(entry["range"][side]["line"] + 1, entry["range"][side]["character"]) for side in ("start", "end")]
        (line, column), (end_line, end_column) = ((row, from_utf16(path, row, unit)) for row, unit in places)
        yield Diagnosis("pyright", code, rule, path, line, column, end_line, end_column, message)


def _code(code: str, message: str) -> str:
    """The types at fault come first in the message, before what they were compared with."""
    at_fault = message.splitlines()[0].partition("cannot be assigned to")[0]
    return f"{code}:union" if " | " in at_fault and f"{code}:union" in PARTIAL else code


def _rule(code: str, message: str) -> str | None:
    if code not in KINDS and code not in _DECIDED_BY_MESSAGE:
        return None
    decided = (rule for pattern, rule in _BY_MESSAGE if code != "syntax" and pattern.search(message))
    return next(decided, KINDS.get(code))


# Nothing that pyright does needs the network, except its wrapper's downloads on first use: those fail at once.
_NO_PROXY_ANSWERS = "http://127.0.0.1:9"

CHECKER = Checker(
    "pyright",
    _arguments,
    _parse,
    KINDS,
    python_module="pyright",
    environment={
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
        "HTTP_PROXY": _NO_PROXY_ANSWERS,
        "HTTPS_PROXY": _NO_PROXY_ANSWERS,
        "http_proxy": _NO_PROXY_ANSWERS,
        "https_proxy": _NO_PROXY_ANSWERS,
    },
    partial=PARTIAL,
)
