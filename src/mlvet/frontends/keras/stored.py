"""Which stored array belongs to which variable of which layer, for the three ways in which Keras keeps them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from mlvet.frontends.keras.hdf5 import Listing
from mlvet.ir.graph import Data

CONTAINERS = ("layers", "_layer_checkpoint_dependencies")
"""Where a model keeps its layers, in Keras 3 and in the first `.keras` files of Keras 2."""


class Stored(Protocol):
    """The arrays of one layer or model and of what is in it."""

    def own(self, name: str, index: int) -> Data | None:
        """The variable of this name, which is the one of this index among the layer's own."""

    def part(self, *names: str) -> Stored:
        """The layer within this layer, by the attribute that holds it or by its own name."""

    def layers(self, named: Sequence[tuple[str, str]]) -> Mapping[str, Stored]:
        """The layers of a model, given the name and class of each in order."""

    def everything(self) -> Mapping[str, Data]:
        """All arrays of the layer and of what is in it, by name within it."""


class Nothing:
    """No arrays at all."""

    def own(self, name: str, index: int) -> Data | None:  # noqa: ARG002
        return None

    def part(self, *names: str) -> Stored:  # noqa: ARG002
        return self

    def layers(self, named: Sequence[tuple[str, str]]) -> Mapping[str, Stored]:
        return {name: self for name, _ in named}

    def everything(self) -> Mapping[str, Data]:
        return {}


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Arrays of `model.weights.h5`: `<layer>/vars/<index>`, inner layers below the attribute that holds them."""

    listing: Listing
    path: str

    def own(self, name: str, index: int) -> Data | None:  # noqa: ARG002
        return self.listing.datasets.get(_join(self.path, f"vars/{index}"))

    def part(self, *names: str) -> Stored:
        for name in names:
            for candidate in (name, f"_{name}"):
                below = _join(self.path, candidate)
                if self._has(below):
                    return ByPlace(self.listing, below)
        return Nothing()

    def layers(self, named: Sequence[tuple[str, str]]) -> Mapping[str, Stored]:
        container = next((_join(self.path, name) for name in CONTAINERS if self._has(_join(self.path, name))), None)
        if container is None:
            return {name: Nothing() for name, _ in named}
        groups = {path.removeprefix(container + "/").split("/")[0] for path in self._paths(container)}
        by_name = {
            self.listing.names[path]: group
            for group in groups
            if (path := f"{container}/{group}/vars") in self.listing.names
        }
        found: dict[str, Stored] = {}
        counts: dict[str, int] = {}
        for name, kind in named:
            snake = snake_case(kind)
            count = counts.get(snake, 0)
            counts[snake] = count + 1
            group = by_name.get(name) or (f"{snake}_{count}" if count else snake)
            found[name] = ByPlace(self.listing, f"{container}/{group}") if group in groups else Nothing()
        return found

    def everything(self) -> Mapping[str, Data]:
        below = _join(self.path, "")
        return {
            path.removeprefix(below).replace("vars/", ""): data
            for path, data in self.listing.datasets.items()
            if path.startswith(below)
        }

    def _paths(self, below: str) -> list[str]:
        known = (*self.listing.datasets, *self.listing.names)
        return [path for path in known if path.startswith(below + "/")]

    def _has(self, below: str) -> bool:
        return bool(self._paths(below))


@dataclass(frozen=True, slots=True)
class ByName:
    """Arrays of a whole-model HDF5 file: a group per layer that lists the names of its variables in order."""

    entries: tuple[tuple[str, Data], ...]
    groups: Mapping[str, ByName] | None = None

    @staticmethod
    def root(listing: Listing, root: str) -> ByName:
        """The layers of the model, each with the arrays that its group lists."""
        groups: dict[str, ByName] = {}
        for layer in listing.layer_names.get(root, ()):
            group = _join(root, layer)
            named = [(name, listing.datasets.get(_join(group, name))) for name in listing.weight_names.get(group, ())]
            groups[layer] = ByName(tuple((_plain(name), data) for name, data in named if data is not None))
        return ByName((), groups)

    def own(self, name: str, index: int) -> Data | None:
        fitting = [data for entry, data in self.entries if entry.split("/")[-1] == name]
        if len(fitting) == 1:
            return fitting[0]
        unnamed = not fitting and all("/" not in entry for entry, _ in self.entries)
        return self.entries[index][1] if unnamed and index < len(self.entries) else None

    def part(self, *names: str) -> Stored:
        for name in names:
            inner = [
                (entry[match.end() :], data)
                for entry, data in self.entries
                if (match := re.search(rf"(?:^|/){re.escape(name)}/", entry))
            ]
            if inner:
                return ByName(tuple(inner))
        return Nothing()

    def layers(self, named: Sequence[tuple[str, str]]) -> Mapping[str, Stored]:
        if self.groups is not None:
            return {name: self.groups.get(name, Nothing()) for name, _ in named}
        return {name: self.part(name) for name, _ in named}

    def everything(self) -> Mapping[str, Data]:
        return dict(self.entries)


def snake_case(name: str) -> str:
    """A class name as Keras turns it into a default layer name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", re.sub(r"\W", "", name)).lower()


def _plain(name: str) -> str:
    return name.rsplit(":", 1)[0]


def _join(*parts: str) -> str:
    return "/".join(part for index, part in enumerate(parts) if part or index == len(parts) - 1)
