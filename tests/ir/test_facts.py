"""Graphs as logic atoms."""

from __future__ import annotations

import re

import pytest
from drawn_graphs import graphs
from hypothesis import HealthCheck, given, settings

from mlvet.ir.facts import SCHEMA, Fact, facts
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text

TEXT = """mlvet-graph 1 "g"
parameter %w: f32[3] name="fc.w" module="fc"
graph(%x: f32[batch, 3]) {
  constant %c: i64[] = i64[] [1]
  %y = relu(%x, %w) {big=4294967296, axis=-1} @add module="fc" device="cpu" at "a b.py":3:5 guards=[not "t"] \
loops=["e"[*], "s"[1]]
  %l = loop(_, %y) @l control=[@add]
    do loop(%i) {
      iteration loop(%j) {
        return %j
      }
      return %i
    }
  return %l
}
execute "run" fetches=[%l] feeds=[%x] targets=[@add]
host_loop "e" carried=[%w to %y] at "t.py":1
host_loop "s" trips=`n + 1` parent="e"
"""


def test_the_facts_of_a_small_graph() -> None:
    assert {str(fact) for fact in facts(from_text(TEXT))} == set(
        """schema(3). value("w"). dtype("w","f32"). rank("w",1). dim("w",0,3). parameter("w","fc.w"). trainable("w").
        parameter_module("w","fc"). region("r0","graph"). region_input("r0",0,"x"). value("x"). dtype("x","f32").
        rank("x",2). dim("x",0,"batch"). dim("x",1,3). value("c"). dtype("c","i64"). rank("c",0). constant("c").
        contains("r0","add"). node("add"). op("add","relu"). source_op("add","relu"). node_effect("add","pure").
        attribute("add","big","4294967296"). attribute("add","axis",-1). input("add",0,"x"). input("add",1,"w").
        output("add",0,"y"). value("y"). module("add","fc"). device("add","cpu"). node_line("add",3).
        node_column("add",5).
        guard("add","t",0). contains("r0","l"). node("l"). op("l","loop"). source_op("l","loop").
        node_effect("l","pure").
        input("l",1,"y"). output("l",0,"l"). value("l"). control("l","add"). holds("l",0,"r1"). region("r1","loop").
        region_input("r1",0,"i"). value("i"). region_output("r1",0,"i"). iteration("r1",0,"r2"). region("r2","loop").
        region_input("r2",0,"j"). value("j"). region_output("r2",0,"j"). region_output("r0",0,"l").
        in_loop("add",0,"e"). in_loop("add",1,"s"). loop_index("add","s",1). host_loop("e").
        loop_carried("e",0,"w","y"). loop_span("e","t.py"). loop_line("e",1). host_loop("s"). loop_parent("s","e").
        execution(0,"run"). fetch(0,"l"). feed(0,"x"). target(0,"add").""".split()
    ) | {'span("add","a b.py").', 'loop_trips("s","n + 1").'}


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        (2**31 - 1, "2147483647"),
        (-(2**31), "-2147483648"),
        (2**31, '"2147483648"'),
        ('say "hi"\\\n', '"say \\"hi\\"\\\\\\n"'),
    ],
)
def test_arguments_are_quoted_for_the_solver(argument: int | str, text: str) -> None:
    assert str(Fact("p", (argument,))) == f"p({text})."


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=50)
@given(graphs())
def test_every_fact_is_in_the_schema_and_well_formed(graph: Graph) -> None:
    seen: set[Fact] = set()
    for fact in facts(graph):
        assert f"{fact.predicate}/{len(fact.arguments)}" in SCHEMA
        assert re.fullmatch(r'[a-z_]+\((?:(?:-?\d+|"(?:[^"\\\n]|\\["\\n])*")(?:,(?!\))|(?=\))))+\)\.', str(fact), re.S)
        assert fact not in seen
        seen.add(fact)
