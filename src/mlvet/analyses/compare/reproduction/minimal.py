"""From a wrong layer to the least model that shows the defect, and its files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlvet.analyses.compare.reproduction import keras_case, onnx_case
from mlvet.analyses.compare.reproduction.keras_case import KerasCase, said
from mlvet.analyses.compare.reproduction.keras_script import keras_script
from mlvet.analyses.compare.reproduction.onnx_case import OnnxCase
from mlvet.analyses.compare.reproduction.onnx_script import RUNTIMES, onnx_script
from mlvet.analyses.compare.reproduction.reduction import Budget, Shown, reduced
from mlvet.analyses.compare.search.architecture import Architecture, built
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.walk import Seen, Walk
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.backends.catalogue import library_of
from mlvet.runtime.backends.process import Failure

_QUICK = ("onnxruntime", "onnx-reference", "tensorflow", "numpy", "jax", "torch", "onnxruntime-noopt", "openvino")


@dataclass(frozen=True, slots=True)
class Defect:
    """A layer that a backend computes wrongly or fails on, what it was seen on, and what it is cut out of.

    The origin is the architecture of a Keras model, or the file of a model of one ONNX node.
    """

    backend: str
    layer: Layer
    seen: Seen
    right: tuple[str, ...]
    origin: Architecture | Path


@dataclass(frozen=True, slots=True)
class Minimal:
    """The least case found for a defect. `right` is a backend that does it right."""

    defect: Defect
    case: KerasCase | OnnxCase
    shown: Shown
    right: str

    @property
    def config(self) -> dict[str, Any]:
        """What has to be said of the layer's configuration."""
        if isinstance(self.case, KerasCase):
            return said(self.case.call)
        return {each.name: _plain_attribute(each) for each in self.case.node.attribute}

    @property
    def cause(self) -> tuple[str, ...]:
        """What defects of one cause have in common: backend, operator, and what of the configuration it takes."""
        entries = (f"{k}={v}" if isinstance(v, str | bool) else k for k, v in self.config.items() if k not in SIZES)
        fails = () if self.shown.wrong else ("fails",)
        return (library_of(self.defect.backend), self.defect.layer.kind, *fails, *sorted(entries))


SIZES = ("filters", "units", "input_dim", "output_dim")


def defects(walk: Walk, origin: Architecture | Mapping[str, Path]) -> list[Defect]:
    """The wrong layers of a walk."""
    found = []
    for error in walk.wrong():
        seen = walk.seen.get(error.layer.name)
        right = tuple(e.backend for e in walk.errors if e.layer is error.layer and not e.wrong)
        if seen is not None and right:
            source = origin if isinstance(origin, Architecture) else origin[error.layer.name]
            found.append(Defect(error.backend, error.layer, seen, right, source))
    return found


def minimal(lab: Laboratory, defect: Defect, folder: Path, budget: Budget | None = None) -> Minimal | None:
    """The least case that shows a defect; None if the layer does not show it alone."""
    wrong, budget = defect.backend, budget or Budget()
    right = next((name for name in _quick_first(defect.right) if _scripted(name) or lab.format == "keras"), None)
    if right is None or (lab.format == "onnx" and not _scripted(wrong)):
        return None
    try:
        if isinstance(defect.origin, Architecture):
            start = KerasCase(defect.origin.alone(defect.layer.name, defect.seen.entering), {})
            given = dict(zip([p.name for p in start.architecture.ports], defect.seen.entering.values(), strict=True))
            found = reduced(start.given(given), keras_case.shows_by(lab, folder, wrong, right), budget)
            return None if found is None else Minimal(defect, *found, right)
        import onnx

        case = onnx_case.alone(onnx.load(str(defect.origin)), defect.seen.entering)
        less = reduced(case, onnx_case.shows_by(lab, folder, wrong, right), budget)
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
            text = keras_script(found.case, found.shown, wrong, found.right, versions)
        else:
            import onnx

            onnx.save(found.case.whole(), str(to / "model.onnx"))
            text = onnx_script(found.case, found.shown, wrong, found.right, versions)
        arrays: dict[str, Any] = dict(found.case.inputs)
        np.savez(to / "input.npz", **arrays)
        (to / "show.py").write_text(text, encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"{to}: cannot be written: {(failure.strerror or str(failure)).lower()}") from failure
    return to


def _quick_first(names: tuple[str, ...]) -> list[str]:
    known = {name: index for index, name in enumerate(_QUICK)}
    return sorted(names, key=lambda name: known.get(name.partition("@")[0], len(known)))


def _scripted(name: str) -> bool:
    return name.partition("@")[0] in RUNTIMES


def _plain_attribute(attribute: Any) -> Any:
    from onnx import helper

    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    with contextlib.suppress(TypeError):
        return list(value)
    return value
