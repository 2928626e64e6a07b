"""What holds between tensors and makes an operator safe, each beside a graph in which it does not hold."""

from __future__ import annotations

import pytest

from mlvet.analyses.numerics.assumptions.ranges import Given, assumed_ranges
from mlvet.analyses.shapes.inference import infer
from tests.numerics.written import graph, said

NORMALISED = """
graph(%a: f32[4, 8], %b: f32[4, 8]) {
  constant %axes: i64[1] = i64[1] [1]
  constant %least: f32[] = f32[] [1e-12]
  constant %shape: i64[2] = i64[2] [4, 8]
  constant %heat: f32[] = f32[] [HEAT]
  %na = vector_norm(%a, %axes) {keepdims=1, order=2.0}
  %ca = max(%na, %least)
  %ea = expand(%ca, %shape)
  %ua = div(%a, %ea)
  %nb = vector_norm(%b, %axes) {keepdims=1, order=2.0}
  %cb = max(%nb, %least)
  %ub = div(%b, %cb)
  %tb = transpose(%ub) {perm=[1, 0]}
  %cos = matmul(%ua, %tb)
  %logits = div(%cos, %heat)
  %e = exp(%logits)
  return %e
}
"""


class TestVectorsDividedByTheirNorm:
    def test_an_inner_product_of_two_is_at_most_about_1(self) -> None:
        found = said(NORMALISED.replace("HEAT", "0.07"), a=(-5, 5), b=(-5, 5))
        assert 1 <= found["cos"].high < 1.01
        assert found.forward == {}

    def test_a_temperature_that_is_too_low_overflows(self) -> None:
        assert said(NORMALISED.replace("HEAT", "0.01"), a=(-5, 5), b=(-5, 5)).forward == {"e": "exp-overflow"}

    def test_a_root_of_the_greatest_square_is_no_norm(self) -> None:
        found = said(
            """
graph(%a: f32[4, 8]) {
  constant %axes: i64[1] = i64[1] [1]
  constant %least: f32[] = f32[] [1e-12]
  %square = mul(%a, %a)
  %top = reduce_max(%square, %axes) {keepdims=1}
  %root = sqrt(%top)
  %raised = max(%root, %least)
  %u = div(%a, %raised)
  %t = transpose(%u) {perm=[1, 0]}
  %inner = matmul(%u, %t)
  return %inner
}
""",
            a=(-5, 5),
        )
        assert found["inner"].high >= 8


def spread(axes: str, edge: str) -> str:
    return f"""
graph(%x: f32[4, 4]) {{
  constant %first: i64[1] = i64[1] [1]
  constant %second: i64[1] = i64[1] [{axes}]
  constant %least: f32[] = f32[] [1e-8]
  %top = reduce_max(%x, %first) {{keepdims=0}}
  %bottom = {edge}(%x, %second) {{keepdims=0}}
  %range = sub(%top, %bottom)
  %raised = add(%range, %least)
  %y = reciprocal(%raised)
  return %y
}}
"""


class TestGreatestLessLeast:
    def test_of_the_same_elements_it_is_not_negative(self) -> None:
        assert said(spread("1", "reduce_min"), x=(0, 255)).forward == {}

    @pytest.mark.parametrize(("axes", "edge"), [("0", "reduce_min"), ("1", "reduce_mean")])
    def test_of_other_elements_it_can_be(self, axes: str, edge: str) -> None:
        assert said(spread(axes, edge), x=(0, 255)).forward == {"y": "division-by-zero"}


def shifted(move: str) -> str:
    return f"""
graph(%x: f32[4, 4]) {{
  constant %axes: i64[1] = i64[1] [1]
  constant %column: i64[2] = i64[2] [4, 1]
  constant %row: i64[2] = i64[2] [1, 4]
  constant %full: i64[2] = i64[2] [4, 4]
  %top = reduce_max(%x, %axes) {{keepdims=0}}
  %placed = reshape(%top, %{move})
  %repeated = expand(%placed, %full)
  %low = sub(%x, %repeated)
  %e = exp(%low)
  %s = reduce_sum(%e, %axes) {{keepdims=1}}
  %y = log(%s)
  return %y
}}
"""


class TestARepeatedBound:
    def test_it_bounds_where_it_is_repeated_along_its_own_axis(self) -> None:
        assert said(shifted("column"), x=(-1000, 1000)).forward == {}

    def test_not_along_another(self) -> None:
        assert set(said(shifted("row"), x=(-1000, 1000)).forward) >= {"e", "y"}


