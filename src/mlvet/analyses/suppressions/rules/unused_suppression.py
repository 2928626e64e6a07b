"""Suppressions that suppress nothing."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class UnusedSuppression(Rule):
    """A suppression comment silences nothing.

    ## What it does
    Reports `# mlvet: ignore[...]` comments, or names in them, that match no finding on their line, and names that are
    no rules.

    ## Why it matters
    A stale comment hides the next real finding on its line.

    ## Example
        total = 1 + 1  # mlvet: ignore[undefined-variable]

    ## Use instead
        total = 1 + 1

    ## How sure
    Proved: every analysis that could have reported the rule has run. The comment is left alone when one has not.
    """

    code = "PY901"
    severity = Severity.WARNING
