"""Values used as functions or sequences that are neither."""

from __future__ import annotations

import ast
import re

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict, surely
from mlvet.analyses.pycheck.values import Trust
from mlvet.core.grade import Certainty, Severity


class NotCallableOrIterable(PythonRule):
    """A value is called or iterated that cannot be.

    ## What it does
    Reports calls of values that are no functions, and loops over values that have no elements.

    ## Why it matters
    The line raises TypeError. A common way there is a variable that hides a function of the same name.

    ## Example
        steps = 100
        for step in steps:
            print(step)

    ## Use instead
        steps = 100
        for step in range(steps):
            print(step)

    ## How sure
    Proved when the value has one built-in type or is a module; possible otherwise.
    """

    code = "PY303"
    severity = Severity.ERROR

    def asks(self, cause: Cause, facts: Facts) -> list[ast.expr]:
        node = facts.node(cause)
        return [node.func if isinstance(node, ast.Call) else node] if isinstance(node, ast.expr) else []

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        words = cause.chief.message.splitlines()[0]
        message = (
            f"{words[:1].lower() + words[1:] if words.startswith('Expected') else words}, so this line raises TypeError"
        )
        sure = _is_module(words) or any(surely(cause, facts, value) is Trust.FLOW for value in self.asks(cause, facts))
        operator = isinstance(node, ast.Compare)
        if operator or not sure or guarded(tree, node, ["TypeError"]) or facts.only_partial(cause):
            return Verdict(Certainty.POSSIBLE, message)
        return Verdict(Certainty.PROVED, message)


def _is_module(words: str) -> bool:
    """Whether the value is surely a module; `net.net` may be the module or what its package takes from it."""
    found = re.search(r"Module\[([\w.]+)\]", words)
    parts = found[1].split(".") if found else []
    return bool(parts) and parts[-1:] != parts[-2:-1]
