"""The provenance graph as W3C PROV-JSON: values are entities, the run is an activity that used and generated them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mlvet import __version__
from mlvet.core.explanation import Explanation
from mlvet.report.explanation.graph import INPUT, graph_of
from mlvet.report.explanation.graphml import lexical
from mlvet.report.strict_json import dumps

_PREFIXES = {"mlvet": "urn:mlvet:provenance:", "run": "urn:mlvet:run:"}
_RUN, _AGENT = "run:traced", "mlvet:mlvet"


def render(explanations: Sequence[Explanation]) -> str:
    """One document. A derivation has the derivative and the share of the influence as attributes of `mlvet:`."""
    graph = graph_of(explanations)
    names = [f"run:{vertex.kind}-{number}" for number, vertex in enumerate(graph.vertices)]
    kinds = [(name, vertex.kind) for name, vertex in zip(names, graph.vertices, strict=True)]
    document: dict[str, Any] = {
        "prefix": _PREFIXES,
        "entity": {
            name: {
                "prov:label": vertex.name,
                "prov:type": {"$": f"mlvet:{vertex.kind}", "type": "prov:QUALIFIED_NAME"},
                "prov:value": _double(vertex.value),
                "mlvet:share": _double(vertex.share),
            }
            for name, vertex in zip(names, graph.vertices, strict=True)
        },
        "activity": {_RUN: {"prov:label": "the traced run of the program"}},
        "agent": {
            _AGENT: {
                "prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"},
                "prov:label": f"mlvet {__version__}",
            }
        },
        "used": _relations(
            "u", [{"prov:activity": _RUN, "prov:entity": name} for name, kind in kinds if kind == INPUT]
        ),
        "wasGeneratedBy": _relations(
            "g", [{"prov:entity": name, "prov:activity": _RUN} for name, kind in kinds if kind != INPUT]
        ),
        "wasDerivedFrom": _relations(
            "d",
            [
                {
                    "prov:generatedEntity": names[arrow.target],
                    "prov:usedEntity": names[arrow.source],
                    "prov:activity": _RUN,
                    "mlvet:derivative": _double(arrow.derivative),
                    "mlvet:share": _double(arrow.share),
                }
                for arrow in graph.arrows
            ],
        ),
        "wasAssociatedWith": _relations("a", [{"prov:activity": _RUN, "prov:agent": _AGENT}]),
    }
    return dumps({key: value for key, value in document.items() if value}) + "\n"


def _relations(letter: str, records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {f"_:{letter}{number}": record for number, record in enumerate(records)}


def _double(value: float) -> float | dict[str, str]:
    return value if math.isfinite(value) else {"$": lexical(value), "type": "xsd:double"}
