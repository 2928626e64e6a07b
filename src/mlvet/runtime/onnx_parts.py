"""Parts of an ONNX model as models of their own: one node, or all that leads to a value; and both in double precision.

A part has the tensors that enter it as inputs. What the model stores goes along.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mlvet.core.errors import UnsupportedInput

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto

Held = Mapping[str, tuple[Any, tuple[int, ...], Path]]
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_SIZES = {
    "Reshape": (1,), "Expand": (1,), "ConstantOfShape": (0,), "Tile": (1,), "Resize": (2, 3), "Upsample": (1,),
    "Pad": (1, 3), "Slice": (1, 2, 3, 4), "TopK": (1,), "Squeeze": (1,), "Unsqueeze": (1,), "Split": (1,),
}  # fmt: skip
"""The operands that are lists of sizes, steps or axes: how long they are decides what rank comes out."""
_LARGEST_ATTRIBUTE = 64
_LARGEST_FOLDED = 1 << 20
_NUMBERS = {"value_float": 1, "value_floats": 1, "value_int": 7, "value_ints": 7}
"""Attributes of a constant that are plain numbers, and the element type that they stand for."""


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """A node of the graph, named as in the file or, without a name there, by its operator and its number."""

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    config: dict[str, Any]
    index: int


class OnnxParts:
    """A model that is taken apart; parts are written into a folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        import onnx

        try:
            self.model = onnx.load(str(path))
        except OSError:
            raise
        except Exception as error:
            raise UnsupportedInput(f"{path}: no ONNX model: {str(error).splitlines()[0]}") from error
        if not self.model.graph.node:
            raise UnsupportedInput(f"{path}: the model has no operators")
        self.path = path
        self.folder = folder
        _name_nodes(self.model.graph)
        _store_constants(self.model.graph)
        self._stored = {each.name: each for each in self.model.graph.initializer}
        self._producer = {name: node for node in self.model.graph.node for name in node.output if name}
        self.nodes = tuple(self._nodes())
        self._types = self._declared()
        self._folded = self._computed_of_stored()

    def inputs(self) -> Iterator[tuple[str, tuple[int | None, ...] | None, str]]:
        """Name, dims and element type of each input that is not stored in the model."""
        import onnx

        for value in self.model.graph.input:
            if value.name in self._stored:
                continue
            kind = value.type.tensor_type
            if not value.type.HasField("tensor_type"):
                raise UnsupportedInput(f"the input `{value.name}` is no tensor")
            sizes = (dim.dim_value if dim.dim_value > 0 else None for dim in kind.shape.dim)
            dims = tuple(sizes) if kind.HasField("shape") else None
            yield value.name, dims, onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).name

    def outputs(self) -> tuple[str, ...]:
        return tuple(value.name for value in self.model.graph.output)

    def _nodes(self) -> Iterator[OnnxNode]:
        for index, node in enumerate(self.model.graph.node):
            inputs = tuple(
                dict.fromkeys(each for each in (*node.input, *_captured(node)) if each and each not in self._stored)
            )
            yield OnnxNode(
                node.name, node.op_type, inputs, tuple(each for each in node.output if each), _config(node), index
            )

    def alone(self, name: str, held: Held = _NOTHING) -> Path:
        """A model of one node. `held` has the element type and sizes of what enters it at the moment, and its file.

        Ranks that the model does not tell are taken from there, and how many sizes there are in a list of them: some
        runtimes cannot do without. What is computed of stored tensors alone, such as weights that were quantised, is
        stored in the part: runtimes fold it.
        """
        node = next(each for each in self.nodes if each.name == name)
        proto = self.model.graph.node[node.index]
        sizes = {proto.input[at] for at in _SIZES.get(proto.op_type, ()) if at < len(proto.input)}
        types = {value: self._held_type(value, *held[value][:2], listed=value in sizes) for value in held}
        told = {value: kind for value, kind in types.items() if kind is not None}
        folded = {
            value: path
            for value, (_, shape, path) in held.items()
            if value in self._folded and math.prod(shape) <= _LARGEST_FOLDED
        }
        return self._written([proto], node.inputs, node.outputs, told, folded)

    def _computed_of_stored(self) -> set[str]:
        """The values that need nothing of what enters the model."""
        found: set[str] = set()
        for node in self.model.graph.node:
            taken = [each for each in (*node.input, *_captured(node)) if each]
            known = bool(taken) and all(each in self._stored or each in found for each in taken)
            if known and not node.op_type.startswith(("Random", "Bernoulli", "Multinomial")):
                found.update(each for each in node.output if each)
        return found

    def _held_type(self, name: str, dtype: Any, shape: tuple[int, ...], *, listed: bool) -> Any:
        """The type of a value as it is held, where the model tells less than is needed; else None."""
        from onnx import helper

        known = self._types.get(name)
        if known is not None and known.type.WhichOneof("value") not in (None, "tensor_type"):
            return None
        kind = known.type.tensor_type.elem_type if known is not None else 0
        if kind and known is not None and known.type.tensor_type.HasField("shape") and not listed:
            return None
        dims = list(shape) if listed and len(shape) == 1 else [None] * len(shape)
        return helper.make_tensor_value_info(name, kind or helper.np_dtype_to_tensor_dtype(dtype), dims)

    def until(self, values: Iterable[str]) -> Path:
        """A model that ends with some values."""
        wanted = tuple(values)
        needed: set[str] = set()
        pending = list(wanted)
        while pending:
            value = pending.pop()
            node = self._producer.get(value)
            if node is None or value in needed:
                continue
            needed.update(node.output)
            pending += [each for each in (*node.input, *_captured(node)) if each]
        nodes = [node for node in self.model.graph.node if any(each in needed for each in node.output)]
        inputs = tuple(value.name for value in self.model.graph.input if value.name not in self._stored)
        return self._written(nodes, inputs, wanted)

    def doubled(self, path: Path) -> Path:
        """The same model with every number in double precision."""
        import onnx

        to = path.with_suffix(".double.onnx")
        if not to.exists():
            model = onnx.load(str(path))
            _double(model.graph)
            onnx.save(model, str(to))
        return to

    def _written(
        self, nodes: list[NodeProto], inputs: Iterable[str], outputs: Iterable[str],
        held: Mapping[str, Any] = _NOTHING, folded: Mapping[str, Path] = _NOTHING,
    ) -> Path:  # fmt: skip
        import numpy as np
        import onnx
        from onnx import helper

        inputs, outputs = tuple(inputs), tuple(outputs)
        used = {each for node in nodes for each in (*node.input, *_captured(node))}
        stored = [onnx.numpy_helper.from_array(np.load(path), name) for name, path in folded.items()]
        graph = helper.make_graph(
            nodes, "part", [held.get(name) or self._typed(name) for name in inputs if name in used - folded.keys()],
            [self._typed(name) for name in outputs],
            [*stored, *(tensor for name, tensor in self._stored.items() if name in used)],
        )  # fmt: skip
        part = helper.make_model(
            graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version,
            functions=self.model.functions,
        )  # fmt: skip
        told = [
            hashlib.sha256(each.SerializeToString(deterministic=True)).hexdigest() for each in (*held.values(), *stored)
        ]
        words = "\0".join([*(node.name for node in nodes), *inputs, "", *outputs, *told])
        key = hashlib.sha256(words.encode()).hexdigest()[:16]
        path = self.folder / f"part-{key}.onnx"
        if not path.exists():
            onnx.save(part, str(path))
        return path

    def _typed(self, name: str) -> Any:
        from onnx import helper

        return self._types.get(name) or helper.make_empty_tensor_value_info(name)

    def _declared(self) -> dict[str, Any]:
        """Element types of values, without their sizes: those of a part may differ."""
        import onnx

        try:
            graph = onnx.shape_inference.infer_shapes(self.model).graph
        except Exception:
            graph = self.model.graph
        found: dict[str, Any] = {}
        for value in (*graph.value_info, *graph.input, *graph.output):
            kind = value.type.tensor_type
            if value.type.HasField("tensor_type") and kind.elem_type:
                rank = len(kind.shape.dim) if kind.HasField("shape") else None
                dims = None if rank is None else [None] * rank
                found[value.name] = onnx.helper.make_tensor_value_info(value.name, kind.elem_type, dims)
            else:
                found[value.name] = value
        return found


