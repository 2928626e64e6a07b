"""Positions that a tuple does not have, and values that have no positions."""

from __future__ import annotations

import ast

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict, surely
from mlvet.analyses.pycheck.values import Trust
from mlvet.core.grade import Certainty, Severity


class IndexOutOfRange(PythonRule):
    """An index that the value does not have.

    ## What it does
    Reports a constant index beyond the end of a tuple whose length is known, and indexing of a number.

    ## Why it matters
    The line raises IndexError, or TypeError when the value has no elements at all.

    ## Example
        shape = (3, 224, 224)
        print(shape[3])

    ## Use instead
        shape = (3, 224, 224)
        print(shape[2])

    ## How sure
    Proved when the value has one built-in type; possible otherwise.
    """

    code = "PY403"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        subscript = _subscript(cause, facts)
        return [subscript.value] if subscript else []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, subscript = facts.tree(cause), _subscript(cause, facts)
        if tree is None or subscript is None:
            return None
        words = cause.chief.message.splitlines()[0]
        beyond = "out of range" in words or "out of bounds" in words
        message = f"{words}, so this line raises {'IndexError' if beyond else 'TypeError'}"
        kind = facts.exact_class(cause, subscript.value)
        sure = surely(cause, facts, subscript.value) is Trust.FLOW
        fits = (beyond and kind == "tuple") or kind in ("int", "float", "bool")
        if (
            not sure
            or not fits
            or not facts.one_type(cause, subscript.value)
            or guarded(tree, subscript, ["IndexError", "TypeError"])
        ):
            return Verdict(Certainty.POSSIBLE, message)
        return Verdict(Certainty.PROVED, message)


def _subscript(cause: Cause, facts: Facts) -> ast.Subscript | None:
    tree, node = facts.tree(cause), facts.node(cause)
    if tree is None or node is None:
        return None
    return next((found for found in (node, *tree.ancestors(node)) if isinstance(found, ast.Subscript)), None)
