"""Calls whose arguments do not fit the function."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.guards import elsewhere, guarded
from mlvet.analyses.pycheck.installed import builds_plainly, self_described
from mlvet.analyses.pycheck.judgement import Cause, Facts, Origin, PythonRule, Verdict, born, callee, quoted
from mlvet.analyses.pycheck.tree import Tree, last_name
from mlvet.analyses.pycheck.values import Trust, constructed, trust
from mlvet.core.evidence import Related
from mlvet.core.grade import Certainty, Severity

_NUMPY_ALIASES = frozenset({"axis", "keepdims", "a", "x", "x1", "x2"})
"""Keywords of NumPy that compiled torch functions accept besides those in their stubs."""


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

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        receiver = _receiver(cause, facts)
        return [receiver] if receiver is not None else []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        said = "; ".join(dict.fromkeys(_fact(diagnosis.message) for diagnosis in cause.diagnoses))
        message = f"{said}, so this call raises TypeError"
        if facts.only_partial(cause) or _unpacks(cause, facts):
            return Verdict(Certainty.POSSIBLE, message)
        if guarded(tree, node, ["TypeError"]) or elsewhere(tree, node):
            return Verdict(Certainty.POSSIBLE, message)
        return Verdict(_certainty(cause, facts), message, _definition(cause, facts))


def _definition(cause: Cause, facts: Facts) -> tuple[Related, ...]:
    """Where the function of the project is defined, with what it takes."""
    *owner, name = callee(cause).split(".")
    if facts.project.classes(name, cause.path):
        owner, name = [name], "__init__"
    found = facts.project.functions(name, cause.path)
    own = [(tree, node) for tree, node in found if not owner or _owner(tree, node) in ("", owner[-1])]
    return tuple(born(tree, node, f"it takes ({ast.unparse(node.args)})") for tree, node in own if len(own) == 1)


def _owner(tree: Tree, node: ast.FunctionDef) -> str:
    parent = tree.parents.get(node)
    return parent.name if isinstance(parent, ast.ClassDef) else ""


def _fact(message: str) -> str:
    first = message.split("\n")[0]
    words = re.sub(r" in function (`[^`]+`)$", r" in the call of \1", first)
    return words[:1].lower() + words[1:] if words[:2].istitle() else words


def _call(cause: Cause, facts: Facts) -> ast.Call | None:
    tree, said = facts.tree(cause), cause.chief
    return tree.call_around(said.line, max(said.column, 1)) if tree else None


def _unpacks(cause: Cause, facts: Facts) -> bool:
    """Whether the call unpacks a sequence or mapping, whose length checkers guess."""
    call = _call(cause, facts)
    return call is not None and (
        any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)
    )


def _receiver(cause: Cause, facts: Facts) -> ast.expr | None:
    call = _call(cause, facts)
    return call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None


def _certainty(cause: Cause, facts: Facts) -> Certainty:
    name = callee(cause)
    if "mlvet" in cause.checkers:
        return Certainty.PROVED
    if not name:
        return Certainty.LIKELY if len(cause.checkers) > 1 else Certainty.POSSIBLE
    if name in ("object.__init__", "object.__new__"):
        return _of_plain_class(cause, facts)
    origin = facts.origin(name, cause.path)
    if origin is Origin.PROJECT:
        unclear = name.endswith(".__call__") or _ambiguous(cause, facts, name)
        return Certainty.POSSIBLE if unclear else Certainty.PROVED
    if origin is Origin.STANDARD_LIBRARY:
        return Certainty.PROVED
    if "._C." in name and _NUMPY_ALIASES & set(quoted(cause.chief.message)):
        return Certainty.POSSIBLE
    described = origin is Origin.PACKAGE and self_described(facts.environment, name.split(".")[0])
    return Certainty.LIKELY if described and _surely_called(cause, facts, name) else Certainty.POSSIBLE


def _of_plain_class(cause: Cause, facts: Facts) -> Certainty:
    """A class without `__init__`: what a decorator or a base adds is not always visible."""
    call = _call(cause, facts)
    found = facts.project.classes(last_name(call.func), cause.path) if call is not None else []
    plain = len(found) == 1 and not found[0][1].decorator_list and not found[0][1].bases
    return Certainty.PROVED if plain else Certainty.POSSIBLE


def _surely_called(cause: Cause, facts: Facts, name: str) -> bool:
    """Whether a function of a package is what runs: a plain function, a constructor, a method of the class itself or of
    an object that the program constructs. Any other object may be of a subclass with other parameters."""
    owner, method = name.split(".")[-2:]
    if method in ("__init__", "__new__"):
        return builds_plainly(facts.environment, name)
    if facts.project.functions(method, cause.path) or facts.project.attribute_stores(method, cause.path):
        return False
    receiver = _receiver(cause, facts)
    if not owner[:1].isupper() or receiver is None or last_name(receiver) == owner:
        return True
    kind = facts.exact_class(cause, receiver)
    return kind is not None and constructed(kind, facts.project, cause.path, receiver)


def _ambiguous(cause: Cause, facts: Facts, name: str) -> bool:
    """Whether something else than the function that the checker saw may be called at run time."""
    *owner, function = name.split(".")
    call = _call(cause, facts)
    named = {function, owner[-1]} if function in ("__init__", "__new__") and owner else {function}
    if call is None or last_name(call.func) not in named:
        return True
    if function in ("__init__", "__new__") and owner:
        found = facts.project.classes(owner[-1], cause.path)
        return len(found) > 1 or any(not _plainly_built(tree, node) for tree, node in found)
    definitions = facts.project.functions(function, cause.path)
    if any(not tree.keeps_shape(decorator) for tree, node in definitions for decorator in node.decorator_list):
        return True
    if not isinstance(call.func, ast.Attribute):
        return facts.project.name_stores(cause.path, function) > 1
    receiver = call.func.value
    if not facts.project.classes(owner[-1] if owner else "", cause.path):
        return facts.ambiguous(name, cause.path)
    if last_name(receiver) == owner[-1] or constructed(owner[-1], facts.project, cause.path, receiver):
        return False
    return trust(facts.project, cause.path, receiver) is Trust.NONE or _overridden(function, owner[-1], cause, facts)


def _overridden(method: str, kind: str, cause: Cause, facts: Facts) -> bool:
    relatives = facts.project.family(kind, cause.path) - {kind}
    return any(_owner(tree, node) in relatives for tree, node in facts.project.functions(method, cause.path))


def _plainly_built(tree: Tree, node: ast.ClassDef) -> bool:
    """Whether the parameters of a class are in sight: its own `__init__`, or a plain dataclass."""
    own = any(isinstance(found, ast.FunctionDef) and found.name == "__init__" for found in node.body)
    return (own or not node.bases) and tree.built_in_sight(node)
