"""The test cases inside the onnx package, and what becomes of one: read, run by the references, types inferred."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from mlvet.analyses.shapes.inference import infer
from mlvet.core.errors import MlvetError
from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor, UnknownRank, constant, unifies
from mlvet.frontends.onnx import from_onnx
from mlvet.ir.graph import Graph, Node
from mlvet.ir.verify import verify
from mlvet.ops import REGISTRY, Effects
from mlvet.ops.require import Require
from mlvet.runtime import NoReference, evaluate

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
STORED = ("simple", "pytorch-operator", "pytorch-converted")
DATA_DEPENDENT = frozenset(
    {"nonzero", "unique", "compress", "non_max_suppression", "string_normalizer", "string_split"}
)
"""Operators whose results have a size that hangs on elements which shape rules do not follow."""

RANDOM = frozenset(op.name for op in REGISTRY.values() if op.effects is Effects.RANDOM and op.name != "dropout")
"""Operators of which only the type of the result can be foretold."""


@dataclass(frozen=True)
class Case:
    """A model, and pairs of operands and expected results."""

    name: str
    model: Callable[[], Any]
    sets: Callable[[], Sequence[tuple[Sequence[Any], Sequence[Any]]]]
    rtol: float = 1e-3
    atol: float = 1e-7


@cache
def node_cases() -> tuple[Case, ...]:
    """One case for each mode of each operator of the newest opset."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    return tuple(Case(c.name, lambda c=c: c.model, lambda c=c: c.data_sets, c.rtol, c.atol) for c in found)


@cache
def stored_cases() -> tuple[Case, ...]:
    """Small models of old opsets that lie in files."""
    return tuple(_stored(folder) for kind in STORED for folder in sorted((DATA / kind).iterdir()))


def _stored(folder: Path) -> Case:
    def model() -> Any:
        return onnx.load(folder / "model.onnx")

    def sets() -> list[tuple[list[Any], list[Any]]]:
        loaded = model()
        places = sorted(folder.glob("test_data_set_*"))
        return [
            (_protos(place, "input", loaded.graph.input), _protos(place, "output", loaded.graph.output))
            for place in places
        ]

    return Case(folder.name, model, sets)


@cache
def network_cases() -> tuple[Case, ...]:
    """Whole networks of old opsets, with weights that are made by operators, and the input that onnx runs them on."""
    return tuple(_network(path) for path in sorted((DATA / "light").glob("*.onnx")))


def _network(path: Path) -> Case:
    def sets() -> list[tuple[list[Any], list[Any]]]:
        graph = onnx.load(path).graph
        stored = {tensor.name for tensor in graph.initializer}
        (info,) = (info for info in graph.input if info.name not in stored)
        dims = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        ramp = (np.arange(np.prod(dims)).reshape(dims) / np.prod(dims)).astype(np.float32)
        result = path.with_name(f"{path.stem}_output_0.pb").read_bytes()
        return [([ramp], [numpy_helper.to_array(onnx.TensorProto.FromString(result))])]

    return Case(path.stem, lambda: onnx.load(path), sets)


def _protos(place: Path, kind: str, infos: Sequence[Any]) -> list[Any]:
    count = len(list(place.glob(f"{kind}_*.pb")))
    return [
        _proto((place / f"{kind}_{index}.pb").read_bytes(), info)
        for index, info in zip(range(count), infos, strict=False)
    ]


def _proto(data: bytes, info: Any) -> Any:
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def outcome(case: Case, *, trace: bool = False) -> str | None:
    """Why the case does not pass, or None."""
    try:
        graph = from_onnx(case.model())
        if defects := verify(graph):
            return defects[0]
        for operands, expected in case.sets():
            reason = _compared(case, graph, operands, expected)
            if reason is not None:
                return reason
    except NoReference as error:
        return f"no reference of {error.op}"
    except MlvetError as error:
        return str(error)
    except Exception as error:
        if trace:
            raise
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return None


def _compared(case: Case, graph: Graph, operands: Sequence[Any], expected: Sequence[Any]) -> str | None:
    given = {value.name: _plain(x) for value, x in zip(graph.inputs, operands, strict=False)}
    given.update({value.name: None for value in graph.inputs[len(operands) :]})
    values = evaluate(graph, given, values=True)
    random = any(node.op in RANDOM for node in graph.nodes())
    for value, wanted in zip(graph.outputs, expected, strict=True):
        reason = difference(values[value.name], _plain(wanted), *((inf, inf) if random else (case.rtol, case.atol)))
        if reason is not None:
            return f"result {value.name.partition('#')[0]} {reason}"
    return _misjudged(graph, values) or _misinferred(graph, values)


