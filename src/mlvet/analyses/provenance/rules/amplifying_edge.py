"""An edge by which a vertex hands on more than it has, or less than nothing."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class AmplifyingEdge(Rule):
    """An edge by which a vertex hands on more than it has, or less than nothing.

    ## What it does
    Reports vertices whose outgoing weights have both signs although they are divided by their sum, so that the part
    that an edge hands on is above 1 or below 0, if at least a twentieth of an output's influence comes from there. That
    weights are divided by their sum is seen from the derivatives: an output does not change if all weights of the
    vertex grow by the same factor. Where no weights are inputs, it reports direct links of the provenance graph between
    values of one kind with a derivative above 1 or below 0, if few links have one.

    ## Why it matters
    A small vertex inflates a large one: weights that nearly cancel make the sum small and each part of it huge.

    ## Example
        weights = {
            "yangqi": {"lee": 1.0, "news": 1.0},
            "qingfei": {"yangqi": 9.0, "lee": -4.5, "news": -4.0},
            "lee": {"news": 1.0, "yangqi": 1.0},
            "news": {"lee": 2.0, "yangqi": 1.0},
        }
        ranks = {name: 0.25 for name in weights}
        for _ in range(20):
            ranks = {
                name: 0.0375 + 0.85 * sum(
                    ranks[other] * edges[name] / sum(edges.values())
                    for other, edges in weights.items() if name in edges
                )
                for name in weights
            }

    ## Use instead
        weights = {
            "yangqi": {"lee": 1.0, "news": 1.0},
            "qingfei": {"yangqi": 9.0, "lee": 4.5, "news": 4.0},
            "lee": {"news": 1.0, "yangqi": 1.0},
            "news": {"lee": 2.0, "yangqi": 1.0},
        }
        ranks = {name: 0.25 for name in weights}
        for _ in range(20):
            ranks = {
                name: 0.0375 + 0.85 * sum(
                    ranks[other] * edges[name] / sum(edges.values())
                    for other, edges in weights.items() if name in edges
                )
                for name in weights
            }

    ## How sure
    Likely: the parts are computed from the weights of the run, under the assumption that it divides by their plain sum.
    """

    code = "PRV102"
    severity = Severity.WARNING
