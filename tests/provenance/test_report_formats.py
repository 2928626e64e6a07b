"""The answers of `why` in each format but HTML."""

from __future__ import annotations

import builtins
import io
import json
import math
from dataclasses import replace
from typing import Any

import networkx as nx
import pyarrow.parquet as pq
import pytest

from mlvet.core.errors import UsageError
from mlvet.core.explanation import Explanation, Influence
from mlvet.core.source import Source
from mlvet.report.explanation import FORMATS, parquet, render
from mlvet.report.explanation.graph import graph_of, widest_path
from tests.provenance.answers import HOSTILE, LOST, RANK

EMPTY = Explanation("y", 1.0, (), 0, 0.0)


def text(format: str, *explanations: Explanation, **options: Any) -> str:
    told = render(format, explanations, **options)
    assert isinstance(told, str)
    told.encode()
    assert told.endswith("\n")
    return told


def test_the_terminal_table() -> None:
    assert text("full", RANK, histogram=True).splitlines() == [
        'ranks["a"] = 0.0123   of 7,015 inputs; it hangs on 6,900 of them at all',
        "  input              value  derivative  elasticity   share  so far",
        '  weights["b"]["a"]      2     +0.0046       +0.75  60.0 %  60.0 %  ####################',
        '  weights["b"]["c"]      3     -0.0011       -0.27  21.0 %  81.0 %  #######',
        '  ranks["a"]           0.1     +0.0009     +0.0073   7.0 %  88.0 %  ##',
        "  and 7,012 more inputs with 12.0 % of the influence",
        "  strongest ways:",
        '    weights["b"]["a"] -> shares["b"] -> ranks["a"]',
        '    weights["b"]["c"] -> shares["b"] -> ranks["a"]',
        "  comparisons that a small change turns:",
        "    pagerank.py:30  delta < epsilon",
        '      weights["b"]["a"] down by 1.5e-06: the output jumps by 0.002 (confirmed by a run)',
        '      weights["b"]["c"] up by 0.00025: the other side was not run (not confirmed)',
        "  the chain breaks, so influence that went through here is missing:",
        "    pagerank.py:12  `json.dumps` takes a traced number, 3 times",
        "  inputs by share of the influence (bars in powers of ten):",
        "    from      0      5,000  ####################",
        "    from   1e-5      1,200  #################",
        "    from   1e-4        800  ################",
        "    from   1e-3         12  #######",
        "    from   1e-2          1  #",
        "    from   1e-1          2  ###",
        "  note: the replay took the same branches as the run",
        "",
        "pagerank.py:7: warning[dominating-input] likely",
        '   one input makes most of `ranks["a"]`',
        "   = note: assuming weights are not negative",
    ]


def test_the_histogram_is_shown_on_request_only() -> None:
    assert "powers of ten" not in text("full", RANK)


def test_findings_show_their_source_line_and_are_told_once() -> None:
    sources = {"pagerank.py": Source("pagerank.py", "\n" * 6 + "ranks = run()\n")}
    told = text("full", RANK, RANK, sources=sources)
    assert "7 | ranks = run()" in told
    assert told.count("warning[dominating-input]") == 1


def test_nothing_in_a_name_moves_the_cursor() -> None:
    told = text("full", LOST)
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "\x1b[1;31m" in text("full", RANK, color=True)


def test_an_output_without_inputs() -> None:
    assert text("full", EMPTY) == "y = 1   of 0 inputs\n  It hangs on no input.\n"
    assert text("full") == "There is nothing to explain.\n"


def test_a_long_name_keeps_its_end() -> None:
    long = replace(EMPTY, influences=(Influence("x" * 80 + '["end"]', 1.0, 1.0, 1.0, 1.0),), inputs=1)
    row = text("full", long).splitlines()[2]
    assert row.startswith("  ...x")
    assert '["end"]  ' in row


def test_the_json_of_one_question_has_the_keys_of_the_contract_at_its_top() -> None:
    document = json.loads(text("json", RANK))
    assert {"output", "value", "influences", "residual_share", "flips", "findings"} <= set(document)
    assert set(document["influences"][0]) == {"input", "value", "derivative", "elasticity", "share"}
    assert {"input", "distance", "side", "jump", "line", "confirmed"} <= set(document["flips"][0])
    shares = [each["share"] for each in document["influences"]]
    assert shares == sorted(shares, reverse=True)
    assert document["findings"][0]["code"] == "PRV101"
    assert document["histogram"][0] == {"from": 0.0, "inputs": 5000}


def test_the_json_of_several_questions_is_a_list() -> None:
    document = json.loads(text("json", RANK, LOST))
    assert [each["output"] for each in document["explanations"]] == ['ranks["a"]', HOSTILE]
    assert document["explanations"][1]["value"] == "NaN"
    assert document["explanations"][1]["influences"][0]["value"] == "Infinity"


