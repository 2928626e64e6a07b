"""Injected faults: how many are found, in which layer and on which backend; and what clean models yield."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.compare.faults import FAULTS, LAYOUT, MEANING, NUMERICS, SEED, Fault
from benchmarks.compare.subjects import GRAPHS, KERAS, FaultyPython, models, peers, request
from benchmarks.compare.warm import Pool, pool
from benchmarks.table import Table
from mlvet.analyses.compare.comparison import Comparison
from mlvet.analyses.compare.pairs import Pair
from mlvet.analyses.compare.telling import findings, map_of
from mlvet.core.finding import Finding

COMMAND = "python -m benchmarks.compare --only injected"
KERAS_BACKENDS = ("jax", "torch", "numpy", "tensorflow")
GRAPH_BACKENDS = ("onnxruntime", "onnx-reference", "openvino")
_ROUNDING = 2.0**-24


@dataclass(frozen=True, slots=True)
class Case:
    """A comparison in the benchmark: with a fault, or clean. `pairs` are those of the faulty backend, or all."""

    model: str
    fault: Fault | None
    findings: tuple[Finding, ...]
    pairs: tuple[Pair, ...]
    seconds: float
    times: float = 0.0
    first_red: str | None = None
    top_rate: str | None = None
    red: tuple[str, ...] = ()
    clean_times: tuple[tuple[str, str, float], ...] = field(default=())

    @property
    def detected(self) -> bool:
        return bool(self.findings)

    @property
    def localised(self) -> bool:
        assert self.fault is not None
        return self.detected and all(each.location.node == self.fault.layer for each in self.findings)

    @property
    def blamed(self) -> bool:
        assert self.fault is not None
        guilty = {each.evidence.data.get("blamed") for each in self.findings if each.evidence}
        return guilty == {peers(self.fault)[0]}

    @property
    def distant(self) -> bool:
        """Whether the paper's distance of outputs reaches its threshold."""
        return any(pair.inconsistent for pair in self.pairs)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "model": self.model,
            "findings": [f"{each.location.node}: {each.message}" for each in self.findings],
            "seconds": round(self.seconds, 1),
            "pairs": [pair.to_json() for pair in self.pairs],
        }
        if self.fault is None:
            return {**found, "furthest": sorted(self.clean_times, key=lambda each: -each[2])[:5]}
        return {
            "fault": self.fault.name, "family": self.fault.family, "times_noise": self.times,
            "detected": self.detected, "localised": self.localised, "blamed": self.blamed,
            "first_red": self.first_red, "top_rate": self.top_rate, "red": list(self.red), "distant": self.distant,
            **found,
        }  # fmt: skip


Noises = dict[tuple[str, str, str], float]


def clean_cases(crew: Pool, made: Path) -> Iterator[tuple[Case, Noises]]:
    """All models as they are, on all quick backends; and the errors that their layers have then."""
    for name in (*KERAS, *GRAPHS):
        began = time.monotonic()
        found = crew.compare(request(made, name, GRAPH_BACKENDS if name in GRAPHS else KERAS_BACKENDS))
        noises = {
            (name, each.layer.name, each.backend): max(each.rms, _ROUNDING * each.scale) for each in found.walk.errors
        }
        times = tuple((each.layer.name, each.backend, each.times) for each in found.walk.errors)
        told = tuple(findings(found, name))
        yield Case(name, None, told, tuple(found.pairs), time.monotonic() - began, clean_times=times), noises


def faulty_case(crew: Pool, made: Path, python: FaultyPython, fault: Fault, noise: float) -> Case:
    """One fault: what is told of it, and what the paper's map shows."""
    began = time.monotonic()
    python.becomes(fault, noise)
    backends = peers(fault)
    found = crew.compare(request(made, fault.model, backends, str(python.path)))
    own = [each for each in found.walk.errors if each.backend == backends[0] and each.layer.name == fault.layer]
    recorded = python.recorded()
    size = recorded if recorded is not None else own[0].rms if own else float("nan")
    pairs = tuple(each for each in found.pairs if backends[0] in (each.first, each.second))
    first, top, red = _mapped(found, pairs)
    told = tuple(findings(found, fault.model))
    return Case(fault.model, fault, told, pairs, time.monotonic() - began, size / noise, first, top, red)


