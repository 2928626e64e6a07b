"""What a layer should yield: computed in double precision, by the references of operators, else by Keras.

The reference is the first oracle, because it shares no code with any backend. Where it knows no such layer, or stands
alone against backends that agree, Keras in double precision is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.runs import Crew, Files, Run
from mlvet.analyses.compare.states import mask_of, remove
from mlvet.analyses.compare.subject import Layer, Subject
from mlvet.runtime.backends.catalogue import Backend
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
REFERENCE = "mlvet"
_SECOND = {"keras": ("tensorflow", "jax", "torch"), "pt2": ("torch",), "torchscript": ("torch",)}


class Oracle:
    """Runs in double precision, and the reference in the precision of the model."""

    def __init__(self, crew: Crew, subject: Subject, opening: Mapping[str, Any]) -> None:
        self._crew = crew
        self._subject = subject
        self._opening = opening
        self._runs: dict[str, Run | None] = {}
        self._warm: dict[str, Run] = {}

    def on(self, subject: Subject, opening: Mapping[str, Any]) -> Oracle:
        """The same oracle, its processes kept, on another model."""
        other = Oracle(self._crew, subject, opening)
        other._warm = {**self._warm, **{name: run for name, run in self._runs.items() if run is not None}}
        return other

    def exact(self, layer: Layer, values: Files, *, by: str = REFERENCE) -> dict[str, Path] | None:
        """What a layer yields in double precision, in files; None if `by` cannot tell."""
        return self._step(f"{by} double", layer, values)

    def rounded(self, layer: Layer, values: Files) -> dict[str, Path] | None:
        """What a layer yields by its reference in the precision of the model."""
        return self._step(REFERENCE, layer, values)

    def masks(self, layer: Layer, values: Files, exact: Files) -> bool:
        """Put the masks that a layer hands on beside what it yields, where the reference told that: it knows no masks.

        Whether they are known then.
        """
        if not layer.masked:
            return False
        found = self.exact(layer, values, by=self.second) if self.second else None
        if found is None:
            return False
        for value, path in found.items():
            if mask_of(path).exists():
                mask_of(path).replace(mask_of(exact[value]))
            remove(path)
        return True

    @property
    def second(self) -> str | None:
        """The oracle beside the reference, if there is one for such models."""
        known = _SECOND.get(self._subject.format, ())
        return next((name for name in known if self._run(f"{name} double") is not None), None)

    def outputs(self, inputs: Files, batch: int) -> tuple[str, list[Array]] | None:
        """The outputs of the whole model in double precision, and by whom."""
        for by in self._judges():
            run = self._run(f"{by} double")
            if run is None:
                continue
            target = None
            try:
                if self._subject.parts is not None:
                    target = str(self._subject.parts.doubled(self._subject.parts.until(self._subject.outputs)))
                return by, run.whole(inputs, batch, target)
            except Failure:
                continue
        return None

    def takes(self, inputs: Files, batch: int) -> bool:
        """Whether the reference runs on these inputs, as far as it knows the model."""
        run = self._run(REFERENCE)
        if run is None:
            return True
        try:
            run.whole(inputs, batch)
        except Failure as failure:
            return failure.kind != "crash"
        return True

    def _judges(self) -> Iterator[str]:
        """The oracles in turn; the second is opened only if the first has failed, because it takes seconds."""
        yield REFERENCE
        if self.second:
            yield self.second

    def _step(self, name: str, layer: Layer, values: Files) -> dict[str, Path] | None:
        run = self._run(name)
        if run is None:
            return None
        try:
            found = run.step(self._subject, layer, values)
        except Failure as failure:
            if failure.kind in ("death", "hang"):
                self._runs[name] = None
            return None
        return found if {*layer.outputs} == {*found} else None

    def _run(self, name: str) -> Run | None:
        if name not in self._runs:
            by, _, precision = name.partition(" ")
            backend = Backend(by, self._subject.format, double=bool(precision))
            warm = [self._warm[name]] if name in self._warm else []
            opened = self._crew.open([backend], self._opening, warm)[backend]
            self._runs[name] = opened if isinstance(opened, Run) else None
            if isinstance(opened, Run):
                self._warm[name] = opened
        return self._runs[name]


def single(array: Array) -> Array:
    """An exact value as the backends are given it."""
    return array.astype(np.float32) if array.dtype == np.float64 else array
