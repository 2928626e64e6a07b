"""Outputs that depend on what they lead to, not on what leads to them."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ReversedDependency(Rule):
    """Outputs that depend on what their vertices lead to, and not on what leads to them.

    ## What it does
    Reports outputs that depend on vertices which they reach along the edges and which do not reach them, but on none
    that reaches them and is not reached. Where all vertices reach one another, it reports when nine in ten outputs
    hang more on their outgoing edges than on their incoming ones. There, only edges without a counterpart in the other
    direction are looked at.

    ## Why it matters
    The program follows outgoing edges where it should follow incoming ones. On an undirected graph nobody notices.

    ## Example
        weights = {"a": {"b": 1.0, "c": 1.0}, "b": {"c": 1.0, "d": 2.0}, "c": {"d": 1.0, "e": 3.0}, "d": {"e": 1.0}}
        ranks = {name: 1.0 for name in "abcde"}
        for _ in range(20):
            old = dict(ranks)
            for name, edges in weights.items():
                total = sum(edges.values())
                ranks[name] = 0.03 + 0.85 * sum(old[other] * weight / total for other, weight in edges.items())

    ## Use instead
        weights = {"a": {"b": 1.0, "c": 1.0}, "b": {"c": 1.0, "d": 2.0}, "c": {"d": 1.0, "e": 3.0}, "d": {"e": 1.0}}
        ranks = {name: 1.0 for name in "abcde"}
        for _ in range(20):
            old = dict(ranks)
            ranks = {name: 0.03 for name in "abcde"}
            for name, edges in weights.items():
                total = sum(edges.values())
                for other, weight in edges.items():
                    ranks[other] += 0.85 * old[name] * weight / total

    ## How sure
    Likely: what depends on what is a fact of the run; that values should flow along the edges is assumed.
    """

    code = "PRV104"
    severity = Severity.WARNING
