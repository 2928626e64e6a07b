"""One ONNX node to canonical operators, after it has been brought to the newest opset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from mlvet.core.location import Location
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Data, Region, Value
from mlvet.ops import REGISTRY


@dataclass(frozen=True, slots=True)
class Source:
    """A node as the file has it, names resolved. `declared` holds what the file says of values, by name."""

    name: str
    domain: str
    op_type: str
    opset: int
    operands: tuple[Value | None, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    regions: Mapping[str, Region] = field(default_factory=dict)
    declared: Mapping[str, Tensor] = field(default_factory=dict)
    location: Location | None = None
    is_call: bool = False

    def operand(self, index: int) -> Value | None:
        """An operand, or None where it is left out or the list is too short."""
        return self.operands[index] if index < len(self.operands) else None

    @property
    def source_op(self) -> str:
        return f"{self.domain}:{self.op_type}" if self.domain else self.op_type


def lower(source: Source, builder: Builder) -> Sequence[Value]:
    """Add the node to the builder and return its results in the order of the file."""
    from mlvet.frontends.onnx.upgrades import upgraded

    if source.op_type == "Constant" and not source.domain:
        return [builder.constant(source.outputs[0], _constant(source))]
    regions = [
        source.regions[name] for name in _REGIONS.get(source.op_type, sorted(source.regions)) if name in source.regions
    ]
    if source.is_call:
        return _add(source, builder, "call", source.operands, {}, regions)
    for step in upgraded(source, builder):
        source = step
    op = canonical_name(source.domain, source.op_type)
    if op not in REGISTRY:
        return _add(source, builder, OPAQUE, source.operands, {}, regions)
    return _add(source, builder, op, source.operands, attributes(source), regions)


def _add(
    source: Source,
    builder: Builder,
    op: str,
    operands: Sequence[Value | None],
    attributes: Mapping[str, Any],
    regions: Sequence[Region],
) -> Sequence[Value]:
    outputs = [builder.value(name, source.declared.get(name)) for name in source.outputs]
    builder.node(
        op,
        operands,
        outputs,
        attributes,
        name=source.name,
        regions=regions,
        source_op=source.source_op,
        location=source.location,
    )
    return outputs


_REGIONS = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",), "SequenceMap": ("body",)}

_DTYPES = frozenset({"to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision", "precision"})

_IRREGULAR = {
    "MatMul": "matmul",
    "MatMulInteger": "matmul_integer",
    "NonZero": "nonzero",
    "PRelu": "prelu",
    "QLinearConv": "qlinear_conv",
    "QLinearMatMul": "qlinear_matmul",
    "TfIdfVectorizer": "tf_idf_vectorizer",
    "Col2Im": "col2im",
}

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[0-9]+")


@cache
def canonical_name(domain: str, op_type: str) -> str:
    """The canonical operator of that meaning, if the registry has it; names of other domains carry the domain."""
    name = _IRREGULAR.get(op_type) or "_".join(_WORD.findall(op_type)).lower()
    return name if domain in ("", "ai.onnx.ml", "ai.onnx.preview.training") else f"{domain}.{name}"


def attributes(source: Source) -> dict[str, Any]:
    """Attributes in canonical form: element types as `DType`, tensors as numbers."""
    plain: dict[str, Any] = {}
    for name, value in source.attributes.items():
        if name in _DTYPES and isinstance(value, int):
            if value in DTYPES:
                plain[name] = DTYPES[value]
        elif isinstance(value, Data):
            array = value.load()
            plain[name] = array.reshape(-1)[0].item() if array.size == 1 else tuple(array.reshape(-1).tolist())
            plain.setdefault("dtype", value.dtype) if source.op_type == "ConstantOfShape" else None
        else:
            plain[name] = value
    return plain


def _constant(source: Source) -> Data:
    for name, value in source.attributes.items():
        if isinstance(value, Data):
            return value
        array = _CONSTANTS[name](value) if name in _CONSTANTS else None
        if array is not None:
            from mlvet.domains import dtypes

            held = array
            return Data(dtypes.of(held.dtype), held.shape, lambda: held)
    from mlvet.core.errors import UnsupportedInput

    raise UnsupportedInput(f"constant `{source.name}` has no value")


def _objects(strings: Any) -> Any:
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array


_CONSTANTS: dict[str, Any] = {
    "value_float": lambda x: np.float32(x).reshape(()),
    "value_int": lambda x: np.int64(x).reshape(()),
    "value_floats": lambda xs: np.asarray(xs, np.float32),
    "value_ints": lambda xs: np.asarray(xs, np.int64),
    "value_string": lambda text: _objects([text]).reshape(()),
    "value_strings": _objects,
}

__all__ = ["DType", "Source", "attributes", "canonical_name", "lower"]
