"""Attributes that an object, class or module does not have."""

from __future__ import annotations

import ast
import builtins
import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from mlvet.analyses.pycheck.guards import elsewhere, guarded, type_checking_only
from mlvet.analyses.pycheck.installed import lacks, nowhere, slip_in
from mlvet.analyses.pycheck.judgement import BUILTIN_TYPES, Cause, Facts, Origin, PythonRule, Verdict, born
from mlvet.analyses.pycheck.packages import misspelling_of
from mlvet.analyses.pycheck.project import Project
from mlvet.analyses.pycheck.tree import Tree, last_name
from mlvet.analyses.pycheck.values import Trust, constructed, gives_nothing, only_value, trust
from mlvet.core.evidence import Related
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity

CONFUSED = frozenset(
    {"append", "extend", "insert", "pop", "remove", "keys", "items", "update", "upper", "lower", "strip", "join"}
)
"""Methods of lists, dictionaries and text that people expect of arrays, which will never have them."""


PYTHON_2 = frozenset({"decode", "has_key", "iteritems", "iterkeys", "itervalues", "viewitems", "viewkeys"})
"""Methods that text and dictionaries lost with Python 3."""


class MissingAttribute(PythonRule):
    """A module, class or object has no attribute of that name.

    ## What it does
    Reports attributes and imported names that do not exist: of modules, of objects whose class is certain, and of
    `self` in a network whose layers are all known.

    ## Why it matters
    The line raises AttributeError, or ImportError for `from module import name`.

    ## Example
        class Classifier:
            def __init__(self):
                self.weights = [0.1, 0.2]

            def forward(self, x):
                return [w * x for w in self.wieghts]

        Classifier().forward(2)

    ## Use instead
        class Classifier:
            def __init__(self):
                self.weights = [0.1, 0.2]

            def forward(self, x):
                return [w * x for w in self.weights]

        Classifier().forward(2)

    ## How sure
    Proved when the object has one class only, that class is closed, and nothing in the project gives it the attribute;
    likely for packages that are installed. Possible for objects that may have another class, such as a subclass.
    """

    code = "PY202"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        node = facts.node(cause)
        return [node.value] if isinstance(node, ast.Attribute) and not _module(cause) else []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        importing = "import" in cause.chief.message.lower() and not isinstance(node, ast.Attribute)
        errors = ["ImportError", "ModuleNotFoundError"] if importing else ["AttributeError"]
        if guarded(tree, node, errors) or type_checking_only(tree, node):
            return None
        if cause.chief.code == "unassigned-attribute":
            return Verdict(Certainty.PROVED, cause.chief.message.split("\n")[0], fix=_nearest(cause, tree, node))
        if elsewhere(tree, node) or cause.subject.startswith("__"):
            return Verdict(Certainty.POSSIBLE, f"`{cause.subject}` may be missing here")
        if module := _module(cause):
            return _of_module(cause, facts, tree, node, module, importing)
        return _of_object(cause, facts, tree, node)


def _module(cause: Cause) -> str | None:
    """The module that lacks the name, if the report is about one."""
    text = cause.chief.message.split("\n")[0]
    patterns = (
        r"in module [`\"'](?P<m>[\w.]+)",
        r"Could not import `\w+` from `(?P<m>[\w.]+)`",
        r"[Mm]odule [`\"'](?P<m>[\w.]+)[`\"'] (?:has no|does not)",
        r"attribute of module [`\"'](?P<m>[\w.]+)",
    )
    return next((found["m"] for pattern in patterns if (found := re.search(pattern, text))), None)


