"""The search for executed witnesses: what it finds, and that it finds nothing where there is nothing."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness import Witness, search
from mlvet.analyses.numerics.witness.search import SHARED_POINTS
from mlvet.analyses.numerics.witness.trial import Trial
from mlvet.analyses.shapes.inference import infer
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.intervals import ANY, Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text
from mlvet.runtime import evaluate


def hazard(
    graph: Graph,
    node: str,
    rule: str,
    operand: int | None = 0,
    outcome: Outcome = Outcome.EITHER,
    backward: bool = False,
) -> Hazard:
    (found,) = (each for each in graph.nodes() if each.name == node)
    return Hazard(found, rule, operand, ANY, outcome, backward)


def found(
    graph: Graph,
    *hazards: Hazard,
    seconds: float = 5.0,
    origin: Origin = Origin.GIVEN,
    seed: int = 0,
    **ends: tuple[float, float],
) -> dict[Hazard, Witness]:
    free = [*graph.inputs, *(parameter.value for parameter in graph.parameters if parameter.data is None)]
    ranges = {value: Assumed(Interval(*ends[value.name]), origin, "a test") for value in free if value.name in ends}
    return search(graph, hazards, ranges, infer(graph).types, seconds=seconds, seed=seed)


def read(body: str, *parameters: str) -> Graph:
    return from_text("\n".join(['mlvet-graph 1 "net"', *parameters, body.strip(), ""]))


def shown(graph: Graph, one: Hazard, **options: object) -> Witness:
    """The witness of a hazard, checked by a fresh execution of the whole graph."""
    witness = found(graph, one, **options)[one]  # type: ignore[arg-type]
    values = evaluate(graph, witness.inputs, values=True)
    if witness.outcome in ("NaN", "inf", "-inf"):
        assert not np.isfinite(values[witness.value]).all()
    return witness


LOG_SOFTMAX = """
graph "net"(%x: f32[2, 4]) {
  constant %w: f32[4, 3] = f32[4, 3] [0.5, -1.0, 0.25, 1.0, 0.5, -0.5, -0.75, 0.5, 1.0, 0.25, -0.25, 0.5]
  %y = matmul(%x, %w) @y
  %p = softmax(%y) @p
  %l = log(%p) @l
  return %l
}
"""


def test_log_of_softmax() -> None:
    graph = read(LOG_SOFTMAX)
    witness = shown(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-100, 100))
    assert witness.outcome == "-inf"
    assert witness.operand == 0
    assert np.abs(witness.inputs["x"]).max() <= 100
    assert witness.inputs["x"].dtype == np.float32
    assert witness.executed_with == "numpy reference"


def test_log_of_softmax_of_a_narrow_range_has_none() -> None:
    graph = read(LOG_SOFTMAX)
    assert not found(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-10, 10), seconds=1.0)


LOST_EPSILON = """
graph "net"(%x: f32[4]) {
  constant %one: f32[] = f32[] [1.0]
  constant %epsilon: f32[] = f32[] [1e-10]
  %s = sigmoid(%x) @s
  %a = add(%epsilon, %one) @a
  %d = sub(%a, %s) @d
  %l = log(%d) @l
  return %l
}
"""


def test_an_epsilon_that_rounding_loses() -> None:
    graph = read(LOST_EPSILON)
    one = hazard(graph, "l", "log-of-nonpositive")
    witness = shown(graph, one, x=(-100, 100))
    assert witness.outcome == "-inf"
    assert witness.inputs["x"].max() > 10
    assert not found(graph, one, x=(-5, 5), seconds=0.5)


SQUARE_OF_DIFFERENCE = """
graph "net"(%x: f32[8]) {
  constant %one: f32[] = f32[] [1.0]
  constant %two: f32[] = f32[] [2.0]
  %q = mul(%x, %x) @q
  %t = mul(%x, %two) @t
  %d = sub(%q, %t) @d
  %e = add(%d, %one) @e
  %s = sqrt(%e) @s
  return %s
}
"""


def test_x_squared_minus_2x_plus_1_is_zero_but_never_negative() -> None:
    """Rounding is monotone and 2x - 1 is a float near 1, so the square does not fall below it."""
    graph = read(SQUARE_OF_DIFFERENCE)
    assert not found(graph, hazard(graph, "s", "sqrt-of-negative", outcome=Outcome.NAN), x=(-10, 10), seconds=0.5)
    steep = hazard(graph, "s", "infinite-gradient", outcome=Outcome.GRADIENT, backward=True)
    witness = shown(graph, steep, x=(-10, 10))
    assert witness.outcome == "gradient inf"
    assert witness.operand == 0


def test_mean_of_squares_minus_square_of_mean_is_negative() -> None:
    graph = read("""
