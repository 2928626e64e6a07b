"""Graphs of TensorFlow: what mlvet reads of them, and whether its shapes are those of TensorFlow's own shape functions.

Takes a folder with GraphDefs (`.pb`, `.pbtxt`), MetaGraphDefs (`.meta`) and SavedModels, and needs TensorFlow. A tensor
is compared where it has the same name on both sides, in functions too: `equal` counts those that both know alike,
`more` those of which mlvet knows more, `less` those of which TensorFlow knows more, `wrong`
those that cannot both be true.

    python benchmarks/graph/tensorflow_graphs.py FOLDER
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from table import Table  # noqa: E402

SHOWN = 12
"""How many differences of a kind are listed per graph."""


def main(folder: Path, *wanted: str) -> Table:
    """One row per graph."""
    opaque: Counter[str] = Counter()
    rows = [_row(path, opaque) for path in _graphs(folder) if not wanted or any(word in str(path) for word in wanted)]
    columns = (
        "graph",
        "nodes",
        "opaque",
        "equal",
        "more",
        "less",
        "wrong",
        "violated",
        "declared wrongly",
        "read",
        "infer",
    )
    listed = ", ".join(f"{name} ({count})" for name, count in opaque.most_common(40))
    command = "python benchmarks/graph/tensorflow_graphs.py FOLDER"
    return Table("tensorflow", "Graphs of TensorFlow", command, columns, rows, [f"Without a rule: {listed}."])


def _graphs(folder: Path) -> list[Path]:
    models = [path.parent for path in folder.rglob("saved_model.pb")]
    files = [path for ending in ("*.pb", "*.pbtxt", "*.meta") for path in folder.rglob(ending)]
    return sorted([*models, *(path for path in files if not any(model in path.parents for model in models))])


def _row(path: Path, opaque: Counter[str]) -> list[Any]:
    from mlvet.analyses.shapes.inference import infer
    from mlvet.core.errors import UnsupportedInput
    from mlvet.frontends.tensorflow import read_tensorflow

    started = time.perf_counter()
    try:
        graph = read_tensorflow(path, path.name)
    except UnsupportedInput as error:
        return [path.name, f"not read: {error}", *[""] * 9]
    read = time.perf_counter() - started
    found = infer(graph)
    inferred = time.perf_counter() - started - read
    opaque.update(found.unanalysed)
    counts = _compared(path, graph, found)
    for demand in found.violated[:SHOWN]:
        print(f"{path.name}: violated: {demand.node.name} {demand.node.source_op}: {demand.constraint.because} "
              f"({demand.constraint}) of {', '.join(map(str, demand.operands))}", file=sys.stderr)  # fmt: skip
    for item in found.disagreements[:SHOWN]:
        print(f"{path.name}: declared: {item.node.name} {item.node.source_op}: {item.value.declared}, "
              f"inferred {item.inferred}", file=sys.stderr)  # fmt: skip
    for failure in found.failures[:SHOWN]:
        print(f"{path.name}: failure: {failure}", file=sys.stderr)
    unknown = sum(found.unanalysed.values())
    total = found.analysed + unknown
    return [
        path.name, total, f"{100 * unknown / max(total, 1):.1f} %",
        *(counts[kind] for kind in ("equal", "more", "less", "wrong")),
        len(found.violated), len(found.disagreements), f"{read:.1f} s", f"{inferred:.1f} s",
    ]  # fmt: skip


def _compared(path: Path, graph: Any, found: Any) -> Counter[str]:
    """How the shapes of both sides stand to each other, over all tensors with a name on both."""
    theirs = dict(_known(path))
    counts: Counter[str] = Counter()
    lesser: Counter[str] = Counter()
    seen = set()
    for node in graph.nodes():
        function = node.stack[-1].function if node.stack else ""
        for value in node.outputs:
            shape = theirs.get((function, value.name))
            if shape is None or shape[0] != node.source_op or value in seen:
                continue
            seen.add(value)
            kind = _kind(found.type_of(value), shape[1])
            counts[kind] += 1
            if kind == "less":
                lesser[f"{node.source_op}/{node.op}"] += 1
            if kind == "wrong" and counts[kind] <= SHOWN:
                print(f"{path.name}: wrong: {function}/{value.name} {node.source_op}: {found.type_of(value)}, "
                      f"TensorFlow {shape[1]}", file=sys.stderr)  # fmt: skip
    if lesser:
        print(f"{path.name}: less: {lesser.most_common(SHOWN)}", file=sys.stderr)
    return counts


def _kind(ours: Any, theirs: list[int | None] | None) -> str:
    if theirs is None:
        return "more" if ours.ranked else "equal"
    if not ours.ranked:
        return "less"
    if len(ours.dims) != len(theirs):
        return "wrong"
    pairs = list(zip(ours.dims, theirs, strict=True))
    if any(isinstance(left, int) and right is not None and left != right for left, right in pairs):
        return "wrong"
    if any(right is not None and not isinstance(left, int) for left, right in pairs):
        return "less"
    return "more" if any(right is None and isinstance(left, int) for left, right in pairs) else "equal"


def _known(path: Path) -> Iterator[tuple[tuple[str, str], tuple[str, list[int | None] | None]]]:
    """By function and tensor: the operator and the shape that TensorFlow finds by itself."""
    import tensorflow as tf
    from tensorflow.python.framework.function_def_to_graph import function_def_to_graph

    definition = _definition(path)
    graphs = [("", tf.Graph())]
    with graphs[0][1].as_default():
        for node in definition.node:
            node.attr.pop("_output_shapes", None)
        try:
            tf.import_graph_def(definition, name="")
        except Exception as error:
            print(f"{path.name}: TensorFlow does not import it: {str(error)[:300]}", file=sys.stderr)
            return
        for function in definition.library.function:
            try:
                graphs.append((function.signature.name, function_def_to_graph(function)))
            except Exception as error:
                print(f"{path.name}: {function.signature.name}: {str(error)[:100]}", file=sys.stderr)
    for name, graph in graphs:
        for operation in graph.get_operations():
            for index, tensor in enumerate(operation.outputs):
                if tensor.dtype not in (tf.resource, tf.variant):
                    rank = tensor.shape.rank
                    shown = f"{operation.name}:{index}" if index else operation.name
                    yield (name, shown), (operation.type, None if rank is None else list(tensor.shape))


def _definition(path: Path) -> Any:
    """The GraphDef of a file or of a SavedModel."""
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    if path.is_dir():
        saved = saved_model_pb2.SavedModel()
        saved.ParseFromString((path / "saved_model.pb").read_bytes())
        return saved.meta_graphs[0].graph_def
    if path.suffix == ".meta":
        meta = meta_graph_pb2.MetaGraphDef()
        meta.ParseFromString(path.read_bytes())
        return meta.graph_def
    graph = graph_pb2.GraphDef()
    if path.suffix == ".pbtxt":
        text_format.Parse(path.read_text(), graph)
    else:
        graph.ParseFromString(path.read_bytes())
    return graph


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), *sys.argv[2:]).markdown())