def test_what_is_normalised_by_a_log_sum_exp_is_a_log_probability() -> None:
    text = """
graph(%x: f32[4, 4]) {
  constant %axes: i64[1] = i64[1] [1]
  %s = reduce_log_sum_exp(%x, %axes) {keepdims=1}
  %l = sub(%x, %s)
  %p = exp(%l)
  return %p
}
"""
    found = said(text, x=(-1000, 1000))
    assert found.forward == {}
    assert 1 <= found["p"].high < 1.01


@pytest.mark.parametrize(("largest", "alarms"), [("true", set()), ("false", {"y"})])
def test_the_greatest_shares_do_not_all_vanish(largest: str, alarms: set[str]) -> None:
    text = f"""
graph(%x: f32[4, 8]) {{
  constant %axes: i64[1] = i64[1] [1]
  constant %k: i64[1] = i64[1] [2]
  %p = softmax(%x) {{axis=-1}}
  %v, %i = top_k(%p, %k) {{axis=-1, largest={largest}}} @top
  %s = reduce_sum(%v, %axes) {{keepdims=1}}
  %y = div(%v, %s)
  return %y
}}
"""
    assert set(said(text, x=(-500, 500)).forward) == alarms


def around(upper: str, lower: str) -> str:
    return f"""
graph(%c: f32[4], %s: f32[4], %d: f32[4], %t: f32[4]) {{
  %right = add(%c, %s)
  %left = sub(%c, %s)
  %other = add(%d, %t)
  %another = sub(%d, %t)
  %upper = {upper}(%right, %other)
  %lower = {lower}(%left, %another)
  %width = sub(%upper, %lower)
  %y = reciprocal(%width)
  return %y
}}
"""


class TestSpans:
    def test_what_surrounds_two_is_as_wide_as_each(self) -> None:
        found = said(around("max", "min"), c=(0, 1), d=(0, 1), s=(0.1, 1), t=(0.1, 1))
        assert found.forward == {}
        assert found["width"].low == pytest.approx(0.2, rel=1e-3)

    def test_what_two_share_is_not_but_no_wider_than_each(self) -> None:
        found = said(around("min", "max"), c=(0, 1), d=(0, 1), s=(0.1, 1), t=(0.1, 0.5))
        assert found.forward == {"y": "division-by-zero"}
        assert found["width"].high == pytest.approx(1.0, rel=1e-3)


def branching(relation: str, bound: float) -> str:
    return f"""
graph(%x: f32[]) {{
  constant %bound: f32[] = f32[] [{bound}]
  %test = {relation}(%x, %bound)
  %r = if(%test)
    do then() {{
      %y = reciprocal(%x)
      return %y
    }}
    do else() {{
      %z = neg(%x)
      return %z
    }}
  return %r
}}
"""


class TestBranches:
    def test_a_branch_runs_where_its_condition_holds(self) -> None:
        found = said(branching("greater", 0.1), x=(0, 5))
        assert found.forward == {}
        assert found["z"].low == pytest.approx(-0.1)

    def test_a_branch_that_computes_the_tested_number_again_is_guarded_too(self) -> None:
        text = """
graph(%x: f32[4]) {
  constant %axes: i64[1] = i64[1] [0]
  constant %bound: f32[] = f32[] [1.0]
  %sum = reduce_sum(%x, %axes) {keepdims=0}
  %test = greater(%sum, %bound)
  %r = if(%test, %x)
    do then(%inner: f32[4]) {
      constant %same: i64[1] = i64[1] [0]
      %total = reduce_sum(%inner, %same) {keepdims=0}
      %y = div(%inner, %total)
      return %y
    }
    do else(%other: f32[4]) {
      %z = neg(%other)
      return %z
    }
  %after = reciprocal(%sum)
  return %r, %after
}
"""
        assert said(text, x=(0, 5)).forward == {"after": "division-by-zero"}

    def test_a_condition_that_lets_zero_in_guards_nothing(self) -> None:
        assert said(branching("less", 0.1), x=(0, 5)).forward == {"y": "division-by-zero"}


def test_after_a_division_by_zero_shares_are_still_shares() -> None:
    text = """
graph(%e: f32[4, 8], %v: f32[8, 3]) {
  constant %axes: i64[1] = i64[1] [1]
  %s = reduce_sum(%e, %axes) {keepdims=1}
  %p = div(%e, %s)
  %y = matmul(%p, %v)
  return %y
}
"""
    found = said(text, e=(0, 100), v=(-5, 5))
    assert found.forward == {"p": "division-by-zero"}
    assert found["p"].high == 1


