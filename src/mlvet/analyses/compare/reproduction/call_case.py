"""One call of an operator as a case to be reduced: of torch, of TensorFlow or of TFLite.

Values are renamed: x enters, w is stored. In arguments `{"value": name}` and `{"array": name}` stand for them.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.reproduction.reduction import Shown, plainer_stored, smaller_numbers, smaller_together
from mlvet.analyses.compare.reproduction.showing import Judged
from mlvet.analyses.compare.search.laboratory import Laboratory, Specimen
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
SUFFIXES: Mapping[str, str] = {"pt2": ".pt2", "torchscript": ".pt", "saved_model": "", "tflite": ".tflite"}
"""The formats whose nodes are calls of operators, and how their files end; a SavedModel is a folder."""
_SECONDS = 120.0
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """An operator, its arguments and those that it has by default. A template is a TFLite file with it alone."""

    kind: str
    arguments: Mapping[str, Any]
    defaults: Mapping[str, Any]
    template: Array | None = None


@dataclass(frozen=True, slots=True)
class CallCase:
    """A model of one call, what it stores, and its inputs."""

    call: OperatorCall
    inputs: Mapping[str, Array]
    weights: Mapping[str, Array]

    def given(self, inputs: Mapping[str, Array]) -> CallCase:
        return replace(self, inputs=inputs)

    def holding(self, inputs: Mapping[str, Array], weights: Mapping[str, Array]) -> CallCase:
        return replace(self, inputs=inputs, weights=weights)

    def arguing(self, arguments: Mapping[str, Any]) -> CallCase:
        """The same call with other arguments."""
        held = {name for each in arguments.values() for name in _names(each, "array")}
        weights = {name: array for name, array in self.weights.items() if name in held}
        return replace(self, call=replace(self.call, arguments=arguments), weights=weights)

    def simpler(self) -> Sequence[Callable[[CallCase], Iterator[CallCase]]]:
        return (_by_default, smaller_together, _smaller_arguments, plainer_stored)

    @property
    def config(self) -> dict[str, Any]:
        """What has to be said of the call beside what enters it and what it stores."""
        call = self.call
        return {
            name: value for name, value in call.arguments.items()
            if not _tensors(value) and not (name in call.defaults and value == call.defaults[name])
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToldCalls:
    """Layers of a model as calls of operators, or why they are none, and what they store."""

    calls: Mapping[str, Mapping[str, Any]]
    arrays: Mapping[str, Array]


def calls_of(lab: Laboratory, opening: Mapping[str, Any], layers: Sequence[str], folder: Path) -> ToldCalls:
    """What the model of the user calls in some layers, as a worker that has it open tells it."""
    stored = folder / "calls.npz"
    answer = lab.of_model(opening, {"do": "calls", "nodes": list(layers), "to": str(stored)})
    with np.load(stored) as archive:
        return ToldCalls(answer["calls"], {name: archive[name] for name in archive.files})


def alone(told: ToldCalls, layer: str, entering: Mapping[str, Array]) -> CallCase:
    """The call of a layer on what enters it. Raises UnsupportedInput if the layer is no call that can be written."""
    call, arrays = told.calls[layer], told.arrays
    if "refused" in call:
        raise UnsupportedInput(str(call["refused"]))
    values = [name for each in call["arguments"].values() for name in _names(each, "value")]
    held = [name for each in call["arguments"].values() for name in _names(each, "array")]
    given = {name: f"x{index}" for index, name in enumerate(dict.fromkeys(values))}
    kept = {name: f"w{index}" for index, name in enumerate(dict.fromkeys(held))}

    def renamed(each: Mapping[str, Any]) -> Any:
        if "number" in each:
            return entering[each["number"]].item()
        if "value" in each:
            return {"value": given[each["value"]]}
        return {"array": kept[each["array"]]} if "array" in each else dict(each)

    arguments = {name: _exchanged(value, renamed) for name, value in call["arguments"].items()}
    template = arrays[call["template"]["array"]] if "template" in call else None
    return CallCase(
        OperatorCall(call["kind"], arguments, call["defaults"], template),
        {given[name]: entering[name] for name in given}, {kept[name]: arrays[name] for name in kept},
    )  # fmt: skip


def built(lab: Laboratory, case: CallCase, to: Path) -> None:
    """A model file of a case, written by a worker. Raises Failure if the call makes no sense."""
    arrays: dict[str, Any] = {**case.inputs, **case.weights}
    call = {"kind": case.call.kind, "arguments": case.call.arguments}
    if case.call.template is not None:
        arrays["template"], call["template"] = case.call.template, {"array": "template"}
    stored = to.with_name(f"{to.name}-arrays.npz")
    np.savez(stored, **arrays)
    try:
        lab.ask(
            {"do": "build", "to": str(to), "arrays": str(stored), "inputs": list(case.inputs), "call": call}, _SECONDS
        )
    finally:
        stored.unlink()


def shows_by(lab: Laboratory, folder: Path, judged: Judged) -> Callable[[CallCase], tuple[CallCase, Shown] | None]:
    """Whether the model of a case shows what is looked for."""

    def shows(case: CallCase) -> tuple[CallCase, Shown] | None:
        path = folder / f"case-{next(_numbers)}{SUFFIXES[lab.format]}"
        try:
            built(lab, case, path)
            shown = judged(Specimen(path, case.inputs))
        except (Failure, UnsupportedInput):
            return None
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return None if shown is None else (case, shown)

    return shows


def _by_default(case: CallCase) -> Iterator[CallCase]:
    call = case.call
    for name, value in call.arguments.items():
        if name in call.defaults and value != call.defaults[name]:
            yield case.arguing({**call.arguments, name: call.defaults[name]})


def _smaller_arguments(case: CallCase) -> Iterator[CallCase]:
    for name, value in case.config.items():
        for smaller in smaller_numbers(value):
            yield case.arguing({**case.call.arguments, name: smaller})


def _names(value: Any, kind: str) -> list[str]:
    """The values that enter an argument, or the arrays that are stored for it."""
    if isinstance(value, list):
        return [name for each in value for name in _names(each, kind)]
    return [str(value[kind])] if isinstance(value, dict) and kind in value else []


def _tensors(value: Any) -> bool:
    return bool(_names(value, "value") or _names(value, "array"))


def _exchanged(value: Any, leaf: Callable[[Mapping[str, Any]], Any]) -> Any:
    if isinstance(value, list):
        return [_exchanged(each, leaf) for each in value]
    return leaf(value) if isinstance(value, dict) else value
