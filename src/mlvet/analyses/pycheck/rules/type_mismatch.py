"""Operators and built-in functions applied to values that they do not take."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.installed import nowhere
from mlvet.analyses.pycheck.judgement import Cause, Facts, Origin, PythonRule, Verdict, callee, quoted, surely
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
        if cause.chief.code == "no-matching-overload" and (word := _unknown_keyword(cause.chief.message)):
            return _of_overloads(word, cause, facts)
        worths = [surely(cause, facts, operand) for operand in self.asks(cause, facts)]
        known = [worth for worth in worths if worth is not None]
        if not worths or len(known) < len(worths):
            return Verdict(Certainty.POSSIBLE, message)
        weakest = min(known, key=lambda worth: worth.rank)
        if len(worths) == 2:
            return Verdict(weakest, message)
        standard = facts.origin(callee(cause) or "?", cause.path) is Origin.STANDARD_LIBRARY
        return Verdict(Certainty.LIKELY if standard else Certainty.POSSIBLE, message)


def _of_overloads(word: str, cause: Cause, facts: Facts) -> Verdict:
    function = quoted(cause.chief.message)[0]
    message = f"no form of `{function}` takes a keyword `{word}`, so this call raises TypeError"
    if facts.origin(function, cause.path) is Origin.STANDARD_LIBRARY:
        return Verdict(Certainty.PROVED, message)
    unheard_of = nowhere(facts.environment, word, [function.split(".")[0]])
    return Verdict(Certainty.LIKELY if unheard_of else Certainty.POSSIBLE, message)


def _unknown_keyword(message: str) -> str | None:
    """A keyword of the call that none of the listed overloads has."""
    first, *overloads = message.split("\n")
    given = re.findall(r"[(,] ?(\w+)=", first.partition("called with arguments:")[2])
    listed = " ".join(overloads)
    if "**" in listed or not listed:
        return None
    return next((word for word in given if not re.search(rf"\b{word}:", listed)), None)
