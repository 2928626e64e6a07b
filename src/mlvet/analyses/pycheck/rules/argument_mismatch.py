"""Calls whose arguments do not fit the function."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.judgement import Cause, Facts, Origin, PythonRule, Verdict, callee, constructed, guarded
from mlvet.core.grade import Certainty, Severity


class ArgumentMismatch(PythonRule):
    """A call does not fit the function's parameters.

    ## What it does
    Reports calls that lack a required argument, pass too many, repeat one, or name a parameter that does not exist.

    ## Why it matters
    The call raises TypeError before the function does anything.

    ## Example
        def evaluate(model, loader):
            return len(loader)

        evaluate("model", loader=[1, 2], device="cpu")

    ## Use instead
        def evaluate(model, loader):
            return len(loader)

        evaluate("model", loader=[1, 2])

    ## How sure
    Proved for functions of the project and of the standard library; likely for installed packages that ship their own
    types. Possible when a subclass may override the method, when the name is defined more than once, or when the
    package's types come from elsewhere.
    """

    code = "PY301"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        said = "; ".join(dict.fromkeys(_fact(diagnosis.message) for diagnosis in cause.diagnoses))
        message = f"{said}, so this call raises TypeError"
        if facts.only_partial(cause) or guarded(tree, node, ["TypeError"]):
            return Verdict(Certainty.POSSIBLE, message)
        return Verdict(_certainty(cause, facts), message)


def _fact(message: str) -> str:
    first = message.split("\n")[0]
    words = re.sub(r" in function (`[^`]+`)$", r" in the call of \1", first)
    return words[:1].lower() + words[1:] if words[:2].istitle() else words


def _certainty(cause: Cause, facts: Facts) -> Certainty:
    name = callee(cause)
    if not name:
        return Certainty.LIKELY if len(cause.checkers) > 1 else Certainty.POSSIBLE
    origin = facts.origin(name, cause.path)
    package = name.split(".")[0]
    if origin is Origin.PROJECT:
        return Certainty.POSSIBLE if _ambiguous(cause, facts, name) else Certainty.PROVED
    if origin is Origin.STANDARD_LIBRARY:
        return Certainty.PROVED
    if origin is Origin.PACKAGE and facts.typed(package) and _surely_called(cause, facts, name):
        return Certainty.LIKELY
    return Certainty.POSSIBLE


def _surely_called(cause: Cause, facts: Facts, name: str) -> bool:
    """Whether a function of a package is what runs: a plain function, a constructor, or a method of an object that this
    scope has constructed. Any other object may be of a subclass with other parameters."""
    owner, method = name.split(".")[-2:]
    if facts.project.attribute_stores(method) and method != "__init__":
        return False
    if not owner[:1].isupper() or method in ("__init__", "__new__"):
        return True
    tree, said = facts.tree(cause), cause.chief
    call = tree.call_around(said.line, max(said.column, 1)) if tree else None
    receiver = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    return tree is not None and receiver is not None and constructed(owner, tree, receiver)


def _ambiguous(cause: Cause, facts: Facts, name: str) -> bool:
    """Whether something else than the function that the checker saw may be called at run time."""
    *owner, function = name.split(".")
    if function == "__init__" and owner:
        function = owner[-1]
    definitions = sum(
        1
        for tree in facts.project.trees_with(f"def {function}")
        for node in tree.nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.name == function
        and not _is_method(tree.parents.get(node))
    )
    call = facts.node(cause)
    tree = facts.tree(cause)
    receiver = _receiver(tree.parents.get(call), call) if tree and call is not None else None
    overridable = receiver in ("self", "cls") and bool(owner) and facts.project.has_subclasses(owner[-1])
    local = facts.project.name_stores(cause.path, function)
    return overridable or (not owner and (definitions > 1 and local > 1))


def _is_method(parent: ast.AST | None) -> bool:
    return isinstance(parent, ast.ClassDef)


def _receiver(parent: ast.AST | None, call: ast.AST) -> str | None:
    for node in (call, parent):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            return node.func.value.id
    return None
