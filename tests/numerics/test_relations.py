"""What is known between tensors: equalities that cancel, squares and parabolas, extremes, shares."""

from __future__ import annotations

import pytest
from written import Said, said

from mlvet.analyses.numerics.settings import NumericAbstraction, Settings
from mlvet.domains.intervals import Interval

INTERVALS = Settings(numeric=NumericAbstraction.INTERVALS)


def of(
    body: str, inputs: str = "%x: f32[3, 4]", settings: Settings | None = None, **ranges: tuple[float, float]
) -> Said:
    """What is said of the nodes of a body; what it leaves unused is passed over."""
    *_, last = (line for line in body.splitlines() if " = " in line)
    return said(f"graph({inputs}) {{\n{body}\n  return {last.split(' = ')[0].strip()}\n}}", settings, **ranges)


class TestEqualities:
    def test_a_tensor_minus_itself_is_zero(self) -> None:
        assert of("%y = sub(%x, %x)", x=(-9, 9))["y"] == Interval(0, 0)
        assert of("%y = sub(%x, %x)", settings=INTERVALS, x=(-9, 9))["y"] == Interval(-18, 18)

    def test_equal_computations_are_equal(self) -> None:
        assert of("%a = exp(%x)\n%b = exp(%x)\n%y = sub(%a, %b)", x=(-9, 9))["y"] == Interval(0, 0)

    def test_random_numbers_are_not(self) -> None:
        text = "constant %n = i64[1] [4]\n%a = random_uniform(%n)\n%b = random_uniform(%n)\n%y = sub(%a, %b)"
        assert of(text, x=(0, 1))["y"].covers(Interval(-1, 1))

    def test_a_variable_that_is_written_may_change_between_two_reads(self) -> None:
        text = """
        parameter %v: f32[2] name="v"
        graph(%x: f32[2]) {
          %before = read_variable(%v)
          %sum = add(%before, %x)
          %written = assign(%v, %sum) @write
          %after = read_variable(%v) @read control=[@write]
          %y = sub(%after, %before)
          return %y
        }
        """
        assert said(text, x=(-5, 5), v=(0, 1))["y"] == Interval(-1, 1)

    def test_what_is_added_and_taken_away_cancels_up_to_rounding(self) -> None:
        body = "%a = add(%x, %c)\n%b = sub(%a, %c)\n%y = reciprocal(%b)"
        inputs = "%x: f32[4], %c: f32[4]"
        assert of(body, inputs, x=(1, 2), c=(-1000, 1000)).forward == {}
        assert of(body, inputs, x=(1, 2), c=(-1e30, 1e30)).forward == {"y": "division-by-zero"}

    def test_integers_cancel_exactly(self) -> None:
        body = "%a = add(%x, %c)\n%y = sub(%a, %c)"
        assert of(body, "%x: i32[4], %c: i32[4]", x=(1, 2), c=(0, 1000000))["y"] == Interval(1, 2)

    def test_a_broadcast_operand_cancels(self) -> None:
        body = "%a = add(%x, %c)\n%b = sub(%a, %c)\n%y = reciprocal(%b)"
        assert of(body, "%x: f32[3, 4], %c: f32[4]", x=(1, 2), c=(-9, 9)).forward == {}

    def test_other_columns_of_a_broadcast_do_not(self) -> None:
        body = """
        constant %turned = i64[2] [4, 1]
        %column = reshape(%c, %turned)
        %a = add(%x, %c)
        %y = sub(%a, %column)"""
        assert of(body, "%x: f32[4, 4], %c: f32[4]", x=(1, 2), c=(-9, 9))["y"].covers(Interval(-17, 20))

    def test_scaling_by_constants_is_followed(self) -> None:
        body = """
        constant %three = f32[] [3.0]
        constant %two = f32[] [2.0]
        %a = mul(%x, %three)
        %b = mul(%x, %two)
        %c = sub(%a, %b)
        %y = reciprocal(%c)"""
        assert of(body, x=(1, 9)).forward == {}
        assert of(body, settings=INTERVALS, x=(1, 9)).forward == {"y": "division-by-zero"}