def _name_nodes(graph: GraphProto) -> None:
    """Each node gets a name of its own: that of the file or, without one there, its operator and its number."""
    known: set[str] = set()
    for index, node in enumerate(graph.node):
        name = node.name or f"{node.op_type}_{index}"
        while name in known:
            name += "'"
        known.add(name)
        node.name = name


def _store_constants(graph: GraphProto) -> None:
    """Constants become stored tensors, so that a part has them in it as the model has: backends fold what is stored."""
    from onnx import TensorProto, helper

    ends = {value.name for value in graph.output}
    left = []
    for node in graph.node:
        name, tensor = (node.output[0] if node.output else ""), None
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx") and name not in ends:
            (attribute,) = node.attribute
            value = helper.get_attribute_value(attribute)
            if attribute.name == "value":
                tensor = TensorProto()
                tensor.CopyFrom(value)
            elif attribute.name in _NUMBERS:
                dims = [len(value)] if attribute.name.endswith("s") else []
                tensor = helper.make_tensor(name, _NUMBERS[attribute.name], dims, value if dims else [value])
        if tensor is None:
            left.append(node)
        else:
            tensor.name = name
            graph.initializer.append(tensor)
    if left and len(left) < len(graph.node):
        kept = [node.SerializeToString() for node in left]
        del graph.node[:]
        for content in kept:
            graph.node.add().ParseFromString(content)


def _captured(node: NodeProto) -> Iterator[str]:
    """The values that the branches and bodies of a node take from outside."""
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            inner = {each.name for each in (*graph.input, *graph.initializer)}
            for each in graph.node:
                yield from (name for name in (*each.input, *_captured(each)) if name and name not in inner)
                inner.update(each.output)
            yield from (value.name for value in graph.output if value.name not in inner)


def _config(node: NodeProto) -> dict[str, Any]:
    from onnx import helper

    found: dict[str, Any] = {}
    for attribute in node.attribute:
        if attribute.HasField("g") or attribute.graphs or attribute.HasField("t"):
            continue
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        elif not isinstance(value, int | float):
            value = list(value)[:_LARGEST_ATTRIBUTE]
        found[attribute.name] = value
    return found


def _double(graph: GraphProto) -> None:
    """Every tensor, type and cast of single or half precision becomes double."""
    import numpy as np
    from onnx import TensorProto, numpy_helper

    single = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
    for tensor in graph.initializer:
        if tensor.data_type in single:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name))
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.tensor_type.elem_type in single:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype", "output_dtype") and attribute.i in single:
                attribute.i = TensorProto.DOUBLE
            if attribute.HasField("t") and attribute.t.data_type in single:
                array = numpy_helper.to_array(attribute.t).astype(np.float64)
                attribute.t.CopyFrom(numpy_helper.from_array(array, attribute.t.name))
            if attribute.HasField("g"):
                _double(attribute.g)
            for inner in attribute.graphs:
                _double(inner)
