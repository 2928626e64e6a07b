"""mypy: types of names, calls, attributes and operators, as far as stubs and annotations tell."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.columns import from_bytes, source_line
from mlvet.analyses.pycheck.module_names import home, module_name, readable_only, without_clashes

KINDS = {
    "syntax": "syntax-error",
    "await-not-async": "syntax-error",
    "top-level-await": "syntax-error",
    "name-defined": "undefined-variable",
    "used-before-def": "undefined-variable",
    "possibly-undefined": "possibly-undefined",
    "import": "missing-module",
    "import-not-found": "missing-module",
    "attr-defined": "missing-attribute",
    "union-attr": "missing-attribute",
    "call-arg": "argument-mismatch",
    "call-overload": "argument-mismatch",
    "arg-type": "type-mismatch",
    "arg-type:union": "type-mismatch",
    "operator": "type-mismatch",
    "operator:union": "type-mismatch",
    "index": "not-callable-or-iterable",
    "index:union": "not-callable-or-iterable",
    "abstract": "type-mismatch",
    "str-format": "bad-format-string",
}
PARTIAL = frozenset({"union-attr", "arg-type:union", "operator:union", "index:union"})

# Decides before the code does; codes outside KINDS crash only with one of these messages.
_BY_MESSAGE = (
    (re.compile(r'attribute "__a?(iter|enter|exit|next|getitem|setitem|delitem|call)__"'), "not-callable-or-iterable"),
    (re.compile(r"^.* not callable\b|object is not (async )?iterable"), "not-callable-or-iterable"),
    (re.compile(r"^Invalid index type|^No overload variant of \"__[gsd]\w+item__\""), "type-mismatch"),
    (re.compile(r"gets multiple values for|^\"super\" used outside class"), "argument-mismatch"),
    (re.compile(r"[Tt]uple index out of range"), "index-out-of-range"),
    (re.compile(r"values? to unpack"), "unpacking-mismatch"),
    (re.compile(r"^Exception (type )?must be derived from"), "invalid-raise"),
    (re.compile(r'^TypedDict .* has no key "'), "missing-key"),
    (re.compile(r'^Incompatible types in "await"|^Duplicate base class|^Metaclass conflict'), "type-mismatch"),
    (re.compile(r"^Cannot determine consistent method resolution order"), "type-mismatch"),
)
_DECIDED_BY_MESSAGE = {"misc", "typeddict-item", "metaclass"}
_NO_CRASH = re.compile(r"does not explicitly export attribute|is not defined in stub|^Name \"reveal_")


# mypy refuses an import root that has a module of one of these names.
_RESERVED = frozenset(
    {"_collections_abc", "_typeshed", "abc", "builtins", "collections", "mypy_extensions", "sys", "types", "typing"}
    | {"typing_extensions"}
)


def _runs(request: Request) -> Iterator[Request]:
    """mypy stops at a file that does not parse, at a module name that two files claim, and at a name of its own."""
    homes = (home(path, request.search) for path in request.files)
    search = dict.fromkeys(_unreserved(folder) for folder in (*homes, *request.search))
    return without_clashes(readable_only(replace(request, search=tuple(search))))


def _unreserved(folder: Path) -> Path:
    while folder.parent != folder and any(_has_module(folder, name) for name in _RESERVED):
        folder = folder.parent
    return folder


def _has_module(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name).is_dir()


def _arguments(request: Request) -> list[str]:
    config = request.workdir / "mypy.toml"
    skipped = [module_name(path, home(path, request.search)) for path in request.unreadable]
    # The native parser counts columns wrongly in lines that are not ASCII.
    lines = ["[tool.mypy]", "native_parser = false", f"mypy_path = {_toml([str(folder) for folder in request.search])}"]
    if skipped:
        lines += ["[[tool.mypy.overrides]]", f"module = {_toml(skipped)}", 'follow_imports = "skip"']
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    listing = request.workdir / "mypy-files.txt"
    listing.write_text("\n".join(map(str, request.files)), encoding="utf-8")
    key = hashlib.sha256("\n".join(map(str, request.search)).encode()).hexdigest()[:16]
    interpreter = request.environment.interpreter
    return [
        f"--config-file={config}",
        f"--cache-dir={request.cache / 'mypy' / key}",
        f"--python-version={request.environment.version}",
        f"--python-executable={interpreter}" if interpreter else "--no-site-packages",
        "--namespace-packages",
        "--explicit-package-bases",
        "--check-untyped-defs",
        "--allow-redefinition",
        "--enable-error-code=possibly-undefined",
        "--show-error-end",
        "--show-absolute-path",
        "--output=json",
        f"@{listing}",
    ]


def _toml(texts: list[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    wanted = {str(path) for path in request.files}
    for line in output.splitlines():
        entry = json.loads(line)
        message, path, row = entry["message"], entry["file"], entry["line"]
        code = _code(entry["code"] or "misc", message, entry["hint"] or "")
        rule = _rule(code, message)
        if entry["severity"] != "error" or rule is None or path not in wanted:
            continue
        if rule == "missing-module" and _present(message, path, request):
            continue
        if message.startswith("Not all arguments converted") and ".format(" in source_line(path, row):
            continue
        end_row, end_column = entry.get("end_line", row), entry.get("end_column", -1)
        column, end_column = from_bytes(path, row, entry["column"]), from_bytes(path, end_row, end_column)
        yield Diagnosis("mypy", code, rule, path, row, column, end_row, end_column, message)


def _code(code: str, message: str, hint: str) -> str:
    actual = message.partition("; expected")[0]
    in_union = " | " in actual or "operand is of type" in hint
    return f"{code}:union" if in_union and f"{code}:union" in PARTIAL else code


def _rule(code: str, message: str) -> str | None:
    if _NO_CRASH.search(message) or (code not in KINDS and code not in _DECIDED_BY_MESSAGE):
        return None
    decided = (rule for pattern, rule in _BY_MESSAGE if pattern.search(message))
    return next(decided, KINDS.get(code))


def _present(message: str, path: str, request: Request) -> bool:
    """Installed packages that mypy did not look for, for want of an interpreter to ask, and modules beside the file
    whose folder could not be an import root are not missing."""
    found = re.search(r'module named "(\w+)', message)
    return found is not None and (request.environment.has(found[1]) or _has_module(Path(path).parent, found[1]))


CHECKER = Checker("mypy", _arguments, _parse, KINDS, python_module="mypy", partial=PARTIAL, runs=_runs)
