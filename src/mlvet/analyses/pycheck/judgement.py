"""From what checkers say to what mlvet says: causes, the facts that bear on them, and verdicts.

A checker reports what its types do not allow; mlvet reports what ends the program. A judge, one per rule, weighs each
cause against facts about the project and the installed packages, and says how sure it is.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path

from mlvet.analyses.pycheck.checker import Diagnosis
from mlvet.analyses.pycheck.environment import Environment
from mlvet.analyses.pycheck.imports import defines, import_root
from mlvet.analyses.pycheck.packages import STUBBED, misspelling_of
from mlvet.analyses.pycheck.project import Project, Tree
from mlvet.analyses.pycheck.reveal import Question, class_name, members
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

    def exact_class(self, cause: Cause, node: ast.expr) -> str | None:
        """The one class that an expression has, or None if it may have several or is not known."""
        tree = self.tree(cause)
        told = self.types.get(Question(cause.path, tree.span(node))) if tree else None
        if told is None:
            return None
        names = {class_name(member) for member in members(told)}
        return names.pop() if len(names) == 1 and not names & {"Unknown", "Any", "Never"} else None

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

    def folders(self, path: str) -> tuple[Path, ...]:
        """Folders that the imports of a file start from, its own root first."""
        return (import_root(Path(path)), *self.search)

    def _imported(self, name: str, path: str) -> bool:
        tree = self.project.tree(path)
        imports = (node for node in tree.nodes if isinstance(node, (ast.Import, ast.ImportFrom))) if tree else ()
        return any((alias.asname or alias.name.split(".")[0]) == name for node in imports for alias in node.names)

    def typed(self, package: str) -> bool:
        """Whether an installed package vouches for its own types."""
        return any((folder / package / "py.typed").is_file() for folder in self.environment.site_packages)

    def package_lacks(self, word: str, module: str) -> bool:
        """Whether an installed module surely has no such name: its sources never mention it.

        A module that makes names at run time may take them from anywhere, and stubs may be incomplete, so there the
        word must also be one slip away from one that the sources have.
        """
        place = self._place(module)
        if place is None or _occurs(word, place):
            return False
        init = place / "__init__.py" if place.is_dir() else place
        if not init.is_file():
            return False
        told_by_source = module.split(".")[0] not in STUBBED and not _MAKES_NAMES.search(init.read_bytes())
        return told_by_source or (
            misspelling_of(word, _words(place)) is not None and not _occurs(word, place, deep=True)
        )

    def _place(self, module: str) -> Path | None:
        """The folder or file of an installed module."""
        for folder in self.environment.site_packages:
            place = folder.joinpath(*module.split("."))
            if place.is_dir():
                return place
            if place.with_suffix(".py").is_file():
                return place.with_suffix(".py")
        return None


_MAKES_NAMES = re.compile(rb"__getattr__|sys\.modules|globals\(\)|setattr\(|[Ll]azy")


def _texts(place: Path, *, deep: bool = False) -> Iterator[bytes]:
    files = (
        [place]
        if place.is_file()
        else place.rglob("*.py*")
        if deep
        else [*place.glob("*.py*"), *place.glob("_C/*.pyi")]
    )
    return (file.read_bytes() for file in files if file.suffix in (".py", ".pyi"))


@cache
def _occurs(word: str, place: Path, *, deep: bool = False) -> bool:
    pattern = re.compile(rb"\b" + re.escape(word.encode()) + rb"\b")
    return any(pattern.search(text) for text in _texts(place, deep=deep))


@cache
def _words(place: Path) -> frozenset[str]:
    return frozenset(word.decode() for text in _texts(place) for word in re.findall(rb"[A-Za-z_]\w+", text))


def guarded(tree: Tree, node: ast.AST, errors: Iterable[str]) -> bool:
    """Whether a node stands in a `try` whose handler swallows one of the errors.

    A handler for ImportError is itself a fallback for another environment, so what stands in it is guarded too.
    """
    wanted = {*errors, "Exception", "BaseException"}
    child = node
    for parent in tree.ancestors(node):
        match parent:
            case ast.Try(body=body, handlers=handlers):
                inside = child in body or (isinstance(child, ast.ExceptHandler) and "ImportError" in wanted)
                if inside and any(_swallows(handler, wanted) for handler in handlers):
                    return True
            case ast.With(items=items) | ast.AsyncWith(items=items):
                if any("suppress" in ast.unparse(item) for item in items):
                    return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return False
        child = parent
    return False


def _swallows(handler: ast.ExceptHandler, wanted: set[str]) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = {last_name(kind) for kind in kinds if kind is not None}
    return (handler.type is None or bool(caught & wanted)) and not isinstance(handler.body[-1], ast.Raise)


def type_checking_only(tree: Tree, node: ast.AST) -> bool:
    """Whether a node is only read by type checkers: under `if TYPE_CHECKING`."""
    return any(
        isinstance(parent, ast.If) and "TYPE_CHECKING" in ast.unparse(parent.test) for parent in tree.ancestors(node)
    )


def quoted(text: str) -> list[str]:
    """The pieces that a message puts in backticks or quotes."""
    return [a or b or c for a, b, c in re.findall(r"`([^`]+)`|\"([^\"]+)\"|'([^']+)'", text)]


def settled(cause: Cause, facts: Facts, expression: ast.expr) -> bool:
    """Whether the type that the checker inferred for an expression is all there is.

    Checkers take the first assignment of an attribute or global as its type, so one that is assigned elsewhere too,
    or that comes in through a parameter, may be something else at run time.
    """
    match expression:
        case ast.Attribute(value=owner, attr=attr):
            return facts.project.attribute_stores(attr) <= 1 and settled(cause, facts, owner)
        case ast.Name(id=name) if name not in ("self", "cls"):
            tree = facts.tree(cause)
            return tree is not None and (
                tree.binds_here(expression) or facts.project.name_stores(cause.path, name) <= 1
            )
        case ast.Subscript():
            return False
    return True


def surely(cause: Cause, facts: Facts, expression: ast.expr) -> str | None:
    """The built-in class that an expression has at run time, if that is certain."""
    kind = facts.exact_class(cause, expression)
    return kind if kind in BUILTIN_TYPES and settled(cause, facts, expression) else None


def constructed(kind: str, tree: Tree, receiver: ast.expr) -> bool:
    """Whether an expression is surely an instance of just this class: its only value is a call of the class."""
    value = only_value(tree, receiver)
    return isinstance(value, ast.Call) and last_name(value.func) == kind


def only_value(tree: Tree, receiver: ast.expr) -> ast.expr | None:
    """The only value that a name is assigned in its scope; any other expression is its own value."""
    if not isinstance(receiver, ast.Name):
        return receiver
    values = [
        node.value
        for node in ast.walk(tree.scope(receiver))
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == receiver.id for t in node.targets)
    ]
    return values[0] if len(values) == 1 else None


def last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def callee(cause: Cause) -> str:
    """The function that a report of wrong arguments or types concerns, as the checker names it."""
    match = re.search(r"in function `([^`]+)`", cause.chief.message)
    return match.group(1) if match else ""
