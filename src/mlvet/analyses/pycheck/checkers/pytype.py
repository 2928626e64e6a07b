"""pytype: attributes, calls and operators, inferred by abstract interpretation of bytecode. Python 3.12 at most."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, CheckerFailed, Diagnosis, Request
from mlvet.analyses.pycheck.columns import from_bytes
from mlvet.analyses.pycheck.module_names import readable_only, without_clashes

KINDS = {
    "python-compiler-error": "syntax-error",
    "name-error": "undefined-variable",
    "import-error": "missing-module",
    "attribute-error": "missing-attribute",
    "attribute-error:union": "missing-attribute",
    "module-attr": "missing-attribute",
    "not-writable": "missing-attribute",
    "duplicate-keyword-argument": "argument-mismatch",
    "invalid-super-call": "argument-mismatch",
    "missing-parameter": "argument-mismatch",
    "wrong-arg-count": "argument-mismatch",
    "wrong-keyword-args": "argument-mismatch",
    "bad-slots": "type-mismatch",
    "base-class-error": "type-mismatch",
    "mro-error": "type-mismatch",
    "not-instantiable": "type-mismatch",
    "unsupported-operands": "type-mismatch",
    "unsupported-operands:union": "type-mismatch",
    "wrong-arg-types": "type-mismatch",
    "not-callable": "not-callable-or-iterable",
    "not-indexable": "not-callable-or-iterable",
    "bad-unpacking": "unpacking-mismatch",
}
PARTIAL = frozenset(code for code in KINDS if code.endswith(":union"))

_BY_MESSAGE = (
    (re.compile(r"^No attribute '__a?(iter|next|enter|exit|getitem|call)__'"), "not-callable-or-iterable"),
    (re.compile(r"^unsupported operand type\(s\) for item "), "not-callable-or-iterable"),
)
_LINE = re.compile(
    r"^(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): error: (in [^:]*)?: (?P<message>.*) \[(?P<code>[a-z-]+)\]$"
)


def _runs(request: Request) -> Iterator[Request]:
    """pytype leaves out what imports a file that does not compile."""
    return without_clashes(readable_only(request))


def _arguments(request: Request) -> list[str]:
    config = request.workdir / "pytype.cfg"
    config.write_text("[pytype]\n", encoding="utf-8")
    return [
        f"--config={config}",
        f"--output={request.workdir / 'pytype'}",
        f"--python-version={request.environment.version}",
        f"--pythonpath={os.pathsep.join(map(str, request.search))}",
        "--jobs=1",
        "--keep-going",
        *map(str, request.files),
    ]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    lines = output.splitlines()
    if not any(line.startswith(("ninja: Entering directory", "Success: ")) for line in lines):
        raise CheckerFailed(f"did not start on Python {request.environment.version} ({' '.join(lines[-1:])[:120]})")
    for number, text in enumerate(lines):
        found = _LINE.match(text)
        if found is None:
            continue
        path, message, line, code = found["path"], found["message"], int(found["line"]), found["code"]
        detail = lines[number + 1] if number + 1 < len(lines) else ""
        if f"{code}:union" in PARTIAL and re.search(
            r"^  In (Optional|Union)\[|\n.*'.*\b(Optional|Union)\[", f"{detail}\n{message}"
        ):
            code = f"{code}:union"
        rule = next((rule for pattern, rule in _BY_MESSAGE if pattern.search(message)), KINDS.get(code))
        if rule == "missing-module":
            rule = _import_rule(message, request)
        if rule is not None:
            column = from_bytes(path, line, int(found["column"]) - 1)
            yield Diagnosis("pytype", code, rule, path, line, column, line, 0, message)


def _import_rule(message: str, request: Request) -> str | None:
    """pytype reads no installed packages, and takes a missing name of a known module for a missing module."""
    found = re.search(r"module '([\w.]+)'", message)
    top, _, rest = found.group(1).partition(".") if found else ("", "", "")
    if request.environment.has(top):
        return None
    return "missing-attribute" if rest and top in sys.stdlib_module_names else "missing-module"


CHECKER = Checker("pytype", _arguments, _parse, KINDS, partial=PARTIAL, runs=_runs)
