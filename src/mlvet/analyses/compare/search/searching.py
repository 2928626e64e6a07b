"""What is done once a model has been compared: the least models of its defects, then mutants of it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mlvet.analyses.compare.clustering import clusters
from mlvet.analyses.compare.conversion import Converted
from mlvet.analyses.compare.mutation.breed import Breed
from mlvet.analyses.compare.mutation.keras_breed import KerasBreed
from mlvet.analyses.compare.mutation.loop import Crash, Deviant, Mutations, Search
from mlvet.analyses.compare.mutation.onnx_breed import OnnxBreed
from mlvet.analyses.compare.mutation.onnx_model import in_pieces
from mlvet.analyses.compare.reproduction.call_case import SUFFIXES, ToldCalls, calls_of
from mlvet.analyses.compare.reproduction.minimal import (
    Defect,
    Minimal,
    defects,
    defects_of_converters,
    minimal,
    proven,
    written,
)  # fmt: skip
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.search.architecture import Architecture, architecture_of, built, file_name, ports_for
from mlvet.analyses.compare.search.laboratory import Laboratory, Specimen
from mlvet.analyses.compare.subject import Subject
from mlvet.analyses.compare.suspects import Inspection, Suspicion
from mlvet.analyses.compare.walk import LayerFailure, Walk
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.backends.process import Failure
from mlvet.runtime.onnx_parts import OnnxParts

Array = NDArray[Any]
_FEW = 2
Progress = Callable[[str, int, int], None]
Whole = Architecture | Mapping[str, Path] | ToldCalls
"""What the layers of a model are cut out of."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The least model of a defect, and the folder that holds it if one was asked for."""

    least: Minimal
    folder: Path | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "config": self.least.config, "right": self.least.right, "times_noise": self.least.shown.times,
            "inputs": {name: list(array.shape) for name, array in self.least.case.inputs.items()},
            "folder": None if self.folder is None else str(self.folder),
        }  # fmt: skip


@dataclass(slots=True)
class Searched:
    """What a search has found. Defects of the user's model are by backend and layer."""

    reproduced: dict[tuple[str, str], Reproduced] = field(default_factory=dict)
    mutations: Mutations = field(default_factory=Mutations)
    notes: list[str] = field(default_factory=list)


def search(
    request: CompareRequest, subject: Subject, lab: Laboratory, walk: Walk,
    suspects: Sequence[tuple[Suspicion, Converted]], examples: Mapping[str, Array], progress: Progress,
    failures: Sequence[LayerFailure] = (),
) -> Searched:  # fmt: skip
    """Reduce the defects of the model, then look for more of them for as long as the user wants.

    `failures` are layers for which a backend cannot run the model.
    An interruption by the user ends the search; what was found is kept.
    """
    found = Searched()
    with tempfile.TemporaryDirectory(dir=lab.folder) as place:
        folder = Path(place)
        try:
            layers = [error.layer.name for error in walk.wrong()] + [each.layer.name for each in failures]
            layers += [each.layer.name for each, _ in suspects if each.layer is not None]
            origin = origin_of(lab, subject, request, folder, layers)
        except (Failure, UnsupportedInput) as reason:
            found.notes.append(f"the model cannot be taken apart to search further: {reason}")
            return found
        with contextlib.suppress(KeyboardInterrupt):
            reduce_all(lab, walk, defects(walk, origin), request, folder, found, progress)
            for defect in (*defects(walk, origin, failures), *defects_of_converters(suspects, origin)):
                progress(f"reducing {defect.layer.name} on {defect.backend}", 0, 1)
                _reduce(lab, defect, request, folder, found)
            for suspicion, _ in suspects:
                if suspicion.errors and suspicion.inspection is not None:
                    _reduce_converted(lab, suspicion, suspicion.inspection, request, folder, found, progress)
            if request.mutate:
                _mutate(request, subject, lab, examples, origin, folder, found, progress)
    return found


def _mutate(
    request: CompareRequest, subject: Subject, lab: Laboratory, examples: Mapping[str, Array],
    origin: Whole, folder: Path, found: Searched, progress: Progress,
) -> None:  # fmt: skip
    few = {name: array[:_FEW] if subject.batched else array for name, array in examples.items()}
    try:
        breed = breed_of(lab, subject, origin, folder, few)
    except (Failure, UnsupportedInput) as reason:
        found.notes.append(f"the model cannot be mutated: {reason}")
        return
    if breed is None:
        found.notes.append("the model cannot be mutated: its layers cannot be built anew")
        return

    def tell(found_now: Deviant | Crash) -> None:
        backend, kind = found_now.least.defect.backend, found_now.least.defect.layer.kind
        does = "is wrong" if isinstance(found_now, Deviant) else "fails"
        request.announce(f"found: a variant of `{found_now.layer}` ({kind}) {does} on `{backend}`")
        if request.reproduce is not None:
            number = len(found.reproduced) + len(found.mutations.deviants) + len(found.mutations.crashes)
            name = f"{number:02d}-{backend}-{found_now.layer}"
            found_now.folder = _kept(lab, found_now.least, request.reproduce, name, found)

    known = {reproduced.least.cause for reproduced in found.reproduced.values()}
    looking = Search(lab, breed, folder, request.seed, known, tell, progress)
    found.mutations = looking.result
    looking.go(request.mutate)


