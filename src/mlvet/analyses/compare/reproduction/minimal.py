"""From a wrong layer to the least model that shows the defect, and its files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlvet.analyses.compare.conversion import Converted
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.reproduction import call_case, keras_case, onnx_case
from mlvet.analyses.compare.reproduction.call_case import SUFFIXES, CallCase, ToldCalls
from mlvet.analyses.compare.reproduction.call_script import call_script
from mlvet.analyses.compare.reproduction.keras_case import KerasCase
from mlvet.analyses.compare.reproduction.keras_export_script import export_script
from mlvet.analyses.compare.reproduction.keras_script import keras_script
from mlvet.analyses.compare.reproduction.onnx_case import OnnxCase
from mlvet.analyses.compare.reproduction.onnx_script import RUNTIMES, onnx_script
from mlvet.analyses.compare.reproduction.reduction import Budget, Shown, reduced
from mlvet.analyses.compare.reproduction.showing import by_converter, by_layers
from mlvet.analyses.compare.reproduction.ways import way_of
from mlvet.analyses.compare.search.architecture import Architecture, built
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.suspects import Suspicion
from mlvet.analyses.compare.walk import LayerFailure, Seen, Walk
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.backends.catalogue import library_of
from mlvet.runtime.backends.process import Failure

Origin = Architecture | Path | ToldCalls
"""What a layer is cut out of: the architecture of a Keras model, the file of one ONNX node, or calls of operators."""
_QUICK = (
    "torch-eager",
    "litert-reference",
    "onnxruntime",
    "onnx-reference",
    "tensorflow",
    "numpy",
    "jax",
    "torch",
    "onnxruntime-noopt",
    "openvino",
)


@dataclass(frozen=True, slots=True)
class Defect:
    """A layer that a backend computes wrongly or fails on, what it was seen on, and what it is cut out of.

    A layer that a converter gets wrong has what was converted.
    """

    backend: str
    layer: Layer
    seen: Seen
    right: tuple[str, ...]
    origin: Origin
    converted: Converted | None = None


@dataclass(frozen=True, slots=True)
class Minimal:
    """The least case found for a defect. `right` is a backend that does it right."""

    defect: Defect
    case: KerasCase | OnnxCase | CallCase
    shown: Shown
    right: str

    @property
    def config(self) -> dict[str, Any]:
        """What has to be said of the layer's configuration."""
        return self.case.config

    @property
    def cause(self) -> tuple[str, ...]:
        """What defects of one cause have in common: backend, operator, and what of the configuration it takes."""
        entries = (f"{k}={v}" if isinstance(v, str | bool) else k for k, v in self.config.items() if k not in SIZES)
        fails = () if self.shown.wrong else ("fails",)
        return (library_of(self.defect.backend), self.defect.layer.kind, *fails, *sorted(entries))


_SECONDS = 300.0
SIZES = ("filters", "units", "input_dim", "output_dim")


def defects(
    walk: Walk,
    origin: Architecture | Mapping[str, Path] | ToldCalls,
    among: Sequence[LocalError | LayerFailure] | None = None,
) -> list[Defect]:
    """The wrong layers of a walk, or some layers that are wrong or that a backend fails in."""
    found = []
    for each in walk.wrong() if among is None else among:
        seen, right = walk.seen.get(each.layer.name), walk.right(each.layer)
        if seen is not None and right:
            source = origin if isinstance(origin, Architecture | ToldCalls) else origin[each.layer.name]
            found.append(Defect(each.backend, each.layer, seen, right, source))
    return found


def defects_of_converters(
    suspects: Sequence[tuple[Suspicion, Converted]], origin: Architecture | Mapping[str, Path] | ToldCalls
) -> list[Defect]:
    """The layers that converters get wrong, each once."""
    found: dict[tuple[str, str], Defect] = {}
    for suspicion, one in suspects:
        layer = suspicion.layer
        if suspicion.by_converter and layer is not None and isinstance(origin, Architecture | ToldCalls):
            seen = Seen(suspicion.entering, {}, {})
            defect = Defect(suspicion.backend, layer, seen, (str(one.maker),), origin, one)
            found.setdefault((suspicion.converter, layer.name), defect)
    return list(found.values())


