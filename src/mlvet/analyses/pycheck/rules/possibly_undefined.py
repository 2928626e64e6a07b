"""Names that some path leaves unbound."""

from __future__ import annotations

from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.core.grade import Certainty, Severity


class PossiblyUndefined(PythonRule):
    """A name is bound on some paths only.

    ## What it does
    Reports a name that a branch or a loop may leave unbound before it is read.

    ## Why it matters
    The program works until the one run in which the branch is not taken, and then raises UnboundLocalError.

    ## Example
        def last_loss(batches):
            for batch in batches:
                loss = sum(batch)
            return loss

    ## Use instead
        def last_loss(batches):
            loss = 0.0
            for batch in batches:
                loss = sum(batch)
            return loss

    ## How sure
    Possible: conditions that always hold together are not seen. Shown with `--min-certainty possible`.
    """

    code = "PY102"
    severity = Severity.WARNING

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        del facts
        return Verdict(
            Certainty.POSSIBLE, f"`{cause.subject}` may be unbound here, so this line can raise UnboundLocalError"
        )
