"""Divisions by a written zero."""

from __future__ import annotations

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.grade import Certainty, Severity


class DivisionByZero(PythonRule):
    """A number is divided by zero.

    ## What it does
    Reports `/`, `//` and `%` of Python numbers whose divisor is surely zero.

    ## Why it matters
    The line raises ZeroDivisionError.

    ## Example
        batches = 100 // 0

    ## Use instead
        batches = 100 // 32

    ## How sure
    Proved: both sides are Python numbers and the divisor is the constant zero.
    """

    code = "PY402"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None or guarded(tree, node, ["ZeroDivisionError", "ArithmeticError"]):
            return None
        return Verdict(Certainty.PROVED, "the divisor is zero, so this line raises ZeroDivisionError")