graph "net"(%x: f32[4, 16]) {
  constant %axes: i64[1] = i64[1] [-1]
  %q = mul(%x, %x) @q
  %m = reduce_mean(%q, %axes) {keepdims=true} @m
  %e = reduce_mean(%x, %axes) {keepdims=true} @e
  %f = mul(%e, %e) @f
  %v = sub(%m, %f) @v
  %s = sqrt(%v) @s
  return %s
}
""")
    witness = shown(graph, hazard(graph, "s", "sqrt-of-negative", outcome=Outcome.NAN), x=(-100, 100))
    assert witness.outcome == "NaN"
    assert witness.operand is not None
    assert witness.operand < 0


def test_division_by_a_variance_of_zero_in_rows_of_any_number() -> None:
    graph = read("""
graph "net"(%x: f32[batch, 8]) {
  constant %axes: i64[1] = i64[1] [-1]
  %m = reduce_mean(%x, %axes) {keepdims=true} @m
  %c = sub(%x, %m) @c
  %q = mul(%c, %c) @q
  %v = reduce_mean(%q, %axes) {keepdims=true} @v
  %s = sqrt(%v) @s
  %r = div(%c, %s) @r
  return %r
}
""")
    witness = shown(graph, hazard(graph, "r", "division-by-zero", 1), x=(1, 3))
    assert witness.outcome == "NaN"
    assert witness.inputs["x"].shape[1:] == (8,)
    assert ((witness.inputs["x"] >= 1) & (witness.inputs["x"] <= 3)).all()


def test_half_precision_overflows_in_the_sum_only() -> None:
    graph = read("""
graph "net"(%x: f16[n, 300]) {
  constant %axes: i64[1] = i64[1] [-1]
  %q = mul(%x, %x) @q
  %m = reduce_sum(%q, %axes) {keepdims=true} @m
  return %m
}
""")
    square, total = (hazard(graph, node, "half-precision-overflow", None, Outcome.INFINITY) for node in ("q", "m"))
    witnesses = found(graph, square, total, x=(-30, 30), seconds=1.0)
    assert list(witnesses) == [total]
    assert witnesses[total].inputs["x"].dtype == np.float16
    assert witnesses[total].outcome == "inf"


MASKED = """
graph "net"(%x: f32[2, 5], %mask: bool[2, 5]) {
  constant %nothing: f32[] = f32[] [-inf]
  %w = where(%mask, %x, %nothing) @w
  %p = softmax(%w) @p
  return %p
}
"""


def test_softmax_of_a_row_that_is_masked_all_over() -> None:
    graph = read(MASKED)
    witness = shown(graph, hazard(graph, "p", "softmax-of-nothing", 0, Outcome.NAN), x=(-3, 3))
    assert witness.outcome == "NaN"
    assert (~witness.inputs["mask"]).all(axis=1).any()


def test_an_infinity_that_another_operator_made_does_not_count() -> None:
    """inf - inf is NaN, but it is exp that fails."""
    graph = read("""
