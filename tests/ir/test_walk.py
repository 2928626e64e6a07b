"""Orders over graphs."""

from __future__ import annotations

import random

import pytest

from mlvet.ir.builder import Builder
from mlvet.ir.graph import Node, Value
from mlvet.ir.text import from_text
from mlvet.ir.walk import Cycle, fixpoint, needs, producers, topological, users, walk

NESTED = """mlvet-graph 1 "g"
graph(%x) {
  %a = relu(%x) @a
  %l = loop(%a) @l
    do loop(%c) {
      %d = add(%c, %x) @d
      %e = if(%d) @e
        do branch() {
          %f = relu(%a) @f
          return %f
        }
      iteration loop(%c1) {
        %d1 = relu(%c1) @d1
        return %d1
      }
      return %e
    }
  %z = add(%l, %l) @z
  return %z
}
function "h" function(%p) {
  %q = relu(%p) @q
  return %q
}
"""


def test_walk_goes_in_execution_order() -> None:
    graph = from_text(NESTED)
    assert [(region.kind, node.name) for region, node in walk(graph)] == [
        ("graph", "a"), ("graph", "l"), ("loop", "d"), ("loop", "e"), ("branch", "f"), ("loop", "d1"), ("graph", "z"),
        ("function", "q"),
    ]  # fmt: skip


def test_users_producers_and_needs() -> None:
    graph = from_text(NESTED)
    nodes = {node.name: node for node in graph.nodes()}
    using = {value.name: [node.name for node in found] for value, found in users(graph).items()}
    assert using["x"] == ["a", "d"]
    assert using["l"] == ["z"]
    assert {value.name: node.name for value, node in producers(graph).items()}["f"] == "f"
    assert [value.name for value in needs(nodes["l"])] == ["a", "x"]


def chain(count: int) -> list[Node]:
    build = Builder()
    value = build.input("x")
    for index in range(count):
        value = build.node("relu", [value], 1, name=f"n{index}").outputs[0]
    return list(build.close([value]).nodes)


def test_sorting_is_stable_and_restores_order() -> None:
    nodes = chain(200)
    assert topological(nodes) == nodes
    shuffled = nodes[:]
    random.Random(1).shuffle(shuffled)
    assert topological(shuffled) == nodes


def test_sorting_honours_control_dependencies_and_captured_values() -> None:
    graph = from_text(NESTED.replace("%z = add(%l, %l) @z", "%z = add(%x, %x) @z control=[@l]"))
    a, loop, z = graph.body.nodes
    assert topological([z, loop, a]) == [a, loop, z]
    assert topological([z, loop, a], available=a.outputs) == [loop, z, a]


def test_a_cycle_names_its_nodes() -> None:
    build = Builder()
    first, second, third = (build.value(name) for name in "abc")
    build.node("relu", [third], [first], name="one")
    build.node("relu", [first], [second], name="two")
    build.node("relu", [second], [third], name="three")
    build.node("relu", [second], 1, name="apart")
    with pytest.raises(Cycle, match="one, three, two") as caught:
        topological(build.close([]).nodes)
    assert [node.name for node in caught.value.nodes] == ["one", "three", "two"]


def test_long_chains_do_not_recurse() -> None:
    nodes = chain(20_000)
    assert topological(nodes[::-1]) == nodes


def test_fixpoints() -> None:
    reach = fixpoint(lambda seen: {min(item + 1, 5) for item in seen}, {0}, set.union, 100)
    assert (reach.state, reach.reached, reach.rounds) == ({0, 1, 2, 3, 4, 5}, True, 6)
    endless = fixpoint(lambda count: count + 1, 0, max, 10)
    assert (endless.state, endless.reached) == (10, False)


def test_values_are_hashed_by_identity() -> None:
    build = Builder()
    value = build.input("x")
    assert {value: 1}[value] == 1
    assert Value("x", value.declared) != value
