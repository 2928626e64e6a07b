"""Tuples taken apart into the wrong number of names."""

from __future__ import annotations

import ast

from mlvet.analyses.pycheck.guards import guarded
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.analyses.pycheck.reveal import members
from mlvet.analyses.pycheck.tree import Tree
from mlvet.analyses.pycheck.values import Trust, trust
from mlvet.core.grade import Certainty, Severity


class UnpackingMismatch(PythonRule):
    """A tuple is unpacked into a number of names that is not its length.

    ## What it does
    Reports assignments that take a tuple of known length apart into more or fewer names.

    ## Why it matters
    The line raises ValueError.

    ## Example
        def load():
            return [1], [2], [3]

        train, test = load()

    ## Use instead
        def load():
            return [1], [2], [3]

        train, valid, test = load()

    ## How sure
    Likely when the value has that length on every path; possible when it may be something else.
    """

    code = "PY404"
    severity = Severity.ERROR

    def judge(self, cause: Cause, facts: Facts) -> Verdict | None:
        tree, node = facts.tree(cause), facts.node(cause)
        if tree is None or node is None:
            return None
        words = cause.chief.message.splitlines()[0]
        message = f"{words[:1].lower() + words[1:]}, so this line raises ValueError"
        unpacked = words.partition("unpack ")[2].rpartition(" (of size")[0]
        one_tuple = unpacked.startswith("tuple[") and len(members(unpacked)) == 1
        if not one_tuple or not _followed(cause, facts, tree, node) or guarded(tree, node, ["ValueError"]):
            return Verdict(Certainty.POSSIBLE, message)
        return Verdict(Certainty.LIKELY, message)


def _followed(cause: Cause, facts: Facts, tree: Tree, node: ast.AST) -> bool:
    """Whether the tuple comes to the assignment by the flow of the program, not out of a container."""
    statement = next((found for found in (node, *tree.ancestors(node)) if isinstance(found, ast.Assign)), None)
    return (
        statement is not None
        and not facts.only_partial(cause)
        and trust(facts.project, cause.path, statement.value) is Trust.FLOW
    )
