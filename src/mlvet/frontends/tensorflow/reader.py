"""A file or a live graph of TensorFlow into a graph of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.domains.tensors import Tensor
from mlvet.frontends.collection import paused
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow import container, expansion, functional, tensors, variables
from mlvet.frontends.tensorflow.container import Stored
from mlvet.frontends.tensorflow.flow import Flow, Port, needed, of_function, of_graph
from mlvet.frontends.tensorflow.translate import Scope, Translator
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Data, Execution, Graph, Region

DEFAULT_SIGNATURE = "serving_default"
_NO_RESULT = frozenset({"Const", "Placeholder", "VariableV2", "VarHandleOp", "VarIsInitializedOp", "Exit"})
_UPDATES = ("Assign", "Apply", "ResourceApply", "Scatter", "Restore", "Merge")
_SCALAR_PLACEHOLDERS = 24
"""The version of graphs since which a placeholder without dims is a single number."""
_INITIALISING = "__saved_model_init_op"


def read_tensorflow(path: Path, shown: str) -> Graph:
    """The graph in a GraphDef, MetaGraphDef or SavedModel, in binary or text form."""
    with paused():
        return _build(container.read(path), shown, path.stem if path.is_file() else path.name)


def from_tensorflow(source: Any, name: str = "") -> Graph:
    """The graph of a path, or of a live `tf.Graph`, concrete function or function of one known signature."""
    if isinstance(source, str | Path):
        return read_tensorflow(Path(source), str(source))
    graph = getattr(source, "graph", source)
    if not hasattr(graph, "as_graph_def") and hasattr(source, "get_concrete_function"):
        graph = source.get_concrete_function().graph
    if not hasattr(graph, "as_graph_def"):
        raise UsageError(f"a path or a TensorFlow graph is needed, not {type(source).__name__}")
    data = graph.as_graph_def().SerializeToString()
    given = getattr(source, "name", "") or "graph"
    name = name or (given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given))
    with paused():
        return _build(container.read_bytes(memoryview(data)), name, name, _captured(graph))


def _captured(graph: Any) -> dict[str, variables.Captured]:
    """The variables that a live graph gets through placeholders, by the placeholders' names."""
    by_handle = {id(variable.handle): variable for variable in getattr(graph, "variables", ())}
    found = {}
    for outer, inner in getattr(graph, "captures", ()):
        variable = by_handle.get(id(outer))
        if variable is None:
            continue
        dtype = tensors.dtype_of(variable.dtype.as_datatype_enum)
        if dtype is None or variable.shape.rank is None or None in tuple(variable.shape):
            continue
        shape = tuple(int(dim) for dim in variable.shape)
        name = variable.name.partition(":")[0]
        value = Data(dtype, shape, variable.numpy)
        found[inner.op.name] = variables.Captured(name, Tensor(dtype, shape), bool(variable.trainable), value)
    return found


def _build(stored: Stored, shown: str, name: str, captured: Mapping[str, variables.Captured] | None = None) -> Graph:
    library = _library(stored.graph)
    flow = of_graph(stored.graph, library)
    facts = variables.gather(flow, lambda called: _flow(called, library), stored.meta, stored.checkpoint)
    facts.captured = captured or {}
    translator = Translator(library, facts, shown)
    signatures = _signatures(stored.meta, flow)
    served = [port for _, _, outputs in signatures for port in outputs]
    chosen = needed(flow, [port[0] for port in served]) if served else range(len(flow.steps))
    if library:
        expansion.check(((flow.steps[index].op, flow.steps[index].attributes.resolved()) for index in chosen), library)
    versions = stored.graph.versions
    translator.old = versions is not None and 0 < versions.producer < _SCALAR_PLACEHOLDERS
    translator.written = variables.written(flow, chosen, library)
    builder = Builder("graph", name)
    scope = Scope(builder, flow, translator.arranged(flow, chosen))
    _declare_inputs(translator, scope, signatures)
    translator.block(scope, scope.arrangement.block)
    outputs = signatures[0][2] if signatures else _ends(flow)
    executions = [
        Execution(
            f"signature {key}",
            tuple(translator.operand(scope, port) for port in fetched),
            tuple(value for port in fed if (value := scope.value(port)) is not None),
        )
        for key, fed, fetched in signatures
    ]
    results = [translator.operand(scope, port) for port in outputs if signatures or scope.value(port) is not None]
    functions = _functions(translator, builder) if not flow.steps else {}
    return builder.graph(
        results,
        functions=functions,
        executions=executions,
        path=shown,
        format=stored.format,
        producer=_producer(stored),
        notes=[*stored.notes, *facts.notes, *translator.notes],
    )


