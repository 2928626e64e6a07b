"""ONNX models written operator by operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, save, shape_inference

from benchmarks.numerics.corpus.case import Case, Input, Range, stated, twins

OPSET = 18
TYPES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "float64": TensorProto.DOUBLE,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
    "int8": TensorProto.INT8,
    "bool": TensorProto.BOOL,
}

Write: TypeAlias = Callable[..., Any]
"""Takes a `Sheet`, whether to write the sound form, and the inputs by name; returns the result or results."""


class Sheet:
    """Operators are methods: `sheet.Log(x, name="log_p")` adds a node and returns the name of its result.

    Numbers and arrays among the operands become stored tensors of the sheet's element type. `result_dims` are those of
    the results where they cannot be inferred, as those of a loop.
    """

    def __init__(self, dtype: str = "float32") -> None:
        self.dtype = dtype
        self.nodes: list[Any] = []
        self.stored: list[Any] = []
        self.result_dims: list[int] | None = None
        self._count = 0

    def __getattr__(self, op: str) -> Callable[..., Any]:
        if not op[0].isupper():
            raise AttributeError(op)
        return lambda *operands, **options: self._node(op, operands, **options)

    def _node(self, op: str, operands: tuple[Any, ...], name: str = "", outputs: int = 1, **attributes: Any) -> Any:
        self._count += 1
        name = name or f"{op}_{self._count}"
        results = [name] if outputs == 1 else [f"{name}.{index}" for index in range(outputs)]
        inputs = [operand if isinstance(operand, str) else self.store(operand) for operand in operands]
        self.nodes.append(helper.make_node(op, inputs, results, name=name, **attributes))
        return name if outputs == 1 else results

    def store(self, array: Any, dtype: str | None = None) -> str:
        """The name of a stored tensor; whole numbers in lists are sizes and axes."""
        self._count += 1
        name = f"stored_{self._count}"
        if dtype is None and isinstance(array, list) and all(isinstance(item, int) for item in array):
            dtype = "int64"
        dtype = dtype or (array.dtype.name if isinstance(array, np.ndarray) and array.dtype.kind in "ib" else None)
        dtype = dtype or self.dtype
        given = np.asarray(array).astype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
        kind = TYPES[dtype]
        self.stored.append(helper.make_tensor(name, kind, given.shape, given.tobytes(), raw=True))
        return name

    @contextmanager
    def body(self) -> Iterator[Sheet]:
        """A sheet for the body of a loop, whose names do not meet those outside."""
        inner = Sheet(self.dtype)
        inner._count = self._count + 1000
        yield inner
        self._count = inner._count

    def graph(self, name: str, inputs: Mapping[str, Input], outputs: Mapping[str, str]) -> Any:
        """The operators as a graph; outputs are names with element types."""
        given = [helper.make_tensor_value_info(n, TYPES[i.dtype], _dims(n, i)) for n, i in inputs.items()]
        made = [helper.make_tensor_value_info(n, TYPES[dtype], self.result_dims) for n, dtype in outputs.items()]
        return helper.make_graph(self.nodes, name, given, made, self.stored)


def _dims(name: str, given: Input) -> list[int | str]:
    return [f"{name}_{axis}" if dim is None else dim for axis, dim in enumerate(given.shape)]


def model(write: Write, inputs: Mapping[str, Input], result: str, *arguments: Any) -> ModelProto:
    """The model that a function writes; its results have the element type `result`."""
    floats = [given.dtype for given in inputs.values() if "float" in given.dtype]
    sheet = Sheet(floats[0] if floats else "float32")
    results = write(sheet, *arguments, **{name: name for name in inputs})
    names = (results,) if isinstance(results, str) else tuple(results)
    graph = sheet.graph(write.__name__, inputs, dict.fromkeys(names, result or sheet.dtype))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    made.ir_version = 9
    made = shape_inference.infer_shapes(made, check_type=True, strict_mode=True)
    checker.check_model(made)
    del made.graph.value_info[:]
    return made


def pair(cases: list[Case], family: str, inputs: Mapping[str, Input], nodes: list[str], *, result: str = "",
         fixed_result: str = "", **facts: Any) -> Callable[[Write], Write]:  # fmt: skip
    """Registers the two models that a function writes."""

    def register(write: Write) -> Write:
        def written(path: Path, sound: bool) -> Path:
            path = path.with_name(path.name + ".onnx")
            save(model(write, inputs, (fixed_result or result) if sound else result, sound), path)
            return path

        cases.extend(twins(write.__name__, "onnx", family, written, inputs, nodes, **facts))
        return write

    return register


def sound(cases: list[Case], family: str, inputs: Mapping[str, Input], *, guarded: tuple[str, ...] = (),
          ranges: Mapping[str, Range] | None = None) -> Callable[[Write], Write]:  # fmt: skip
    """Registers the one model, a safe one, that a function writes."""

    def register(write: Write) -> Write:
        name = f"onnx-safe-{write.__name__.replace('_', '-')}"

        def build(folder: Path) -> Path:
            path = folder / f"{name}.onnx"
            save(model(write, inputs, ""), path)
            return path

        given = stated(inputs, ranges)
        cases.append(Case(name, family, "onnx", False, None, build, given, guarded=frozenset(guarded)))
        return write

    return register


def weights(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    """Stored weights: normal numbers, the same in every run."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)
