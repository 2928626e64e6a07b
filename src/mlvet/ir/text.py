"""The text form of a graph: one node a line, regions indented, and everything can be read back.

    mlvet-graph 1 "net" format="onnx"
    parameter %w: f32[64, 3, 7, 7] name="conv.weight" module="conv"
    graph(%x: f32[batch, 3, 224, 224]) {
      %y: f32[batch, 64, 112, 112] = conv(%x, %w, _) {strides=(2, 2)} @conv1 at "net.py":12
      return %y
    }
    host_loop "for batch" trips=`steps` carried=[%w to %w_next] at "net.py":30

It spells the JSON form and no more: what is left out here is left out there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.ir.graph import Graph
from mlvet.ir.json_form import from_json, to_json

Json: TypeAlias = Mapping[str, Any]

LARGEST = 256 << 20

NAME = re.compile(r"[A-Za-z0-9_.#/]+(?::[0-9]+)?", re.ASCII)
"""A value or node name that needs no quotes after `%` or `@`."""
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*", re.ASCII)
"""Any other name that needs no quotes."""


def to_text(graph: Graph) -> str:
    """The graph as text that `from_text` reads."""
    return "\n".join(_lines(to_json(graph))) + "\n"


def from_text(text: str) -> Graph:
    """The graph that a text describes; raises UnsupportedInput with the number of the line that is at fault."""
    from mlvet.ir.text_reader import parse

    return from_json(parse(text))


def read_text(path: Path, shown: str) -> Graph:
    """The graph of a text file; its nodes are places in that file."""
    if path.stat().st_size > LARGEST:
        raise UnsupportedInput(f"more than {LARGEST >> 20} MB of text")
    try:
        graph = from_text(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UnsupportedInput("not UTF-8 text") from None
    return graph if graph.path else replace(graph, path=shown)


def _lines(form: Json) -> Iterator[str]:
    head = f"mlvet-graph {form['version']} {_quote(form['name'])}"
    yield head + "".join(f" {key}={_quote(form[key])}" for key in ("path", "format", "producer") if key in form)
    for note in form.get("notes", ()):
        yield f"note {_quote(note)}"
    for entry in form.get("symbols", ()):
        alias = f" = {_quote(entry['symbol'])}" if "symbol" in entry else ""
        yield f"symbol {_quote(entry['name'])}{alias} from {entry['low']} to {entry['high']}"
    for entry in form.get("undefined", ()):
        yield f"undefined {_value(entry)}"
    for entry in form.get("parameters", ()):
        yield _parameter(entry)
    yield from _region(form["body"], "", "")
    for name, region in form.get("functions", {}).items():
        yield from _region(region, "", f"function {_quote(name)} ")
    for entry in form.get("executions", ()):
        yield _execution(entry)
    for entry in form.get("loops", ()):
        yield _host_loop(entry)


def _region(form: Json, indent: str, before: str) -> Iterator[str]:
    name = f" {_quote(form['name'])}" if "name" in form else ""
    inputs = ", ".join(map(_value, form.get("inputs", ())))
    yield f"{indent}{before}{_word(form['kind'])}{name}({inputs}) {{"
    inner = indent + "  "
    for entry in form.get("constants", ()):
        yield f"{inner}constant {_value(entry['value'])} = {_data(entry['data'])}"
    for node in form["nodes"]:
        yield inner + _node(node)
        for region in node.get("regions", ()):
            yield from _region(region, inner + "  ", "do ")
    for region in form.get("iterations", ()):
        yield from _region(region, inner, "iteration ")
    yield f"{inner}return {', '.join(map(_used, form['outputs']))}".rstrip()
    yield f"{indent}}}"


def _node(form: Json) -> str:
    parts = [", ".join(map(_value, form["outputs"])) or "_", "="]
    parts.append(f"{_word(form['op'])}({', '.join('_' if name is None else _used(name) for name in form['inputs'])})")
    if attributes := form.get("attributes"):
        parts.append("{" + ", ".join(f"{_word(key)}={_literal(value)}" for key, value in attributes.items()) + "}")
    parts.append("@" + _name(form["name"]))
    if "source_op" in form:
        parts.append(f"source={_quote(form['source_op'])}")
    parts += [f"{key}={_quote(form[key])}" for key in ("module", "device") if key in form]
    if "location" in form:
        parts.append(_location(form["location"]))
    if stack := form.get("stack"):
        frames = ", ".join(f"{_quote(frame['function'])} {_location(frame['location'])}" for frame in stack)
        parts.append(f"stack=[{frames}]")
    if control := form.get("control"):
        parts.append(f"control=[{', '.join('@' + _name(name) for name in control)}]")
    if guards := form.get("guards"):
        outcomes = (("" if guard["holds"] else "not ") + _quote(guard["condition"]) for guard in guards)
        parts.append(f"guards=[{', '.join(outcomes)}]")
    if loops := form.get("loops"):
        entries = (f"{_quote(entry['loop'])}[{'*' if entry['index'] is None else entry['index']}]" for entry in loops)
        parts.append(f"loops=[{', '.join(entries)}]")
    return " ".join(parts)


def _parameter(form: Json) -> str:
    parts = [f"parameter {_value(form['value'])} name={_quote(form['name'])}"]
    if "module" in form:
        parts.append(f"module={_quote(form['module'])}")
    if initialiser := form.get("initialiser"):
        figures = ", ".join(f"{_word(name)}={_literal(figure)}" for name, figure in initialiser["figures"])
        parts.append(f"init={_word(initialiser['name'])}({figures})")
    if "data" in form:
        parts.append(f"data={_data(form['data'])}")
    if "trainable" in form:
        parts.append("frozen")
    return " ".join(parts)


def _execution(form: Json) -> str:
    parts = [f"execute {_quote(form['kind'])} fetches=[{', '.join(map(_used, form['fetches']))}]"]
    if "feeds" in form:
        parts.append(f"feeds=[{', '.join(map(_used, form['feeds']))}]")
    if "targets" in form:
        parts.append(f"targets=[{', '.join('@' + _name(name) for name in form['targets'])}]")
    if "location" in form:
        parts.append(_location(form["location"]))
    return " ".join(parts)


def _host_loop(form: Json) -> str:
    parts = [f"host_loop {_quote(form['name'])}"]
    if "trips" in form:
        trips = form["trips"]
        parts.append(f"trips={trips if isinstance(trips, int) else f'`{trips}`'}")
    if "parent" in form:
        parts.append(f"parent={_quote(form['parent'])}")
    if carried := form.get("carried"):
        parts.append(f"carried=[{', '.join(f'{_used(before)} to {_used(after)}' for before, after in carried)}]")
    if "location" in form:
        parts.append(_location(form["location"]))
    return " ".join(parts)


def _value(form: Json) -> str:
    if "shape" not in form:
        return _used(form["name"])
    shape = form["shape"]
    if isinstance(shape, Mapping):
        rest = "..." if shape["unranked"] == form["name"] else f"...{_quote(shape['unranked'])}"
        dims = ", ".join((rest, *map(str, shape.get("ends", ()))))
    else:
        dims = ", ".join(map(str, shape))
    known = f" is {_array(form['value'])}" if "value" in form else ""
    return f"{_used(form['name'])}: {form['dtype'] or '?'}[{dims}]{known}"


def _data(form: Json) -> str:
    return _array(form) if "elements" in form else f"{form['dtype']}[{', '.join(map(str, form['shape']))}] ..."


def _array(form: Json) -> str:
    elements = ", ".join(map(_literal, form["elements"]))
    return f"{form['dtype']}[{', '.join(map(str, form['shape']))}] [{elements}]"


def _location(form: Json) -> str:
    rest = {key: value for key, value in form.items() if key != "path"}
    text = f"at {_quote(form['path'])}"
    if "line" in rest:
        text += f":{rest.pop('line')}"
        if "column" in rest:
            text += f":{rest.pop('column')}"
    return text + (f"({', '.join(f'{key}={_literal(value)}' for key, value in rest.items())})" if rest else "")


def _literal(form: Any) -> str:
    match form:
        case None | bool():
            return {None: "none", True: "true", False: "false"}[form]
        case str():
            return _quote(form)
        case int() | float():
            return repr(form)
        case list():
            return f"({', '.join(map(_literal, form))}{',' if len(form) == 1 else ''})"
    ((kind, content),) = form.items()
    match kind:
        case "list":
            return f"[{', '.join(map(_literal, content))}]"
        case "dict":
            return "{" + ", ".join(f"{_word(key)}={_literal(value)}" for key, value in content.items()) + "}"
        case "size":
            return f"`{content}`"
        case "complex":
            return f"complex({', '.join(map(_literal, content))})"
        case "bytes":
            return f"bytes({_quote(content)})"
        case "array":
            return _array(content)
        case _:
            return str(content)


def _used(name: str) -> str:
    return "%" + _name(name)


def _name(name: str) -> str:
    return name if NAME.fullmatch(name) else _quote(name)


def _word(name: str) -> str:
    return name if WORD.fullmatch(name) else _quote(name)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
