"""Variants of Keras layers, and mutants of Keras models; what makes no sense is found out by building it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.mutation.breed import Bred, Mutant
from mlvet.analyses.compare.mutation.domains import alternatives
from mlvet.analyses.compare.mutation.keras_operators import OPERATORS
from mlvet.analyses.compare.mutation.sizes import other_sizes
from mlvet.analyses.compare.reproduction.keras_case import ENDINGS, NO_MATTER
from mlvet.analyses.compare.search.architecture import Architecture, Call, built, file_name, ports_for
from mlvet.analyses.compare.search.laboratory import Laboratory

Array = NDArray[Any]
_MOST_CHANGES = 3
_SIZES = 3


class KerasBreed:
    """Makes variants and mutants of one Keras model. `entering` are the values that enter each of its layers."""

    operators: Sequence[str] = tuple(OPERATORS)

    def __init__(
        self, lab: Laboratory, folder: Path, architecture: Architecture, inputs: Mapping[str, Array],
        entering: Mapping[str, Mapping[str, Array]],
    ) -> None:  # fmt: skip
        self._lab = lab
        self._folder = folder
        self._architecture = architecture
        self._inputs = inputs
        self._entering = entering
        self._largest = 2 * len(architecture.calls) + 8

    def first(self) -> Mutant:
        return Mutant(self._architecture, self._inputs)

    def layers(self) -> Sequence[str]:
        kinds: dict[str, str] = {}
        for call in self._architecture.calls:
            if call.name in self._entering and _open(call):
                kinds.setdefault(call.kind, call.name)
        return list(kinds.values())

    def variants(self, layer: str, count: int, random: np.random.Generator) -> Bred | None:
        call = self._architecture.call(layer)
        given = self._entering[layer]
        inputs, feeds = self._feeds(call, given, random)
        calls, changes = [], {}
        for index in range(count):
            config, change = changed(call, random, int(random.integers(1, _MOST_CHANGES + 1)))
            name = f"v{index}"
            calls.append(call.configured(config).named(name).fed(feeds[int(random.integers(len(feeds)))]))
            changes[name] = change
        architecture = Architecture(ports_for(inputs), tuple(calls), ())
        made = built(self._lab, architecture, self._folder, seed=int(random.integers(1 << 16)))
        if made is None:
            return None
        mutant = Mutant(made.architecture, inputs, (f"variants of `{layer}`",), dict.fromkeys(changes, layer))
        return Bred(made.specimen(inputs), mutant, made.architecture, changes)

    def child(self, parent: Mutant, operator: str, random: np.random.Generator) -> Bred | None:
        done = OPERATORS[operator](parent.model, random)
        if done is None or len(done.architecture.calls) > self._largest:
            return None
        made = built(self._lab, done.architecture, self._folder, seed=int(random.integers(1 << 16)))
        if made is None or made.failed:
            return None
        parents = {**(parent.parents or {}), **{new: parent.parent_of(old) for new, old in done.parents.items()}}
        mutant = Mutant(made.architecture, parent.inputs, (*parent.steps, done.step), parents)
        return Bred(made.specimen(parent.inputs), mutant, made.architecture, {})

    def alone(self, bred: Bred, layer: str) -> Architecture:  # noqa: ARG002
        assert bred.origin is not None
        calls = tuple(replace(c, name=file_name(c.name)) for c in bred.origin.calls)
        return replace(bred.origin, calls=calls)

    def _feeds(
        self, call: Call, given: Mapping[str, Array], random: np.random.Generator
    ) -> tuple[dict[str, Array], list[dict[str, str]]]:
        """Inputs of several sizes for layers that take one value; else those of the model."""
        if not call.simple:
            names = {value: f"x{index}" for index, value in enumerate(given)}
            return {names[value]: array for value, array in given.items()}, [names]
        ((value, array),) = given.items()
        sized = {f"x{index}": other_sizes(array, random) for index in range(_SIZES)}
        return sized, [{value: name} for name in sized]


def changed(call: Call, random: np.random.Generator, count: int) -> tuple[dict[str, Any], str]:
    """Another configuration, in which up to `count` entries differ, and what differs."""
    config = call.config
    keys = _open(call)
    told = []
    for key in random.permutation(keys)[:count].tolist():
        choices = alternatives(key, config[key], call.defaults.get(key))
        config[key] = choices[int(random.integers(len(choices)))]
        told.append(f"{key}={config[key]!r}")
    return config, ", ".join(told)


def _open(call: Call) -> list[str]:
    """The entries of a layer's configuration that can be changed."""
    return [
        key
        for key, value in call.config.items()
        if key not in NO_MATTER and not key.endswith(ENDINGS) and alternatives(key, value, call.defaults.get(key))
    ]
