"""Operators and built-in functions applied to values that they do not take."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.installed import nowhere
from mlvet.analyses.pycheck.judgement import Cause, Facts, Origin, PythonRule, Verdict, callee, quoted, surely
from mlvet.analyses.pycheck.values import Trust
from mlvet.core.grade import Certainty, Severity

CHECKED_AT_RUN_TIME = frozenset(
    {"len", "range", "abs", "sum", "min", "max", "sorted", "enumerate", "zip", "iter", "next", "open", "isinstance",
     "int", "json.dump", "json.load", "json.loads", "pickle.dump", "pickle.load", "math.sqrt", "math.log", "math.exp",
     "math.ceil", "math.floor", "os.path.join", "os.makedirs", "os.listdir", "time.sleep", "random.choice"}
)  # fmt: skip
"""Functions of Python that look at the type of what they get; most others take anything."""


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
    Proved when both operands have one built-in type each; likely when the type of one is only declared, and for
    arguments of standard functions that look at them. All other type errors of the checkers are possible only:
    annotations are stricter than programs.
    """

    code = "PY302"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        if cause.chief.code == "bad-argument-type":
            node = facts.node(cause) if _looks_at_types(cause) else None
            return [node] if isinstance(node, ast.expr) else []
        match facts.node(cause):
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return [left, right]
        return []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        message = f"{cause.chief.message.splitlines()[0]}, so this line raises TypeError"
        if cause.chief.code == "bad-argument-type" and not _looks_at_types(cause):
            return Verdict(Certainty.POSSIBLE, message)
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        if guarded(tree, node, ["TypeError"]) or facts.only_partial(cause):
            return Verdict(Certainty.POSSIBLE, message)
        if cause.chief.code == "no-matching-overload" and (word := _unknown_keyword(cause.chief.message)):
            return _of_overloads(word, cause, facts)
        worths = [surely(cause, facts, operand) for operand in self.asks(cause, facts)]
        weakest, strongest = min(worths, default=Trust.NONE), max(worths, default=Trust.NONE)
        if len(worths) == 2 and weakest is Trust.FLOW:
            return Verdict(Certainty.PROVED, message)
        declared = len(worths) == 2 and weakest is Trust.WORD and strongest is Trust.FLOW
        checked = weakest is Trust.FLOW and _looks_at_types(cause)
        return Verdict(Certainty.LIKELY if declared or checked else Certainty.POSSIBLE, message)


def _looks_at_types(cause: Cause) -> bool:
    return callee(cause).removesuffix(".__new__") in CHECKED_AT_RUN_TIME


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
