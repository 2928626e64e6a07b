"""A TFLite file into a graph of ours: tensors by their names, one operator after the other."""

from __future__ import annotations

import importlib
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, unknown
from mlvet.frontends.tflite.call import Call
from mlvet.frontends.tflite.tables import TABLE
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Value

_TYPES: dict[int, DType] = {
    0: dtypes.f32, 1: dtypes.f16, 2: dtypes.i32, 3: dtypes.u8, 4: dtypes.i64, 6: dtypes.bool_, 7: dtypes.i16,
    9: dtypes.i8, 10: dtypes.f64,
}  # fmt: skip
_SCHEMA = "ai_edge_litert.schema_py_generated"


def read_tflite(path: Path, shown: str) -> Graph:
    """The graph in a file. Raises UnsupportedInput where numbers are quantised or an operator has no canonical form."""
    try:
        schema = importlib.import_module(_SCHEMA)
    except ImportError as error:
        raise UnsupportedInput("the schema of TFLite is not there; install ai-edge-litert") from error
    try:
        model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    except (struct.error, IndexError, ValueError, TypeError) as error:
        raise UnsupportedInput(f"no TFLite model: {error}") from error
    if len(model.subgraphs or ()) != 1:
        raise UnsupportedInput("a TFLite model of several graphs")
    kinds = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
    return _Reader(model, kinds).graph(shown, path.stem)


class _Reader:
    """The values of tensors seen so far, by their numbers."""

    def __init__(self, model: Any, kinds: dict[int, str]) -> None:
        self.model = model
        self.kinds = kinds
        self.tensors = model.subgraphs[0].tensors
        self.values: dict[int, Value] = {}
        self.known: dict[Value, NDArray[Any]] = {}
        self.ranks: dict[Value, int] = {}

    def graph(self, shown: str, name: str) -> Graph:
        held = self.model.subgraphs[0]
        self.builder = Builder("graph", name)
        for index in held.inputs:
            value = self.builder.input(self._name(index), self._declared(index))
            self._keep(index, value)
        for operator in held.operators:
            self._operator(operator)
        return self.builder.graph([self.values[index] for index in held.outputs], path=shown, format="tflite")

    def _operator(self, operator: Any) -> None:
        code = self.model.operatorCodes[operator.opcodeIndex]
        kind = self.kinds.get(max(code.builtinCode, code.deprecatedBuiltinCode), "")
        if kind not in TABLE:
            raise UnsupportedInput(f"the TFLite operator {kind or code.customCode} has no canonical form")
        inputs = tuple(None if index < 0 else self._value(int(index)) for index in operator.inputs)
        types = tuple(self._type(int(index)) for index in operator.outputs)
        call = Call(kind, self.builder, inputs, operator.builtinOptions, self.known, self.ranks, types)
        made = TABLE[kind](call)
        for index, value in zip(operator.outputs, [made] if isinstance(made, Value) else made, strict=True):
            self._keep(int(index), value)

    def _value(self, index: int) -> Value:
        if index not in self.values:
            array = self._stored(index)
            value = self.builder.constant(self._name(index), array)
            self.known[value] = array
            self._keep(index, value)
        return self.values[index]

    def _stored(self, index: int) -> NDArray[Any]:
        tensor, dtype = self.tensors[index], self._type(index)
        data = self.model.buffers[tensor.buffer].data
        shape = [] if tensor.shape is None else [int(size) for size in tensor.shape]
        found = np.zeros(0, np.uint8) if data is None else np.asarray(data, np.uint8)
        if found.size != dtype.numpy.itemsize * int(np.prod(shape)):
            raise UnsupportedInput(f"the elements of `{self._name(index)}` are not in the file")
        return found.view(dtype.numpy).reshape(shape)

    def _keep(self, index: int, value: Value) -> None:
        self.values[index] = value
        self.ranks[value] = len(self.tensors[index].shape if self.tensors[index].shape is not None else ())

    def _name(self, index: int) -> str:
        return (self.tensors[index].name or b"").decode("utf-8", "replace") or str(index)

    def _declared(self, index: int) -> Tensor:
        return Tensor(self._type(index), unknown(self._name(index)).shape)

    def _type(self, index: int) -> DType:
        tensor = self.tensors[index]
        if tensor.quantization is not None and tensor.quantization.scale is not None:
            raise UnsupportedInput(f"`{self._name(index)}` is quantised")
        if tensor.type not in _TYPES or tensor.sparsity is not None:
            raise UnsupportedInput(f"`{self._name(index)}` has an element type or a layout without canonical form")
        return _TYPES[tensor.type]