def test_the_parquet_table() -> None:
    held = render("parquet", [RANK, LOST])
    assert isinstance(held, bytes)
    table = pq.read_table(io.BytesIO(held)).to_pydict()
    assert list(table) == ["output", "input", "value", "derivative", "elasticity", "share"]
    assert table["output"] == ['ranks["a"]'] * 3 + [HOSTILE]
    assert table["share"] == [0.6, 0.21, 0.07, 1.0]
    assert math.isnan(table["derivative"][3])


def test_the_parquet_table_of_many_outputs_is_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 100)
    file = io.BytesIO()

    def answers() -> Any:
        for number in range(200):
            yield replace(RANK, output=f"y[{number}]")

    assert parquet.write(answers(), file) == 600
    found = pq.ParquetFile(file)
    assert (found.metadata.num_rows, found.num_row_groups) == (600, 6)


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match=r"mlvet\[parquet\]"):
        render("parquet", [RANK])


def test_graphml_loads_in_networkx() -> None:
    graph = nx.parse_graphml(text("graphml", RANK, LOST))
    names = {data["name"]: data for _, data in graph.nodes(data=True) if data["kind"] == "output"}
    assert names['ranks["a"]']["value"] == 0.0123
    assert [data["name"] for _, data in graph.nodes(data=True)].count('ranks["a"]') == 2
    assert graph.number_of_edges() == 5
    signs = {data["sign"] for _, _, data in graph.edges(data=True)}
    assert signs == {-1, 0, 1}
    assert any(math.isnan(data["derivative"]) for _, _, data in graph.edges(data=True))
    assert any(math.isinf(data["value"]) for _, data in graph.nodes(data=True))


def test_graphml_takes_characters_that_xml_lacks() -> None:
    odd = replace(EMPTY, output="y\x00\ufffe\ud800<&>\n")
    (node,) = nx.parse_graphml(text("graphml", odd)).nodes(data=True)
    assert "<&>" in node[1]["name"]


RELATIONS = {
    "used": {"prov:activity": "activity", "prov:entity": "entity"},
    "wasGeneratedBy": {"prov:entity": "entity", "prov:activity": "activity"},
    "wasDerivedFrom": {"prov:generatedEntity": "entity", "prov:usedEntity": "entity", "prov:activity": "activity"},
    "wasAssociatedWith": {"prov:activity": "activity", "prov:agent": "agent"},
}


def test_prov_json_has_the_structure_of_the_w3c() -> None:
    document = json.loads(text("prov-json", RANK, LOST))
    assert set(document) == {"prefix", "entity", "activity", "agent", *RELATIONS}
    prefixes = {*document["prefix"], "prov", "xsd"}
    for kind in ("entity", "activity", "agent"):
        for name, attributes in document[kind].items():
            assert name.split(":")[0] in prefixes
            assert all(key.split(":")[0] in prefixes for key in attributes)
            assert all(literal(value) for value in attributes.values())
    for relation, ends in RELATIONS.items():
        for name, record in document[relation].items():
            assert name.startswith("_:")
            assert all(record[end] in document[kind] for end, kind in ends.items())
    derived = document["wasDerivedFrom"].values()
    assert {each["mlvet:share"] for each in derived} >= {0.6, 0.21}
    assert {"$": "NaN", "type": "xsd:double"} in [each["mlvet:derivative"] for each in derived]
    assert len(document["used"]) == 4
    assert len(document["wasGeneratedBy"]) == 3


def literal(value: Any) -> bool:
    """A string, a number, a truth value, or one of these with a type."""
    if isinstance(value, dict):
        return set(value) <= {"$", "type", "lang"} and isinstance(value["$"], str)
    return isinstance(value, str | int | float | bool)


def test_the_graph_takes_a_first_and_a_last_value_of_one_name_apart() -> None:
    graph = graph_of([RANK])
    kinds = [vertex.kind for vertex in graph.vertices if vertex.name == 'ranks["a"]']
    assert sorted(kinds) == ["input", "output"]
    assert len(graph.arrows) == 4
    start = next(place for place, vertex in enumerate(graph.vertices) if vertex.name == 'weights["b"]["a"]')
    assert [graph.vertices[place].name for place in widest_path(graph, start)] == [
        'weights["b"]["a"]', 'shares["b"]', 'ranks["a"]',
    ]  # fmt: skip


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(UsageError, match="did you mean `json`"):
        render("jsn", [RANK])


@pytest.mark.parametrize("format", FORMATS)
def test_no_answers_and_empty_answers_are_rendered(format: str) -> None:
    assert render(format, [])
    assert render(format, [EMPTY, EMPTY])
