"""What findings are made of: inputs and outputs with names, values, and the derivatives of the ones by the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.graph import Edges, Pair, edges_of, written_edges
from mlvet.analyses.provenance.names import Key, Name, parsed

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """Inputs and outputs of a run; `derivatives` is a matrix outputs x inputs, of numpy or of scipy.sparse.

    `edges` is the graph that the program works on, if it is known otherwise than from the names of inputs.
    """

    inputs: Sequence[str]
    values: Numbers
    outputs: Sequence[str]
    results: Numbers
    derivatives: Any
    edges: Sequence[Pair] | None = None

    def about(self, outputs: Sequence[str], results: Numbers, derivatives: Any) -> Study:
        """The same inputs and other outputs; what is known of the names of inputs is not worked out again."""
        other = Study(self.inputs, self.values, outputs, results, derivatives, self.edges)
        known = ("parts", "kinds", "magnitudes", "graphs", "vertex_inputs")
        other.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return other

    def row(self, output: int) -> Numbers:
        """The derivatives of one output by all inputs."""
        found = self.derivatives[[output], :]
        dense = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
        return np.asarray(dense, dtype=np.float64).ravel()

    def influence(self, output: int) -> Numbers:
        """The magnitude of each input's influence: its derivative times its value, or times what is usual for 0."""
        row = np.abs(self.row(output)) * self.magnitudes
        return np.where(np.isfinite(row), row, 0.0)

    @cached_property
    def parts(self) -> list[Name]:
        return [parsed(name) for name in self.inputs]

    @cached_property
    def kinds(self) -> tuple[list[str], NDArray[np.intp]]:
        """The variables, and for each input the place of its own among them."""
        places: dict[str, int] = {}
        each = [places.setdefault(part.variable, len(places)) for part in self.parts]
        return list(places), np.asarray(each, dtype=np.intp)

    @cached_property
    def magnitudes(self) -> Numbers:
        """Absolute values; for an input that is 0 the mean of its kind, and 1 if all of them are 0."""
        size = np.abs(self.values)
        size = np.where(np.isfinite(size), size, 0.0)
        names, kind = self.kinds
        counts = np.bincount(kind, minlength=len(names))
        means = np.bincount(kind, weights=size, minlength=len(names)) / np.maximum(counts, 1)
        return np.where(size > 0, size, np.where(means[kind] > 0, means[kind], 1.0))

    @cached_property
    def graphs(self) -> list[Edges]:
        """The graphs among the inputs; one that was given comes first."""
        found = edges_of(self.parts, self.values)
        return found if self.edges is None else [written_edges(self.edges), *found]

    @cached_property
    def vertex_inputs(self) -> list[tuple[int, Key]]:
        """Inputs with one key, such as the value of a vertex, with it."""
        return [(place, part.keys[0]) for place, part in enumerate(self.parts) if len(part.keys) == 1]

    @cached_property
    def ends(self) -> list[Name]:
        return [parsed(name) for name in self.outputs]
