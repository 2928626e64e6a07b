"""Slices of graphs."""

from __future__ import annotations

from mlvet.ir.graph import Graph
from mlvet.ir.slice import backward, forward
from mlvet.ir.text import from_text
from mlvet.ir.verify import verify

TEXT = """mlvet-graph 1 "g"
parameter %w name="w"
parameter %v name="v"
graph(%x, %y, %s) {
  constant %one = i64[] [1]
  constant %two = i64[] [2]
  %a = relu(%x, %one) @a
  %b = relu(%y, %two) @b
  _ = opaque(%s) @assign
  %l = loop(%a) @l control=[@assign]
    do loop(%c) {
      %d = relu(%c, %w) @d
      return %d
    }
  %k = call(%b) {function="f"} @k
  %z = relu(%l) @z
  return %z, %k
}
function "f" function(%p) {
  %q = relu(%p, %v) @q
  return %q
}
function "unused" function(%u) {
  return %u
}
execute "first" fetches=[%z] feeds=[%x]
execute "second" fetches=[%k] feeds=[%y] targets=[@b]
"""


def parts(graph: Graph) -> dict[str, list[str]]:
    return {
        "nodes": [node.name for node in graph.body.nodes],
        "inputs": [value.name for value in graph.inputs],
        "constants": [constant.value.name for constant in graph.body.constants],
        "parameters": [parameter.name for parameter in graph.parameters],
        "functions": list(graph.functions),
        "executions": [execution.kind for execution in graph.executions],
    }


def test_backward_keeps_what_an_output_needs() -> None:
    graph = from_text(TEXT)
    first, second = graph.outputs
    assert parts(backward(graph, [first])) == {
        "nodes": ["a", "assign", "l", "z"], "inputs": ["x", "s"], "constants": ["one"], "parameters": ["w"],
        "functions": [], "executions": ["first"],
    }  # fmt: skip
    assert parts(backward(graph, [second])) == {
        "nodes": ["b", "k"], "inputs": ["y"], "constants": ["two"], "parameters": ["v"], "functions": ["f"],
        "executions": ["second"],
    }  # fmt: skip
    for output in graph.outputs:
        sliced = backward(graph, [output])
        assert sliced.outputs == (output,)
        assert verify(sliced) == []


def test_backward_from_a_value_within_a_region_keeps_the_node_around_it() -> None:
    graph = from_text(TEXT)
    inner = next(node for node in graph.nodes() if node.name == "d")
    sliced = backward(graph, inner.outputs)
    assert [node.name for node in sliced.body.nodes] == ["a", "assign", "l"]
    assert sliced.outputs == ()
    assert verify(sliced) == []


def test_forward_follows_operands_regions_calls_and_control() -> None:
    graph = from_text(TEXT)
    x, y, s = graph.inputs
    assert {node.name for node in forward(graph, [x])} == {"a", "l", "d", "z"}
    assert {node.name for node in forward(graph, [y])} == {"b", "k", "q"}
    assert {node.name for node in forward(graph, [s])} == {"assign", "l", "d", "z"}
    assert {node.name for node in forward(graph, [graph.parameters[0].value])} == {"d", "l", "z"}
    assert forward(graph, []) == set()


LOOPS = """mlvet-graph 1 "g"
parameter %w name="w"
graph(%x, %y) {
  %a = relu(%x, %w) @a loops=["epoch"[*], "batch"[0]]
  %b = relu(%a) @b loops=["epoch"[*], "batch"[1]]
  %c = relu(%y) @c loops=["other"[*]]
  return %b, %c
}
host_loop "epoch" carried=[%w to %b, %x to %c]
host_loop "batch" parent="epoch"
host_loop "other"
"""


def test_backward_keeps_the_loops_around_what_stays() -> None:
    graph = from_text(LOOPS)
    first, second = graph.outputs
    sliced = backward(graph, [first])
    assert [(loop.name, [str(after) for _, after in loop.carried]) for loop in sliced.loops] == [
        ("epoch", ["%b"]), ("batch", []),
    ]  # fmt: skip
    assert [loop.name for loop in backward(graph, [second]).loops] == ["other"]
    assert verify(sliced) == []


def test_forward_follows_what_a_loop_carries() -> None:
    graph = from_text(LOOPS)
    assert {node.name for node in forward(graph, [graph.inputs[1]])} == {"c", "a", "b"}