def _mapped(found: Comparison, pairs: Sequence[Pair]) -> tuple[str | None, str | None, tuple[str, ...]]:
    places = map_of(found, pairs[0]) if pairs else ()
    red = tuple(place.layer.name for place in places if place.red)
    top = max(places, key=lambda place: place.rate).layer.name if places else None
    return (red[0] if red else None), top, red


def run(folder: Path, seed: int = SEED, faults: Sequence[Fault] = FAULTS) -> tuple[list[Case], list[Case]]:
    """The clean cases and the faulty ones."""
    made = models(folder, seed)
    clean, faulty, noises = [], [], Noises()
    with pool() as crew, tempfile.TemporaryDirectory() as place:
        for case, of_layers in clean_cases(crew, made):
            clean.append(case)
            noises.update(of_layers)
            print(f"{case.model}: {len(case.findings)} findings, {case.seconds:.0f} s", flush=True)
        python = FaultyPython(Path(place))
        for fault in faults:
            case = faulty_case(crew, made, python, fault, noises[fault.model, fault.layer, fault.backend])
            faulty.append(case)
            verdict = f"found {case.detected}, layer {case.localised}, backend {case.blamed}, distant {case.distant}"
            print(f"{fault.name}: {case.times:.3g} times noise, {verdict}, {case.seconds:.0f} s", flush=True)
    return clean, faulty


def main(clean: Sequence[Case], faulty: Sequence[Case]) -> Table:
    groups = [
        (MEANING, [case for case in faulty if case.fault and case.fault.family == MEANING]),
        (NUMERICS, [case for case in faulty if case.fault and case.fault.family == NUMERICS]),
        (LAYOUT, [case for case in faulty if case.fault and case.fault.family == LAYOUT]),
        ("at most 10 times the noise", [case for case in faulty if case.times <= 10]),
        ("all", faulty),
    ]
    rows = [[name, len(cases), *_shares(cases)] for name, cases in groups]
    count = sum(len(list(combinations({name for pair in case.pairs for name in (pair.first, pair.second)}, 2)))
                for case in clean)  # fmt: skip
    told = sum(len(case.findings) for case in clean)
    worst = max(each[2] for case in clean for each in case.clean_times)
    layers = sum(len(case.clean_times) for case in clean)
    faults = [[case.fault.name, f"{case.times:.3g}"] for case in faulty if case.fault]
    return Table(
        "compare-injected", "Faults injected into one layer of one backend", COMMAND,
        ("faults", "number", "detected", "in the right layer", "backend right", "paper: highlighted", "first red layer",
         "top R", "output distance"),
        rows,
        (
            f"Clean models: {told} findings on {count} pairs of backends; of {layers} layers on backends the worst is "
            f"off by {worst:.2g} times its noise, where {_limit():g} are told.",
            "Magnitudes, in times the error that the sound layer has beside double precision: "
            + "; ".join(f"{name} {times}" for name, times in faults) + ".",
            "The list of faults was committed before it was first run. A fault "
            "is in the right layer if every finding names it, and the backend is right if every finding blames it.",
        ),
        {"clean": [case.to_json() for case in clean], "faulty": [case.to_json() for case in faulty]},
    )  # fmt: skip


def _limit() -> float:
    from mlvet.analyses.compare.local_errors import SUSPICIOUS

    return SUSPICIOUS


def _shares(cases: Sequence[Case]) -> list[str]:
    def share(hits: int) -> str:
        return f"{hits} ({100 * hits / len(cases):.0f} %)" if cases else "-"

    layer = [(case, case.fault.layer) for case in cases if case.fault]
    return [
        share(sum(case.detected for case in cases)), share(sum(case.localised for case in cases)),
        share(sum(case.blamed for case in cases)), share(sum(name in case.red for case, name in layer)),
        share(sum(case.first_red == name for case, name in layer)),
        share(sum(case.top_rate == name for case, name in layer)), share(sum(case.distant for case in cases)),
    ]  # fmt: skip
