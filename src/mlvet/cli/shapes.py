"""`mlvet shapes`: what every operator of a model yields, node by node, or every line of a program."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlvet.cli.streams import put, tell
from mlvet.core.errors import UsageError

if TYPE_CHECKING:
    from mlvet.analyses.shapes.inference import Inference
    from mlvet.ir.graph import Graph, Region, Value

_WIDEST_NAME = 48


def run(options: argparse.Namespace) -> int:
    """Print the shapes of one model file or program."""
    from mlvet.analyses.shapes.inference import infer
    from mlvet.core.errors import UnsupportedInput
    from mlvet.discovery import SOURCES, is_source
    from mlvet.frontends.models import PICKLES, SUFFIXES, is_saved_model, read_model

    path = Path(options.file)
    if not os.path.exists(path):
        raise UsageError(f"{path}: no such file or folder")
    if is_source(path):
        return _program(path, options)
    if path.suffix not in SUFFIXES | PICKLES and not is_saved_model(path):
        kinds = ", ".join(sorted(SUFFIXES | SOURCES))
        raise UsageError(f"{path}: neither a program nor a model file ({kinds}, or the folder of a SavedModel)")
    try:
        graph = read_model(path, os.fspath(path))
    except UnsupportedInput as error:
        raise UnsupportedInput(f"{path}: {error}") from None
    inference = infer(graph)
    if options.output_format == "json":
        put(json.dumps(_document(graph, inference), indent=2) + "\n")
    else:
        put("\n".join(_lines(graph, inference)) + "\n")
    for note in (*graph.notes, *inference.failures):
        tell(note)
    return 0


def _program(path: Path, options: argparse.Namespace) -> int:
    from mlvet.cli.program_shapes import document, lines
    from mlvet.core.config import load_config
    from mlvet.core.errors import UnsupportedInput
    from mlvet.frontends.python.program import interpret
    from mlvet.frontends.source import read_source

    try:
        source = read_source(path, os.fspath(path))
    except UnsupportedInput as error:
        raise UnsupportedInput(f"{path}: {error}") from None
    whole = Path(os.path.abspath(path))
    found = interpret(source, whole, models=load_config(whole.parent).models)
    if options.output_format == "json":
        put(json.dumps(document(source, path, found), indent=2) + "\n")
    else:
        put("\n".join(lines(source, found)) + "\n")
    for note in found.notes:
        tell(note)
    return 0


def _lines(graph: Graph, inference: Inference) -> Iterator[str]:
    for value in graph.inputs:
        yield f"input {value.name}: {_type(value, inference)}"
    names = [node.name for node in graph.nodes()]
    width = min(_WIDEST_NAME, max(map(len, names), default=0))
    yield from _region(graph.body, inference, width, "")
    for value in graph.outputs:
        yield f"output {value.name}: {_type(value, inference)}"
    left = inference.unanalysed.total()
    count = inference.analysed + left
    yield f"{count} operator{'s' if count != 1 else ''}, {left} without a shape rule"


def _region(region: Region, inference: Inference, width: int, indent: str) -> Iterator[str]:
    from mlvet.ir.graph import OPAQUE

    for node in region.nodes:
        operands = ", ".join("_" if value is None else _type(value, inference) for value in node.inputs)
        results = ", ".join(_type(value, inference) for value in node.outputs)
        op = node.op if node.op != OPAQUE else node.source_op
        yield f"{indent}{node.name:<{width}}  {op}({operands}) -> {results}"
        for inner in node.regions:
            yield f"{indent}  {inner.kind} {inner.name}:".rstrip()
            yield from _region(inner, inference, width, indent + "    ")


def _type(value: Value, inference: Inference) -> str:
    return str(inference.type_of(value))


def _document(graph: Graph, inference: Inference) -> dict[str, Any]:
    def typed(values: tuple[Value | None, ...]) -> list[dict[str, str] | None]:
        return [None if value is None else {"name": value.name, "type": _type(value, inference)} for value in values]

    nodes = [
        {
            "name": node.name,
            "op": node.op,
            "source_op": node.source_op,
            "inputs": typed(node.inputs),
            "outputs": typed(node.outputs),
        }
        for node in graph.nodes()
    ]
    return {
        "version": 1,
        "path": graph.path,
        "inputs": typed(graph.inputs),
        "outputs": typed(graph.outputs),
        "nodes": nodes,
        "operators": {"analysed": inference.analysed, "unanalysed": dict(inference.unanalysed)},
    }
