"""Divisions by a written zero."""

from __future__ import annotations

import ast

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.analyses.pycheck.values import only_value
from mlvet.core.grade import Certainty, Severity


class ZeroDivision(PythonRule):
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
    Proved when the left side is a Python number and the divisor the constant zero; likely when a zero is written and
    nothing is known of the left side; possible otherwise, since arrays divide by zero and text has a `%` of its own.
    """

    code = "PY402"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        node = facts.node(cause)
        return [node.left] if isinstance(node, ast.BinOp) else []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or not isinstance(node, ast.BinOp):
            return None
        if guarded(tree, node, ["ZeroDivisionError", "ArithmeticError"]):
            return None
        divisor = only_value(facts.project, cause.path, node.right)
        zero = isinstance(divisor, ast.Constant) and divisor.value == 0
        message = "the divisor is zero, so this line raises ZeroDivisionError"
        if zero and facts.exact_class(cause, node.left) in ("int", "float", "bool"):
            return Verdict(Certainty.PROVED, message)
        written = divisor is node.right and not isinstance(node.op, ast.Mod)
        unknown = facts.told(cause, node.left) in ("Unknown", "Any")
        return Verdict(Certainty.LIKELY if zero and written and unknown else Certainty.POSSIBLE, message)
