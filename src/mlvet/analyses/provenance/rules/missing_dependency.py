"""An output that does not depend on what it should depend on."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class MissingDependency(Rule):
    """An output that does not depend on what it should depend on.

    ## What it does
    Reports an output of a vertex whose derivative by every edge that leads to the vertex is zero, although one of these
    edges comes from a vertex that has others to share with. Reports also an output whose derivative by all members of
    a kind of inputs that you asked for is zero, and on whose members no comparison hangs that might decide the output.

    ## Why it matters
    A step of the computation is missing, a graph was built wrongly, or a directed graph was given to a program for
    undirected ones.

    ## Example
        weights = {"a": {"b": 1.0, "c": 2.0}, "b": {"a": 1.0, "c": 1.0}, "c": {"a": 3.0, "b": 1.0}}
        ranks = {name: 1 / 3 for name in weights}
        for _ in range(20):
            old = dict(ranks)
            for name in "ab":
                others = [other for other in "abc" if other != name]
                parts = [old[other] * weights[other][name] / sum(weights[other].values()) for other in others]
                ranks[name] = 0.05 + 0.85 * sum(parts)

    ## Use instead
        weights = {"a": {"b": 1.0, "c": 2.0}, "b": {"a": 1.0, "c": 1.0}, "c": {"a": 3.0, "b": 1.0}}
        ranks = {name: 1 / 3 for name in weights}
        for _ in range(20):
            old = dict(ranks)
            for name in "abc":
                others = [other for other in "abc" if other != name]
                parts = [old[other] * weights[other][name] / sum(weights[other].values()) for other in others]
                ranks[name] = 0.05 + 0.85 * sum(parts)

    ## How sure
    Likely: that the derivatives are zero is a fact of the run; that they should not be is taken from the names of
    inputs.
    """

    code = "PRV103"
    severity = Severity.WARNING