def _plain(x: Any) -> Any:
    """Values of onnx as mlvet has them: text as objects, typed scalars as arrays."""
    if x is None:
        return None
    if isinstance(x, list):
        return [_plain(element) for element in x]
    if isinstance(x, onnx.TensorProto):
        x = numpy_helper.to_array(x)
    array = np.asarray(x)
    if array.dtype.kind in "US":
        array = array.astype(object)
    if array.dtype.kind == "O":
        flat = [e.decode() if isinstance(e, bytes) else e for e in array.reshape(-1)]
        array = np.asarray(flat, dtype=object).reshape(array.shape)
    return array


def difference(got: Any, wanted: Any, rtol: float, atol: float) -> str | None:
    """What tells a result from the expected one, or None."""
    if wanted is None or got is None:
        return None if wanted is None and got is None else f"is {_shown(got)}, not {_shown(wanted)}"
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return f"is {_shown(got)}, not {_shown(wanted)}"
        reasons = (difference(g, w, rtol, atol) for g, w in zip(got, wanted, strict=True))
        return next((reason for reason in reasons if reason is not None), None)
    if not isinstance(got, np.ndarray | np.generic):
        return f"is {_shown(got)}, not {_shown(wanted)}"
    if got.shape != wanted.shape:
        return f"has the shape {got.shape}, not {wanted.shape}"
    if dtypes.of(got.dtype) is not dtypes.of(wanted.dtype):
        return f"is of {got.dtype}, not {wanted.dtype}"
    return None if _close(np.asarray(got), wanted, rtol, atol) else "has other elements"


def _close(got: Any, wanted: Any, rtol: float, atol: float) -> bool:
    kind = dtypes.of(wanted.dtype)
    if rtol == inf:
        return True
    if kind is dtypes.text or kind.is_integer or kind is dtypes.bool_:
        return bool(np.array_equal(got, wanted))
    rtol = max(rtol, 2 * kind.epsilon) if kind.bits <= 16 else rtol
    wide = np.complex128 if kind.kind is dtypes.Kind.COMPLEX else np.float64
    return bool(np.allclose(got.astype(wide), wanted.astype(wide), rtol=rtol, atol=atol, equal_nan=True))


def _shown(x: Any) -> str:
    return f"a sequence of {len(x)}" if isinstance(x, list) else type(x).__name__


def _misjudged(graph: Graph, values: dict[str, Any]) -> str | None:
    """The first node whose shape rule contradicts what was computed, or None."""
    for node in graph.body.nodes:
        reason = _rule(node, values)
        if reason is not None:
            return f"infer of {node.op}: {reason}"
    return None


def _misinferred(graph: Graph, values: dict[str, Any]) -> str | None:
    """What the shape analysis, which sees only what the file declares, says against what was computed, or None."""
    found = infer(graph)
    if found.failures or found.violated or found.disagreements:
        wrong = [*found.failures, *(d.constraint.because for d in found.violated), *found.disagreements]
        return f"inference: {wrong[0]}"
    for value, tensor in found.types.items():
        real = _tensor(values.get(value.name))
        if real is not None and not unifies(tensor, real):
            return f"inference says {value} is {tensor}, not {real}"
    return None


def _rule(node: Node, values: dict[str, Any]) -> str | None:
    op = REGISTRY.get(node.op)
    if op is None or op.infer is None or node.regions:
        return None
    operands = [None if v is None else _tensor(values[v.name]) for v in node.inputs]
    if any(operand is None and v is not None for operand, v in zip(operands, node.inputs, strict=True)):
        return None
    require = Require(node.name)
    try:
        inferred = op.infer(*operands, require=require, **node.attributes)
    except UnknownRank:
        return None
    if require.violated:
        return f"demands that {require.violated[0]}"
    results = inferred if isinstance(inferred, tuple) else (inferred,)
    for value, tensor in zip(node.outputs, results, strict=False):
        real = _tensor(values[value.name])
        if real is not None and not _agrees(node.op, tensor, real):
            return f"says {tensor}, not {real}"
    return None


def _tensor(x: Any) -> Tensor | None:
    return constant(np.asarray(x)) if isinstance(x, np.ndarray | np.generic) else None


def _agrees(op: str, inferred: Tensor, real: Tensor) -> bool:
    """Whether the rule, which saw every operand, told the whole type, or what it can tell without the elements."""
    if op in DATA_DEPENDENT:
        return unifies(inferred, real)
    return inferred.dtype is real.dtype and inferred.shape == real.shape
