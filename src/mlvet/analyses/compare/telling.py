"""What is told of a comparison: one finding for each cause, not for each pair or layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlvet.analyses.compare.agreement import STEPS
from mlvet.analyses.compare.clustering import clusters
from mlvet.analyses.compare.comparison import Comparison, Refusal
from mlvet.analyses.compare.fusion import Fused
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.mapping import map_of, maps
from mlvet.analyses.compare.mapping import number as _number
from mlvet.analyses.compare.mutation.telling import summary_of_mutants, told_of_mutants
from mlvet.analyses.compare.pairs import Pair, unique
from mlvet.analyses.compare.rules.backend_crash import BackendCrash
from mlvet.analyses.compare.rules.fusion_dependent import FusionDependent
from mlvet.analyses.compare.rules.inconsistent_backends import InconsistentBackends
from mlvet.analyses.compare.rules.unsteady_backend import UnsteadyBackend
from mlvet.analyses.compare.rules.wrong_layer import WrongLayer
from mlvet.analyses.compare.search.searching import Reproduced
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.telling_conversions import conversions
from mlvet.analyses.compare.telling_gradients import gradient_findings, gradient_summary
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Rule

_FELT = 1e-3
"""A backend that differs from itself by less than this share of its outputs is steady."""
_ALIKE = 10.0
"""Differences that are so many times another one are of its size."""


def findings(found: Comparison, shown: str) -> list[Finding]:
    """All findings of a comparison."""
    return [
        *_crashes(found, shown),
        *_wrong_layers(found, shown),
        *conversions(found, shown, _consequence),
        *_unexplained(found, shown),
        *_fused(found, shown),
        *_unsteady(found, shown),
        *told_of_mutants(found.searched.mutations, shown),
        *gradient_findings(found, shown),
    ]


def summary(found: Comparison, *, all_maps: bool = False) -> dict[str, Any]:
    """The comparison as data, for the machine-readable report."""
    groups = unique(found.pairs)
    return {
        "backends": found.versions,
        "examples": found.examples,
        "truth": found.truth,
        "inconsistencies": {"total": sum(map(len, groups)), "unique": len(groups)},
        "pairs": [pair.to_json() for pair in found.pairs],
        "unsupported": [
            {"backend": each.backend, "at": each.at, "reason": each.failure.words}
            for each in found.refusals
            if each.failure.kind in _NO_DEFECT
        ],
        "layers": [_layer_json(each) for each in found.walk.errors],
        "unjudged": found.walk.unjudged,
        "search": summary_of_mutants(found.searched.mutations),
        "maps": maps(found, all_pairs=all_maps),
        **gradient_summary(found),
        "memory": {"states": found.walk.room, "processes": found.memory},
        "seconds": {name: round(seconds, 4) for name, seconds in found.seconds.items()},
    }


_NO_DEFECT = ("unsupported", "environment", "model", "memory")


def _layer_json(error: LocalError) -> dict[str, Any]:
    return {
        "layer": error.layer.name, "kind": error.layer.kind, "backend": error.backend, "rms_error": _number(error.rms),
        "greatest_error": _number(error.greatest), "noise": _number(error.noise), "times_noise": _number(error.times),
        "wrong": error.wrong,
    }  # fmt: skip


def _crashes(found: Comparison, shown: str) -> Iterator[Finding]:
    """Failures of a backend that another one does not have; of a converter once for all that it works for."""
    places = {each.backend: each.layer for each in found.failed_layers}
    misshapen = _misshapen(found)
    defects = [each for each in found.refusals if each.failure.kind not in _NO_DEFECT and not _unsuited(found, each)]
    told: set[tuple[str, str]] = set()
    for refusal in defects:
        failure = refusal.failure
        how = "does not answer" if failure.kind == "hang" else "fails"
        blamed, layer = refusal.blamed or refusal.backend, places.get(refusal.backend)
        if refusal.blamed:
            if (blamed, failure.words) in told:
                continue
            told.add((blamed, failure.words))
            alike = [each for each in defects if (each.blamed, each.failure.words) == (blamed, failure.words)]
            listed = " and ".join(f"`{each.backend}`" for each in alike)
            message = f"`{blamed}` {how} on the way to {listed}: {failure.words}"
        else:
            where = f" in `{layer.name}` ({layer.kind})" if layer else ""
            if cause := misshapen.get(blamed):
                layer = cause.layer
                where = f" behind `{layer.name}` ({layer.kind}), which has another shape there than by the oracle,"
            message = (
                f"`{blamed}` {how}{where} when it has to {refusal.at} the model, which other backends do: "
                f"{failure.words}"
            )
        data = {
            "blamed": blamed, "failure": failure.kind, "words": failure.words, "place": failure.place,
            "layer": layer.name if layer else None, "kind": layer.kind if layer else None,
        }  # fmt: skip
        related = _reproduction(found.searched.reproduced.get((blamed, layer.name)) if layer else None, data)
        yield _finding(BackendCrash, message, Location(shown, node=layer.name if layer else None), data, related)
    ended = {each.backend: each for each in reversed(found.walk.failures) if each.failure.kind in ("death", "hang")}
    for each in ended.values():
        message = f"`{each.backend}` fails in the layer `{each.layer.name}` alone: {each.failure.words}"
        data = {"blamed": each.backend, "failure": each.failure.kind, "words": each.failure.words}
        yield _finding(BackendCrash, message, Location(shown, node=each.layer.name), data)


def _unsuited(found: Comparison, refusal: Refusal) -> bool:
    """Whether the examples do not suit the model: no backend runs on them, or most fail on some that were made here."""
    if refusal.at != "run" or refusal.failure.kind != "crash":
        return False
    failing = sum(each.at == "run" and each.failure.kind == "crash" for each in found.refusals)
    return not found.outputs or (found.made and failing > len(found.outputs))


def _wrong_layers(found: Comparison, shown: str) -> Iterator[Finding]:
    crashing = _misshapen(found)
    for cluster in clusters([each for each in found.walk.wrong() if crashing.get(each.backend) is not each]):
        first, *others = cluster
        concerned = _inconsistent(found, first.backend)
        rule = InconsistentBackends if concerned else WrongLayer
        judge = found.walk.judges.get(first.layer.name, "")
        if first.wrong_shape:
            fact = (
                f"`{first.layer.name}` ({first.layer.kind}) has another shape on `{first.backend}` than by the oracle"
            )
        elif first.wrong_mask:
            fact = (
                f"`{first.layer.name}` ({first.layer.kind}) hands on another mask on `{first.backend}` "
                "than by the oracle"
            )
        else:
            fact = (
                f"`{first.layer.name}` ({first.layer.kind}) is off by {first.greatest:.3g} on `{first.backend}`, "
                f"{first.times:.3g} times what rounding costs there"
            )
        consequence = _consequence(concerned) if concerned else "the outputs of the model stay within the thresholds"
        related = [Related(f"the oracle is `{judge}` in double precision, on the same input")]
        if others:
            listed = ", ".join(f"`{each.layer.name}`" for each in others[:5])
            related.append(Related(f"the same cause in {len(others)} more: {listed}"))
        reproduced = next((r for e in cluster if (r := found.searched.reproduced.get((e.backend, e.layer.name)))), None)
        data = {
            "blamed": first.backend, "layer": first.layer.name, "kind": first.layer.kind,
            "config": dict(first.layer.config), "times_noise": _number(first.times), "error": _number(first.greatest),
            "sign": first.sign, "layers": [each.layer.name for each in cluster], "oracle": judge,
            "pairs": [pair.to_json() for pair in concerned],
        }  # fmt: skip
        related += _reproduction(reproduced, data)
        yield _finding(rule, f"{fact}; {consequence}", Location(shown, node=first.layer.name), data, related)


def _misshapen(found: Comparison) -> dict[str, LocalError]:
    """For each backend that cannot run the model, the first layer with a wrong shape: those behind it fail for that."""
    failing = {each.backend for each in found.refusals if each.at == "run" and each.failure.kind == "crash"}
    wrong = [each for each in found.walk.wrong() if each.wrong_shape and each.backend in failing]
    return {each.backend: each for each in reversed(wrong)}


def _reproduction(reproduced: Reproduced | None, data: dict[str, Any]) -> list[Related]:
    """Where the least model of a defect is; the data of the finding tell it too."""
    data["reproduction"] = None if reproduced is None else reproduced.to_json()
    if reproduced is None or reproduced.folder is None:
        return []
    return [Related(f"the least model that shows it, with a script: {reproduced.folder}")]


def _consequence(concerned: Sequence[Pair]) -> str:
    worst = max(concerned, key=lambda pair: float(np.max(pair.distances, initial=0.0)))
    other = "the shapes of the outputs differ"
    if worst.shapes:
        other = (
            f"{worst.triggering} of {len(worst.distances)} examples change by a {worst.metric} distance of up to "
            f"{float(np.max(worst.distances)):.3g}"
        )
    return f"between `{worst.first}` and `{worst.second}` {other}"


def _unexplained(found: Comparison, shown: str) -> Iterator[Finding]:
    """Inconsistent pairs of which no layer is known to be wrong: the layer with the highest rate is named."""
    for left in _without_cause(found):
        pairs = [pair for pair in left if not _amplified(found, pair)]
        if not pairs:
            continue
        pair = max(pairs, key=lambda each: each.difference)
        top = _steepest(found, pair)
        where = f"; the deviation rises most at `{top.name}` ({top.kind})" if top else ""
        message = f"{_consequence([pair])}{where}, and no oracle tells which backend is wrong"
        data = {"blamed": None, "pairs": [each.to_json() for each in pairs]}
        location = Location(shown, node=top.name if top else None)
        assumptions = [Assumption("one of the two backends is wrong")]
        yield _finding(InconsistentBackends, message, location, data, (), Certainty.LIKELY, assumptions)


def notes(found: Comparison) -> Iterator[str]:
    """No defects of a backend, but worth knowing: less precision, pairs that are apart though every layer is right."""
    for fused in found.fused:
        if fused.layer is None and not _felt(found, fused.backend):
            yield _less_precise(fused)
    for left in _without_cause(found):
        pairs = [pair for pair in left if _amplified(found, pair)]
        if pairs:
            pair = max(pairs, key=lambda each: each.difference)
            top = _steepest(found, pair)
            where = f", most at `{top.name}` ({top.kind})" if top else ""
            if not _all_right(found, pair):
                yield f"{_consequence([pair])}, which is no more than some steps of numbers that the model quantises"
                continue
            yield (
                f"{_consequence([pair])}, though every layer is right or the same on both up to rounding: "
                f"the model itself makes small differences large{where}"
            )


def _without_cause(found: Comparison) -> Iterator[list[Pair]]:
    """Inconsistent pairs of backends against which nothing is known, those of one pattern together."""
    guilty = {error.backend for error in found.walk.wrong()} | {fused.backend for fused in found.fused}
    guilty |= {suspicion.backend for suspicion in found.suspicions}
    for group in unique(found.pairs):
        left = [pair for pair in group if not guilty & {pair.first, pair.second}]
        if left:
            yield left


def _amplified(found: Comparison, pair: Pair) -> bool:
    """Whether a pair is apart by what is no defect: rounding that grows, or some steps of a quantised model."""
    return _all_right(found, pair) or (found.walk.quantised and pair.difference <= STEPS * _magnitude(found, pair))


def _magnitude(found: Comparison, pair: Pair) -> float:
    held = [np.abs(each[np.isfinite(each)]) for each in found.outputs.get(pair.first, ()) if each.dtype.kind == "f"]
    return max((float(each.max()) for each in held if each.size), default=0.0)


def _all_right(found: Comparison, pair: Pair) -> bool:
    """Whether each layer was judged on both backends, or yields the same on both where no oracle knows it.

    The pair has to be inconsistent on an example that was tried, and about as far apart there as anywhere.
    """
    walk, both = found.walk, frozenset((pair.first, pair.second))
    telling = pair.triggers & (pair.apart * _ALIKE >= pair.difference)
    judged = {(error.backend, error.layer.name) for error in walk.errors}
    return (
        bool(found.subject.layers)
        and np.isfinite(pair.difference)
        and any(telling[each] for each in found.walked if each < len(telling))
        and all(
            both in walk.agreed.get(layer.name, ()) or all((backend, layer.name) in judged for backend in both)
            for layer in found.subject.layers
        )
    )


def _steepest(found: Comparison, pair: Pair) -> Layer | None:
    """The layer with the highest rate."""
    top = max(map_of(found, pair), key=lambda each: each.rate, default=None)
    return top.layer if top else None


def _fused(found: Comparison, shown: str) -> Iterator[Finding]:
    for fused in found.fused:
        name = fused.layer.name if fused.layer else None
        data = {"blamed": fused.backend, "layer": name, "difference": _number(fused.difference)}
        if fused.layer is not None:
            message = (
                f"the plain model on `{fused.backend}` leaves its own layers, run one by one, from `{name}` "
                f"({fused.layer.kind}) on by {fused.difference:.3g}: it depends on what the backend joins"
            )
            yield _finding(FusionDependent, message, Location(shown, node=name), data)
        elif concerned := _felt(found, fused.backend):
            message = f"{_less_precise(fused)}; {_consequence(concerned)}"
            yield _finding(FusionDependent, message, Location(shown), {**data, "precision": fused.precision})


def _less_precise(fused: Fused) -> str:
    return (
        f"`{fused.backend}` computes the plain model in {fused.precision} on this processor, which moves its outputs "
        f"by up to {fused.difference:.3g}; in float32 it does what its layers do"
    )


def _felt(found: Comparison, backend: str) -> list[Pair]:
    """Inconsistent pairs, without those that are so by the ratio of two errors beside an exact oracle."""
    return [each for each in _inconsistent(found, backend) if each.classes or found.truth == "labels"]


def _inconsistent(found: Comparison, backend: str) -> list[Pair]:
    return [pair for pair in found.pairs if pair.inconsistent and backend in (pair.first, pair.second)]


def _unsteady(found: Comparison, shown: str) -> Iterator[Finding]:
    for backend, moved in found.unsteady.items():
        scale = max(
            (float(np.max(np.abs(each[np.isfinite(each)]), initial=0.0)) for each in found.outputs.get(backend, ())),
            default=0.0,
        )
        if moved > _FELT * scale:
            message = f"two runs on the same examples differ by {moved:.3g} on `{backend}`"
            yield _finding(UnsteadyBackend, message, Location(shown), {"blamed": backend, "difference": moved})


def _finding(
    rule: type[Rule],
    message: str,
    location: Location,
    data: Mapping[str, Any],
    related: Sequence[Related] = (),
    certainty: Certainty = Certainty.OBSERVED,
    assumptions: Sequence[Assumption] = (),
) -> Finding:
    return Finding(
        rule.name, rule.code, rule.severity, certainty, message, location, tuple(related),
        Evidence("comparison", data), tuple(assumptions),
    )  # fmt: skip