def _kept(lab: Laboratory, least: Minimal, folder: Path, name: str, found: Searched) -> Path | None:
    """The folder of a reproduction; what cannot be written is told and loses nothing else."""
    try:
        return written(lab, least, folder, name)
    except (UsageError, Failure) as reason:
        found.notes.append(str(reason))
        return None


def breed_of(
    lab: Laboratory, subject: Subject, origin: Whole, folder: Path, inputs: Mapping[str, Array],
) -> Breed | None:  # fmt: skip
    """What makes variants and mutants of a model; None for a model that cannot be built anew."""
    if isinstance(origin, ToldCalls):
        return None
    if not isinstance(origin, Architecture):
        assert isinstance(subject.parts, OnnxParts)
        walk = lab.examine(Specimen(subject.path, inputs), keep_all=True).walk
        pieces = in_pieces(subject.parts.model, [layer.name for layer in subject.layers])
        return OnnxBreed(folder, pieces, inputs, {name: seen.entering for name, seen in walk.seen.items()})
    made = built(lab, replace(origin, ports=ports_for(inputs)), folder)
    if made is None:
        return None
    seen = lab.examine(made.specimen(inputs), keep_all=True).walk.seen
    entering = {call.name: seen[file_name(call.name)].entering for call in origin.calls if file_name(call.name) in seen}
    named = {n: dict(zip(origin.call(n).inputs, arrays.values(), strict=True)) for n, arrays in entering.items()}
    return KerasBreed(lab, folder, made.architecture, inputs, named)


def origin_of(
    lab: Laboratory, subject: Subject, request: CompareRequest, folder: Path, layers: Sequence[str] = ()
) -> Whole:
    """What layers are cut out of, at least those that are named."""
    if subject.format == "keras":
        return architecture_of(lab, folder, request.model, request.opening)
    if subject.format in SUFFIXES:
        return calls_of(lab, request.opening, list(dict.fromkeys(layers)), folder)
    if subject.parts is None:
        raise UnsupportedInput("its layers cannot be run alone")
    return {layer.name: subject.parts.alone(layer.name) for layer in subject.layers}


def reduce_all(
    lab: Laboratory,
    walk: Walk,
    found: list[Defect],
    request: CompareRequest,
    folder: Path,
    into: Searched,
    progress: Progress,
) -> None:
    """One defect of each cluster, reduced and written."""
    by_layer = {(defect.backend, defect.layer.name): defect for defect in found}
    groups = clusters([error for error in walk.wrong() if (error.backend, error.layer.name) in by_layer])
    for number, group in enumerate(groups):
        defect = by_layer[group[0].backend, group[0].layer.name]
        progress(f"reducing {defect.layer.name} on {defect.backend}", number, len(groups))
        _reduce(lab, defect, request, folder, into)


def _reduce_converted(
    lab: Laboratory, suspicion: Suspicion, seen: Inspection, request: CompareRequest, folder: Path, into: Searched,
    progress: Progress,
) -> None:  # fmt: skip
    """The first node that a runtime gets wrong in a converted file that is right."""
    assert seen.subject.parts is not None
    first = suspicion.errors[0]
    parts = {first.layer.name: seen.subject.parts.alone(first.layer.name)}
    for defect in defects(seen.walk, parts, [first]):
        progress(f"reducing {defect.layer.name} on {defect.backend}", 0, 1)
        _reduce(lab.beside(seen.runs, seen.oracle, "onnx"), defect, request, folder, into)


def _reduce(lab: Laboratory, defect: Defect, request: CompareRequest, folder: Path, into: Searched) -> None:
    least = minimal(lab, defect, folder)
    if least is None:
        into.notes.append(f"`{defect.layer.name}` alone does not show what is wrong on {defect.backend}")
        return
    to = request.reproduce
    name = f"{len(into.reproduced) + 1:02d}-{defect.backend}-{defect.layer.name}"
    made = _kept(lab, least, to, name, into) if to is not None else None
    if made is not None and not proven(least, made):
        into.notes.append(f"{made / 'show.py'} does not show by itself what is wrong on {defect.backend}")
    into.reproduced[defect.backend, defect.layer.name] = Reproduced(least, made)