graph "net"(%x: f32[2]) {
  %e = exp(%x) @e
  %d = sub(%e, %e) @d
  return %d
}
""")
    made, met = hazard(graph, "e", "exp-overflow"), hazard(graph, "d", "not-a-number", None, Outcome.NAN)
    assert list(found(graph, made, met, x=(0, 1000), seconds=0.5)) == [made]


def two_layers(width: float) -> tuple[Graph, Hazard]:
    rng = np.random.default_rng(1)
    build = Builder()
    value = build.input("x", Tensor(dtypes.f32, (2, 16)))
    for name, rows, columns in (("a", 32, 16), ("b", 8, 32)):
        weight = build.constant(name, (rng.standard_normal((rows, columns)) * width).astype(np.float32))
        value = build.add("linear", value, weight, None)
        value = build.add("relu", value) if name == "a" else build.node("exp", [value], name="e").outputs[0]
    graph = build.graph([value])
    return graph, hazard(graph, "e", "exp-overflow", 0, Outcome.INFINITY)


def test_exp_behind_two_layers_needs_the_right_signs() -> None:
    """No special or random point comes near: the greatest exponent is 5.2 times the width of the range."""
    graph, one = two_layers(0.3)
    witness = shown(graph, one, x=(-19, 19))
    assert witness.outcome == "inf"
    assert np.abs(witness.inputs["x"]).max() <= 19
    assert not found(graph, one, x=(-10, 10), seconds=0.5)


def test_the_corner_that_the_weights_choose() -> None:
    weight = np.random.default_rng(0).standard_normal((64, 10)).astype(np.float32)
    build = Builder()
    x = build.input("x", Tensor(dtypes.f32, (1, 64)))
    product = build.add("matmul", x, build.constant("w", weight))
    graph = build.graph(build.node("exp", [product], name="e").outputs)
    one = hazard(graph, "e", "exp-overflow", 0, Outcome.INFINITY)
    most = float(np.abs(weight).sum(axis=0).max())
    assert one in found(graph, one, x=(-89.5 / most, 89.5 / most))
    assert one not in found(graph, one, x=(-88 / most, 88 / most), seconds=0.5)


def test_weights_without_elements_are_searched_too() -> None:
    graph = read(
        """
graph "net"(%x: f32[2, 6]) {
  %h = matmul(%x, %w) @h
  %e = exp(%h) @e
  return %e
}
""",
        'parameter %w: f32[6, 4] name="w"',
    )
    one = hazard(graph, "e", "exp-overflow", 0, Outcome.INFINITY)
    witness = shown(graph, one, x=(-2, 2), w=(-8, 8))
    assert set(witness.inputs) == {"x", "w"}
    assert not found(graph, one, x=(-2, 2), w=(-7, 7), seconds=0.5)


LOOP = """
graph "net"(%x: f32[3]) {{
  constant %turns: i64[] = i64[] [{turns}]
  constant %yes: bool[] = bool[] [true]
  constant %one: f32[] = f32[] [1.0]
  %y = loop(%turns, %yes, %x) @loop
    do loop "body"(%i: i64[], %going: bool[], %h: f32[3]) {{
      %s = {step} @s
      %r = reciprocal(%s) @r
      %on = identity(%going) @on
      return %on, %s
    }}
  return %y
}}
"""


def test_every_iteration_of_a_loop_is_looked_at() -> None:
    """The third turn divides by zero; the last one is far from it."""
    graph = read(LOOP.format(turns=8, step="sub(%h, %one)"))
    witness = found(graph, hazard(graph, "r", "division-by-zero", 0), x=(2.5, 3.4))
    assert [each.operand for each in witness.values()] == [0]
    (given,) = (each.inputs["x"] for each in witness.values())
    assert 3 in given


def test_a_loop_that_overflows_after_some_turns() -> None:
    graph = read(LOOP.format(turns=20, step="mul(%h, %h)"))
    one = hazard(graph, "s", "product-overflow", None, Outcome.INFINITY)
    assert found(graph, one, x=(0, 1.5))[one].outcome == "inf"
    assert not found(graph, one, x=(0, 1), seconds=0.5)


def test_a_loop_without_end_ends_with_the_time() -> None:
    graph = read("""