def _library(graph: Record) -> dict[str, Record]:
    functions = graph.library.function if graph.library is not None else []
    found: dict[str, Record] = {}
    for function in functions:
        if function.signature is None or not function.signature.name:
            raise UnsupportedInput("the library holds a function without a name")
        if function.signature.name in found:
            raise UnsupportedInput(f"two functions are called `{function.signature.name}`")
        found[function.signature.name] = function
    return found


def _flow(name: str, library: Mapping[str, Record]) -> Flow | None:
    """A function, if it restores variables."""
    function = library.get(name)
    if function is None or not any(node.op == "RestoreV2" for node in function.node_def):
        return None
    return of_function(function, library)


def _signatures(meta: Record | None, flow: Flow) -> list[tuple[str, list[Port], list[Port]]]:
    """The signatures whose tensors the graph has, the default one first: what goes in and what comes out."""
    found = []
    for key, signature in sorted((meta.signature_def if meta is not None else {}).items()):
        if key == _INITIALISING or signature is None:
            continue
        inputs = [flow.port(name) for _, info in sorted(signature.inputs.items()) for name in _tensors(info)]
        outputs = [flow.port(name) for _, info in sorted(signature.outputs.items()) for name in _tensors(info)]
        present = [port for port in outputs if port is not None]
        if present and len(present) == len(outputs):
            found.append((key, [port for port in inputs if port is not None], present))
    return sorted(found, key=lambda item: item[0] != DEFAULT_SIGNATURE)


def _tensors(info: Record | None) -> Sequence[str]:
    if info is None:
        return []
    if info.coo_sparse is not None:
        sparse = info.coo_sparse
        return [sparse.indices_tensor_name, sparse.values_tensor_name, sparse.dense_shape_tensor_name]
    if info.composite_tensor is not None:
        return [part.name for part in info.composite_tensor.components]
    return [info.name]


def _declare_inputs(
    translator: Translator, scope: Scope, signatures: Sequence[tuple[str, list[Port], list[Port]]]
) -> None:
    """Make what the signatures feed enter the graph in their order."""
    for _, fed, _ in signatures:
        for port in fed:
            step = scope.flow.steps[port[0]]
            if step.op in ("Placeholder", "PlaceholderV2") and port not in scope.values:
                scope.values[port] = translator.placeholder(scope, step)


def _ends(flow: Flow) -> list[Port]:
    """The tensors that no step takes: what a graph without signatures computes."""
    return [
        (index, position)
        for index, step in enumerate(flow.steps)
        if not step.used and step.kind not in _NO_RESULT and not step.op.startswith(_UPDATES)
        for position in range(min(step.results, 1))
    ]


def _functions(translator: Translator, builder: Builder) -> dict[str, Region]:
    """The functions that no other function calls, for a file that is only a library."""
    called = {
        reference.name
        for function in translator.library.values()
        for node in function.node_def
        for attribute in node.attr.values()
        for reference in variables.references(attribute)
    }
    regions = {}
    for name in translator.library:
        if name in called:
            continue
        flow, arrangement = translator.function(name)
        inner = Scope(builder.region("function", name), flow, arrangement, functions=(name,))
        for position, step in enumerate(flow.arguments):
            inner.values[step, 0] = functional.argument(translator, inner, position)
        translator.block(inner, arrangement.block)
        regions[name] = inner.builder.close([translator.operand(inner, port) for port in flow.results])
    return regions


def _producer(stored: Stored) -> str:
    info = stored.meta.meta_info_def if stored.meta is not None else None
    if info is not None and info.tensorflow_version:
        return f"TensorFlow {info.tensorflow_version}"
    versions = stored.graph.versions
    return f"TensorFlow (producer {versions.producer})" if versions is not None and versions.producer else ""


def opaque_operators(graph: Graph) -> dict[str, int]:
    """How many nodes of each of TensorFlow's operators have no canonical form."""
    counts: dict[str, int] = {}
    for node in graph.nodes():
        if node.op == OPAQUE:
            counts[node.source_op] = counts.get(node.source_op, 0) + 1
    return counts
