"""Vertices that hand on more than they have: outgoing weights of both signs, divided by their sum.

An output that is a function of w_k / (w_1 + ... + w_n) does not change if all w grow by one factor, so by Euler the sum
of w_k times its derivative is 0. That shows, without a look at the program, that it divides by the sum. The part
w_k / sum is within 0 and 1 if all weights have one sign, whatever the graph, so ordinary graphs give no finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlvet.analyses.provenance.graph import Edges
from mlvet.analyses.provenance.names import Key, parsed
from mlvet.analyses.provenance.study import Numbers, Study
from mlvet.core.explanation import Link

NORMALISED = 1e-6
"""The sum of weight times derivative counts as 0 below this part of the sum of magnitudes."""
FELT = 0.05
"""A vertex with a smaller share of an output's influence is not told of."""
_LINKS = 10
_FEW = 0.1
_ABOVE = 1e-9


@dataclass(frozen=True, slots=True)
class Amplifier:
    """A vertex, its edge that hands on the greatest part, and its share of the influence of all edges on the output."""

    vertex: Key
    edge: int
    part: float
    total: float
    magnitude: float
    share: float


def oriented(study: Study, edges: Edges, output: int) -> Edges | None:
    """The edges of an array with the side as sources that the program divides by the sum; None if it does neither."""
    if not edges.paired:
        return edges
    for candidate in (edges, edges.turned()):
        flow = study.values[candidate.inputs] * study.row(output)[candidate.inputs]
        sums = _per_source(candidate, flow)
        if np.abs(flow).sum() > 0 and np.abs(sums).sum() <= NORMALISED * np.abs(flow).sum():
            return candidate
    return None


def amplifiers(study: Study, edges: Edges, output: int) -> list[Amplifier]:
    """The vertices that hand on parts above 1 or below 0 and are felt in an output, the greatest share first."""
    found = oriented(study, edges, output) if edges.inputs.size and (edges.inputs >= 0).all() else None
    if found is None:
        return []
    weights = study.values[found.inputs]
    flow = weights * study.row(output)[found.inputs]
    influence = study.influence(output)[found.inputs]
    total, size = _per_source(found, weights), _per_source(found, np.abs(weights))
    felt, moved = _per_source(found, influence), _per_source(found, np.abs(flow))
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = weights / total[found.sources]
    above, below = np.zeros(len(total), dtype=bool), _per_source(found, np.where(parts < 0, influence, 0.0))
    above[found.sources[np.abs(parts) > 1 + _ABOVE]] = True
    odd = (above | (below >= FELT * influence.sum())) & (total != 0) & (felt >= FELT * influence.sum()) & (moved > 0)
    normalised = np.abs(_per_source(found, flow)) <= NORMALISED * moved
    told = [_amplifier(found, parts, vertex, total, size, felt) for vertex in np.flatnonzero(odd & normalised)]
    return sorted(told, key=lambda each: -each.share)


def _amplifier(
    edges: Edges, parts: Numbers, vertex: np.intp, total: Numbers, size: Numbers, felt: Numbers
) -> Amplifier:
    own = np.flatnonzero(edges.sources == vertex)
    worst = own[np.argmax(np.abs(parts[own]))] if (np.abs(parts[own]) > 1).any() else own[np.argmin(parts[own])]
    return Amplifier(
        edges.key(int(vertex)), int(edges.inputs[worst]), float(parts[worst]), float(total[vertex]),
        float(size[vertex]), float(felt[vertex] / felt.sum()),
    )  # fmt: skip


def _per_source(edges: Edges, numbers: Numbers) -> Numbers:
    sums: Numbers = np.bincount(edges.sources, weights=numbers, minlength=len(edges.vertices)).astype(np.float64)
    return sums


def amplifying_links(links: Sequence[Link]) -> Iterator[Link]:
    """Links between elements of one variable with a derivative above 1 or below 0, where few links have one."""
    alike = [link for link in links if _alike(link)]
    odd = [link for link in alike if link.derivative > 1 + _ABOVE or link.derivative < 0]
    if len(alike) >= _LINKS and len(odd) <= _FEW * len(alike):
        yield from (link for link in sorted(odd, key=lambda each: -each.share) if link.share >= FELT)


def _alike(link: Link) -> bool:
    source, target = parsed(link.source), parsed(link.target)
    return source.variable == target.variable and source.keys != target.keys and bool(source.keys and target.keys)
