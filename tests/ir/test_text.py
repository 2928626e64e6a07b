"""The text and JSON forms hold everything that a graph holds."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from drawn_graphs import graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlvet.core.errors import UnsupportedInput
from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dims import maximum, symbol
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Execution, Frame, Graph, HostLoop, Initialiser, Iteration, Literal
from mlvet.ir.json_form import from_json, to_json
from mlvet.ir.text import from_text, to_text

slow = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=100)


@slow
@given(graphs())
def test_a_graph_survives_both_forms(graph: Graph) -> None:
    text = to_text(graph)
    form = json.loads(json.dumps(to_json(graph)))
    for other in (from_text(text), from_json(form)):
        assert to_text(other) == text
        assert json.loads(json.dumps(to_json(other))) == form


def network() -> Graph:
    batch, h = symbol("batch", 1), symbol("h")
    build = Builder(name="net")
    image = build.input("x", Tensor(dtypes.f32, (batch, 3, (h + 1) // 2, maximum(h, 3))))
    weight = build.parameter(
        "conv.weight", Tensor(dtypes.f32, (8, 3, 3, 3)), module="conv",
        initialiser=Initialiser("kaiming_uniform", (("a", 2.5),)),
    )  # fmt: skip
    table = build.constant("table", np.zeros((100, 100), np.float32))
    axes = build.constant("axes", [2, 3])
    first = build.node(
        "conv", [image, weight, None], 1, {"strides": (1, 1), "data_format": "NC"}, name="conv1", source_op="Conv",
        location=Location("net.py", 12, 5), module="conv", device="cuda:0",
        stack=[Frame("main", Location("net.py", 30))],
    )  # fmt: skip
    loop = build.region("loop", "for i in range(3)")
    carried = loop.input("carried", Tensor(dtypes.f32, (batch, 8)))
    then = loop.region("branch", "then")
    inner = then.node("relu", [carried], guards=[Literal("i > 1"), Literal("training", False)])
    chosen = loop.node("if", [carried], 1, regions=[then.close(inner.outputs)])
    step = loop.region("loop")
    first_step = step.input("carried")
    again = step.node("relu", [first_step], 1)
    template = loop.close(chosen.outputs, iterations=[step.close(again.outputs)])
    looped = build.node("loop", [first.outputs[0]], 1, regions=[template], control=[first])
    summed = build.node("reduce_sum", [looped.outputs[0], axes], 1)
    inside = [Iteration("epoch"), Iteration("step", 2)]
    used = build.node("add", [summed.outputs[0], table], 1, loops=inside)
    helper = build.region("function", "helper")
    given_ = helper.input("a")
    return build.graph(
        used.outputs, functions={"helper": helper.close([given_])}, path="net.py", format="python", producer="mlvet",
        executions=[Execution("session.run", tuple(used.outputs), (image,), (first,), Location("net.py", 40))],
        notes=["two lines\nof note"],
        loops=[
            HostLoop("epoch", Location("net.py", 30), h - 1, carried=((weight, used.outputs[0]),)),
            HostLoop("step", trips=0, parent="epoch"),
        ],
    )  # fmt: skip


def test_the_text_reads_like_the_program() -> None:
    assert to_text(network()).splitlines() == [
        'mlvet-graph 1 "net" path="net.py" format="python" producer="mlvet"',
        'note "two lines\\nof note"',
        'symbol "batch" from 1 to inf',
        'parameter %conv.weight: f32[8, 3, 3, 3] name="conv.weight" module="conv" init=kaiming_uniform(a=2.5)',
        'graph "net"(%x: f32[batch, 3, (h + 1)//2, max(3, h)]) {',
        "  constant %table: f32[100, 100] = f32[100, 100] ...",
        "  constant %axes: i64[2] = i64[2] [2, 3]",
        '  %conv1 = conv(%x, %conv.weight, _) {strides=(1, 1), data_format="NC"} @conv1 source="Conv" module="conv" '
        'device="cuda:0" at "net.py":12:5 stack=["main" at "net.py":30]',
        "  %loop = loop(%conv1) @loop control=[@conv1]",
        '    do loop "for i in range(3)"(%carried: f32[batch, 8]) {',
        "      %if = if(%carried) @if",
        '        do branch "then"() {',
        '          %relu = relu(%carried) @relu guards=["i > 1", not "training"]',
        "          return %relu",
        "        }",
        "      iteration loop(%carried#1) {",
        "        %relu#1 = relu(%carried#1) @relu#1",
        "        return %relu#1",
        "      }",
        "      return %if",
        "    }",
        "  %reduce_sum = reduce_sum(%loop, %axes) @reduce_sum",
        '  %add = add(%reduce_sum, %table) @add loops=["epoch"[*], "step"[2]]',
        "  return %add",
        "}",
        'function "helper" function "helper"(%a) {',
        "  return %a",
        "}",
        'execute "session.run" fetches=[%add] feeds=[%x] targets=[@conv1] at "net.py":40',
        'host_loop "epoch" trips=`h - 1` carried=[%conv.weight to %add] at "net.py":30',
        'host_loop "step" trips=0 parent="epoch"',
    ]


def test_a_graph_read_back_is_wired_like_the_first() -> None:
    graph = from_text(to_text(network()))
    nodes = {node.name: node for node in graph.nodes()}
    assert nodes["loop"].control == (nodes["conv1"],)
    assert nodes["conv1"].inputs[0] is graph.inputs[0]
    assert nodes["conv1"].inputs[1] is graph.parameters[0].value
    assert graph.executions[0].targets == (nodes["conv1"],)
    assert nodes["add"].loops == (Iteration("epoch"), Iteration("step", 2))
    assert graph.loops[0].carried == ((graph.parameters[0].value, nodes["add"].outputs[0]),)
    assert [loop.trips for loop in graph.loops] == [symbol("h") - 1, 0]
    assert graph.inputs[0].declared == network().inputs[0].declared


def test_elements_that_the_text_lacks_are_not_made_up() -> None:
    table, axes = from_text(to_text(network())).body.constants
    assert axes.data.load().tolist() == [2, 3]
    with pytest.raises(UnsupportedInput, match=r"does not hold the elements of this f32\[100, 100\]"):
        table.data.load()


HEAD = 'mlvet-graph 1 "g"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 "),
        ("mlvet-graph 9 \"g\"\n", "line 1 .*version 1"),
        (HEAD, "line 2 .*no body"),
        (HEAD + "graph() {\n  return %x\n}\n", "line 3 .*%x is used but not defined"),
        (HEAD + "graph(%x) {\n  %y = add(%x @add\n  return %y\n}\n", "line 3 .*expected ,"),
        (HEAD + "graph(%x: f33[2]) {\n  return %x\n}\n", "line 2 .*f33 is not a dtype"),
        (HEAD + "graph(%x: f32[__import__('os')]) {\n  return %x\n}\n", "line 2 .*unexpected"),
        (HEAD + "graph(%x: f32[open(1, 2)]) {\n  return %x\n}\n", "line 2 .*not a size"),
        (HEAD + "graph(%x: f32[2*]) {\n  return %x\n}\n", "line 2 .*not a size"),
        (HEAD + "graph(%x: f32[2) {\n  return %x\n}\n", "line 2 .*not closed"),
        (HEAD + "graph(%x: f32[" + "(" * 500 + "1" + ")" * 500 + "]) {\n  return %x\n}\n", "line 2 .*not a size"),
        (HEAD + "graph(%x: f32[" + "n+" * 15000 + "1]) {\n  return %x\n}\n", "line 2 .*too long"),
        (HEAD + "graph() {\n  _ = f() {a=" + "(" * 5000 + "} @f\n  return\n}\n", "line 3 .*nested"),
        (HEAD + "graph() {\n  _ = f() @f control=[@g]\n  return\n}\n", "line 3 .*@g is not in the graph"),
        (HEAD + "graph() {\n  _ = f() @f\n  _ = f() @f\n  return\n}\n", "line 4 .*@f is defined twice"),
        (HEAD + "graph(%x, %x: f32[2]) {\n  return %x\n}\n", "line 2 .*described in two ways"),
        (HEAD + "graph() {\n  constant %c = i64[2] [1]\n  return\n}\n", "line 3 .*number of elements"),
        (HEAD + "graph() {\n" + "  _ = f() @f\n  do branch() {\n" * 300, "nested more than|twice"),
        (HEAD + "graph() {\n  return\n}\nhost_loop \"l\" carried=[%x to %y]\n", "line 5 .*%x is used but not defined"),
        (HEAD + "graph() {\n  return\n}\nhost_loop \"l\" trips=`2*`\n", "line 5 .*not a size"),
        (HEAD + "graph() {\n  _ = f() @f loops=[\"l\"[1.5]]\n  return\n}\n", "line 3 .*1.5 is not a whole number"),
        (HEAD + "graph() {\n  return\n}\nfoo bar\n", "line 5 .*expected a statement"),
        (HEAD + "graph() {\n  return\n", "line 4 "),
    ],
)  # fmt: skip
def test_a_malformed_text_names_its_line(text: str, message: str) -> None:
    with pytest.raises(UnsupportedInput, match=message):
        from_text(text)


@slow
@given(st.data())
def test_a_damaged_text_is_refused_or_read_but_never_crashes(data: st.DataObject) -> None:
    text = to_text(network())
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 9)))
    damaged = text[:start] + data.draw(st.text('%@(){}[]="`x0 \n.,:-', max_size=4)) + text[end:]
    with contextlib.suppress(UnsupportedInput):
        to_text(from_text(damaged))


@pytest.mark.parametrize(
    "form", [{}, {"version": 1}, {"version": 1, "name": 3, "body": {}}, {"version": 2}, []], ids=str
)
def test_malformed_json_is_refused(form: object) -> None:
    with pytest.raises(UnsupportedInput):
        from_json(form)  # type: ignore[arg-type]
