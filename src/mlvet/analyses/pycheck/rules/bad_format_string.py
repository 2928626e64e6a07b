"""Format strings that do not fit their values."""

from __future__ import annotations

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.grade import Certainty, Severity


class BadFormatString(PythonRule):
    """A format string does not fit the values it gets.

    ## What it does
    Reports `%` and `str.format` templates with a wrong number of values, missing names, or a form that Python rejects.

    ## Why it matters
    The line raises TypeError, ValueError, KeyError or IndexError, typically in the logging of a result.

    ## Example
        print("epoch %d loss %f" % (1,))

    ## Use instead
        print("epoch %d loss %f" % (1, 0.5))

    ## How sure
    Proved: template and values are both written in the line.
    """

    code = "PY405"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        message = f"{cause.chief.message.splitlines()[0]}, so this line raises an error"
        sure = not guarded(
            tree, node, ["TypeError", "ValueError", "KeyError", "IndexError"]
        ) and not facts.only_partial(cause)
        return Verdict(Certainty.PROVED if sure else Certainty.POSSIBLE, message)
