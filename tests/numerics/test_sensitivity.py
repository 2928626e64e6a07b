"""What a hazard hangs on, asked of a small but real analysis: intervals of a few operators, computed by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.telling.sensitivity import LADDER, Dependence, hangs_on, narrowed
from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.domains import dtypes, intervals
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Value
from mlvet.ir.walk import walk

WIDE = Interval(-3e38, 3e38)


@dataclass
class Found:
    hazards: list[Hazard] = field(default_factory=list)


@dataclass
class ByHand:
    """Exponentials that overflow, logarithms of what is not positive, and sums; it counts how often it runs."""

    runs: Counter[int] = field(default_factory=Counter)

    def __call__(self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], /) -> Found:
        del inference
        known = {value: assumed.interval for value, assumed in ranges.items()}
        found = Found()
        nodes = [node for _, node in walk(graph)]
        self.runs[len(nodes)] += 1
        for node in nodes:
            operands = [known[value] for value in node.inputs if value is not None]
            if node.op == "exp":
                if operands[0].high > math.log(dtypes.f32.largest):
                    found.hazards.append(Hazard(node, "exp-overflow", 0, operands[0], Outcome.INFINITY))
                known[node.outputs[0]] = Interval(0, dtypes.f32.largest)
            elif node.op == "log":
                if operands[0].low <= 0:
                    found.hazards.append(Hazard(node, "log-of-nonpositive", 0, operands[0], Outcome.EITHER))
                known[node.outputs[0]] = Interval(-104, 89)
            else:
                known[node.outputs[0]] = intervals.add(operands[0], operands[1], dtypes.f64)
        return found


def assumed(interval: Interval = WIDE, origin: Origin = Origin.DTYPE) -> Assumed:
    return Assumed(interval, origin, "for the test")


def dependences(graph: Graph, ranges: Mapping[Value, Assumed], **limits: int) -> tuple[list[Dependence], ByHand]:
    analyse = ByHand()
    inference = infer(graph)
    hazards = analyse(graph, inference, ranges).hazards
    analyse.runs.clear()
    found = hangs_on(graph, inference, ranges, hazards, analyse, **limits)
    assert list(found) == hazards
    return list(found.values()), analyse


def vector(builder: Builder, name: str) -> Value:
    return builder.input(name, Tensor(dtypes.f32, (4,)))


class TestNarrowed:
    def test_a_guess_is_cut(self) -> None:
        builder = Builder()
        x, y = vector(builder, "x"), vector(builder, "y")
        ranges = {x: assumed(), y: assumed()}
        assert narrowed(ranges, [x], 10) == {x: assumed(Interval(-10, 10)), y: assumed()}
        assert ranges[x].interval == WIDE

    @pytest.mark.parametrize("origin", [Origin.GIVEN, Origin.DATA, Origin.STORED])
    def test_the_users_word_stays(self, origin: Origin) -> None:
        builder = Builder()
        ranges = {vector(builder, "x"): assumed(origin=origin)}
        assert narrowed(ranges, list(ranges), 1) == ranges

    def test_a_range_beyond_the_magnitude_stays(self) -> None:
        builder = Builder()
        ranges = {vector(builder, "x"): assumed(Interval(50, 70))}
        assert narrowed(ranges, list(ranges), 1) == ranges

    def test_values_without_a_range_are_passed_over(self) -> None:
        assert narrowed({}, [vector(Builder(), "x")], 1) == {}


class TestHangsOn:
    def test_the_largest_magnitude_without_the_hazard_is_found(self) -> None:
        builder = Builder()
        x = vector(builder, "x")
        graph = builder.graph([builder.add("exp", x)])
        ((found,), _) = dependences(graph, {x: assumed()})
        assert found == Dependence((x,), 10.0)
        assert found.hangs

    def test_a_hazard_that_no_range_takes_away(self) -> None:
        builder = Builder()
        x = vector(builder, "x")
        graph = builder.graph([builder.add("log", x)])
        ((found,), analyse) = dependences(graph, {x: assumed()})
        assert found == Dependence()
        assert not found.hangs
        assert analyse.runs.total() == len(LADDER)

    def test_what_the_user_gives_is_not_asked_about(self) -> None:
        builder = Builder()
        x = vector(builder, "x")
        graph = builder.graph([builder.add("exp", x)])
        ((found,), analyse) = dependences(graph, {x: assumed(origin=Origin.GIVEN)})
        assert found == Dependence()
        assert not analyse.runs

    def test_only_what_leads_to_the_hazard_matters(self) -> None:
        builder = Builder()
        x, y = vector(builder, "x"), vector(builder, "y")
        graph = builder.graph([builder.add("exp", x), builder.add("log", y)])
        (found, _) = dependences(graph, {x: assumed(), y: assumed()})
        assert found == [Dependence((x,), 10.0), Dependence()]

    def test_a_value_that_is_small_anyway_does_not_matter(self) -> None:
        builder = Builder()
        small, x = vector(builder, "small"), vector(builder, "x")
        graph = builder.graph([builder.add("exp", builder.add("add", small, x))])
        ((found,), _) = dependences(graph, {small: assumed(Interval(0, 1), Origin.MEANING), x: assumed()})
        assert found == Dependence((x,), 10.0)

    def test_all_values_that_it_needs_are_named(self) -> None:
        builder = Builder()
        values = [vector(builder, f"x{index}") for index in range(9)]
        w = builder.parameter("w", Tensor(dtypes.f32, (4,)))
        total = w
        for value in values:
            total = builder.add("add", total, value)
        graph = builder.graph([builder.add("exp", total)])
        ranges = {value: assumed(Interval(-1, 1)) for value in values} | {values[4]: assumed(), w: assumed()}
        ((found,), _) = dependences(graph, ranges)
        assert set(found.values) == {values[4], w}
        assert found.magnitude == 10.0

    def test_hazards_have_magnitudes_of_their_own(self) -> None:
        builder = Builder()
        x, y = vector(builder, "x"), vector(builder, "y")
        far = builder.constant("far", -95.0)
        shifted = builder.add("add", y, far)
        graph = builder.graph([builder.add("exp", x), builder.add("exp", shifted)])
        ranges = {x: assumed(), y: assumed(), far: assumed(Interval(-95, -95), Origin.STORED)}
        (found, _) = dependences(graph, ranges)
        assert [each.magnitude for each in found] == [10.0, 100.0]

    def test_only_the_part_that_leads_to_the_hazard_is_analysed_again(self) -> None:
        builder = Builder()
        x, y = vector(builder, "x"), vector(builder, "y")
        result = builder.add("exp", x)
        for _ in range(20):
            y = builder.add("add", y, y)
        graph = builder.graph([result, y])
        (_, analyse) = dependences(graph, {x: assumed(), graph.inputs[1]: assumed(Interval(0, 1))})
        assert set(analyse.runs) == {1}

    def test_the_number_of_analyses_is_limited(self) -> None:
        builder = Builder()
        values = [vector(builder, f"x{index}") for index in range(64)]
        total = values[0]
        for value in values[1:]:
            total = builder.add("add", total, value)
        graph = builder.graph([builder.add("exp", total)])
        ((found,), analyse) = dependences(graph, {value: assumed() for value in values}, most_analyses=12)
        assert analyse.runs.total() <= 12
        assert not found.minimal
        assert found.hangs
        assert set(found.values) == set(values)

    def test_a_hazard_within_a_region_is_followed(self) -> None:
        builder = Builder()
        x = vector(builder, "x")
        inner = builder.region("call")
        region = inner.close([inner.add("exp", x)])
        call = builder.node("call", [], 1, regions=[region])
        graph = builder.graph(list(call.outputs))
        (node,) = region.nodes
        hazard = Hazard(node, "exp-overflow", 0, WIDE, Outcome.INFINITY)

        def analyse(part: Graph, inference: Inference, ranges: Mapping[Value, Assumed], /) -> Found:
            del inference
            assert node in [each for _, each in walk(part)]
            return Found([hazard] if ranges[x].interval.high > 88 else [])

        assert hangs_on(graph, infer(graph), {x: assumed()}, [hazard], analyse) == {hazard: Dependence((x,), 10.0)}

    def test_no_hazards_need_no_analysis(self) -> None:
        builder = Builder()
        graph = builder.graph([builder.add("exp", vector(builder, "x"))])
        analyse = ByHand()
        assert hangs_on(graph, infer(graph), {}, [], analyse) == {}
        assert not analyse.runs
