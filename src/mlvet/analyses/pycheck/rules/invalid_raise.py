"""Things raised that are no exceptions."""

from __future__ import annotations

from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity


class InvalidRaise(PythonRule):
    """Something is raised that is not an exception.

    ## What it does
    Reports `raise NotImplemented` and other values that Python cannot raise.

    ## Why it matters
    The line raises TypeError instead of what was meant, and a handler for the intended exception does not catch it.

    ## Example
        def forward(x):
            raise NotImplemented

    ## Use instead
        def forward(x):
            raise NotImplementedError

    ## How sure
    Proved for NotImplemented; possible otherwise.
    """

    code = "PY406"
    severity = Severity.WARNING

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree = facts.tree(cause)
        if tree is None:
            return None
        sure = "NotImplemented" in cause.chief.message
        fact = "`NotImplemented` is a value, not an exception" if sure else cause.chief.message.splitlines()[0]
        message = f"{fact}, so this line raises TypeError"
        return Verdict(
            Certainty.PROVED if sure else Certainty.POSSIBLE, message, fix=_cure(cause, facts) if sure else None
        )


def _cure(cause: Cause, facts: Facts) -> Fix | None:
    tree, said = facts.tree(cause), cause.chief
    line = tree.source.lines[said.line - 1] if tree else ""
    if tree is None or line[said.column - 1 : said.column + 13] != "NotImplemented" or not tree.source.verbatim:
        return None
    where = tree.source.location(said.line, said.column, said.line, said.column + 14)
    return Fix("raise NotImplementedError", (Edit(where, "NotImplementedError"),), Applicability.SAFE)
