"""ty: types, names and imports, inferred without annotations and fast."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.module_names import without_clashes

# Both names where ty has renamed a rule.
KINDS = {
    "invalid-syntax": "syntax-error",
    "unresolved-reference": "undefined-variable",
    "possibly-unresolved-reference": "possibly-undefined",
    "import-not-found": "missing-module",
    "unresolved-import": "missing-module",
    "possibly-missing-import": "missing-attribute",
    "possibly-unbound-import": "missing-attribute",
    "possibly-missing-submodule": "missing-attribute",
    "missing-attribute": "missing-attribute",
    "unresolved-attribute": "missing-attribute",
    "missing-slot": "missing-attribute",
    "missing-union-attribute": "missing-attribute",
    "possibly-missing-attribute": "missing-attribute",
    "possibly-unbound-attribute": "missing-attribute",
    "missing-argument": "argument-mismatch",
    "no-matching-overload": "argument-mismatch",
    "parameter-already-assigned": "argument-mismatch",
    "positional-only-parameter-as-kwarg": "argument-mismatch",
    "too-many-positional-arguments": "argument-mismatch",
    "unavailable-implicit-super-arguments": "argument-mismatch",
    "unknown-argument": "argument-mismatch",
    "abstract-class-instantiation": "type-mismatch",
    "conflicting-metaclass": "type-mismatch",
    "cyclic-class-definition": "type-mismatch",
    "dataclass-field-order": "type-mismatch",
    "duplicate-base": "type-mismatch",
    "duplicate-kw-only": "type-mismatch",
    "inconsistent-mro": "type-mismatch",
    "instance-layout-conflict": "type-mismatch",
    "invalid-argument-type": "type-mismatch",
    "invalid-argument-type:union": "type-mismatch",
    "invalid-await": "type-mismatch",
    "invalid-base": "type-mismatch",
    "invalid-super-argument": "type-mismatch",
    "isinstance-against-protocol": "type-mismatch",
    "isinstance-against-typed-dict": "type-mismatch",
    "unsupported-bool-conversion": "type-mismatch",
    "unsupported-operator": "type-mismatch",
    "unsupported-operator:union": "type-mismatch",
    "call-non-callable": "not-callable-or-iterable",
    "not-callable": "not-callable-or-iterable",
    "invalid-context-manager": "not-callable-or-iterable",
    "invalid-context-manager:union": "not-callable-or-iterable",
    "non-subscriptable": "not-callable-or-iterable",
    "not-subscriptable": "not-callable-or-iterable",
    "not-iterable": "not-callable-or-iterable",
    "not-iterable:union": "not-callable-or-iterable",
    "possibly-missing-implicit-call": "not-callable-or-iterable",
    "possibly-unbound-implicit-call": "not-callable-or-iterable",
    "invalid-key": "missing-key",
    "invalid-typed-dict-key": "missing-key",
    "index-out-of-bounds": "index-out-of-range",
    "zero-stepsize-in-slice": "index-out-of-range",
    "division-by-zero": "zero-division",
    "invalid-exception-caught": "invalid-raise",
    "invalid-raise": "invalid-raise",
}
PARTIAL = frozenset(
    code
    for code in KINDS
    if code.endswith(":union") or code.startswith("possibly-") or code == "missing-union-attribute"
) - {"possibly-unresolved-reference"}

_BY_MESSAGE = (
    (re.compile(r"^Module `.*` has no member"), "missing-attribute"),
    (re.compile(r"values to unpack"), "unpacking-mismatch"),
    (re.compile(r"^Cannot assign to a subscript"), "not-callable-or-iterable"),
)
_DECIDED_BY_MESSAGE = "invalid-assignment"


def _arguments(request: Request) -> list[str]:
    rules = [code for code in KINDS if ":" not in code and code != "invalid-syntax"]
    lines = ["[rules]", 'all = "ignore"', *(f'{rule} = "error"' for rule in [*rules, _DECIDED_BY_MESSAGE])]
    config = request.workdir / "ty.toml"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    listing = request.workdir / "ty-files.txt"
    listing.write_text("\n".join(map(str, request.files)), encoding="utf-8")
    prefix = request.environment.prefix()
    folders = request.search if prefix else (*request.search, *request.environment.site_packages)
    return [
        "check",
        f"--project={request.workdir}",
        f"--config-file={config}",
        f"--python-version={request.environment.version}",
        *([f"--python={prefix}"] if prefix else []),
        *(f"--extra-search-path={folder}" for folder in folders),
        "--output-format=gitlab",
        "--exit-zero",
        "--no-progress",
        f"@{listing}",
    ]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    wanted = {str(path) for path in request.files}
    for entry in json.loads(output):
        begin, end = entry["location"]["positions"]["begin"], entry["location"]["positions"]["end"]
        path = str(request.workdir / entry["location"]["path"])
        message = entry["description"].removeprefix(f"{entry['check_name']}: ")
        code = _code(entry["check_name"], message)
        rule = next((rule for pattern, rule in _BY_MESSAGE if pattern.search(message)), KINDS.get(code))
        if rule is not None and path in wanted:
            yield Diagnosis("ty", code, rule, path, begin["line"], begin["column"], end["line"], end["column"], message)


def _code(code: str, message: str) -> str:
    found = message.rpartition("found `")[2] if code == "invalid-argument-type" else message
    in_union = " | " in found and "` is not iterable" not in found and "because it does not implement" not in found
    return f"{code}:union" if in_union and f"{code}:union" in PARTIAL else code


CHECKER = Checker(
    "ty",
    _arguments,
    _parse,
    KINDS,
    answers=frozenset({0}),
    environment={"XDG_CONFIG_HOME": os.devnull},
    partial=PARTIAL,
    runs=without_clashes,
)