graph "net"(%x: f32[2]) {
  constant %yes: bool[] = bool[] [true]
  %y = loop(_, %yes, %x) @loop
    do loop "body"(%i: i64[], %going: bool[], %h: f32[2]) {
      %s = sin(%h) @s
      %on = identity(%going) @on
      return %on, %s
    }
  %l = log(%y) @l
  return %l
}
""")
    assert not found(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-1, 1), seconds=0.2)


@pytest.mark.parametrize(
    ("operand", "ends"),
    [
        ("sub(%s, %c)", {"x": (-4, 4)}),
        ("sub(%x, %c)", {"x": (0.1, 3)}),
        ("sub(%t, %c)", {"x": (0, 4)}),
    ],
)
def test_a_zero_between_two_signs(operand: str, ends: dict[str, tuple[float, float]]) -> None:
    graph = read(f"""
graph "net"(%x: f32[3]) {{
  constant %c: f32[] = f32[] [0.7310586]
  %s = sigmoid(%x) @s
  %t = tanh(%x) @t
  %d = {operand} @d
  %r = reciprocal(%d) @r
  return %r
}}
""")
    witness = shown(graph, hazard(graph, "r", "division-by-zero", 0), **ends)
    assert witness.operand == 0


def test_inputs_that_meet() -> None:
    graph = read("""
graph "net"(%x: f32[4], %y: f32[4]) {
  %d = sub(%x, %y) @d
  %r = div(%y, %d) @r
  return %r
}
""")
    one = hazard(graph, "r", "division-by-zero", 1)
    assert shown(graph, one, x=(0.3, 7), y=(5, 9)).operand == 0
    assert not found(graph, one, x=(0.3, 4), y=(5, 9), seconds=0.5)


def test_a_float_that_an_integer_cannot_hold() -> None:
    graph = read("""
graph "net"(%x: f32[3]) {
  %i = cast(%x) {to=i8} @i
  return %i
}
""")
    one = hazard(graph, "i", "cast-overflow", 0, Outcome.WRAPPED)
    witness = found(graph, one, x=(-200, 100))[one]
    assert witness.outcome == "out of range"
    assert witness.operand is not None
    assert witness.operand < -128
    assert not found(graph, one, x=(-128.5, 127.5), seconds=0.5)


def test_the_gradient_of_a_norm() -> None:
    graph = read("""
graph "net"(%x: f32[2, 6]) {
  constant %axes: i64[1] = i64[1] [-1]
  %n = reduce_l2(%x, %axes) @n
  return %n
}
""")
    one = hazard(graph, "n", "infinite-gradient", 0, Outcome.GRADIENT, True)
    assert found(graph, one, x=(-2, 2))[one].outcome == "gradient NaN"
    assert not found(graph, one, x=(0.5, 2), seconds=0.5)


def test_subnormal_numbers_that_a_backend_flushes() -> None:
    """exp(-100) is subnormal: the derivative of its root is finite in NumPy, infinite where subnormals are zero."""
    graph = read("""
graph "net"(%x: f32[4]) {
  constant %low: f32[] = f32[] [-100.0]
  constant %high: f32[] = f32[] [87.0]
  %c = clip(%x, %low, %high) @c
  %e = exp(%c) @e
  %s = sqrt(%e) @s
  return %s
}
""")
    one = hazard(graph, "s", "infinite-gradient", 0, Outcome.GRADIENT, True)
    witness = found(graph, one, x=(-200, 200), seconds=0.5)[one]
    assert "flushed" in witness.executed_with
    assert witness.outcome == "gradient inf"


def test_ranges_that_nobody_gave_are_not_searched_to_their_ends() -> None:
    graph = read("""
