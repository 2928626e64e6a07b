"""Random graphs with every field of the representation in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div, maximum, minimum, modulo, symbol
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Execution, Frame, Graph, HostLoop, Initialiser, Iteration, Literal, Node, Value

text = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["x", "x:0", "a/b", 'q"`', "not", "do", "%"])
names = st.sampled_from(["x", "y", "x:0", "a.b/c", "odd name", "µ", "", '"'])
symbols = st.builds(symbol, st.sampled_from(["n", "batch", "rank(x)", "d.1", "max", "`"]), st.sampled_from([0, 1, -2]))
dims: st.SearchStrategy[Dim] = st.recursive(
    symbols | st.integers(0, 9),
    lambda inner: st.builds(
        lambda f, a, b: f(a, b),
        st.sampled_from(
            [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, floor_div, modulo, maximum, minimum]
        ),
        inner,
        inner,
    ),
    max_leaves=4,
)
elements = st.lists(st.integers(0, 1), max_size=4)
arrays = st.builds(lambda row, dtype: np.array(row).astype(dtype.numpy), elements, st.sampled_from(dtypes.ALL[:-1]))
sizes = st.lists(dims, min_size=1, max_size=3).map(lambda row: np.array([*row, None], dtype=object)[:-1])
words = st.lists(text | st.binary(max_size=3), max_size=3).map(lambda row: np.array([*row, None], dtype=object)[:-1])
tensors = st.builds(
    Tensor,
    st.none() | st.sampled_from(dtypes.ALL),
    st.builds(Unranked, names) | st.lists(dims, max_size=3).map(tuple),
    st.none() | arrays | sizes,
)
numbers = st.integers() | st.floats() | st.booleans()
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | numbers | text | st.binary(max_size=3) | st.complex_numbers() | st.sampled_from(dtypes.ALL) | dims
    | arrays | words | sizes,
    lambda inner: st.lists(inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
counts = st.none() | st.integers(1, 9)
locations = st.builds(Location, text, counts, counts, counts, counts, counts, st.none() | text)


EPOCH, BATCH = "for epoch", 'for "b"'
NESTS = ((), (Iteration(EPOCH, 2),), (Iteration(EPOCH), Iteration(BATCH, 0)), (Iteration(EPOCH, 0), Iteration(BATCH)))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    builder = Builder(name=draw(text))
    for _ in range(draw(st.integers(0, 2))):
        figures = st.lists(st.tuples(text, st.floats() | st.integers()), max_size=2).map(tuple)
        initialiser = draw(st.none() | st.builds(Initialiser, text, figures))
        builder.parameter(
            draw(names), draw(tensors), module=draw(text), initialiser=initialiser, trainable=draw(st.booleans())
        )
    known = [parameter.value for parameter in builder._parameters]
    nodes: list[Node] = []
    outputs = _fill(draw, builder, known, nodes, 2)
    function = builder.region("function", draw(text))
    functions = {draw(text): function.close(_fill(draw, function, [], nodes, 1))} if draw(st.booleans()) else {}
    executions = [
        Execution(draw(text), tuple(outputs), tuple(known[:1]), tuple(nodes[:1]), draw(st.none() | locations))
        for _ in range(draw(st.integers(0, 2)))
    ]
    return builder.graph(
        outputs, functions=functions, executions=executions, path=draw(text), format=draw(text), producer=draw(text),
        notes=draw(st.lists(text, max_size=2)), loops=_loops(draw, known + outputs),
    )  # fmt: skip


def _loops(draw: st.DrawFn, seen: list[Value]) -> list[HostLoop]:
    pairs = st.lists(st.tuples(st.sampled_from(seen), st.sampled_from(seen)), max_size=2) if seen else st.just([])
    return [
        HostLoop(name, draw(st.none() | locations), draw(st.none() | dims), parent, tuple(draw(pairs)))
        for name, parent in ((EPOCH, ""), (BATCH, EPOCH))
    ]


def _fill(draw: st.DrawFn, builder: Builder, known: list[Value], nodes: list[Node], depth: int) -> list[Value]:
    seen = [*known]
    seen += [builder.input(draw(names), draw(tensors)) for _ in range(draw(st.integers(0, 2)))]
    seen += [builder.constant(draw(names), draw(arrays | words)) for _ in range(draw(st.integers(0, 1)))]
    for _ in range(draw(st.integers(0, 2))):
        regions = []
        earlier = nodes[:]
        if depth and draw(st.booleans()):
            template = builder.region(draw(st.sampled_from(["loop", "branch", "odd kind"])), draw(text))
            results = _fill(draw, template, seen, nodes, depth - 1)
            unrolled = template.region("loop")
            iterations = [unrolled.close(_fill(draw, unrolled, seen, nodes, 0))] if draw(st.booleans()) else []
            regions.append(template.close(results, iterations=iterations))
        operands = draw(st.lists(st.none() | st.sampled_from(seen), max_size=3)) if seen else []
        node = builder.node(
            draw(st.sampled_from(["add", "opaque", "odd op", "return"])), operands, draw(st.integers(0, 2)),
            draw(st.dictionaries(text, values, max_size=2)), name=draw(names), regions=regions, source_op=draw(text),
            location=draw(st.none() | locations), module=draw(text), device=draw(text),
            stack=draw(st.lists(st.builds(Frame, text, locations), max_size=1)),
            control=draw(st.lists(st.sampled_from(earlier), max_size=2)) if earlier else (),
            guards=draw(st.lists(st.builds(Literal, text, st.booleans()), max_size=2)),
            loops=draw(st.sampled_from(NESTS)),
        )  # fmt: skip
        nodes.append(node)
        seen += node.outputs
    return draw(st.lists(st.sampled_from(seen), max_size=2)) if seen else []
