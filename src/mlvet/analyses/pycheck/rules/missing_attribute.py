"""Attributes that an object, class or module does not have."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.judgement import (
    BUILTIN_TYPES,
    Cause,
    Facts,
    Origin,
    PythonRule,
    Verdict,
    constructed,
    guarded,
    last_name,
    only_value,
    settled,
    type_checking_only,
)
from mlvet.analyses.pycheck.project import Tree
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity

CLOSED = {"Tensor": "torch", "ndarray": "numpy"}
CONFUSED = frozenset(
    {"append", "extend", "insert", "pop", "remove", "keys", "items", "update", "upper", "lower", "strip", "join"}
)
RETURN_NOTHING = frozenset(
    {"sort", "append", "extend", "insert", "reverse", "update", "add", "clear", "shuffle", "remove"}
)


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
    if origin is Origin.STANDARD_LIBRARY:
        return Verdict(Certainty.PROVED, message, fix=fix)
    if origin is Origin.PROJECT:
        return Verdict(_of_project_module(cause, facts, module), message, fix=fix)
    if origin is Origin.PACKAGE and facts.package_lacks(cause.subject, module):
        return Verdict(Certainty.LIKELY, message, fix=fix)
    return Verdict(Certainty.POSSIBLE, message, fix=fix)


def _of_project_module(cause: Cause, facts: Facts, module: str) -> Certainty:
    parts = module.split(".")
    files = [
        str(path)
        for folder in facts.folders(cause.path)
        for path in (folder.joinpath(*parts).with_suffix(".py"), folder.joinpath(*parts, "__init__.py"))
        if path.is_file()
    ]
    if len(files) != 1:
        return Certainty.POSSIBLE
    source = facts.project.sources.get(files[0])
    if source is None:
        return Certainty.LIKELY
    written = re.search(rf"\b{re.escape(cause.subject)}\b", source.text)
    dynamic = facts.project.adds_names_dynamically(files[0]) or facts.project.adds_attributes_dynamically(files[0])
    if written or dynamic or "sys.modules" in source.text or "import *" in source.text:
        return Certainty.POSSIBLE
    return Certainty.PROVED if not facts.project.attribute_stores(cause.subject) else Certainty.POSSIBLE


def _of_object(cause: Cause, facts: Facts, tree: Tree, node: ast.AST) -> Verdict:
    certainty, kind = Certainty.POSSIBLE, _class_said(cause)
    if isinstance(node, ast.Attribute) and not facts.only_partial(cause):
        kind = (facts.exact_class(cause, node.value) or "").removeprefix("Self@")
        if kind and not facts.project.attribute_stores(cause.subject):
            certainty = _certainty_for(kind, cause, facts, tree, node.value)
        kind = kind or _class_said(cause)
    what = "None" if kind == "NoneType" else f"an object of class `{kind}`" if kind else "the object"
    message = f"{what} has no attribute `{cause.subject}`, so this line raises AttributeError"
    return Verdict(certainty, message, fix=_nearest(cause, tree, node))


def _class_said(cause: Cause) -> str:
    found = re.search(r"(?:class|type|for class) [`\"'](\w+)", cause.chief.message)
    return found.group(1) if found else ""


def _certainty_for(kind: str, cause: Cause, facts: Facts, tree: Tree, receiver: ast.expr) -> Certainty:
    if not settled(cause, facts, receiver):
        return Certainty.POSSIBLE
    if kind == "NoneType":
        return Certainty.PROVED if _returns_nothing(facts, tree, receiver) else Certainty.POSSIBLE
    if kind in BUILTIN_TYPES:
        return Certainty.PROVED
    defined = list(facts.project.classes(kind))
    if defined:
        dynamic = any(facts.project.adds_attributes_dynamically(path) for path in _paths(facts, defined))
        return Certainty.POSSIBLE if dynamic or len(defined) > 1 else Certainty.PROVED
    if package := CLOSED.get(kind):
        foreign = cause.subject in CONFUSED or facts.package_lacks(cause.subject, package)
        return Certainty.LIKELY if foreign else Certainty.POSSIBLE
    if constructed(kind, tree, receiver):
        return Certainty.LIKELY
    return Certainty.POSSIBLE


def _paths(facts: Facts, defined: list[tuple[Tree, ast.ClassDef]]) -> list[str]:
    shown = {tree.source.path for tree, _ in defined}
    return [path for path, source in facts.project.sources.items() if source.path in shown]


def _returns_nothing(facts: Facts, tree: Tree, receiver: ast.expr) -> bool:
    """Whether None comes from a place that surely gives None: the constant, a function of the project without a
    return value, or a method that works in place."""
    value = only_value(tree, receiver)
    if isinstance(value, ast.Constant):
        return value.value is None
    if not isinstance(value, ast.Call):
        return False
    called = last_name(value.func)
    if isinstance(value.func, ast.Name):
        definitions = [
            node
            for other in facts.project.trees_with(f"def {called}")
            for node in other.nodes
            if isinstance(node, ast.FunctionDef) and node.name == called
        ]
        return len(definitions) == 1 and not definitions[0].decorator_list and not _gives_value(definitions[0])
    return called in RETURN_NOTHING and facts.project.attribute_stores(called) == 0


def _gives_value(function: ast.FunctionDef) -> bool:
    return any(
        (isinstance(node, ast.Return) and node.value is not None) or isinstance(node, (ast.Yield, ast.YieldFrom))
        for node in ast.walk(function)
    )


def _nearest(cause: Cause, tree: Tree, node: ast.AST) -> Fix | None:
    """The name that the checker offers instead."""
    offered = re.search(r"[Dd]id you mean [`\"'](?:[\w.]*\.)?(\w+)", cause.chief.message) or re.search(
        r"maybe \"(\w+)\"", cause.chief.message
    )
    if not offered:
        return None
    title = f"did you mean `{offered.group(1)}`?"
    if not isinstance(node, ast.Attribute) or not tree.source.verbatim:
        return Fix(title)
    _, _, line, column = tree.span(node)
    edit = Edit(tree.source.location(line, column - len(node.attr), line, column), offered.group(1))
    return Fix(title, (edit,), Applicability.UNSAFE, "the name that is meant is a guess")
