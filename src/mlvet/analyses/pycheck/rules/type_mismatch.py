"""Operators and built-in functions applied to values that they do not take."""

from __future__ import annotations

import ast

from mlvet.analyses.pycheck.judgement import Cause, Facts, Origin, PythonRule, Verdict, callee, guarded, surely
from mlvet.core.grade import Certainty, Severity


class TypeMismatch(PythonRule):
    """An operator or a function gets a value of a type that it does not take.

    ## What it does
    Reports operators between built-in values that have no such operator, such as text + number, and arguments of
    standard-library functions whose built-in type does not fit.

    ## Why it matters
    The line raises TypeError.

    ## Example
        def report(epoch):
            count = 3
            print("seen " + count + " batches")

        report(1)

    ## Use instead
        def report(epoch):
            count = 3
            print("seen " + str(count) + " batches")

        report(1)

    ## How sure
    Proved when each operand has one built-in type; likely for arguments of the standard library. All other type errors
    of the checkers are possible only: annotations are stricter than programs.
    """

    code = "PY302"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        match facts.node(cause):
            case ast.BinOp(left=left, right=right):
                return [left, right]
            case ast.Compare(left=left, comparators=[right]):
                return [left, right]
            case ast.expr() as argument if cause.chief.code == "bad-argument-type":
                return [argument]
        return []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        message = f"{cause.chief.message.splitlines()[0]}, so this line raises TypeError"
        if guarded(tree, node, ["TypeError"]) or facts.only_partial(cause):
            return Verdict(Certainty.POSSIBLE, message)
        operands = self.asks(cause, facts)
        known = bool(operands) and all(surely(cause, facts, operand) for operand in operands)
        if known and len(operands) == 2:
            return Verdict(Certainty.PROVED, message)
        if known and facts.origin(callee(cause) or "?", cause.path) is Origin.STANDARD_LIBRARY:
            return Verdict(Certainty.LIKELY, message)
        return Verdict(Certainty.POSSIBLE, message)
