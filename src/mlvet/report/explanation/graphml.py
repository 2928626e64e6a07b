"""The provenance graph as GraphML, for networkx, Gephi, yEd and their like."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from mlvet.core.explanation import Explanation
from mlvet.report.explanation.graph import graph_of
from mlvet.report.strict_json import scrubbed
from mlvet.report.terminal import visible

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_KEYS = {
    "node": {"name": "string", "kind": "string", "value": "double", "share": "double"},
    "edge": {"derivative": "double", "share": "double", "sign": "int"},
}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(explanations: Sequence[Explanation]) -> str:
    graph = graph_of(explanations)
    root = ElementTree.Element("graphml", xmlns=_NAMESPACE)
    for domain, fields in _KEYS.items():
        for name, kind in fields.items():
            entry = {"id": f"{domain}-{name}", "for": domain, "attr.name": name, "attr.type": kind}
            ElementTree.SubElement(root, "key", entry)
    drawn = ElementTree.SubElement(root, "graph", id="provenance", edgedefault="directed")
    for number, vertex in enumerate(graph.vertices):
        node = ElementTree.SubElement(drawn, "node", id=f"n{number}")
        told = {"name": _text(vertex.name), "kind": vertex.kind, **_numbers(value=vertex.value, share=vertex.share)}
        _data(node, "node", told)
    for number, arrow in enumerate(graph.arrows):
        ends = {"id": f"e{number}", "source": f"n{arrow.source}", "target": f"n{arrow.target}"}
        told = {**_numbers(derivative=arrow.derivative, share=arrow.share), "sign": _sign(arrow.derivative)}
        _data(ElementTree.SubElement(drawn, "edge", ends), "edge", told)
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _data(parent: ElementTree.Element, domain: str, told: dict[str, str]) -> None:
    for name, value in told.items():
        ElementTree.SubElement(parent, "data", key=f"{domain}-{name}").text = value


def _numbers(**values: float) -> dict[str, str]:
    return {name: lexical(value) for name, value in values.items()}


def lexical(value: float) -> str:
    """A number as XML Schema writes doubles."""
    if math.isfinite(value):
        return repr(float(value))
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _sign(value: float) -> str:
    return "1" if value > 0 else "-1" if value < 0 else "0"


def _text(name: str) -> str:
    return _NO_XML.sub("\ufffd", visible(scrubbed(name)))
