"""Shape inference over whole graphs: values that are shapes, regions, and the word of the file."""

from __future__ import annotations

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.analyses.shapes.judgement import findings
from mlvet.core.finding import Finding
from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Value
from mlvet.ir.text import from_text


def inferred(text: str) -> tuple[Graph, Inference]:
    graph = from_text(f'mlvet-graph 1 "model"\n{text}')
    return graph, infer(graph)


def output(text: str) -> str:
    graph, inference = inferred(text)
    assert inference.violated == []
    return str(inference.type_of(graph.outputs[0]))


def f32(*dims: object) -> Tensor:
    return Tensor(dtypes.f32, tuple(symbol(dim) if isinstance(dim, str) else dim for dim in dims))  # type: ignore[misc]


class TestValuesThatAreShapes:
    def test_a_reshape_to_a_computed_shape_keeps_the_symbols(self) -> None:
        assert (
            output("""graph(%x: f32[batch, 64, 12, 12]) {
              constant %zero: i64[1] = i64[1] [0]
              constant %rest: i64[1] = i64[1] [-1]
              %shape = shape(%x) @shape
              %batch = gather(%shape, %zero) {axis=0} @gather
              %target = concat(%batch, %rest) {axis=0} @concat
              %y = reshape(%x, %target) @reshape
              return %y
            }""")
            == "f32[batch, 9216]"
        )

    def test_arithmetic_on_sizes_is_followed(self) -> None:
        assert (
            output("""graph(%x: f32[n, 6]) {
              constant %two: i64[1] = i64[1] [2]
              %shape = shape(%x) @shape
              %double = mul(%shape, %two) @mul
              %y = constant_of_shape(%double) {value=0.0, dtype=f32} @fill
              return %y
            }""")
            == "f32[2*n, 12]"
        )

    def test_a_shape_that_only_execution_can_tell_is_unknown_not_wrong(self) -> None:
        graph, inference = inferred("""graph(%x: f32[n], %shape: i64[3]) {
          %y = reshape(%x, %shape) @reshape
          return %y
        }""")
        result = inference.type_of(graph.outputs[0])
        assert result.rank == 3
        assert inference.violated == []

    def test_large_constants_are_not_read(self) -> None:
        from mlvet.ir.graph import Data

        def refuse() -> None:
            raise AssertionError("the elements were asked for")

        builder = Builder()
        weight = builder.constant("w", Data(dtypes.i64, (1000, 1000), refuse))  # type: ignore[arg-type]
        graph = builder.graph([builder.add("neg", weight)])
        assert str(infer(graph).type_of(graph.outputs[0])) == "i64[1000, 1000]"


class TestRegions:
    def test_branches_of_equal_shape_keep_it(self) -> None:
        assert self.branches("%b = relu(%x) @relu") == "f32[n, 4]"

    def test_branches_of_different_sizes_are_joined(self) -> None:
        assert self.branches("%b = concat(%x, %x) {axis=1} @concat") == "f32[n, if.0.1]"

    def test_branches_of_different_ranks_have_none(self) -> None:
        assert self.branches("%b = reduce_sum(%x) {keepdims=false} @sum") == "f32[...]"

    @staticmethod
    def branches(other: str) -> str:
        return output(f"""graph(%c: bool[], %x: f32[n, 4]) {{
          %y = if(%c) @if
            do branch() {{
              %a = neg(%x) @neg
              return %a
            }}
            do branch() {{
              {other}
              return %b
            }}
          return %y
        }}""")

    def test_a_known_condition_takes_one_branch_and_blames_only_it(self) -> None:
        _, inference = inferred("""graph(%x: f32[2, 3], %z: f32[5]) {
          constant %no: bool[] = bool[] [false]
          %y = if(%no) @if
            do branch() {
              %a = add(%x, %z) @wrong
              return %a
            }
            do branch() {
              %b = neg(%x) @neg
              return %b
            }
          return %y
        }""")
        assert inference.violated == []

    def test_a_growing_carried_value_is_widened(self) -> None:
        builder = Builder()
        start = builder.input("x", f32(1, 4))
        condition, body = builder.region("loop"), builder.region("loop")
        condition.input("c", f32(1, 4))
        inner = body.input("b", f32(1, 4))
        grown = body.add("concat", inner, inner, axis=0)
        true = condition.constant("true", [1])
        node = builder.node("while", [start], 1, regions=[condition.close([true]), body.close([grown])], name="loop")
        graph = builder.graph(node.outputs)
        assert str(infer(graph).type_of(node.outputs[0])) == "f32[loop.0.0, 4]"

    def test_a_demand_inside_a_loop_is_reported_once(self) -> None:
        builder = Builder()
        start, other = builder.input("x", f32(1, 4)), builder.input("z", f32(5))
        condition, body = builder.region("loop"), builder.region("loop")
        condition.input("c")
        inner = body.input("b")
        body.add("add", inner, other)
        true = condition.constant("true", [1])
        node = builder.node("while", [start], 1, regions=[condition.close([true]), body.close([inner])])
        inference = infer(builder.graph(node.outputs))
        assert [demand.constraint.rule for demand in inference.violated] == ["broadcast-mismatch"]
        assert inference.analysed == 2

    def test_a_scan_stacks_along_the_length_of_its_inputs(self) -> None:
        builder = Builder()
        state, sequence = builder.input("h", f32("n", 8)), builder.input("xs", f32("time", "n", 8))
        body = builder.region("loop")
        h, x = body.input("h"), body.input("x")
        after = body.add("add", h, x)
        node = builder.node("scan", [state, sequence], 2, {"num_scan_inputs": 1}, regions=[body.close([after, after])])
        inference = infer(builder.graph(node.outputs))
        assert [str(inference.type_of(value)) for value in node.outputs] == ["f32[n, 8]", "f32[time, n, 8]"]


