"""What is told of mutants: a finding for each cause, at the layer that was changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mlvet.analyses.compare.mutation.loop import Crash, Deviant, Mutations
from mlvet.analyses.compare.rules.backend_crash import BackendCrash
from mlvet.analyses.compare.rules.wrong_layer import WrongLayer
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location


def told_of_mutants(found: Mutations, shown: str) -> Iterator[Finding]:
    """Findings of a search. None of them is in the model as it stands."""
    for deviant in found.deviants:
        yield _wrong(deviant, shown)
    for crash in found.crashes:
        yield _crash(crash, shown)


def summary_of_mutants(found: Mutations) -> dict[str, Any]:
    """A search as data."""
    return {
        "variants": found.variants, "mutants": found.mutants, "without_sense": found.senseless,
        "unconfirmed": found.unconfirmed,
        "seconds": round(found.seconds, 1), "interrupted": found.interrupted,
    }  # fmt: skip


def _wrong(deviant: Deviant, shown: str) -> Finding:
    error, least = deviant.error, deviant.least
    if error.wrong_shape:
        fact = f"has another shape on `{error.backend}` than by the oracle"
    else:
        fact = f"is off by {error.greatest:.3g} on `{error.backend}`, {error.times:.3g} times what rounding costs there"
    related = [Related(f"how it was made: {deviant.made}"), Related(_least(deviant))]
    if deviant.folder is not None:
        related.append(Related(f"the least model that shows it, with a script: {deviant.folder}"))
    data = {
        "blamed": error.backend, "layer": deviant.layer, "kind": error.layer.kind, "config": dict(error.layer.config),
        "times_noise": _number(error.times), "error": _number(error.greatest), "sign": error.sign,
        "mutant": deviant.made, "seen": deviant.count, "least": least.config,
        "reproduction": None if deviant.folder is None else str(deviant.folder),
    }  # fmt: skip
    message = f"a variant of `{deviant.layer}` ({error.layer.kind}) {fact}; the model itself does not have it"
    return Finding(
        WrongLayer.name, WrongLayer.code, WrongLayer.severity, Certainty.OBSERVED, message,
        Location(shown, node=deviant.layer), tuple(related), Evidence("comparison", data),
    )  # fmt: skip


def _least(found: Deviant | Crash) -> str:
    least = found.least
    config = ", ".join(f"{key}={value!r}" for key, value in least.config.items()) or "all entries by default"
    return f"the least of it: {least.defect.layer.kind} with {config}; `{least.right}` is right"


def _crash(crash: Crash, shown: str) -> Finding:
    message = (
        f"`{crash.backend}` fails on a variant of `{crash.layer}` ({crash.kind}), which other backends run: "
        f"{crash.failure.words}"
    )
    data = {
        "blamed": crash.backend, "layer": crash.layer, "kind": crash.kind, "failure": crash.failure.kind,
        "words": crash.failure.words, "place": crash.failure.place, "mutant": crash.made, "seen": crash.count,
        "least": crash.least.config, "reproduction": None if crash.folder is None else str(crash.folder),
    }  # fmt: skip
    related = [Related(f"how it was made: {crash.made}"), Related(_least(crash))]
    if crash.folder is not None:
        related.append(Related(f"the least model that shows it, with a script: {crash.folder}"))
    return Finding(
        BackendCrash.name, BackendCrash.code, BackendCrash.severity, Certainty.OBSERVED, message,
        Location(shown, node=crash.layer), tuple(related), Evidence("comparison", data),
    )  # fmt: skip


def _number(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)
