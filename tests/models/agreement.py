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
    """The values of one model by how inference and execution compare; `looser` and `wrong` name value and operator.

    `stops` are the operators, with the value, that yield a looser type from operands that are known exactly.
    """

    equal: int = 0
    looser: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    stops: list[tuple[str, str]] = field(default_factory=list)


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
    loose: set[str] = set()
    for node in graph.body.nodes:
        for value in node.outputs:
            inferred = inference.type_of(value)
            if value.name not in produced:
                continue
            array = produced[value.name]
            verdict = _verdict(inferred, array, given)
            where = f"{node.source_op} `{value.name}`: inferred {inferred}, produced {array.dtype}{list(array.shape)}"
            if verdict == "equal":
                result.equal += 1
            elif verdict == "wrong":
                result.wrong.append(where)
            else:
                result.looser.append(where)
                if not any(operand is not None and operand.name in loose for operand in node.inputs):
                    result.stops.append((node.source_op, value.name))
                loose.add(value.name)
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
