"""pylint: names, calls, members and format strings, by inference over the syntax tree."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.columns import from_bytes, source_line
from mlvet.analyses.pycheck.module_names import without_clashes

_SYMBOLS = {
    "syntax-error": """
        syntax-error await-outside-async bare-name-capture-pattern duplicate-argument-name
        invalid-star-assignment-target misplaced-future multiple-class-sub-patterns nonlocal-and-global
        nonlocal-without-binding not-in-loop
        return-outside-function star-needs-assignment-target too-many-star-expressions used-prior-global-declaration
        yield-inside-async-function yield-outside-function""",
    "undefined-variable": "undefined-variable used-before-assignment",
    "possibly-undefined": "possibly-used-before-assignment undefined-loop-variable",
    "missing-module": "import-error relative-beyond-top-level",
    "missing-attribute": """
        access-member-before-definition assigning-non-slot no-member no-name-in-module undefined-all-variable""",
    "argument-mismatch": """
        bad-open-mode missing-kwoa no-method-argument no-value-for-parameter positional-only-arguments-expected
        redundant-keyword-arg repeated-keyword too-many-function-args too-many-positional-sub-patterns
        unexpected-keyword-arg unexpected-special-method-signature""",
    "type-mismatch": """
        abstract-class-instantiated class-variable-slots-conflict duplicate-bases inconsistent-mro inherit-non-class
        init-is-generator invalid-bool-returned invalid-bytes-returned invalid-class-object invalid-enum-extension
        invalid-envvar-value invalid-field-call invalid-format-returned invalid-hash-returned invalid-index-returned
        invalid-length-hint-returned invalid-length-returned invalid-metaclass invalid-repr-returned
        invalid-sequence-index invalid-slice-index invalid-slots invalid-slots-object invalid-str-returned
        invalid-unary-operand-type isinstance-second-argument-not-valid-type return-in-init unhashable-member
        unsupported-binary-operation""",
    "not-callable-or-iterable": """
        async-context-manager-with-regular-with bad-reversed-sequence non-iterator-returned not-a-mapping
        not-an-iterable not-async-context-manager not-callable not-context-manager unpacking-non-sequence
        unsubscriptable-object unsupported-assignment-operation unsupported-delete-operation
        unsupported-membership-test""",
    "index-out-of-range": "invalid-slice-step potential-index-error",
    "unpacking-mismatch": "dict-iter-missing-items unbalanced-dict-unpacking unbalanced-tuple-unpacking",
    "bad-format-string": """
        bad-format-character bad-format-string bad-string-format-type format-combined-specification
        format-needs-mapping invalid-format-index missing-format-argument-key missing-format-attribute
        missing-format-string-key mixed-format-string too-few-format-args too-many-format-args
        truncated-format-string""",
    "invalid-raise": """
        bad-exception-cause catching-non-exception misplaced-bare-raise notimplemented-raised raising-bad-type
        raising-non-exception""",
}
KINDS = {symbol: rule for rule, symbols in _SYMBOLS.items() for symbol in symbols.split()}

# pylint reads the modules it finds on its own sys.path. The project's folders are put there as text to read: a hook
# gives them no importer, so that neither pylint nor its libraries ever import from them.
_HOOK = """
import sys
own = tuple(entry for entry in sys.path if entry)
standard = [entry for entry in own if not entry.rstrip("/\\\\").endswith(("site-packages", "dist-packages"))]
class NothingToImport:
    def find_spec(self, name, target=None):
        return None
    def invalidate_caches(self):
        pass
def refuse(entry):
    if any(entry == folder or entry.startswith((folder + "/", folder + "\\\\")) for folder in own):
        raise ImportError(entry)
    return NothingToImport()
sys.path_hooks.insert(0, refuse)
sys.path[:] = [*standard, *FIRST, *(entry for entry in own if entry not in standard), *LAST]
sys.path_importer_cache.clear()
"""


def _arguments(request: Request) -> list[str]:
    first, last = (
        [str(folder) for folder in folders] for folders in (request.search, request.environment.site_packages)
    )
    hook = request.workdir / "pylint-hook.py"
    hook.write_text(f"FIRST = {first!r}\nLAST = {last!r}\n{_HOOK}", encoding="utf-8")
    return [
        f"--rcfile={os.devnull}",
        f"--init-hook=exec(open({str(hook)!r}, encoding='utf-8').read(), {{}})",
        "--persistent=n",
        "--jobs=1",
        "--exit-zero",
        "--score=n",
        f"--py-version={request.environment.version}",
        f"--source-roots={','.join(first)}",
        "--disable=all",
        f"--enable={','.join(KINDS)}",
        "--output-format=json2",
        "--",
        *map(str, request.files),
    ]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    for entry in json.loads(output)["messages"]:
        code, message, path, line = entry["symbol"], entry["message"], entry["absolutePath"], entry["line"]
        rule = KINDS.get(code)
        if rule is None or _of_compiled_package(message, request):
            continue
        if code == "too-many-format-args" and ".format(" in source_line(path, line):
            continue
        known = entry["endLine"] is not None and entry["endColumn"] is not None
        end_line = entry["endLine"] if known else line
        end_column = from_bytes(path, end_line, entry["endColumn"]) if known else 0
        column = entry["column"] if code == "syntax-error" else from_bytes(path, line, entry["column"])
        yield Diagnosis("pylint", code, rule, path, line, column, end_line, end_column, message)


def _of_compiled_package(message: str, request: Request) -> bool:
    """Members of an installed package may be compiled or made on demand, which a syntax tree does not show."""
    found = re.search(r"^Module '([\w.]+)' has no |in module '([\w.]+)'$", message)
    return found is not None and request.environment.has((found[1] or found[2]).split(".")[0])


CHECKER = Checker(
    "pylint", _arguments, _parse, KINDS, answers=frozenset({0}), python_module="pylint", runs=without_clashes
)