def _of_module(cause: Cause, facts: Facts, tree: Tree, node: ast.AST, module: str, importing: bool) -> Verdict:
    error = "ImportError" if importing else "AttributeError"
    message = f"module `{module}` has no attribute `{cause.subject}`, so this line raises {error}"
    origin = facts.origin(module, cause.path)
    fix = _nearest(cause, tree, node)
    if facts.project.attribute_stores(cause.subject, cause.path) or facts.ambiguous(module, cause.path):
        certainty = Certainty.POSSIBLE
    elif origin is Origin.STANDARD_LIBRARY:
        certainty = Certainty.POSSIBLE if cause.subject.startswith("_") else Certainty.PROVED
    elif origin is Origin.PROJECT:
        certainty = _of_project_module(cause, facts, module)
    elif origin is Origin.PACKAGE and (
        cause.chief.code == "not-in-tensorflow" or lacks(facts.environment, cause.subject, module)
    ):
        certainty = Certainty.LIKELY
    else:
        certainty = Certainty.POSSIBLE
    return Verdict(certainty, message, fix=fix)


def _of_project_module(cause: Cause, facts: Facts, module: str) -> Certainty:
    file = _file_of(module, cause, facts)
    text = facts.project.text(str(file)) if file is not None else ""
    if file is None or not text:
        return Certainty.POSSIBLE
    written = re.search(rf"\b{re.escape(cause.subject)}\b", text)
    dynamic = facts.project.adds_names_dynamically(str(file)) or facts.project.adds_attributes_dynamically(str(file))
    compiled = any(name.startswith(f"{cause.subject}.") for name in os.listdir(file.parent))
    if written or dynamic or compiled or "sys.modules" in text or "import *" in text:
        return Certainty.POSSIBLE
    return Certainty.PROVED


def _file_of(module: str, cause: Cause, facts: Facts) -> Path | None:
    """The file of a module of the project, found from the folders where the imports of the cause's file start."""
    parts = module.split(".")
    for folder in facts.folders(cause.path):
        for path in (folder.joinpath(*parts).with_suffix(".py"), folder.joinpath(*parts, "__init__.py")):
            if path.is_file():
                return path
    return None


def _of_object(cause: Cause, facts: Facts, tree: Tree, node: ast.AST) -> Verdict | None:
    certainty, kind = Certainty.POSSIBLE, _class_said(cause)
    if isinstance(node, ast.Attribute) and not facts.only_partial(cause):
        exact = facts.exact_class(cause, node.value)
        if exact is not None:
            kind = exact.removeprefix("Self@")
            certainty = _certainty_for(kind, cause, facts, tree, node.value)
        if kind == "NoneType" and _read_before(tree, node):
            return None
    what = "None" if kind == "NoneType" else f"an object of class `{kind}`" if kind else "the object"
    what = f"the class `{kind[5:-1]}`" if kind.startswith("type[") else what
    message = f"{what} has no attribute `{cause.subject}`, so this line raises AttributeError"
    defined = facts.project.classes(kind[5:-1] if kind.startswith("type[") else kind, cause.path)
    related = tuple(born(home, found, f"class `{found.name}` is defined here") for home, found in defined[:1])
    if kind == "NoneType" and isinstance(node, ast.Attribute):
        related = _source_of_none(cause, facts, node.value)
    own = [name for home, found in defined[:1] for name, by in home.attribute_owners.items() if found.name in by]
    return Verdict(certainty, message, related, fix=_nearest(cause, tree, node, own))


def _source_of_none(cause: Cause, facts: Facts, receiver: ast.expr) -> tuple[Related, ...]:
    """Where None was born: the function of the project that returns nothing."""
    value = only_value(facts.project, cause.path, receiver)
    name = last_name(value.func) if isinstance(value, ast.Call) else ""
    found = facts.project.functions(name, cause.path) if name else []
    return tuple(born(home, function, f"`{name}` returns nothing") for home, function in found if len(found) == 1)


def _read_before(tree: Tree, node: ast.Attribute) -> bool:
    """Whether an attribute of the same name is read earlier in the same scope: there the program has already ended."""
    if not isinstance(node.value, ast.Name):
        return False
    wanted, scope = node.value.id, tree.scope(node)
    return any(
        isinstance(other, ast.Attribute)
        and isinstance(other.value, ast.Name)
        and other.value.id == wanted
        and (other.lineno, other.col_offset) < (node.lineno, node.col_offset)
        and tree.scope(other) is scope
        for other in ast.walk(scope)
    )


