"""From derivatives to findings: pure functions, so that what is told can be tested without a run.

Thresholds are such that a healthy program cannot come near them; the module of each says why. A converged PageRank
with weights that are not negative has elasticities within -1 and 1: ranks are quotients of sums over spanning trees,
each of which has one weight of a row at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.amplification import Amplifier, amplifiers, amplifying_links
from mlvet.analyses.provenance.direction import Gap, Reversal, gaps, graph_for, reversal
from mlvet.analyses.provenance.names import Key, shown
from mlvet.analyses.provenance.rules.amplifying_edge import AmplifyingEdge
from mlvet.analyses.provenance.rules.dominating_input import DominatingInput
from mlvet.analyses.provenance.rules.missing_dependency import MissingDependency
from mlvet.analyses.provenance.rules.nan_origin import NanOrigin
from mlvet.analyses.provenance.rules.reversed_dependency import ReversedDependency
from mlvet.analyses.provenance.rules.unstable_predicate import UnstablePredicate
from mlvet.analyses.provenance.study import Study
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.explanation import Flip, Link
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Rule

PEERS = 10
"""So many inputs of a kind must act on an output before one can be said to dominate the others."""
HALF = 0.5
PROPORTION = 1.0
"""The elasticity up to which an input acts in proportion."""
JUMP = 0.01
"""The part of an output that a comparison must change to be told of."""
_NAMED = 4
_AMPLIFIERS = 3


@dataclass(frozen=True, slots=True)
class Origin:
    """An operation that made a NaN of numbers that were none; `outputs` are those that it reached, empty for all."""

    path: str
    line: int
    text: str
    operands: tuple[float, ...] = ()
    outputs: tuple[str, ...] = ()


def findings(
    study: Study,
    location: Location,
    *,
    flips: Mapping[str, Sequence[Flip]] = MappingProxyType({}),
    origins: Sequence[Origin] = (),
    links: Sequence[Link] = (),
    expected: Sequence[str] = (),
    compared: NDArray[np.bool_] | None = None,
    broken: bool = False,
) -> list[Finding]:
    """All findings about outputs of a run. `location` is where they are told that have no place of their own.

    `flips` are by output; `origins` in the order of the run; `links` those of the provenance graph; `expected` are the
    variables that the user asked for; `compared` tells the inputs by which comparisons may decide an output; `broken`
    says that the chain broke, so that a derivative of 0 shows nothing.
    """
    found = [*_nan_origins(study, location, origins), *unstable_findings(study, flips)]
    amplified = list(_amplified(study, location, links))
    found += amplified
    blamed = {str(each.evidence.data.get("vertex")) for each in amplified if each.evidence}
    for output in range(len(study.outputs)):
        found += _dominating(study, location, output, blamed)
    if not broken:
        deciding = np.zeros(len(study.inputs), np.bool_) if compared is None else compared
        found += _directions(study, location, expected, deciding)
    return found


def _nan_origins(study: Study, location: Location, origins: Sequence[Origin]) -> Iterator[Finding]:
    lost = [name for name, value in zip(study.outputs, study.results, strict=True) if np.isnan(value)]
    if not lost:
        return
    for origin in origins[:1]:
        reached = [name for name in lost if not origin.outputs or name in origin.outputs] or lost
        of = f" of {_listed([_number(each) for each in origin.operands])}" if origin.operands else ""
        message = f"`{origin.text.strip()}` makes the first NaN of the run{of}, so {_outputs(reached)} NaN"
        data = {"outputs": reached, "operands": list(origin.operands), "text": origin.text}
        yield _finding(NanOrigin, message, Location(origin.path, origin.line), data, certainty=Certainty.OBSERVED)
    missing = [name for name, value in zip(study.inputs, study.values, strict=True) if np.isnan(value)]
    if missing and not origins:
        many = "is NaN" if len(missing) == 1 else "are NaN"
        message = f"{_quoted(missing)} {many} from the start, so {_outputs(lost)} NaN"
        data = {"outputs": lost, "inputs": missing}
        yield _finding(NanOrigin, message, location, data, certainty=Certainty.OBSERVED)


def unstable_findings(study: Study, flips: Mapping[str, Sequence[Flip]]) -> Iterator[Finding]:
    """The nearest flip of each comparison that changes an output by more than the input that turns it changes."""
    if not any(flips.values()):
        return
    results = dict(zip(study.outputs, study.results.tolist(), strict=True))
    values = dict(zip(study.inputs, study.magnitudes.tolist(), strict=True))
    told: dict[tuple[str, int], tuple[tuple[bool, float], str, Flip, float, float]] = {}
    for output, each in ((output, each) for output, many in flips.items() for each in many):
        if each.jump is None or output not in results or not np.isfinite(results[output]):
            continue
        jump = abs(each.jump) / abs(results[output]) if results[output] else np.inf * abs(each.jump or 0.0)
        needed = each.distance / values.get(each.input, 1.0)
        if jump >= JUMP and jump > needed:
            key, rank = (each.path, each.line), (not each.confirmed, needed)
            if key not in told or rank < told[key][0]:
                told[key] = (rank, output, each, jump, needed)
    for _, output, each, jump, needed in told.values():
        side = "rises" if each.side > 0 else "falls"
        size = f"{jump:.1%}" if np.isfinite(jump) else f"{each.jump:.4g} from 0"
        message = (
            f"`{each.text.strip()}` turns if `{each.input}` {side} by {each.distance:.3g} ({needed:.2g} of it), and "
            f"`{output}` then jumps by {size}, which no derivative shows"
        )
        data = {
            "output": output, "input": each.input, "distance": each.distance, "side": each.side, "jump": each.jump,
            "relative_jump": jump, "relative_distance": needed, "confirmed": each.confirmed,
        }  # fmt: skip
        sure = Certainty.OBSERVED if each.confirmed else Certainty.LIKELY
        supposed = () if each.confirmed else (Assumption("the comparison turns where the first order says it does"),)
        yield _finding(
            UnstablePredicate, message, Location(each.path, each.line), data, certainty=sure, assumptions=supposed
        )


def _amplified(study: Study, location: Location, links: Sequence[Link]) -> Iterator[Finding]:
    """One finding for each vertex, at the output that feels it most."""
    worst: dict[Key, tuple[Amplifier, int, str, list[str]]] = {}
    for edges in study.graphs:
        for output in range(len(study.outputs)):
            if not np.isfinite(study.results[output]):
                continue
            for each in amplifiers(study, edges, output)[:_AMPLIFIERS]:
                known = worst.get(each.vertex)
                others = [*(known[3] if known else []), study.outputs[output]]
                best = (each, output, edges.variable, others) if not known or each.share > known[0].share else known
                worst[each.vertex] = (*best[:3], others)
    for each, output, variable, others in worst.values():
        edge, value = study.inputs[each.edge], float(study.values[each.edge])
        times = f"{each.part:.3g} times the sum {each.total:.4g} of the weights of {shown(each.vertex)}"
        cause = f"they nearly cancel ({each.magnitude:.4g} in magnitude)" if abs(each.part) > 1 else "some are negative"
        hands = "hands on more than it has" if abs(each.part) > 1 else "hands on less than nothing"
        message = (
            f"`{edge}` = {_number(value)} is {times}, because {cause}, so this vertex {hands} and has {each.share:.0%} "
            f"of the influence on `{study.outputs[output]}`"
        )
        data = {
            "vertex": each.vertex, "edge": edge, "amplification": each.part, "sum": each.total,
            "magnitude": each.magnitude, "share": each.share, "outputs": others, "variable": variable,
        }  # fmt: skip
        supposed = (Assumption(f"weights of `{variable}` are divided by their plain sum, as the derivatives suggest"),)
        yield _finding(AmplifyingEdge, message, location, data, assumptions=supposed)
    for link in amplifying_links(links) if not worst else ():
        how = "grows" if abs(link.derivative) > 1 else "turns its sign"
        message = (
            f"a change of `{link.source}` {how} on its way to `{link.target}`: it is multiplied by "
            f"{link.derivative:.4g}, with {link.share:.0%} of the influence, where other links stay within 0 and 1"
        )
        data = {"source": link.source, "target": link.target, "amplification": link.derivative, "share": link.share}
        supposed = (Assumption("links between values of one kind hand on parts"),)
        yield _finding(AmplifyingEdge, message, location, data, assumptions=supposed)


def _dominating(study: Study, location: Location, output: int, blamed: set[str]) -> Iterator[Finding]:
    """An input with more than half of the influence of its kind and out of proportion; or the edges of one vertex."""
    result = float(study.results[output])
    if not np.isfinite(result) or result == 0:
        return
    influence = study.influence(output)
    elasticity = np.abs(study.row(output) * study.values / result)
    variables, kinds = study.kinds
    sources = {edges.variable: edges for edges in study.graphs if (edges.inputs >= 0).all()}
    for place, variable in enumerate(variables):
        members = np.flatnonzero((kinds == place) & (influence > 0))
        total = influence[members].sum()
        if len(members) < PEERS:
            continue
        first = members[np.argmax(influence[members])]
        share = influence[first] / total
        if share > HALF and elasticity[first] > PROPORTION:
            name = study.inputs[first]
            message = (
                f"`{name}` has {share:.0%} of the influence on `{study.outputs[output]}`, more than the other "
                f"{len(members) - 1:,} inputs of `{variable}` together, and moves it by {elasticity[first]:.3g} % "
                "per percent"
            )
            data = {"input": name, "elasticity": float(elasticity[first]), "value": float(study.values[first])}
            yield _dominance(study, location, output, message, variable, float(share), len(members), data)
        elif variable in sources:
            edges = sources[variable]
            sums = np.bincount(edges.sources, weights=influence[edges.inputs], minlength=len(edges.vertices))
            vertex = int(np.argmax(sums))
            own = edges.inputs[edges.sources == vertex]
            most = float(elasticity[own].max(initial=0.0))
            key = edges.key(vertex)
            if sums[vertex] > HALF * total and most > PROPORTION and str(key) not in blamed:
                share = float(sums[vertex] / total)
                message = (
                    f"the {len(own):,} weights of {shown(key)} have {share:.0%} of the influence on "
                    f"`{study.outputs[output]}`, more than all others of `{variable}` together, and one moves it by "
                    f"{most:.3g} % per percent"
                )
                data = {"vertex": key, "elasticity": most}
                yield _dominance(study, location, output, message, variable, share, len(members), data)


def _dominance(
    study: Study,
    location: Location,
    output: int,
    message: str,
    variable: str,
    share: float,
    peers: int,
    data: dict[str, Any],
) -> Finding:
    data = {"output": study.outputs[output], "share": share, "variable": variable, "inputs": peers, **data}
    supposed = (Assumption(f"inputs of `{variable}` should all have a say"),)
    return _finding(DominatingInput, message, location, data, assumptions=supposed)


def _directions(
    study: Study, location: Location, expected: Sequence[str], compared: NDArray[np.bool_]
) -> Iterator[Finding]:
    """Outputs that run against the edges; if none does, those that incoming edges or expected inputs do not act on."""
    missing: set[str] = set()
    for edges in study.graphs:
        known = graph_for(study, edges)
        if known is None:
            continue
        against = reversal(study, known)
        if against is not None:
            yield _reversed(study, location, against, edges.variable)
            return
        found = [each for each in gaps(study, known) if not compared.any() or study.row(each.output).any()]
        if found:
            missing.add(edges.variable)
            yield _gap(study, location, found)
    for each in unused(study, expected):
        if each.variable not in missing and not compared[each.members].any():
            yield _not_used(study, location, each)


def _reversed(study: Study, location: Location, against: Reversal, variable: str) -> Finding:
    name = study.outputs[against.outputs[0]]
    message = (
        f"`{name}` depends on {_keys(against.depends_on)}, to which {shown(against.vertex)} leads, and not on "
        f"{_keys(against.not_on)}, which leads to it: the program follows the edges backwards"
    )
    if len(against.outputs) > 1:
        message += f" ({len(against.outputs):,} of {against.looked_at:,} outputs that tell)"
    data = {
        "outputs": [study.outputs[each] for each in against.outputs], "looked_at": against.looked_at,
        "depends_on": list(against.depends_on[:50]), "not_on": list(against.not_on[:50]),
    }  # fmt: skip
    supposed = (Assumption(f"`{variable}[a][b]` leads from a to b, and values flow along the edges"),)
    return _finding(ReversedDependency, message, location, data, assumptions=supposed)


def _gap(study: Study, location: Location, found: Sequence[Gap]) -> Finding:
    first = found[0]
    message = (
        f"`{study.outputs[first.output]}` depends on no edge that leads to {shown(first.vertex)}, although such edges "
        f"come from {_keys(first.sources)}, so a step is missing or the graph is not what the program takes it for"
    )
    if len(found) > 1:
        message += f" (and so for {len(found) - 1:,} more outputs)"
    data = {
        "outputs": [study.outputs[each.output] for each in found], "sources": list(first.sources[:50]),
        "variable": first.variable,
    }  # fmt: skip
    supposed = (Assumption(f"`{first.variable}[a][b]` leads from a to b, and the values there are not 0"),)
    return _finding(MissingDependency, message, location, data, assumptions=supposed)


@dataclass(frozen=True, slots=True)
class Unused:
    """A variable by whose members some outputs have no derivative."""

    variable: str
    members: NDArray[np.intp]
    outputs: tuple[int, ...]


def unused(study: Study, expected: Sequence[str]) -> Iterator[Unused]:
    """Variables that were asked for and from which no derivative leads to some outputs, unless the graph may be why."""
    variables, kinds = study.kinds
    graphs = {edges.variable for edges in study.graphs}
    vertices = {key for edges in study.graphs for key in edges.vertices}
    for variable in dict.fromkeys(expected):
        if variable not in variables or variable in graphs:
            continue
        members = np.flatnonzero(kinds == variables.index(variable))
        keys = {study.parts[place].keys for place in members}
        without = tuple(
            output
            for output, end in enumerate(study.ends)
            if end.variable != variable and end.keys not in keys and not set(end.keys) & vertices
            if np.isfinite(study.results[output]) and not study.influence(output)[members].any()
        )
        if without:
            yield Unused(variable, members, without)


def _not_used(study: Study, location: Location, each: Unused) -> Finding:
    names = [study.outputs[output] for output in each.outputs]
    depend = "depends" if len(names) == 1 else "depend"
    message = f"{_quoted(names)} {depend} on none of the {len(each.members):,} inputs `{each.variable}`"
    data = {"outputs": names, "variable": each.variable, "inputs": len(each.members)}
    supposed = (Assumption(f"`{each.variable}` should have a say"),)
    return _finding(MissingDependency, message, location, data, assumptions=supposed)


def _finding(
    rule: type[Rule],
    message: str,
    location: Location,
    data: Mapping[str, Any],
    *,
    certainty: Certainty = Certainty.LIKELY,
    assumptions: Sequence[Assumption] = (),
    related: Sequence[Related] = (),
) -> Finding:
    return Finding(
        rule.name, rule.code, rule.severity, certainty, message, location, tuple(related),
        Evidence("provenance", data), tuple(assumptions),
    )  # fmt: skip


def _outputs(names: Sequence[str]) -> str:
    return f"{_quoted(names)} {'is' if len(names) == 1 else 'are'}"


def _quoted(names: Sequence[str]) -> str:
    return _listed([f"`{name}`" for name in names])


def _keys(keys: Sequence[Key]) -> str:
    return _listed([shown(key) for key in keys])


def _listed(words: Sequence[str]) -> str:
    if len(words) > _NAMED:
        return f"{', '.join(words[: _NAMED - 1])} and {len(words) - _NAMED + 1:,} more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _number(value: float) -> str:
    return f"{value:.4g}"
