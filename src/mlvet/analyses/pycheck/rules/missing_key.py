"""Keys that a dictionary does not have."""

from __future__ import annotations

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty, Severity


class MissingKey(PythonRule):
    """A key is read that the dictionary does not have.

    ## What it does
    Reports constant keys read from a dictionary that is written out in the file, never changed and never handed on,
    and keys that a TypedDict does not declare.

    ## Why it matters
    The line raises KeyError.

    ## Example
        CONFIG = {"lr": 0.1, "epochs": 10}
        print(CONFIG["learning_rate"])

    ## Use instead
        CONFIG = {"lr": 0.1, "epochs": 10}
        print(CONFIG["lr"])

    ## How sure
    Proved for a dictionary that only this file can see and that nothing changes; likely for a TypedDict.
    """

    code = "PY401"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None or guarded(tree, node, ["KeyError"]):
            return None
        words, *offers = cause.chief.message.splitlines()
        message = f"{words}, so this line raises KeyError"
        fix = Fix(offers[0]) if offers and cause.chief.checker == "mlvet" else None
        return Verdict(Certainty.PROVED if "mlvet" in cause.checkers else Certainty.LIKELY, message, fix=fix)