graph "net"(%x: f32[2]) {
  %q = mul(%x, %x) @q
  %e = exp(%x) @e
  return %q, %e
}
""")
    square, power = hazard(graph, "q", "product-overflow", None), hazard(graph, "e", "exp-overflow")
    witnesses = found(graph, square, power, x=(-inf, inf), origin=Origin.DTYPE, seconds=0.5)
    assert list(witnesses) == [power]
    assert np.abs(witnesses[power].inputs["x"]).max() <= 1e4
    assert square in found(graph, square, x=(-inf, inf), origin=Origin.GIVEN)


def test_token_ids_stay_in_the_table() -> None:
    table = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    table[37] = 0
    build = Builder()
    ids = build.input("ids", Tensor(dtypes.i64, (symbol("n"), symbol("s"))))
    rows = build.add("gather", build.constant("table", table), ids, axis=0)
    norm = build.add("reduce_l2", rows, build.constant("axes", [-1]), keepdims=True)
    graph = build.graph(build.node("div", [rows, norm], name="r").outputs)
    one = hazard(graph, "r", "division-by-zero", 1)
    witness = search(graph, [one], {}, infer(graph).types, seconds=5.0)[one]
    assert 37 in witness.inputs["ids"]
    assert witness.inputs["ids"].max() < 50


def test_sizes_with_which_the_graph_runs() -> None:
    graph = read("""
graph "net"(%x: f32[n, m]) {
  constant %w: f32[5] = f32[5] [1.0, 1.0, 1.0, 1.0, 1.0]
  %h = matmul(%x, %w) @h
  %l = log(%h) @l
  return %l
}
""")
    witness = shown(graph, hazard(graph, "l", "log-of-nonpositive"), x=(0, 1))
    assert witness.inputs["x"].shape[1] == 5


def test_what_cannot_run_has_no_witness() -> None:
    build = Builder()
    x = build.input("x", Tensor(dtypes.f32, (2,)))
    strange = build.opaque("vendor:Mystery", [x])
    graph = build.graph(build.node("log", [strange.outputs[0]], name="l").outputs)
    assert not found(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-1, 1), seconds=0.5)
    text = Builder()
    words = text.input("words", Tensor(dtypes.text, (2,)))
    number = text.add("cast", words, to=dtypes.f32)
    graph = text.graph(text.node("log", [number], name="l").outputs)
    assert not found(graph, hazard(graph, "l", "log-of-nonpositive"), seconds=0.5)


def test_an_operator_that_cannot_run_does_not_hide_the_others() -> None:
    build = Builder()
    x = build.input("x", Tensor(dtypes.f32, (2,)))
    strange = build.opaque("vendor:Mystery", [x])
    first = build.node("log", [strange.outputs[0]], name="first")
    second = build.node("log", [x], name="second")
    graph = build.graph([*first.outputs, *second.outputs])
    hazards = [hazard(graph, name, "log-of-nonpositive") for name in ("first", "second")]
    assert list(found(graph, *hazards, x=(-1, 1), seconds=0.5)) == hazards[1:]


def test_the_same_seed_finds_the_same() -> None:
    graph, one = two_layers(0.3)
    first, again = (found(graph, one, x=(-19, 19), seed=3, seconds=20.0)[one] for _ in range(2))
    np.testing.assert_array_equal(first.inputs["x"], again.inputs["x"])
    assert first.tries == again.tries


def test_a_search_that_comes_no_nearer_ends_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    executions = []
    run = Trial.run
    monkeypatch.setattr(Trial, "run", lambda *given, **how: executions.append(1) or run(*given, **how))  # type: ignore[func-returns-value]
    graph = read("graph(%x: f32[4]) {\n  %s = mul(%x, %x) @m\n  %t = add(%s, %x) @a\n  %l = exp(%t) @e\n  return %l\n}")
    assert not found(graph, hazard(graph, "e", "exp-overflow"), seconds=1e6, x=(-5, 5))
    assert SHARED_POINTS < len(executions) < 2000