class TestRelu:
    def test_relu_of_both_signs_gives_the_tensor_back(self) -> None:
        body = "%n = neg(%x)\n%p = relu(%x)\n%q = relu(%n)\n%y = sub(%p, %q)\n%z = sub(%y, %x)"
        found = of(body, x=(-3, 5))
        assert found["y"] == Interval(-3, 5)
        assert found["z"].covers(Interval(0, 0))
        assert found["z"].width < 1e-5
        assert of(body, settings=INTERVALS, x=(-3, 5))["z"].width > 10

    def test_an_absolute_value_is_relu_of_both_signs(self) -> None:
        body = "%n = neg(%x)\n%p = relu(%x)\n%q = relu(%n)\n%s = add(%p, %q)\n%a = abs(%x)\n%y = sub(%a, %s)"
        found = of(body, x=(-3, 5))["y"]
        assert found.covers(Interval(0, 0))
        assert found.width < 1e-4

    def test_the_maximum_with_zero_is_relu(self) -> None:
        body = "constant %zero = f32[] [0.0]\n%a = max(%x, %zero)\n%b = relu(%x)\n%y = sub(%a, %b)"
        found = of(body, x=(-3, 5))["y"]
        assert found.covers(Interval(0, 0))
        assert found.width < 1e-5


class TestSquares:
    def test_a_square_is_not_negative(self) -> None:
        for square in ("mul(%x, %x)", "square(%x)"):
            assert of(f"%y = {square}", x=(-3, 2))["y"] == Interval(0, 9)

    def test_a_product_of_two_tensors_may_be(self) -> None:
        assert of("%p = mul(%x, %z)", "%x: f32[2], %z: f32[2]", x=(-3, 2), z=(-3, 2))["p"] == Interval(-6, 9)

    @pytest.mark.parametrize(
        ("slope", "offset", "alarm"), [(-2.0, 1.0, False), (2.0, 1.0, False), (-4.0, 4.0, False), (-6.0, 9.0, True)]
    )
    def test_a_square_written_out_is_negative_only_where_rounding_makes_it(
        self, slope: float, offset: float, alarm: bool
    ) -> None:
        body = f"""
        constant %b = f32[] [{slope}]
        constant %c = f32[] [{offset}]
        %q = mul(%x, %x)
        %s = mul(%x, %b)
        %t = add(%q, %s)
        %u = add(%t, %c)
        %y = sqrt(%u)"""
        assert of(body, x=(-10, 10)).forward == ({"y": "sqrt-of-negative"} if alarm else {})

    def test_a_parabola_above_zero_can_be_divided_by(self) -> None:
        body = """
        constant %one = f32[] [1.0]
        %q = mul(%x, %x)
        %s = sub(%q, %x)
        %u = add(%s, %one)
        %y = reciprocal(%u)"""
        assert of(body, x=(-100, 100)).forward == {}
        assert of(body, settings=INTERVALS, x=(-100, 100)).forward == {"y": "division-by-zero"}

    def test_a_variance_is_not_negative(self) -> None:
        body = """
        constant %axis = i64[1] [1]
        %m = reduce_mean(%x, %axis) {keepdims=true}
        %d = sub(%x, %m)
        %q = mul(%d, %d)
        %v = reduce_mean(%q, %axis) {keepdims=true}
        %y = sqrt(%v)"""
        found = of(body, x=(-3, 2))
        assert found["v"].low == 0
        assert found.forward == {}


MAXIMUM = """
constant %axis = i64[1] [{axis}]
%top = reduce_max(%x, %axis) {{keepdims={keep}}}
{between}
%shifted = sub(%x, %{last})
%e = exp(%shifted)
constant %over = i64[1] [{summed}]
%total = reduce_sum(%e, %over) {{keepdims=true}}
%y = log(%total)"""


