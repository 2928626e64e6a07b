"""What onnxruntime really produces for every value of a model, beside what mlvet infers without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.domains import dtypes
from mlvet.domains.dims import substitute, symbols
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.onnx import read_onnx
from mlvet.ir.graph import Graph


@dataclass
class Agreement:
    """The values of one model by how inference and execution compare; `looser` and `wrong` name value and operator."""

    equal: int = 0
    looser: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)


def compare(
    path: Path, sizes: Mapping[str, int], feeds: Mapping[str, Any] | None = None
) -> tuple[Agreement, Inference]:
    """Run a model on inputs whose unknown dims have the given sizes, and compare every value of its main graph."""
    graph = read_onnx(path, path.name)
    inference = infer(graph)
    arrays = {**inputs(graph, sizes), **(feeds or {})}
    given = {
        name: size
        for value in graph.inputs
        for name, size in _bound(value.declared, np.shape(arrays[value.name])).items()
    }
    produced = run(path, arrays)
    result = Agreement()
    operators = {value.name: node.source_op for node in graph.body.nodes for value in node.outputs}
    types = {value.name: inference.type_of(value) for node in graph.body.nodes for value in node.outputs}
    for name, array in produced.items():
        if name not in types:
            result.unseen.append(name)
            continue
        where = f"{operators[name]} `{name}`: inferred {types[name]}, produced {array.dtype}{list(array.shape)}"
        verdict = _verdict(types[name], array, given)
        if verdict == "equal":
            result.equal += 1
        else:
            (result.looser if verdict == "looser" else result.wrong).append(where)
    return result, inference


def inputs(graph: Graph, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Arrays for the inputs of a graph: floats between -1 and 1, integers 1."""
    random = np.random.default_rng(0)
    arrays = {}
    for value in graph.inputs:
        tensor = value.declared
        shape = [size if isinstance(size := substitute(dim, sizes), int) else 1 for dim in tensor.dims]
        assert tensor.dtype is not None
        if tensor.dtype.is_float:
            arrays[value.name] = random.uniform(-1, 1, shape).astype(tensor.dtype.numpy)
        else:
            arrays[value.name] = np.ones(shape, tensor.dtype.numpy)
    return arrays


def run(path: Path, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Every tensor that the main graph of a model computes."""
    model = onnx.load(path)
    known = {output.name for output in model.graph.output}
    for node in model.graph.node:
        if node.op_type == "Constant":
            continue
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name and name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(arrays)), strict=True))


def _bound(tensor: Tensor, shape: tuple[int, ...]) -> dict[str, int]:
    return {str(dim): size for dim, size in zip(tensor.dims, shape, strict=True) if not isinstance(dim, int)}


def _verdict(inferred: Tensor, array: Any, given: Mapping[str, int]) -> str:
    if inferred.dtype is not None and inferred.dtype != dtypes.of(array.dtype):
        return "wrong"
    if isinstance(inferred.shape, Unranked):
        return "looser"
    if len(inferred.shape) != array.ndim:
        return "wrong"
    verdict = "equal"
    for dim, size in zip(inferred.shape, array.shape, strict=True):
        settled = substitute(dim, given)
        if symbols(settled):
            verdict = "looser"
        elif settled != size:
            return "wrong"
    return verdict
