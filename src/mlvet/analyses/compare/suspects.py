"""Who is wrong when a converted model differs from the model: the converter, or the runtime of the converted file.

The converted file is run by judges: references in double precision for ONNX, other kernels for TFLite and SavedModels.
If a judge yields what the model should, the file is right and the runtime wrong, whose nodes are then walked through.
If a judge yields what the runtime does, the file is wrong, and the first on the way to it that yields the same is
blamed: the backend that has the model open, the exporter of Keras, the converter. The model is cut at ever earlier
values, by halving, until what comes out agrees, so that the layer is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.conversion import Converted, exported
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.oracle import Oracle, single
from mlvet.analyses.compare.runs import Crew, Files, Run
from mlvet.analyses.compare.subject import Layer, Subject, taken_apart
from mlvet.analyses.compare.walk import Walk, Walker
from mlvet.runtime.backends.catalogue import Backend
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
FLOOR = 1e-4
"""Outputs that differ by less than this share of their magnitude do not differ."""
_JUDGES = {
    "onnx": ("mlvet", "onnx-reference"), "tflite": ("litert-reference", "openvino"), "saved_model": ("openvino",),
}  # fmt: skip
_TIMES = 8.0
"""So many times what direct backends differ from the oracle is no rounding."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The walk through a converted ONNX file that is right, by its runtime and by one beside it."""

    subject: Subject
    oracle: Oracle
    runs: Sequence[Run]
    walk: Walk


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A converted model that differs from the model by a share of the outputs' magnitude, and who is to blame.

    `converter` is the one that is blamed, if it is a converter; the source is the backend that it works on.
    """

    backend: str
    converter: str
    source: str
    guilty: Literal["source", "converter", "runtime"]
    share: float
    judge: str
    layer: Layer | None = None
    errors: tuple[LocalError, ...] = ()
    entering: Mapping[str, Array] = field(default_factory=dict)
    """What should enter the layer that the converter gets wrong."""

    inspection: Inspection | None = None

    @property
    def by_converter(self) -> bool:
        return self.guilty == "converter"


class Inquiry:
    """What is asked about converted models: the outputs that are right, and what rounding makes of them."""

    def __init__(
        self, crew: Crew, subject: Subject, oracle: Oracle, exact: Sequence[Array], direct: Sequence[Sequence[Array]]
    ) -> None:
        self.crew = crew
        self.subject = subject
        self.oracle = oracle
        self.exact = exact
        noises = sorted(apart(outputs, exact) for outputs in direct)
        self.limit = max(FLOOR, _TIMES * noises[len(noises) // 2] if noises else FLOOR)

    def suspicion(
        self, one: Converted, own: Sequence[Array], inputs: Files, few: Files, batch: int
    ) -> Suspicion | None:
        """None if the converted model does what the model does, or if nobody can tell who is wrong."""
        share = apart(own, self.exact)
        if share <= self.limit:
            return None
        for judge, found in self._judged(one, inputs, batch):
            if apart(found, self.exact) <= self.limit:
                seen = self._walked(one, few)
                errors = () if seen is None else tuple(e for e in seen.walk.wrong() if e.backend == str(one.run))
                return Suspicion(
                    str(one), one.converter, str(one.maker), "runtime", share, judge, errors=errors, inspection=seen
                )
            if apart(own, found) <= self.limit:
                return self._condemned(one, own, inputs, few, batch, share, judge)
        return None

    def _condemned(
        self, one: Converted, own: Sequence[Array], inputs: Files, few: Files, batch: int, share: float, judge: str
    ) -> Suspicion:
        """The first on the way to a wrong file that yields what the file does."""

        def same(found: Sequence[Array]) -> bool:
            return apart(found, self.exact) > self.limit and apart(own, found) <= self.limit

        guilty: Literal["source", "converter"] = "converter"
        blamed: Converted | Run = one
        with suppress(Failure):
            if same(one.maker.whole(inputs, batch)):
                guilty, blamed = "source", one.maker
        before = exported(self.crew, one, few) if guilty == "converter" else None
        if before is not None:
            with suppress(Failure):
                if same(before.whole(inputs, batch)):
                    blamed = before
        states = self._states(few)
        layer = self._first_wrong(blamed, few, batch, states)
        entering = {} if layer is None else {name: single(np.load(states[name])) for name in layer.inputs}
        converter = blamed.converter if isinstance(blamed, Converted) else one.converter
        return Suspicion(str(one), converter, str(one.maker), guilty, share, judge, layer, entering=entering)

    def _judged(self, one: Converted, inputs: Files, batch: int) -> Iterator[tuple[str, list[Array]]]:
        """What others make of the converted file."""
        path = one.path
        names, double = _JUDGES[one.route.format], False
        if one.route.format == "onnx":
            from mlvet.runtime.onnx_parts import OnnxParts

            double = True
            parts = OnnxParts(path, _folder(one))
            path = parts.doubled(parts.until(parts.outputs()))
        for name in names:
            backend = Backend(name, one.route.format, double=double)
            run = self.crew.open([backend], {"model": str(path)})[backend]
            if name != one.route.runtime and isinstance(run, Run):
                try:
                    yield name, run.whole(one.named(_wide(inputs) if double else inputs), batch)
                except Failure:
                    continue

    def _walked(self, one: Converted, few: Files) -> Inspection | None:
        """What becomes of the nodes of a converted ONNX file on its runtime; a second backend bears out the oracle."""
        if one.route.format != "onnx":
            return None
        from mlvet.runtime.onnx_parts import OnnxParts

        subject = taken_apart(one.path, OnnxParts(one.path, _folder(one)))
        oracle = Oracle(self.crew, subject, {"model": str(one.path)})
        beside = Backend("onnx-reference", "onnx")
        other = self.crew.open([beside], {"model": str(one.path)})[beside]
        runs = [one.run, *([other] if isinstance(other, Run) else [])]
        walker = Walker(subject, runs, oracle, one.named(few), lambda *_: None, keep_wrong=True)
        return Inspection(subject, oracle, runs, walker.go())

    def _first_wrong(self, one: Converted | Run, few: Files, batch: int, states: Files) -> Layer | None:
        """The first layer with which what is blamed still differs, among those where the model can be cut."""
        layers = [layer for layer in self.subject.layers if layer.outputs and layer.outputs[0] in states]
        low, high, found = 0, len(layers) - 1, None
        while low <= high:
            middle = (low + high) // 2
            value = layers[middle].outputs[0]
            try:
                wrong = apart(_until(one, value, few, batch)[:1], [np.load(states[value])]) > self.limit
            except Failure:
                del layers[middle]
                high -= 1
                continue
            if wrong:
                found, high = layers[middle], middle - 1
            else:
                low = middle + 1
        return found

    def _states(self, few: Files) -> dict[str, Path]:
        """What every layer should yield, as far as an oracle knows."""
        states = dict(few)
        for layer in self.subject.layers:
            if all(value in states for value in layer.inputs):
                exact = self.oracle.exact(layer, states)
                if exact is None and self.oracle.second is not None:
                    exact = self.oracle.exact(layer, states, by=self.oracle.second)
                elif exact is not None:
                    self.oracle.masks(layer, states, exact)
                states.update(exact or {})
        return states


def apart(own: Sequence[Array], right: Sequence[Array]) -> float:
    """The greatest difference of outputs, as a share of their magnitude; infinite for other shapes or lost numbers."""
    if len(own) != len(right):
        return float("inf")
    worst = 0.0
    for a, b in zip(own, right, strict=True):
        if a.shape != b.shape:
            return float("inf")
        one, other = a.astype(np.float64), b.astype(np.float64)
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        with np.errstate(invalid="ignore"):
            differences = np.nan_to_num(np.where(same, 0.0, np.abs(one - other)), nan=np.inf)
        scale = float(np.max(np.abs(other[np.isfinite(other)]), initial=0.0))
        greatest = float(np.max(differences, initial=0.0))
        worst = max(worst, greatest / scale if scale else float("inf") if greatest else 0.0)
    return worst


def _until(one: Converted | Run, value: str, few: Files, batch: int) -> list[Array]:
    """What comes out of the model, or of what is converted from it, if it is cut behind a value."""
    return one.until(value, few, batch) if isinstance(one, Converted) else one.whole(few, batch, value)


def _folder(one: Converted) -> Path:
    """Where the parts of a converted file lie: those of other files have the same names."""
    folder = one.path.with_name(f"{one.path.stem}-{one.backend.environment}-parts")
    folder.mkdir(exist_ok=True)
    return folder


def _wide(files: Files) -> dict[str, Path]:
    """The same numbers in double precision."""
    found = {}
    for name, path in files.items():
        array = np.load(path, mmap_mode="r")
        found[name] = path
        if array.dtype.kind == "f" and array.dtype != np.float64:
            found[name] = path.with_suffix(".wide.npy")
            np.save(found[name], array.astype(np.float64))
    return found
