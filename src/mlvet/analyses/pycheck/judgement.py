"""From what checkers say to what mlvet says: causes, the facts that bear on them, and verdicts.

A checker reports what its types do not allow; mlvet reports what ends the program. A judge, one per rule, weighs each
cause against facts about the project and the installed packages, and says how sure it is.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from mlvet.analyses.pycheck.checker import Diagnosis
from mlvet.analyses.pycheck.environment import Environment
from mlvet.analyses.pycheck.imports import defines, import_root
from mlvet.analyses.pycheck.project import Project
from mlvet.analyses.pycheck.reveal import Question, class_name, members
from mlvet.analyses.pycheck.tree import Tree
from mlvet.analyses.pycheck.values import Trust, trust
from mlvet.core.errors import InternalError
from mlvet.core.evidence import Assumption, Related
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty
from mlvet.core.rule import Rule

BUILTIN_TYPES = frozenset(
    {"str", "int", "float", "bool", "list", "dict", "tuple", "set", "frozenset", "bytes", "complex", "range"}
)


class Origin(Enum):
    """Who wrote a function, class or module."""

    PROJECT = "project"
    STANDARD_LIBRARY = "standard library"
    PACKAGE = "package"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """One place and one reason to fail, with every checker's report of it; `subject` is the name at fault."""

    rule: str
    path: str
    subject: str
    diagnoses: tuple[Diagnosis, ...]

    @property
    def chief(self) -> Diagnosis:
        """The report whose span and words are used: a checker that gives a whole span, pyrefly first."""
        order = ("pyrefly", "mlvet", "ty", "pyright", "mypy", "pylint", "ruff", "pyflakes", "pytype")
        return min(self.diagnoses, key=lambda diagnosis: (diagnosis.column == 0, order.index(diagnosis.checker)))

    @property
    def checkers(self) -> frozenset[str]:
        return frozenset(diagnosis.checker for diagnosis in self.diagnoses)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a cause."""

    certainty: Certainty
    message: str
    related: tuple[Related, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    fix: Fix | None = None


class PythonRule(Rule):
    """A rule of pycheck. `asks` names the expressions whose whole type bears on a cause; `judge` weighs the cause, and
    returns None when nothing is worth saying."""

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        del cause, facts
        return []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        raise InternalError(f"rule {self.name} has no judge for {cause}, {facts}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What judges may ask."""

    project: Project
    environment: Environment
    search: tuple[Path, ...]
    ran: frozenset[str]
    partial: frozenset[tuple[str, str]] = frozenset()
    types: Mapping[Question, str] = field(default_factory=dict)

    def tree(self, cause: Cause) -> Tree | None:
        return self.project.tree(cause.path)

    def node(self, cause: Cause) -> ast.AST | None:
        """The expression that the chief report spans, else the smallest node at its start."""
        tree = self.tree(cause)
        if tree is None:
            return None
        said = cause.chief
        exact = tree.expression(said.line, said.column, said.end_line, said.end_column)
        return exact or tree.innermost(said.line, max(said.column, 1))

    def told(self, cause: Cause, node: ast.expr) -> str | None:
        """The whole type of an expression, if the second look learned it."""
        tree = self.tree(cause)
        return self.types.get(Question(cause.path, tree.span(node))) if tree else None

    def exact_class(self, cause: Cause, node: ast.expr) -> str | None:
        """The one class that an expression has, or None if it may have several or is not known."""
        told = self.told(cause, node)
        names = {class_name(member) for member in members(told)} if told else set()
        return names.pop() if len(names) == 1 and not names & {"Unknown", "Any", "Never"} else None

    def one_type(self, cause: Cause, node: ast.expr) -> bool:
        """Whether an expression has a single type, not several of one class."""
        told = self.told(cause, node)
        return told is not None and len(members(told)) == 1

    def only_partial(self, cause: Cause) -> bool:
        """Whether every report says itself that it concerns only some of the cases."""
        return all((diagnosis.checker, diagnosis.code) in self.partial for diagnosis in cause.diagnoses)

    def origin(self, qualified: str, path: str) -> Origin:
        """Who wrote `a.b.c`, as seen from a file."""
        first = qualified.split(".")[0]
        if self.project.name_stores(path, first) and not self._imported(first, path):
            return Origin.PROJECT
        if any(defines(folder, first) for folder in self.folders(path)):
            return Origin.PROJECT
        if first in sys.stdlib_module_names or hasattr(builtins, first):
            return Origin.STANDARD_LIBRARY
        return Origin.PACKAGE if self.environment.has(first) else Origin.UNKNOWN

    def ambiguous(self, module: str, path: str) -> bool:
        """Whether Python could mean another file by a module: it depends on the folder that the program starts from."""
        top = module.split(".")[0]
        root = import_root(Path(path))
        found = [folder for folder in (root, *root.parents) if defines(folder, top)]
        hidden = bool(found) and top in sys.stdlib_module_names
        return hidden or len(found) > 1 or (bool(found) and found[0].name == top)

    def folders(self, path: str) -> tuple[Path, ...]:
        """Folders that the imports of a file start from, its own root first."""
        return (import_root(Path(path)), *self.search)

    def _imported(self, name: str, path: str) -> bool:
        tree = self.project.tree(path)
        return tree is not None and name in tree.imports


def quoted(text: str) -> list[str]:
    """The pieces that a message puts in backticks or quotes."""
    return [a or b or c for a, b, c in re.findall(r"`([^`]+)`|\"([^\"]+)\"|'([^']+)'", text)]


def born(tree: Tree, node: ast.FunctionDef | ast.ClassDef, message: str) -> Related:
    """A note that leads to the definition of a function or class."""
    line, column, _, _ = tree.span(node)
    return Related(message, tree.source.location(line, column))


def surely(cause: Cause, facts: Facts, expression: ast.expr) -> Trust:
    """How far it is certain that an expression has the one built-in class that the checker says."""
    if facts.exact_class(cause, expression) not in BUILTIN_TYPES:
        return Trust.NONE
    return trust(facts.project, cause.path, expression)


def callee(cause: Cause) -> str:
    """The function that a report of wrong arguments or types concerns, as the checker names it."""
    match = re.search(r"in function `([^`]+)`", cause.chief.message)
    return match.group(1) if match else ""
