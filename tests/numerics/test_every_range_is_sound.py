"""Whatever a graph calls its values and whatever the user says, a range holds finite numbers of the element type."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mlvet.analyses.numerics.assumptions.ranges import Given, Origin, Sample, assume
from mlvet.analyses.shapes.inference import infer
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import Kind
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Initialiser

words = st.sampled_from(
    ["x", "image", "mask", "prob", "keep", "log", "audio", "timestep", "len", "sr", "ids", "moving", "variance", "mean",
     "global", "step", "beta1", "power", "std", "count", "dropout", "one", "hot", "paddings"]
)  # fmt: skip
names = st.lists(words, min_size=1, max_size=3).map("_".join) | st.text(max_size=4)
shapes = st.builds(Unranked, st.just("r")) | st.lists(st.sampled_from([0, 1, 3, 9, symbol("n")]), max_size=5).map(tuple)
tensors = st.builds(Tensor, st.none() | st.sampled_from(dtypes.ALL), shapes)
initialisers = st.none() | st.builds(
    Initialiser,
    st.sampled_from(
        ["zeros", "ones", "constant", "elements", "uniform", "random_normal", "truncated_normal", "orthogonal",
         "he_normal", "glorot_uniform", "variance_scaling", "variance_scaling_fan_avg_uniform", "lecun", "", "odd"]
    ),
    st.lists(
        st.tuples(st.sampled_from(["value", "low", "high", "mean", "stddev", "scale", "gain"]), st.floats()), max_size=3
    ).map(tuple),
)  # fmt: skip
ends = st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)).map(sorted).map(tuple)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    builder = Builder()
    values = [builder.input(draw(names), draw(tensors)) for _ in range(draw(st.integers(0, 3)))]
    values += [
        builder.parameter(draw(names), draw(tensors), initialiser=draw(initialisers), trainable=draw(st.booleans()))
        for _ in range(draw(st.integers(0, 3)))
    ]
    uses = st.sampled_from(["add", "gather", "embedding", "one_hot", "cast", "assign_add", "lstm", "opaque"])
    for _ in range(draw(st.integers(0, 3)) if values else 0):
        operands = draw(st.lists(st.sampled_from(values), min_size=1, max_size=7))
        values += builder.node(
            draw(uses), operands, 1, draw(st.dictionaries(st.just("axis"), st.integers(-3, 3)))
        ).outputs
    return builder.graph(values[-1:])


@settings(deadline=None, max_examples=400)
@given(graphs(), st.data())
def test_every_number_has_a_range_of_its_element_type(graph: Graph, data: st.DataObject) -> None:
    known = [value.name for value in graph.inputs] + [parameter.name for parameter in graph.parameters]
    said = st.sampled_from(known) if known else names
    sampled = data.draw(st.dictionaries(said, st.tuples(ends, st.booleans()), max_size=2))
    word = Given(
        data.draw(st.dictionaries(said, ends, max_size=2)),
        {name: Sample(low, high, 3, whole, "samples.npz") for name, ((low, high), whole) in sampled.items()},
    )
    inference = infer(graph)
    found = assume(graph, inference, word)
    for value in (*graph.inputs, *(parameter.value for parameter in graph.parameters)):
        dtype = inference.type_of(value).dtype or dtypes.f64
        if dtype.kind is Kind.TEXT:
            assert value not in found.ranges
            continue
        assumed = found.ranges[value]
        assert not assumed.interval.empty
        assert not assumed.interval.nan
        assert assumed.why
        if assumed.origin is not Origin.DATA:
            assert dtype.least <= assumed.interval.low <= assumed.interval.high <= dtype.largest
    assert found.meant <= set(word.ranges)
    assert found.sampled <= set(word.data)
