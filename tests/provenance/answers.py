"""Answers built by hand: what `why` would hand to the reports."""

from __future__ import annotations

from mlvet.core.evidence import Assumption, Evidence
from mlvet.core.explanation import Break, Explanation, Flip, Influence, Link, Vertex
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location

HOSTILE = 'tags["<script>alert(1)</script>\\"\u202e\x1b[31m"]'

FINDING = Finding(
    "dominating-input", "PRV101", Severity.WARNING, Certainty.LIKELY, 'one input makes most of `ranks["a"]`',
    Location("pagerank.py", 7), (), Evidence("provenance", {"share": 0.6}), (Assumption("weights are not negative"),),
)  # fmt: skip

RANK = Explanation(
    output='ranks["a"]',
    value=0.0123,
    influences=(
        Influence('weights["b"]["a"]', 2.0, 0.0046, 0.75, 0.6),
        Influence('weights["b"]["c"]', 3.0, -0.0011, -0.27, 0.21),
        Influence('ranks["a"]', 0.1, 0.0009, 0.0073, 0.07),
    ),
    inputs=7015,
    residual_share=0.12,
    flips=(
        Flip('weights["b"]["a"]', 1.5e-6, -1, 0.002, "pagerank.py", 30, True, "delta < epsilon"),
        Flip('weights["b"]["c"]', 2.5e-4, 1, None, "pagerank.py", 30, False, "delta < epsilon"),
    ),
    findings=(FINDING,),
    breaks=(Break("pagerank.py", 12, "`json.dumps` takes a traced number", 3),),
    vertices=(
        Vertex('weights["b"]["a"]', "input", 2.0, 0.6),
        Vertex('weights["b"]["c"]', "input", 3.0, 0.21),
        Vertex('ranks["a"]', "input", 0.1, 0.07),
        Vertex('shares["b"]', "value", 0.4, 0.8),
        Vertex('ranks["a"]', "output", 0.0123, 1.0),
    ),
    links=(
        Link('weights["b"]["a"]', 'shares["b"]', 0.2, 0.6),
        Link('weights["b"]["c"]', 'shares["b"]', -0.1, 0.21),
        Link('shares["b"]', 'ranks["a"]', 0.03, 0.8),
        Link('ranks["a"]', 'ranks["a"]', 0.0009, 0.07),
    ),
    histogram=((0.0, 5000), (1e-5, 1200), (1e-4, 800), (1e-3, 12), (1e-2, 1), (1e-1, 2)),
    tainted=6900,
    notes=("the replay took the same branches as the run",),
)

LOST = Explanation(
    output=HOSTILE,
    value=float("nan"),
    influences=(Influence("x[0]", float("inf"), float("nan"), float("-inf"), 1.0),),
    inputs=1,
    residual_share=0.0,
)
