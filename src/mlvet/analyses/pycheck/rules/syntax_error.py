"""The file is not Python."""

from __future__ import annotations

from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.grade import Certainty, Severity


class InvalidSyntax(PythonRule):
    """The file is not valid Python.

    ## What it does
    Reports the first place at which the Python version of the environment cannot read the file.

    ## Why it matters
    Nothing of the file runs: importing it, or starting it, fails at once.

    ## Example
        for epoch in range(10)
            print(epoch)

    ## Use instead
        for epoch in range(10):
            print(epoch)

    ## How sure
    Proved: the parser decides.
    """

    code = "PY001"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        del facts
        words = cause.chief.message.removeprefix("SyntaxError: ").removeprefix("Parse error: ").split("\n")[0]
        return Verdict(Certainty.PROVED, f"{words}, so Python cannot read this file")
