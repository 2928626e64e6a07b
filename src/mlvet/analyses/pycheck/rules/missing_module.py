"""Imports that find nothing."""

from __future__ import annotations

import ast
import os
import sys
from functools import cache
from pathlib import Path

from mlvet.analyses.pycheck.guards import elsewhere, guarded, type_checking_only
from mlvet.analyses.pycheck.imports import defines
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.analyses.pycheck.packages import DEPARTED, GONE, KNOWN, misspelling_of
from mlvet.analyses.pycheck.tree import Tree
from mlvet.core.evidence import Assumption
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity

_GENERATED = ("_pb2", "_pb2_grpc", "_version", "version", "_C", "_ext", "_build", "_generated")
_COMPILED = (".so", ".pyd", ".pyx", ".proto", ".c", ".cpp", ".cu", ".rs", ".pyi")


class MissingModule(PythonRule):
    """An import names a module that does not exist.

    ## What it does
    Reports imports of modules that are missing from the project, from the standard library, or from an installed
    package, and names that are one slip away from a well-known package. A package that is merely not installed where
    mlvet runs is no finding; the summary names it.

    ## Why it matters
    The import raises ModuleNotFoundError, often only when the job has already waited for its machine.

    ## Example
        import os.pth

        print(os.pth)

    ## Use instead
        import os.path

        print(os.path)

    ## How sure
    Proved for the standard library and for installed packages; likely for modules of the project (a build step might
    create them) and for misspellings. Imports inside `try ... except ImportError` are not reported.
    """

    code = "PY201"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        top, _, rest = cause.subject.lstrip(".").partition(".")
        if not _decidable(top, rest, cause, facts):
            return Verdict(Certainty.POSSIBLE, f"`{top}` is not installed in {facts.environment.origin} environment")
        tree = facts.tree(cause)
        statement = _statement(tree, cause) if tree else None
        if tree is None or statement is None or guarded(tree, statement, ["ImportError", "ModuleNotFoundError"]):
            return None
        if type_checking_only(tree, statement) or elsewhere(tree, statement):
            return None
        module = cause.subject.lstrip(".")
        if top in sys.stdlib_module_names:
            return Verdict(
                Certainty.PROVED, _says(module, f"in the standard library of Python {facts.environment.version}")
            )
        if not rest and top in GONE:
            cure = f"in Python 3 it is `{GONE[top]}`"
            return Verdict(Certainty.LIKELY, _says(module, "in Python 3"), fix=Fix(cure))
        if rest and _first_party(top, cause, facts):
            return _project_module(module, cause, facts)
        if facts.environment.has(top):
            return _package_module(module, facts)
        return _misspelt(top, cause, facts, tree, statement)


def _decidable(top: str, rest: str, cause: Cause, facts: Facts) -> bool:
    """Whether there is more to say than that a package is not installed here."""
    return bool(
        top in sys.stdlib_module_names
        or (not rest and top in GONE)
        or (rest and (facts.environment.has(top) or _first_party(top, cause, facts)))
        or _near(top, cause, facts) is not None
    )


def _says(module: str, where: str) -> str:
    return f"there is no module `{module}` {where}, so this import raises ModuleNotFoundError"


def _statement(tree: Tree, cause: Cause) -> ast.Import | ast.ImportFrom | None:
    for node in tree.nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno <= cause.chief.line <= (node.end_lineno or 0):
            return node
    return None


def _first_party(top: str, cause: Cause, facts: Facts) -> bool:
    return any(defines(folder, top) for folder in facts.folders(cause.path))


def _project_module(module: str, cause: Cause, facts: Facts) -> Verdict:
    parts = module.split(".")
    home = next(folder for folder in facts.folders(cause.path) if defines(folder, parts[0]))
    depth = len(parts) - 1
    while depth and not home.joinpath(*parts[:depth]).is_dir():
        depth -= 1
    folder, missing = home.joinpath(*parts[:depth]), parts[depth]
    made = missing.endswith(_GENERATED) or any((folder / (missing + ending)).exists() for ending in _COMPILED)
    made = made or (folder / missing).is_dir() or any(name.startswith(f"{missing}.") for name in _listing(folder))
    message = _says(module, "in the project")
    near = misspelling_of(missing, {Path(name).stem for name in _listing(folder)})
    fix = Fix(f"did you mean `{near}`?") if near else None
    certainty = Certainty.POSSIBLE if made else Certainty.LIKELY
    return Verdict(certainty, message, assumptions=(Assumption("no build step creates the module"),), fix=fix)


def _package_module(module: str, facts: Facts) -> Verdict:
    parts = module.split(".")
    site = next((folder for folder in facts.environment.site_packages if (folder / parts[0]).is_dir()), None)
    message = _says(module, f"in the installed `{parts[0]}`")
    if site is None:
        return Verdict(Certainty.POSSIBLE, message)
    depth = 1
    while depth < len(parts) and site.joinpath(*parts[: depth + 1]).is_dir():
        depth += 1
    folder = site.joinpath(*parts[:depth])
    if depth == len(parts):
        return Verdict(Certainty.POSSIBLE, message)
    beside = {name.split(".")[0] for name in _listing(folder)}
    near = misspelling_of(parts[depth], beside)
    fix = Fix(f"did you mean `{'.'.join([*parts[:depth], near])}`?") if near else None
    init = folder / "__init__.py"
    if not init.is_file():
        return Verdict(Certainty.POSSIBLE, message)
    text = init.read_text(encoding="utf-8", errors="replace")
    departed = ".".join(parts[: depth + 1]) in DEPARTED
    dynamic = not departed and any(sign in text for sign in (parts[depth], "sys.modules", "Lazy", "lazy"))
    if parts[depth] in beside or (dynamic and not near):
        return Verdict(Certainty.POSSIBLE, message)
    return Verdict(Certainty.LIKELY if dynamic else Certainty.PROVED, message, fix=fix)


def _near(top: str, cause: Cause, facts: Facts) -> str | None:
    """A known module, or one beside the file, that a missing one is a slip away from."""
    if top in KNOWN:
        return None
    return _slip(top) or next((near for folder in facts.folders(cause.path) if (near := _slip_here(top, folder))), None)


@cache
def _slip(name: str) -> str | None:
    return misspelling_of(name, KNOWN | sys.stdlib_module_names)


@cache
def _slip_here(name: str, folder: Path) -> str | None:
    return misspelling_of(
        name, {Path(entry).stem for entry in _listing(folder) if entry.endswith(".py")} - {"__init__"}
    )


def _misspelt(top: str, cause: Cause, facts: Facts, tree: Tree, statement: ast.Import | ast.ImportFrom) -> Verdict:
    near = _near(top, cause, facts)
    message = (
        f"there is no module `{top}` here and `{near}` is one slip away, so this import raises ModuleNotFoundError"
    )
    column = tree.source.lines[statement.lineno - 1].find(top) + 1
    edit = Edit(tree.source.location(statement.lineno, column, statement.lineno, column + len(top)), near or "")
    fix = Fix(f"did you mean `{near}`?", (edit,), Applicability.UNSAFE, "the module that is meant is a guess")
    return Verdict(
        Certainty.LIKELY,
        message,
        assumptions=(Assumption(f"no other package named `{top}` is meant"),),
        fix=fix if column and tree.source.verbatim else Fix(fix.title),
    )


@cache
def _listing(folder: Path) -> tuple[str, ...]:
    return tuple(os.listdir(folder)) if folder.is_dir() else ()
