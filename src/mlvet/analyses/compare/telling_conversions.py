"""What is told of converted models that do not do what the model does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mlvet.analyses.compare.comparison import Comparison
from mlvet.analyses.compare.pairs import Pair
from mlvet.analyses.compare.rules.inconsistent_backends import InconsistentBackends
from mlvet.analyses.compare.rules.wrong_layer import WrongLayer
from mlvet.analyses.compare.suspects import Suspicion
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location


def conversions(found: Comparison, shown: str, consequence: Callable[[Sequence[Pair]], str]) -> Iterator[Finding]:
    """One finding for each layer that a converter gets wrong, and for each runtime that is wrong on a right file."""
    told = {("source", error.backend) for error in found.walk.wrong()}
    for suspicion in found.suspicions:
        where = suspicion.layer.name if suspicion.layer else ""
        cause = ("source", suspicion.source) if suspicion.guilty == "source" else (suspicion.converter, where)
        if suspicion.guilty != "runtime" and cause in told:
            continue
        told.add(cause)
        pairs = [pair for pair in found.pairs if pair.inconsistent and suspicion.backend in (pair.first, pair.second)]
        rule = InconsistentBackends if pairs else WrongLayer
        after = consequence(pairs) if pairs else "the outputs of the model stay within the thresholds"
        message, note, data = _TOLD[suspicion.guilty](suspicion)
        related = [Related(note)]
        key = (suspicion.backend, where)
        if suspicion.errors:
            key = (suspicion.errors[0].backend, suspicion.errors[0].layer.name)
        reproduced = found.searched.reproduced.get(key)
        if reproduced is not None and reproduced.folder is not None:
            related.append(Related(f"the least model that shows it, with a script: {reproduced.folder}"))
        data |= {
            "reproduction": None if reproduced is None else reproduced.to_json(),
            "converter": suspicion.converter, "backend": suspicion.backend, "judge": suspicion.judge,
            "share": suspicion.share, "pairs": [pair.to_json() for pair in pairs],
        }  # fmt: skip
        yield Finding(
            rule.name, rule.code, rule.severity, Certainty.OBSERVED, f"{message}; {after}",
            Location(shown, node=suspicion.layer.name if suspicion.layer else None), tuple(related),
            Evidence("comparison", data), (),
        )  # fmt: skip


def _converter(suspicion: Suspicion) -> tuple[str, str, dict[str, Any]]:
    layer = suspicion.layer
    place = f"from `{layer.name}` ({layer.kind}) on " if layer else ""
    message = (
        f"`{suspicion.converter}` changes the model: {place}what it writes is off by up to {suspicion.share:.2g} of "
        f"the outputs on `{suspicion.backend}`"
    )
    related = f"`{suspicion.judge}` runs the converted file with the same result, so the file is wrong, not its runtime"
    data = {
        "blamed": suspicion.converter, "layer": layer.name if layer else None, "kind": layer.kind if layer else None,
        "config": dict(layer.config) if layer else {},
    }  # fmt: skip
    return message, related, data


def _source(suspicion: Suspicion) -> tuple[str, str, dict[str, Any]]:
    """The backend that the converter works on, where it was not asked for itself and nobody has told of it."""
    _, _, data = _converter(suspicion)
    place = f" from `{data['layer']}` ({data['kind']}) on" if suspicion.layer else ""
    message = (
        f"`{suspicion.source}` is wrong{place} before `{suspicion.converter}` converts the model, by up to "
        f"{suspicion.share:.2g} of the outputs on `{suspicion.backend}`"
    )
    related = f"`{suspicion.source}` yields the same by itself; name it among the backends to see its layers"
    return message, related, {**data, "blamed": suspicion.source}


def _runtime(suspicion: Suspicion) -> tuple[str, str, dict[str, Any]]:
    node = suspicion.errors[0].layer if suspicion.errors else None
    place = f" in the node `{node.name}` ({node.kind})" if node else ""
    message = (
        f"`{suspicion.backend}` is wrong{place} on what `{suspicion.converter}` makes of the model, by up to "
        f"{suspicion.share:.2g} of the outputs"
    )
    related = f"`{suspicion.judge}` runs the converted file as the model should run, so the file is right"
    data = {
        "blamed": suspicion.backend, "node": node.name if node else None, "kind": node.kind if node else None,
        "config": dict(node.config) if node else {},
    }  # fmt: skip
    return message, related, data


_TOLD = {"converter": _converter, "runtime": _runtime, "source": _source}
