"""One ONNX node to canonical operators, after it has been brought to the newest opset."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.frontends.onnx.upgrades import upgraded
from mlvet.ir.builder import Builder
from mlvet.ir.graph import CALL, Data, Region, Value
from mlvet.ops import REGISTRY


def lower(source: Source, builder: Builder, notes: Counter[str]) -> Sequence[Value]:
    """Add the node to the builder and return its results in the order of the file.

    An attribute that the operator does not have is left out and counted in `notes`.
    """
    if source.is_call:
        named = {"function": source.source_op}
        return source.add(builder, CALL, source.operands, source.values(builder), named, regions=_regions(source))
    if source.op_type == "Constant" and not source.domain:
        return [_constant(source, builder)]
    try:
        newest = upgraded(source, builder)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
        notes[f"{source.source_op} of node `{source.name}` has attributes of the wrong kind and is not understood"] += 1
        return source.opaque(builder)
    if not isinstance(newest, Source):
        return newest
    op = canonical_name(newest.domain, newest.op_type)
    if op not in REGISTRY:
        return newest.opaque(builder)
    known = _known(op, attributes(newest) | _TOLERATED.get(op, {}), newest, notes)
    return newest.add(builder, op, newest.operands, newest.values(builder), known, regions=_regions(newest))


def _regions(source: Source) -> list[Region]:
    order = _REGIONS.get(source.op_type, sorted(source.regions))
    return [source.regions[name] for name in order if name in source.regions]


_REGIONS = {"If": ["then_branch", "else_branch"]}


_OFFICIAL = frozenset({"", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training"})

_IRREGULAR = {
    "IsNaN": "is_nan",
    "MatMul": "matmul",
    "MatMulInteger": "matmul_integer",
    "NonZero": "nonzero",
    "PRelu": "prelu",
    "QLinearConv": "qlinear_conv",
    "QLinearMatMul": "qlinear_matmul",
    "SwiGLU": "swiglu",
    "TfIdfVectorizer": "tf_idf_vectorizer",
    "Col2Im": "col2im",
}

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[0-9]+")


@cache
def canonical_name(domain: str, op_type: str) -> str:
    """The canonical operator of that meaning, if the registry has it; names of other domains carry the domain."""
    name = _IRREGULAR.get(op_type) or "_".join(_WORD.findall(op_type)).lower()
    return name if domain in _OFFICIAL else f"{domain}.{name}"


_DTYPES = frozenset({"to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision", "precision"})


_TYPED = {("ConstantOfShape", "value"): "dtype", ("LabelEncoder", "values_tensor"): "values_dtype"}
"""Tensors whose element type matters, and the attribute that tells it."""


def attributes(source: Source) -> dict[str, Any]:
    """Attributes in canonical form: element types as `DType`, tensors as tuples of numbers, none for the undefined."""
    plain: dict[str, Any] = {}
    for name, value in source.attributes.items():
        if name in _DTYPES and isinstance(value, int):
            if value in DTYPES:
                plain[name] = DTYPES[value]
        elif isinstance(value, Data):
            if (source.op_type, name) in _TYPED:
                plain[_TYPED[source.op_type, name]] = value.dtype
            filling = source.op_type == "ConstantOfShape"
            plain[name] = _single(value, source) if filling else tuple(value.load().reshape(-1).tolist())
        elif value is not None:
            plain[name] = value
    return plain


def _single(data: Data, source: Source) -> Any:
    if data.size != 1:
        raise UnsupportedInput(f"node `{source.name}` fills with {data.size} elements instead of one")
    element = data.load().reshape(-1)[0]
    return element.item() if isinstance(element, np.generic) else element


_TOLERATED: dict[str, dict[str, Any]] = {op: {"cut": True} for op in ("max_pool", "average_pool", "lp_pool")}
"""What onnxruntime runs although the standard leaves it open: windows larger than what they slide over."""

_GONE = frozenset({"consumed_inputs"})


def _known(op: str, given: Mapping[str, Any], source: Source, notes: Counter[str]) -> dict[str, Any]:
    names = parameters(op)
    if names is None:
        return {name: value for name, value in given.items() if name not in _GONE}
    for name in given:
        if name not in names and name not in _GONE:
            notes[f"attribute `{name}` of {source.source_op} is not known and was left out"] += 1
    return {name: value for name, value in given.items() if name in names}


@cache
def parameters(op: str) -> frozenset[str] | None:
    """The attributes that the rules of an operator take by name; None if they take any."""
    names: set[str] = set()
    open_ended = []
    for facet in (REGISTRY[op].infer, REGISTRY[op].reference):
        if facet is None:
            continue
        parameters = _signature(facet)
        names |= {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
        open_ended.append(any(p.kind is p.VAR_KEYWORD for p in parameters))
    return None if all(open_ended) else frozenset(names)


def _signature(facet: Callable[..., Any]) -> Sequence[inspect.Parameter]:
    """The parameters of a rule; NumPy's own functions, which have no signature, take no attributes."""
    try:
        return list(inspect.signature(facet).parameters.values())
    except (TypeError, ValueError):
        return []


def _constant(source: Source, builder: Builder) -> Value:
    if not source.outputs:
        raise UnsupportedInput(f"constant `{source.name}` has no result")
    for name, value in source.attributes.items():
        if isinstance(value, Data):
            return builder.constant(source.outputs[0], value)
        if name in _CONSTANTS:
            return builder.constant(source.outputs[0], _CONSTANTS[name](value))
    raise UnsupportedInput(f"constant `{source.name}` has no value")


def _text(strings: Sequence[str]) -> NDArray[Any]:
    array = np.empty(len(strings), dtype=dtypes.text.numpy)
    array[:] = strings
    return array


_CONSTANTS: dict[str, Callable[[Any], NDArray[Any]]] = {
    "value_float": lambda number: np.asarray(number, np.float32),
    "value_int": lambda number: np.asarray(number, np.int64),
    "value_floats": lambda numbers: np.asarray(numbers, np.float32),
    "value_ints": lambda numbers: np.asarray(numbers, np.int64),
    "value_string": lambda string: _text([string]).reshape(()),
    "value_strings": _text,
}
