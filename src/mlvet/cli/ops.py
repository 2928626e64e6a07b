"""`mlvet ops`: every operator, and which of its facets are given rather than left to the sound default."""

from __future__ import annotations

import argparse
import json

from mlvet.cli.streams import put


def run(options: argparse.Namespace) -> int:
    """Print the table of operators and facets."""
    from mlvet.ops import FACETS, REGISTRY

    operators = sorted(REGISTRY.values(), key=lambda op: (op.family, op.name))
    counts = {facet: sum(op.has(facet) for op in operators) for facet in FACETS}
    if options.output_format == "json":
        listed = [
            {"name": op.name, "family": op.family, "facets": {facet: op.has(facet) for facet in FACETS}}
            for op in operators
        ]
        put(json.dumps({"version": 1, "operators": listed, "counts": counts}, indent=2) + "\n")
        return 0
    width = max(len(op.name) for op in operators)
    breadth = max(len(op.family) for op in operators)
    lines = [f"{'operator':<{width}}  {'family':<{breadth}}  {'  '.join(FACETS)}"]
    for op in operators:
        marks = "  ".join(f"{'yes' if op.has(facet) else '-':<{len(facet)}}" for facet in FACETS)
        lines.append(f"{op.name:<{width}}  {op.family:<{breadth}}  {marks}".rstrip())
    totals = "  ".join(f"{counts[facet]:<{len(facet)}}" for facet in FACETS)
    lines.append(f"{f'{len(operators)} operators':<{width}}  {'':<{breadth}}  {totals}".rstrip())
    put("\n".join(lines) + "\n")
    return 0