BOTH_ENDS = {"e": "exp-overflow", "total": "arithmetic-overflow", "y": "log-of-nonpositive"}


def shifted(axis: int, summed: int, keep: str = "true", between: str = "", last: str = "top") -> Said:
    body = MAXIMUM.format(axis=axis, summed=summed, keep=keep, between=between, last=last)
    return of(body, "%x: f32[4, 4]", x=(-1e4, 1e4))


class TestExtremes:
    def test_exponentials_below_the_maximum_sum_to_at_least_one(self) -> None:
        found = shifted(1, 1)
        assert found["shifted"].high == 0
        assert 0.999 < found["total"].low <= 1
        assert found["total"].high <= 4.1
        assert found.forward == {}

    def test_intervals_alone_know_nothing_of_it(self) -> None:
        body = MAXIMUM.format(axis=1, summed=1, keep="true", between="", last="top")
        found = of(body, "%x: f32[4, 4]", INTERVALS, x=(-1e4, 1e4))
        assert found.forward == BOTH_ENDS

    @pytest.mark.parametrize(
        "between",
        [
            "constant %place = i64[1] [1]\n%column = unsqueeze(%top, %place)",
            "constant %shape = i64[2] [4, 1]\n%column = reshape(%top, %shape)",
        ],
        ids=["unsqueeze", "reshape"],
    )
    def test_a_dropped_axis_can_be_put_back(self, between: str) -> None:
        assert shifted(1, 1, "false", between, "column").forward == {}

    def test_the_sum_over_the_other_axis_can_be_zero(self) -> None:
        assert shifted(1, 0).forward == {"y": "log-of-nonpositive"}

    def test_maxima_of_rows_beside_columns_bound_nothing(self) -> None:
        between = "constant %shape = i64[2] [1, 4]\n%column = reshape(%top, %shape)"
        assert shifted(1, 1, "false", between, "column").forward == BOTH_ENDS

    def test_maxima_in_an_unknown_order_bound_nothing(self) -> None:
        body = """
        constant %axis = i64[1] [1]
        %top = reduce_max(%x, %axis) {keepdims=true}
        %mixed = gather(%top, %order) {axis=0}
        %below = sub(%mixed, %x)
        %y = sqrt(%below)"""
        inputs = "%x: f32[3, 4], %order: i64[3]"
        assert of(body, inputs, x=(-5, 5), order=(0, 2)).forward == {"y": "sqrt-of-negative"}

    @pytest.mark.parametrize(
        "move",
        [
            "constant %from = i64[1] [1]\nconstant %to = i64[1] [4]\n%part = slice(%shifted, %from, %to, %axis)",
            "constant %some = i64[4] [0, 0, 1, 2]\n%part = gather(%shifted, %some) {axis=1}",
            "%part = gather(%shifted, %any) {axis=1}",
            "constant %shape = i64[2] [4, 3]\n%part = reshape(%shifted, %shape)",
            "%part = transpose(%shifted) {perm=(1, 0)}",
            "constant %never = f32[] [-inf]\n%part = where(%keep, %shifted, %never)",
        ],
        ids=["slice", "gather", "gather of unknown", "reshape", "transpose", "where"],
    )
    def test_rows_that_may_have_lost_their_maximum_may_sum_to_nothing(self, move: str) -> None:
        body = """
        constant %axis = i64[1] [1]
        %top = reduce_max(%x, %axis) {{keepdims=true}}
        %shifted = sub(%x, %top)
        {move}
        %e = exp(%part)
        %total = reduce_sum(%e, %axis) {{keepdims=true}}
        %y = log(%total)"""
        inputs = "%x: f32[3, 4], %any: i64[4], %keep: bool[3, 4]"
        whole = "%part = flip(%shifted) {axes=(1,)}"
        assert of(body.format(move=whole), inputs, x=(-1000, 1000)).forward == {}
        found = of(body.format(move=move), inputs, x=(-1000, 1000), any=(0, 3))
        assert found.forward == {"y": "log-of-nonpositive"}

    def test_a_sum_of_integers_that_wraps_bounds_nothing(self) -> None:
        body = """
        %total = reduce_sum(%x, _) {keepdims=true}
        %rest = sub(%total, %x)
        %float = cast(%rest) {to=f32}
        %y = sqrt(%float)"""
        assert of(body, "%x: i8[4]", x=(0, 127)).forward == {"y": "sqrt-of-negative"}
        assert of(body, "%x: i8[4]", x=(0, 30)).forward == {}

    def test_the_minimum_bounds_from_below(self) -> None:
        body = "%least = reduce_min(%x, _) {keepdims=false}\n%above = sub(%x, %least)\n%y = sqrt(%above)"
        assert of(body, x=(-5, 5)).forward == {}

    def test_a_share_of_a_sum_is_at_most_one(self) -> None:
        body = """
        constant %axis = i64[1] [1]
        %total = reduce_sum(%x, %axis) {keepdims=true}
        %share = div(%x, %total)
        constant %one = f32[] [1.0]
        %rest = sub(%one, %share)
        %y = sqrt(%rest)"""
        found = of(body, x=(0.01, 1000))
        assert found["share"].high == 1
        assert found.forward == {}
        assert of(body, x=(0, 1000)).forward == {"share": "division-by-zero"}

    def test_what_is_divided_by_its_norm_is_at_most_one(self) -> None:
        body = """
        constant %axis = i64[1] [1]
        constant %little = f32[] [1.0e-6]
        %squares = mul(%x, %x)
        %total = reduce_sum(%squares, %axis) {keepdims=true}
        %some = add(%total, %little)
        %norm = sqrt(%some)
        %y = div(%x, %norm)"""
        found = of(body, x=(-1000, 1000))
        assert found.forward == {}
        assert found["y"].covers(Interval(-1, 1))
        assert found["y"].high < 1.001