def _class_said(cause: Cause) -> str:
    found = re.search(r"(?:class|type|for class) [`\"'](\w+)", cause.chief.message)
    return found.group(1) if found else ""


def _certainty_for(kind: str, cause: Cause, facts: Facts, tree: Tree, receiver: ast.expr) -> Certainty:
    project, path, attribute = facts.project, cause.path, cause.subject
    by_trust = {Trust.FLOW: Certainty.PROVED, Trust.WORD: Certainty.LIKELY, Trust.NONE: Certainty.POSSIBLE}
    worth = by_trust[trust(project, path, receiver)]
    own = kind[5:-1] if kind.startswith("type[") else kind
    if defined := project.classes(own, path):
        return worth if _closed(own, defined, cause, facts) else Certainty.POSSIBLE
    if kind == "NoneType":
        return Certainty.PROVED if gives_nothing(project, path, receiver) else Certainty.POSSIBLE
    if kind in BUILTIN_TYPES:
        slip = attribute in PYTHON_2 or misspelling_of(attribute, set(dir(getattr(builtins, kind))), ends=True)
        return worth if worth is Certainty.PROVED or slip else Certainty.POSSIBLE
    if project.attribute_stores(attribute, path):
        return Certainty.POSSIBLE
    if not _steady(project, path, tree, receiver):
        return Certainty.POSSIBLE
    packages = sorted({name.split(".")[0] for name in tree.imports.values()} - {""})
    if kind in ("Tensor", "ndarray"):
        foreign = attribute in CONFUSED or nowhere(facts.environment, attribute, packages)
    else:
        foreign = slip_in(facts.environment, attribute, packages)
    return Certainty.LIKELY if foreign or constructed(kind, project, path, receiver) else Certainty.POSSIBLE


def _closed(kind: str, defined: list[tuple[Tree, ast.ClassDef]], cause: Cause, facts: Facts) -> bool:
    """Whether all attributes of a class of the project are in sight."""
    if len(defined) > 1 or facts.project.may_have(kind, cause.subject, cause.path):
        return False
    family = facts.project.family(kind, cause.path)
    foreign = any(not facts.project.classes(name, cause.path) for name in family - {"object"})
    if foreign and cause.subject.startswith("_"):
        return False
    relatives = [found for name in family for found in facts.project.classes(name, cause.path)]
    return all(home.built_in_sight(node) for home, node in relatives) and not any(
        facts.project.adds_attributes_dynamically(facts.project.path_of(tree)) for tree, _ in relatives
    )


def _steady(project: Project, path: str, tree: Tree, receiver: ast.expr) -> bool:
    """Whether an expression is assigned in one place, or where a checker follows its flow."""
    match receiver:
        case ast.Attribute(value=owner, attr=attr):
            return project.attribute_stores(attr, path) <= 1 and _steady(project, path, tree, owner)
        case ast.Name(id=name):
            parameter = tree.parameter(receiver)
            declared = parameter is not None and parameter.annotation is not None
            return name == "self" or declared or tree.binds_here(receiver) or tree.bound_names[name] <= 1
    return True


def _nearest(cause: Cause, tree: Tree, node: ast.AST, names: Sequence[str] = ()) -> Fix | None:
    """The name that the checker offers instead, or the nearest of the names that there are."""
    offered = re.search(r"(?:[Dd]id you mean|maybe) [`\"'](?:[\w.]*\.)?(\w+)", cause.chief.message)
    near = [offered.group(1)] if offered else get_close_matches(cause.subject, names, n=1, cutoff=0.7)
    if not near:
        return None
    title = f"did you mean `{near[0]}`?"
    if not isinstance(node, ast.Attribute) or not tree.source.verbatim:
        return Fix(title)
    _, _, line, column = tree.span(node)
    edit = Edit(tree.source.location(line, column - len(node.attr), line, column), near[0])
    return Fix(title, (edit,), Applicability.UNSAFE, "the name that is meant is a guess")
