"""What the verifier finds in graphs that a front end or a pass has spoilt."""

from __future__ import annotations

import pytest
from drawn_graphs import graphs
from hypothesis import HealthCheck, given, settings

from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text
from mlvet.ir.verify import verify

HEAD = 'mlvet-graph 1 "g"\n'
GOOD = "graph(%x) {\n  return %x\n}\n"


@pytest.mark.parametrize(
    ("text", "defects"),
    [
        (GOOD, []),
        (
            "parameter %w name=\"w\"\ngraph(%x) {\n  %y = loop(%x) @l\n  do loop(%c) {\n    %d = relu(%c) @r\n"
            "    _ = opaque(%d, %x, %w, _) @o control=[@r]\n    iteration loop(%c1) {\n      return %c1\n    }\n"
            "    return %d\n  }\n  %z = relu(%y) @s control=[@o]\n  return %z\n}\n",
            [],
        ),
        ("undefined %u\ngraph() {\n  return %u\n}\n", ["the graph region yields %u, which is defined nowhere before"]),
        (
            "graph(%x) {\n  %y = relu(%z) @a\n  %z = relu(%x) @b\n  return %y\n}\n",
            ["node a uses %z, which is defined nowhere before"],
        ),
        (
            "graph(%x) {\n  %y = if(%x) @a\n  do branch() {\n    %z = relu(%x) @b\n    return %z\n  }\n"
            "  %o = relu(%z) @c\n  return %o\n}\n",
            ["node c uses %z, which is defined in a region that it cannot see"],
        ),
        (
            "graph(%x) {\n  %y = relu(%x) @a\n  %y = relu(%x) @b\n  return %y\n}\n",
            ["%y is defined twice, by node a and by node b"],
        ),
        ("graph(%x) {\n  %y = no_such(%x) @a\n  return %y\n}\n", ["node a has the unknown operator no_such"]),
        (
            "graph(%x) {\n  %y = relu(%x) @a control=[@b]\n  %z = relu(%x) @b\n  return %y\n}\n",
            ["node a waits for node b, which does not come before it"],
        ),
        (
            "graph(%x) {\n  %y = call(%x) {function=\"f\"} @a\n  return %y\n}\n",
            ["node a calls f, which is not a function of the graph"],
        ),
        (
            GOOD + 'function "f" function(%a) {\n  %b = call(%a) {function="g"} @m\n  return %b\n}\n'
            'function "g" function(%c) {\n  %d = call(%c) {function="f"} @n\n  return %d\n}\n',
            ["function f calls itself through f and g"],
        ),
        (
            'graph(%x) {\n  return %x\n}\nfunction "f" function() {\n  return %x\n}\n',
            ["the function region yields %x, which is defined in a region that it cannot see"],
        ),
        (
            "undefined %u\n" + GOOD + 'execute "run" fetches=[%u]\n',
            ["execution run refers to %u, which is not in the graph"],
        ),
        (
            "graph(%x) {\n  %y = loop(%x) @l\n  do loop(%c) {\n    iteration loop() {\n      return\n    }\n"
            "    return %c\n  }\n  return %y\n}\n",
            [
                "an iteration of the loop region has 0 inputs, but the template has 1",
                "an iteration of the loop region has 0 outputs, but the template has 1",
            ],
        ),
        (
            'graph(%x) {\n  %y = relu(%x) @a loops=["e"[*], "b"[0]]\n  return %y\n}\n'
            'host_loop "e" carried=[%x to %y]\nhost_loop "b" parent="e"\n',
            [],
        ),
        (
            "undefined %u\n" + GOOD + 'host_loop "l" parent="m" carried=[%x to %u]\nhost_loop "l"\n',
            [
                "loop l carries %u, which is not in the graph",
                "two loops are named l",
                "loop l is within loop m, which is not in the graph",
            ],
        ),
        (GOOD + 'host_loop "l" parent="m"\nhost_loop "m" parent="l"\n', ["loop l lies within itself"]),
        (
            'graph(%x) {\n  %y = relu(%x) @a loops=["n"[0], "m"[1]]\n  return %y\n}\nhost_loop "m"\n',
            [
                "node a runs in loop n, which is not in the graph",
                "node a runs in loop m within n, not within its parent",
            ],
        ),
    ],
)  # fmt: skip
def test_defects(text: str, defects: list[str]) -> None:
    assert verify(from_text(HEAD + text)) == defects


def test_two_things_of_one_name() -> None:
    left, right = Builder(), Builder()
    first = left.input("x")
    inner = right.node("relu", [first], 1, name="x")
    other = left.node("relu", [first], 1, name="y")
    outside = right.node("relu", [first], 1, name="y")
    graph = Graph("g", left.close(other.outputs))
    object.__setattr__(graph.body, "nodes", (inner, other, outside))
    assert verify(graph) == [
        "two values are named %x, and one is defined by node x",
        "two nodes are named y",
        "two values are named %y, and one is defined by node y",
    ]


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=50)
@given(graphs())
def test_what_the_builder_builds_is_sound_but_for_its_operators(graph: Graph) -> None:
    assert [
        defect for defect in verify(graph) if "unknown operator" not in defect and "an iteration" not in defect
    ] == []


def test_regions_nested_beyond_the_recursion_limit() -> None:
    builders = [Builder()]
    for _ in range(3000):
        builders.append(builders[-1].region("branch"))
    region = builders[-1].close([])
    for builder in reversed(builders[:-1]):
        builder.node("if", [], 0, regions=[region])
        region = builder.close([])
    assert verify(Graph("deep", region)) == []
