"""An ONNX model in pieces that can be exchanged, put together again only if shapes and types agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class OnnxPieces:
    """Nodes in an order in which they can run, what is stored, and the outputs. `frame` gives the versions."""

    nodes: tuple[NodeProto, ...]
    stored: Mapping[str, Array]
    outputs: tuple[str, ...]
    frame: ModelProto

    def node(self, name: str) -> NodeProto:
        return next(each for each in self.nodes if each.name == name)

    def entering(self, node: NodeProto) -> list[str]:
        """The values that a node takes and that are not stored."""
        return list(dict.fromkeys(each for each in node.input if each and each not in self.stored))


def in_pieces(model: ModelProto, names: Sequence[str]) -> OnnxPieces:
    """A model in pieces, its nodes named as told."""
    from onnx import numpy_helper

    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    nodes = []
    for node, name in zip(model.graph.node, names, strict=True):
        nodes.append(copied(node, name=name))
    return OnnxPieces(tuple(nodes), stored, tuple(each.name for each in model.graph.output), model)


def put_together(pieces: OnnxPieces, inputs: Mapping[str, Array]) -> ModelProto | None:
    """A model of the pieces on inputs of these sizes; None if it makes no sense by the rules of ONNX."""
    import onnx
    from onnx import helper, numpy_helper

    used = {each for node in pieces.nodes for each in node.input}
    graph = helper.make_graph(
        [copied(node) for node in pieces.nodes], "model",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in pieces.outputs],
        [numpy_helper.from_array(array, name) for name, array in pieces.stored.items() if name in used],
    )  # fmt: skip
    frame = pieces.frame
    made = helper.make_model(graph, opset_imports=frame.opset_import, ir_version=frame.ir_version)
    try:
        made = onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True, data_prop=True)
        onnx.checker.check_model(made)
    except Exception:
        return None
    for value in (*made.graph.output, *made.graph.value_info):
        kind = value.type.tensor_type
        if any(dim.HasField("dim_value") and dim.dim_value <= 0 for dim in kind.shape.dim):
            return None
    if not all(value.type.tensor_type.elem_type for value in made.graph.output):
        return None
    return made


def copied(node: NodeProto, **changes: Any) -> NodeProto:
    """A node like another one, with another name, inputs, outputs or some other attributes (None: without)."""
    import onnx
    from onnx import helper

    found: NodeProto = onnx.NodeProto.FromString(node.SerializeToString())
    found.name = changes.get("name", found.name)
    if "inputs" in changes:
        found.input[:] = changes["inputs"]
    if "outputs" in changes:
        found.output[:] = changes["outputs"]
    attributes = changes.get("attributes", {})
    kept = [each for each in found.attribute if each.name not in attributes]
    del found.attribute[:]
    found.attribute.extend(kept)
    found.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items() if v is not None)
    return found