class TestSoftmax:
    def test_some_element_of_every_row_has_its_share(self) -> None:
        body = """
        %p = softmax(%x) {{axis=1}}
        constant %axis = i64[1] [{axis}]
        %best = reduce_max(%p, %axis) {{keepdims=true}}
        %y = log(%best)"""
        found = of(body.format(axis=1), x=(-1e4, 1e4))
        assert 0.2 < found["best"].low <= 0.25
        assert found.forward == {}
        assert of(body.format(axis=0), x=(-1e4, 1e4)).forward == {"y": "log-of-nonpositive"}

    def test_a_mean_by_attention_stays_within_the_values(self) -> None:
        body = "%p = softmax(%x) {axis=1}\n%y = matmul(%p, %v)"
        found = of(body, "%x: f32[64, 4096], %v: f32[4096, 8]", x=(-9, 9), v=(-100, 50))["y"]
        assert found.covers(Interval(-100, 50))
        assert found.low > -110

    def test_the_logarithm_of_a_softmax_of_far_scores_is_an_alarm(self) -> None:
        assert of("%p = softmax(%x) {axis=1}\n%y = log(%p)", x=(-200, 200)).forward == {"y": "log-of-nonpositive"}
        assert of("%p = softmax(%x) {axis=1}\n%y = log(%p)", x=(-20, 20)).forward == {}
        assert of("%y = log_softmax(%x) {axis=1}", x=(-200, 200)).forward == {}


class TestPieces:
    def test_functions_of_one_tensor_are_followed_together(self) -> None:
        found = of("%s = sigmoid(%x)\n%y = mul(%x, %s)", x=(-1e4, 1e4))["y"]
        assert -1.1 < found.low <= -0.278

    def test_a_tensor_by_one_plus_its_size_stays_small(self) -> None:
        body = "constant %one = f32[] [1.0]\n%a = abs(%x)\n%b = add(%a, %one)\n%y = div(%x, %b)"
        found = of(body, x=(-100, 100))["y"]
        assert found.covers(Interval(-0.99, 0.99))
        assert found.high < 4
        assert of(body, settings=INTERVALS, x=(-100, 100))["y"].high == 100
