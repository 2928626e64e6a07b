"""One call of a Keras layer as a case to be reduced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mlvet.analyses.compare.reproduction.reduction import Shown, plainer_weights, smaller_numbers
from mlvet.analyses.compare.reproduction.showing import Judged
from mlvet.analyses.compare.search.architecture import Architecture, Call, built, ports_for
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.walk import Seen
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
NO_MATTER = ("name", "dtype", "trainable", "batch_shape", "batch_input_shape", "seed")
ENDINGS = ("_initializer", "_regularizer", "_constraint")


@dataclass(frozen=True, slots=True)
class KerasCase:
    """A model of one call, and its inputs."""

    architecture: Architecture
    inputs: Mapping[str, Array]

    @property
    def call(self) -> Call:
        return self.architecture.calls[0]

    @property
    def config(self) -> dict[str, Any]:
        """What has to be said of the layer's configuration."""
        return said(self.call)

    def given(self, inputs: Mapping[str, Array]) -> KerasCase:
        return KerasCase(replace(self.architecture, ports=ports_for(inputs)), inputs)

    def configured(self, config: Mapping[str, Any]) -> KerasCase:
        return KerasCase(replace(self.architecture, calls=(self.call.configured(config),)), self.inputs)

    def simpler(self) -> Sequence[Callable[[KerasCase], Iterator[KerasCase]]]:
        return (_by_default, _smaller_configuration, _plainer_weights)


def alone(origin: Architecture, name: str, seen: Seen) -> KerasCase:
    """One call as a case, on what entered it; masks enter beside what they belong to."""
    masks = {value: mask for value, mask in seen.masks.items() if origin.call(name).takes_mask(value)}
    architecture = origin.alone(name, seen.entering, masks)
    arrays = [*seen.entering.values(), *masks.values()]
    names = [port.name for port in architecture.ports]
    return KerasCase(architecture, dict(zip(names, arrays, strict=True)))


def said(call: Call) -> dict[str, Any]:
    """What of a configuration has to be said: what matters and is not as by default."""
    kept = {}
    for key, value in call.config.items():
        if key in NO_MATTER or key.endswith(ENDINGS):
            continue
        default = call.defaults.get(key, ...)
        if not _alike(value, default):
            kept[key] = value
    return kept


def shows_by(lab: Laboratory, folder: Path, judged: Judged) -> Callable[[KerasCase], tuple[KerasCase, Shown] | None]:
    """Whether the model of a case shows what is looked for."""

    def shows(case: KerasCase) -> tuple[KerasCase, Shown] | None:
        try:
            made = built(lab, case.architecture, folder)
            if made is None or made.failed:
                return None
            shown = judged(made.specimen(case.inputs))
        except (Failure, UnsupportedInput):
            return None
        made.path.unlink(missing_ok=True)
        return None if shown is None else (KerasCase(made.architecture, case.inputs), shown)

    return shows


def _by_default(case: KerasCase) -> Iterator[KerasCase]:
    config = case.call.config
    for key, value in said(case.call).items():
        if key not in case.call.defaults:
            yield case.configured({name: config[name] for name in config if name != key})
        elif not _alike(value, case.call.defaults[key]):
            yield case.configured({**config, key: case.call.defaults[key]})


def _smaller_configuration(case: KerasCase) -> Iterator[KerasCase]:
    config = case.call.config
    for key, value in said(case.call).items():
        for smaller in smaller_numbers(value):
            yield case.configured({**config, key: smaller})


def _plainer_weights(case: KerasCase) -> Iterator[KerasCase]:
    for key, array in case.architecture.weights.items():
        for plain in plainer_weights(array):
            weights = {**case.architecture.weights, key: plain}
            yield KerasCase(replace(case.architecture, weights=weights), case.inputs)


def _alike(value: Any, default: Any) -> bool:
    """Whether a value is the default, be it written for each dim."""
    if isinstance(value, list | tuple) and isinstance(default, int) and value:
        return all(each == default for each in value)
    if isinstance(value, list | tuple) and isinstance(default, list | tuple):
        return list(value) == list(default)
    return bool(value == default)