def minimal(lab: Laboratory, defect: Defect, folder: Path, budget: Budget | None = None) -> Minimal | None:
    """The least case that shows a defect; None if the layer does not show it alone."""
    budget = budget or Budget()
    right = next((name for name in _quick_first(defect.right) if _scripted(lab.format, name)), None)
    if right is None or not _scripted(lab.format, defect.backend):
        return None
    one = defect.converted
    judged = by_layers(lab, defect.backend, right) if one is None else by_converter(lab, one)
    try:
        if isinstance(defect.origin, Architecture):
            alone = keras_case.alone(defect.origin, defect.layer.name, defect.seen)
            found = reduced(alone, keras_case.shows_by(lab, folder, judged), budget)
            return None if found is None else Minimal(defect, *found, right)
        if isinstance(defect.origin, ToldCalls):
            call = call_case.alone(defect.origin, defect.layer.name, defect.seen.entering)
            least = reduced(call, call_case.shows_by(lab, folder, judged), budget)
            return None if least is None else Minimal(defect, *least, right)
        import onnx

        case = onnx_case.alone(onnx.load(str(defect.origin)), defect.seen.entering)
        less = reduced(case, onnx_case.shows_by(folder, judged), budget)
        return None if less is None else Minimal(defect, *less, right)
    except (Failure, UnsupportedInput):
        return None


def written(lab: Laboratory, found: Minimal, folder: Path, name: str) -> Path:
    """The folder with the model, its input and the script."""
    wrong, versions = found.defect.backend, lab.versions
    to = folder / re.sub(r"[^\w.-]+", "_", name)
    try:
        to.mkdir(parents=True, exist_ok=True)
        if isinstance(found.case, KerasCase):
            made = built(lab, found.case.architecture, to)
            if made is not None:
                made.path.replace(to / "model.keras")
            one = found.defect.converted
            if one is None:
                text = keras_script(found.case, found.shown, wrong, found.right, versions)
            else:
                known = {found.right: one.maker.version, **versions}
                text = export_script(found.case, found.shown, wrong, found.right, known)
        elif isinstance(found.case, CallCase):
            model = to / f"model{SUFFIXES[lab.format]}"
            call_case.built(lab, found.case, model)
            text = call_script(lab.format, found.case, found.shown, wrong, found.right, versions, model)
        else:
            import onnx

            onnx.save(found.case.whole(), str(to / "model.onnx"))
            text = onnx_script(found.case, found.shown, wrong, found.right, versions)
        arrays: dict[str, Any] = dict(found.case.inputs)
        if isinstance(found.case, CallCase):
            arrays.update(found.case.weights)
        np.savez(to / "input.npz", **arrays)
        (to / "show.py").write_text(text, encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"{to}: cannot be written: {(failure.strerror or str(failure)).lower()}") from failure
    return to


def proven(found: Minimal, folder: Path) -> bool:
    """Whether the script of a call or a converter shows what is wrong; one of other environments is taken on trust."""
    wrong = found.defect.backend
    if not (isinstance(found.case, CallCase) or found.defect.converted is not None) or "@" in wrong + found.right:
        return True
    command = [sys.executable, str(folder / "show.py")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return not found.shown.wrong
    if not found.shown.wrong:
        return done.returncode != 0
    told = dict(line.split(None, 1) for line in done.stdout.splitlines() if len(line.split(None, 1)) == 2)
    return done.returncode == 0 and told.get(wrong) not in (None, told.get("expected"), told.get(found.right))


def _quick_first(names: tuple[str, ...]) -> list[str]:
    known = {name: index for index, name in enumerate(_QUICK)}
    return sorted(names, key=lambda name: known.get(name.partition("@")[0], len(known)))


def _scripted(format: str, name: str) -> bool:
    """Whether a script can run a backend."""
    if format in SUFFIXES:
        return way_of(format, name) is not None
    return format == "keras" or name.partition("@")[0] in RUNTIMES