class TestTheWordOfTheFile:
    def test_an_unknown_operator_has_the_declared_shape_as_an_assumption(self) -> None:
        builder = Builder()
        x = builder.input("x", f32(2, 3))
        made = builder.value("made", f32(2, 3))
        builder.opaque("com.acme:Magic", [x], [made])
        wrong = builder.node("add", [made, builder.input("z", f32(5))], 1)
        inference = infer(builder.graph(wrong.outputs))
        (demand,) = inference.violated
        assert demand.assumed == {made}
        assert inference.unanalysed == {"com.acme:Magic": 1}

    def test_a_contradicted_declaration_is_a_disagreement(self) -> None:
        builder = Builder()
        x = builder.input("x", f32(2, 3))
        said = builder.value("y", f32(2, 4))
        builder.node("relu", [x], [said])
        (disagreement,) = infer(builder.graph([said])).disagreements
        assert disagreement.value is said
        assert str(disagreement.inferred) == "f32[2, 3]"

    def test_without_any_word_the_result_is_unknown(self) -> None:
        builder = Builder()
        node = builder.opaque("com.acme:Magic", [builder.input("x", f32(2))])
        inference = infer(builder.graph(node.outputs))
        assert isinstance(inference.type_of(node.outputs[0]).shape, Unranked)


def test_an_attribute_that_a_rule_cannot_take_is_told_not_raised() -> None:
    builder = Builder()
    x: Value = builder.input("x", f32(2, 3))
    node = builder.node("transpose", [x], 1, {"perm": "sideways"}, name="t")
    inference = infer(builder.graph(node.outputs))
    assert inference.unanalysed or inference.violated or inference.failures


class TestPlaces:
    @staticmethod
    def finding(path: str) -> Finding:
        builder = Builder(name="net")
        wrong = builder.node(
            "add", [builder.input("x", f32(2, 3)), builder.input("z", f32(5))], 1, location=Location("train.py", line=7)
        )
        (found,) = findings(builder.graph(wrong.outputs, path=path), infer(builder.graph(wrong.outputs)), catalogue())
        return found

    def test_in_a_file_a_finding_is_at_the_node_and_notes_the_source_line(self) -> None:
        found = self.finding("net.pt2")
        assert found.location == Location("net.pt2", node="add")
        assert Location("train.py", line=7) in [related.location for related in found.related]

    def test_in_a_live_model_a_finding_is_at_the_source_line(self) -> None:
        assert self.finding("").location == Location("train.py", line=7)


def test_elements_are_not_computed_from_operands_that_do_not_fit() -> None:
    graph, inference = inferred("""graph() {
      constant %x: f32[1, 2, 3] = f32[1, 2, 3] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
      constant %w: f32[1, 2, 1, 1] = f32[1, 2, 1, 1] [1.0, 1.0]
      %y = conv(%x, %w) @conv
      return %y
    }""")
    assert [demand.constraint.rule for demand in inference.violated] == ["rank-differs"]
    assert inference.type_of(graph.outputs[0]).value is None
