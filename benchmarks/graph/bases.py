"""Models to mutate: node tests and stored models of the onnx package, and real files; each with operands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, helper, numpy_helper

STORED = ("light", "simple", "pytorch-operator", "pytorch-converted")
NEWEST_RUN = 26
"""The newest opset that onnxruntime takes; node tests of a newer one are tried in this one."""

LARGEST = 8 << 20


@dataclass(frozen=True, slots=True)
class Base:
    """A model that runs: where it comes from, its operands, and the sizes given to its symbolic dims."""

    name: str
    kind: str
    model: ModelProto
    operands: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)


def node_tests() -> Iterator[Base]:
    """Every node test over tensors; integer operands of few elements are stored, as models have them."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        inputs = list(case.model.graph.input)
        if not all(info.type.HasField("tensor_type") for info in inputs) or not case.data_sets:
            continue
        model = ModelProto()
        model.CopyFrom(case.model)
        for entry in model.opset_import:
            if entry.domain in ("", "ai.onnx"):
                entry.version = min(entry.version, NEWEST_RUN)
        operands = dict(zip([info.name for info in inputs], case.data_sets[0][0], strict=False))
        if not all(isinstance(array, np.ndarray | np.generic) for array in operands.values()):
            continue
        for info in inputs:
            array = np.asarray(operands[info.name])
            if array.dtype in (np.int64, np.int32) and array.ndim <= 1 and array.size <= 10 and len(inputs) > 1:
                model.graph.input.remove(next(i for i in model.graph.input if i.name == info.name))
                model.graph.initializer.append(numpy_helper.from_array(array, info.name))
                del operands[info.name]
        yield Base(case.name, "node tests", model, operands)


def stored_models() -> Iterator[Base]:
    """The small models that lie in the onnx package."""
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for group in STORED:
        for path in sorted((data / group).rglob("*.onnx")):
            model = onnx.load(path)
            if all(info.type.HasField("tensor_type") for info in model.graph.input):
                yield Base(path.parent.name if path.name == "model.onnx" else path.stem, "stored models", model)


def real_models(folder: Path) -> Iterator[Base]:
    """Files of a folder, not the largest."""
    for path in sorted(folder.rglob("*.onnx")):
        if path.stat().st_size <= LARGEST:
            yield Base(path.name, "real models", onnx.load(path))


def elements(model: ModelProto, sizes: Mapping[str, int], default: int) -> int:
    """How many elements the inputs of a model have."""
    shapes = (info.type.tensor_type.shape.dim for info in model.graph.input)
    return sum(
        prod(dim.dim_value if dim.dim_value > 0 else sizes.get(dim.dim_param, default) for dim in dims)
        for dims in shapes
    )


def feeds(model: ModelProto, known: Mapping[str, Any], sizes: Mapping[str, int], default: int) -> dict[str, Any]:
    """An array for each input that has to be given: the known ones, fitted to the declared shape, or drawn ones."""
    rng = np.random.default_rng(0)
    stored = {tensor.name for tensor in model.graph.initializer}
    given = {}
    for info in model.graph.input:
        if info.name in stored:
            continue
        kind = info.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape: tuple[int, ...]
        array = np.asarray(known[info.name]) if info.name in known else None
        if not kind.HasField("shape"):
            shape = array.shape if array is not None else ()
        else:
            shape = tuple(
                d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else sizes.get(d.dim_param, default)
                for d in kind.shape.dim
            )
        if array is None or not array.size:
            ones = np.dtype(dtype).kind in "iubO"
            array = np.ones(shape) if ones else rng.standard_normal(shape)
        if array.shape != shape:
            array = np.resize(array, shape) if array.size else np.ones(shape)
        with np.errstate(all="ignore"):
            given[info.name] = np.ascontiguousarray(array.astype(dtype)).reshape(shape)
    return given