def test_a_product_of_two_unit_vectors_sums_to_at_most_about_1() -> None:
    text = """
graph(%a: f32[4, 8], %b: f32[4, 8]) {
  constant %axes: i64[1] = i64[1] [1]
  constant %least: f32[] = f32[] [1e-6]
  %na = vector_norm(%a, %axes) {keepdims=1, order=2.0}
  %ca = add(%na, %least)
  %ua = div(%a, %ca)
  %nb = vector_norm(%b, %axes) {keepdims=1, order=2.0}
  %cb = add(%nb, %least)
  %ub = div(%b, %cb)
  %product = mul(%ua, %ub)
  %cos = reduce_sum(%product, %axes) {keepdims=0}
  return %cos
}
"""
    assert 1 <= said(text, a=(-5, 5), b=(-5, 5))["cos"].high < 1.01


@pytest.mark.parametrize(("second", "alarms"), [("b", {}), ("c", {"y": "log-of-nonpositive"})])
def test_one_of_two_is_their_maximum(second: str, alarms: dict[str, str]) -> None:
    text = f"""
graph(%a: f32[4], %b: f32[4], %c: f32[4]) {{
  %m = max(%a, %b)
  %da = sub(%a, %m)
  %db = sub(%{second}, %m)
  %cut = min(%db, %da)
  %low = min(%db, %zero)
  %ea = exp(%da)
  %eb = exp(%low)
  %s = add(%ea, %eb)
  %y = log(%s)
  return %y, %cut
}}
""".replace("  %m = max", "  constant %zero: f32[] = f32[] [0.0]\n  %m = max")
    assert said(text, a=(-1e4, 1e4), b=(-1e4, 1e4), c=(-1e4, 1e4)).forward == alarms


@pytest.mark.parametrize(("bound", "alarms"), [(1e-6, {}), (0.0, {"q": "division-by-zero"})])
def test_a_divisor_whose_small_values_are_replaced(bound: float, alarms: dict[str, str]) -> None:
    text = f"""
graph(%x: f32[4], %y: f32[4]) {{
  constant %bound: f32[] = f32[] [{bound}]
  constant %other: f32[] = f32[] [1e-6]
  %size = abs(%y)
  %small = less(%size, %bound)
  %kept = where(%small, %other, %y)
  %q = div(%x, %kept)
  return %q
}}
"""
    assert said(text, x=(-5, 5), y=(-5, 5)).forward == alarms


@pytest.mark.parametrize(("least", "alarms"), [(0, {}), (-1, {"y": "log-of-nonpositive"})])
def test_a_one_hot_vector_picks_one_share(least: int, alarms: dict[str, str]) -> None:
    text = """
graph(%x: f32[4, 5], %i: i64[4]) {
  constant %axes: i64[1] = i64[1] [1]
  constant %depth: i64[] = i64[] [5]
  constant %values: f32[2] = f32[2] [0.0, 1.0]
  %p = softmax(%x) {axis=-1}
  %hot = one_hot(%i, %depth, %values) {axis=-1}
  %product = mul(%p, %hot)
  %share = reduce_sum(%product, %axes) {keepdims=0}
  %y = log(%share)
  return %y
}
"""
    assert said(text, x=(-10, 10), i=(least, 4)).forward == alarms


@pytest.mark.parametrize(
    ("source", "limited"), [("ResourceApplyGradientDescent", True), ("AssignSubVariableOp", False)]
)
def test_a_step_of_training_leaves_a_weight_near_its_initialiser(source: str, limited: bool) -> None:
    read = graph(
        f"""
parameter %w: f32[4] name="w" init=uniform(low=-0.1, high=0.1)
graph(%g: f32[4]) {{
  %y = assign_sub(%w, %g) @step source="{source}"
  return %y
}}
"""
    )
    assumed = assumed_ranges(read, infer(read), Given({"g": (-1, 1)}))[read.parameters[0].value]
    assert (assumed.interval.high < 10) is limited


def test_quantisation_saturates() -> None:
    text = """
graph(%x: f32[4]) {
  constant %scale: f32[] = f32[] [0.001]
  constant %zero: u8[] = u8[] [128]
  %q = quantize_linear(%x, %scale, %zero)
  return %q
}
"""
    assert said(text, x=(-5, 5)).forward == {}
