"""Names that nothing binds."""

from __future__ import annotations

import ast
import builtins
from difflib import get_close_matches

from mlvet.analyses.pycheck.guards import elsewhere, guarded, type_checking_only
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.analyses.pycheck.tree import Tree
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity

CUSTOMARY = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
    "tf": "import tensorflow as tf",
    "jnp": "import jax.numpy as jnp",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "Path": "from pathlib import Path",
    "partial": "from functools import partial",
    "defaultdict": "from collections import defaultdict",
    "Counter": "from collections import Counter",
    "tqdm": "from tqdm import tqdm",
    "Optional": "from typing import Optional",
    "List": "from typing import List",
    "Dict": "from typing import Dict",
    "Any": "from typing import Any",
}
MODULES = frozenset(
    {"os", "sys", "math", "json", "time", "random", "re", "copy", "glob", "shutil", "logging", "argparse", "pickle",
     "itertools", "functools", "collections", "datetime", "csv", "subprocess", "warnings", "torch", "torchvision",
     "jax", "keras", "sklearn", "scipy", "yaml", "wandb", "tempfile", "hashlib", "typing", "dataclasses", "optax"}
)  # fmt: skip
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_MOST_NAMES = 2000
NOTEBOOK_NAMES = frozenset({"get_ipython", "display", "In", "Out", "exit", "quit", "_"})


class UndefinedVariable(PythonRule):
    """A name is read that nothing defines.

    ## What it does
    Reports a name that is bound neither in the function, nor in the file, nor among Python's builtins, or that is
    local and read before its first assignment.

    ## Why it matters
    The line raises NameError or UnboundLocalError. In a training script that is often the line after the last
    epoch, when the result is to be saved.

    ## Example
        def train(epochs):
            for epoch in range(epochs):
                print("epoch", epcoh)

    ## Use instead
        def train(epochs):
            for epoch in range(epochs):
                print("epoch", epoch)

    ## How sure
    Proved when ruff finds no binding in the file; likely when only the type checker says so. Names in annotations
    that Python never evaluates, in files that create names at run time, or inside a `try` that catches NameError are
    at most possible.
    """

    code = "PY101"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        name, tree, node = cause.subject, facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        if tree.source.cells and name in NOTEBOOK_NAMES:
            return None
        if isinstance(tree.scope(node), (ast.FunctionDef, ast.AsyncFunctionDef)) and _stores(tree, node, name):
            message = f"`{name}` is read before it is assigned, so this line raises UnboundLocalError"
        else:
            message = f"`{name}` is not defined, so this line raises NameError"
        return Verdict(_certainty(cause, facts, tree, node), message, fix=_cure(cause, tree, node))


def _certainty(cause: Cause, facts: Facts, tree: Tree, node: ast.AST) -> Certainty:
    if (
        facts.project.adds_names_dynamically(cause.path)
        or guarded(tree, node, ["NameError", "UnboundLocalError"])
        or never_evaluated(tree, node, facts.environment.version)
        or type_checking_only(tree, node)
        or elsewhere(tree, node)
    ):
        return Certainty.POSSIBLE
    if cause.checkers & {"ruff", "pyflakes", "mlvet"}:
        return Certainty.POSSIBLE if _may_be_bound(tree, node, cause.subject) else Certainty.PROVED
    alone = facts.ran & {"ruff", "pyflakes"} and not tree.has_star_import
    return Certainty.POSSIBLE if alone else Certainty.LIKELY


def _stores(tree: Tree, node: ast.AST, name: str) -> list[ast.Name]:
    """Where the scope of a node assigns a name."""
    scope = tree.scope(node)
    return [store for store in tree.stores.get(name, ()) if tree.scope(store) is scope]


def _may_be_bound(tree: Tree, node: ast.AST, name: str) -> bool:
    """Whether an assignment may have run before a name is read.

    It stands earlier, or in a loop around both and the loop does not read the name in any case in its first round. A
    name that something deletes, or that an `except` clause binds and unbinds, is left to the checkers.
    """
    stores = _stores(tree, node, name)
    scope = tree.scope(node)
    if not stores or name in tree.unbound_names:
        return False
    place = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    if any((store.lineno, store.col_offset) < place for store in stores):
        return True
    conditional = False
    child = node
    for parent in tree.ancestors(node):
        if parent is scope:
            break
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)) and conditional:
            inside = {id(part) for part in ast.walk(parent)}
            if any(id(store) in inside for store in stores):
                return True
        conditional = conditional or _skippable(parent, child)
        child = parent
    return False


def _skippable(parent: ast.AST, child: ast.AST) -> bool:
    """Whether a part of a statement or expression may be passed over when the whole runs."""
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return child is not test
        case ast.BoolOp(values=values):
            return child is not values[0]
        case ast.Try() | ast.Match() | ast.ExceptHandler() | ast.Lambda():
            return True
    return False


def never_evaluated(tree: Tree, node: ast.AST, version: str) -> bool:
    """Whether a node stands in an annotation that Python stores unread: of a local variable, as text, or postponed."""
    child = node
    for parent in tree.ancestors(node):
        local = isinstance(parent, ast.AnnAssign) and child is parent.annotation and _in_function(tree, parent)
        annotation = child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))
        if local or (annotation and (_postponed(tree) or tuple(map(int, version.split("."))) >= (3, 14))):
            return True
        child = parent
    return isinstance(node, ast.Constant)


def _postponed(tree: Tree) -> bool:
    return any(
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and statement.names[0].name == "annotations"
        for statement in tree.root.body
    )


def _in_function(tree: Tree, node: ast.AST) -> bool:
    for parent in tree.ancestors(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return True
        if isinstance(parent, ast.ClassDef):
            return False
    return False


def _cure(cause: Cause, tree: Tree, node: ast.AST) -> Fix | None:
    """The nearest name in the file, or the import that is customary for the name; both are guesses."""
    name = cause.subject
    statement = CUSTOMARY.get(name) or (f"import {name}" if name in MODULES else None)
    if statement is not None:
        line = _first_free_line(tree)
        where = tree.source.location(line, 1, line, 1)
        edit = Edit(where, statement + "\n")
        return _guess(f"add `{statement}`", edit, tree, "the import that is meant is a guess")
    if len(tree.bound_names) > _MOST_NAMES:
        return None
    near = get_close_matches(
        name, sorted({*tree.bound_names, *_BUILTINS} - {name}), n=1, cutoff=0.75 if len(name) > 5 else 0.8
    )
    if not near or not isinstance(node, ast.Name):
        return None
    edit = Edit(tree.source.location(*tree.span(node)), near[0])
    return _guess(f"did you mean `{near[0]}`?", edit, tree, "the name that is meant is a guess")


def _guess(title: str, edit: Edit, tree: Tree, reason: str) -> Fix:
    if not tree.source.verbatim:
        return Fix(title)
    return Fix(title, (edit,), Applicability.UNSAFE, reason)


def _first_free_line(tree: Tree) -> int:
    """The line after the docstring and the `__future__` imports."""
    line = 1
    for statement in tree.root.body:
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not docstring and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            return statement.lineno if isinstance(statement, (ast.Import, ast.ImportFrom)) else line
        line = (statement.end_lineno or line) + 1
    return line
