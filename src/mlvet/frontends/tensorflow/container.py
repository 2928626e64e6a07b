"""Which of TensorFlow's files this is, and the graph, functions, signatures and variables that it holds."""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass, field
from pathlib import Path

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.protobuf import schema, textform, wire
from mlvet.frontends.protobuf.wire import Malformed, Record

_HEAD = 512
_OP = re.compile(r"[A-Za-z_][\w.>-]*\Z")
_FIRST_WORD = re.compile(r"(?:\s+|#[^\n]*)*([A-Za-z_]\w*)")
_GRAPH_FIELDS = {"node", "library", "version", "versions"}
_META_FIELDS = {"meta_info_def", "graph_def", "saver_def", "collection_def", "signature_def", "object_graph_def"}
_SAVED_FIELDS = {"saved_model_schema_version", "meta_graphs"}


@dataclass(slots=True)
class Stored:
    """What one file or folder holds. `meta` is None for a bare graph, `checkpoint` the prefix of variables' values."""

    format: str
    graph: Record
    meta: Record | None = None
    checkpoint: Path | None = None
    notes: list[str] = field(default_factory=list)


def read(path: Path) -> Stored:
    """The graph in a file of any of the forms, or in the folder of a saved model."""
    file = _in_folder(path) if path.is_dir() else path
    stored = read_bytes(_mapped(file), file.name.startswith("saved_model.pb"))
    if stored.format == "saved_model":
        prefix = file.parent / "variables" / "variables"
        stored.checkpoint = prefix if Path(f"{prefix}.index").is_file() else None
    return stored


def read_bytes(data: memoryview, saved_model: bool = False) -> Stored:
    """The graph in the bytes of a file."""
    if not len(data):
        raise UnsupportedInput("the file is empty")
    types = schema.load("tensorflow")
    if _is_text(data):
        return _from_text(data, types)
    if saved_model or data[0] == 0x08:
        try:
            return _saved(wire.decode(data, types["SavedModel"]))
        except Malformed as error:
            raise UnsupportedInput(f"no TensorFlow model: {error}") from None
    return _graph_or_meta(data, types)


def _in_folder(folder: Path) -> Path:
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        if (folder / name).is_file():
            return folder / name
    raise UnsupportedInput("the folder holds no saved_model.pb")


def _mapped(file: Path) -> memoryview:
    try:
        with file.open("rb") as opened:
            if not file.stat().st_size:
                raise UnsupportedInput("the file is empty")
            return memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise UnsupportedInput(f"cannot be read ({error.strerror})") from None


def _is_text(data: memoryview) -> bool:
    head = bytes(data[:_HEAD])
    return not any(byte < 0x20 and byte not in b"\t\n\r\f\v" for byte in head)


def _from_text(data: memoryview, types: dict[str, schema.Message]) -> Stored:
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError:
        raise UnsupportedInput("neither a TensorFlow graph in text form nor in binary form") from None
    found = _FIRST_WORD.match(text)
    word = found.group(1) if found else ""
    if word in _GRAPH_FIELDS:
        return Stored("graphdef", textform.parse(text, types["GraphDef"]))
    if word in _META_FIELDS:
        return _meta(textform.parse(text, types["MetaGraphDef"]), "metagraph")
    if word in _SAVED_FIELDS:
        return _saved(textform.parse(text, types["SavedModel"]))
    raise UnsupportedInput(f"no TensorFlow graph: the text starts with `{word or text[:20].strip()}`")


def _graph_or_meta(data: memoryview, types: dict[str, schema.Message]) -> Stored:
    problem: Malformed | None = None
    try:
        graph = wire.decode(data, types["GraphDef"])
        if _plausible(graph):
            return Stored("graphdef", graph)
    except Malformed as error:
        problem = error
    try:
        meta = wire.decode(data, types["MetaGraphDef"])
        if meta.graph_def is not None and _plausible(meta.graph_def):
            return _meta(meta, "metagraph")
    except Malformed:
        pass
    raise UnsupportedInput(f"no TensorFlow graph: {problem or 'it holds no operators'}")


def _plausible(graph: Record) -> bool:
    if not graph.node and graph.library is None:
        return False
    return all(_OP.match(node.op) and node.name for node in graph.node)


def _saved(model: Record) -> Stored:
    graphs = model.meta_graphs
    if not graphs:
        raise UnsupportedInput("the saved model holds no graph")
    serving = [meta for meta in graphs if meta.meta_info_def is not None and "serve" in meta.meta_info_def.tags]
    stored = _meta((serving or graphs)[0], "saved_model")
    if len(graphs) > 1:
        stored.notes.append(f"the saved model holds {len(graphs)} graphs; the one for serving is read")
    return stored


def _meta(meta: Record, format: str) -> Stored:
    if meta.graph_def is None:
        raise UnsupportedInput("the file holds no graph")
    return Stored(format, meta.graph_def, meta)
