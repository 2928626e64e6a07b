"""Variants of ONNX nodes, and mutants of ONNX models; the checker and the shapes of ONNX tell what makes sense."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.mutation.breed import Bred, Mutant
from mlvet.analyses.compare.mutation.onnx_domains import attribute_alternatives, more_outputs
from mlvet.analyses.compare.mutation.onnx_model import OnnxPieces, copied, put_together
from mlvet.analyses.compare.mutation.onnx_operators import OPERATORS, change_attributes, opset
from mlvet.analyses.compare.mutation.sizes import other_sizes
from mlvet.analyses.compare.search.laboratory import Specimen

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

Array = NDArray[Any]
_MOST_CHANGES = 3


class OnnxBreed:
    """Makes variants and mutants of one ONNX model. `entering` are the values that enter each of its nodes."""

    operators: Sequence[str] = tuple(OPERATORS)

    def __init__(
        self, folder: Path, pieces: OnnxPieces, inputs: Mapping[str, Array],
        entering: Mapping[str, Mapping[str, Array]],
    ) -> None:  # fmt: skip
        self._folder = folder
        self._pieces = pieces
        self._inputs = inputs
        self._entering = entering
        self._largest = 2 * len(pieces.nodes) + 8
        self._numbers = itertools.count()

    def first(self) -> Mutant:
        return Mutant(self._pieces, self._inputs)

    def layers(self) -> Sequence[str]:
        kinds: dict[str, str] = {}
        for node in self._pieces.nodes:
            if node.name in self._entering and self._can_vary(node):
                kinds.setdefault(node.op_type, node.name)
        return list(kinds.values())

    def variants(self, layer: str, count: int, random: np.random.Generator) -> Bred | None:
        node = self._pieces.node(layer)
        nodes: list[NodeProto] = []
        inputs: dict[str, Array] = {}
        changes: dict[str, str] = {}
        outputs: list[str] = []
        for index in range(count):
            name = f"v{index}"
            made, given, change = self._variant(node, name, random)
            alone = OnnxPieces(
                (made,), self._pieces.stored, tuple(each for each in made.output if each), self._pieces.frame
            )
            if put_together(alone, given) is not None:
                nodes.append(made)
                inputs.update(given)
                changes[name] = change
                outputs += alone.outputs
        pieces = OnnxPieces(tuple(nodes), self._pieces.stored, tuple(outputs), self._pieces.frame)
        model = put_together(pieces, inputs) if nodes else None
        if model is None:
            return None
        mutant = Mutant(pieces, inputs, (f"variants of `{layer}`",), dict.fromkeys(changes, layer))
        return Bred(self._specimen(model, inputs), mutant, None, changes)

    def child(self, parent: Mutant, operator: str, random: np.random.Generator) -> Bred | None:
        done = OPERATORS[operator](parent.model, random)
        if done is None or len(done.pieces.nodes) > self._largest:
            return None
        model = put_together(done.pieces, parent.inputs)
        if model is None:
            return None
        parents = {**(parent.parents or {}), **{new: parent.parent_of(old) for new, old in done.parents.items()}}
        mutant = Mutant(done.pieces, parent.inputs, (*parent.steps, done.step), parents)
        return Bred(self._specimen(model, parent.inputs), mutant, None, {})

    def alone(self, bred: Bred, layer: str) -> Path:
        from mlvet.runtime.onnx_parts import OnnxParts

        folder = self._folder / f"parts-{next(self._numbers)}"
        folder.mkdir()
        return OnnxParts(bred.specimen.path, folder).alone(layer)

    def _can_vary(self, node: NodeProto) -> bool:
        version = opset(self._pieces)
        return bool(attribute_alternatives(node, version, 4) or more_outputs(node, version) > 0)

    def _variant(
        self, node: NodeProto, name: str, random: np.random.Generator
    ) -> tuple[NodeProto, dict[str, Array], str]:
        """A node with other attributes, now and then with outputs it could do without, on inputs of other sizes."""
        given = self._entering[node.name]
        first = next(iter(given.values()))
        made, change = change_attributes(
            node, self._pieces, random, int(random.integers(1, _MOST_CHANGES + 1)), first.ndim
        )
        outputs = [f"{name}.{index}" if each else "" for index, each in enumerate(node.output)]
        more = more_outputs(node, opset(self._pieces))
        if more > 0 and random.random() < 0.5:
            outputs += [f"{name}.{len(outputs) + index}" for index in range(more)]
            change += f"{', ' if change else ''}with all {len(outputs)} outputs"
        feed = {value: f"{name}.x{index}" for index, value in enumerate(given)}
        arrays = {feed[value]: self._sized(array, len(given), random) for value, array in given.items()}
        inputs = [feed.get(value, value) for value in node.input]
        return copied(made, name=name, inputs=inputs, outputs=outputs), arrays, change

    def _sized(self, array: Array, count: int, random: np.random.Generator) -> Array:
        if count > 1 or random.random() < 0.3:
            return array
        return other_sizes(array, random, keep=(1,), channels_last=False)

    def _specimen(self, model: ModelProto, inputs: Mapping[str, Array]) -> Specimen:
        import onnx

        path = self._folder / f"bred-{next(self._numbers)}.onnx"
        onnx.save(model, str(path))
        return Specimen(path, inputs)
