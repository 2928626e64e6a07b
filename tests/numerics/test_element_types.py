"""Rounding and limits of element types: halves, casts, integers that wrap, numbers that may be flushed to zero."""

from __future__ import annotations

import numpy as np
import pytest
from written import Said, said

from mlvet.analyses.numerics.hazard import Outcome
from mlvet.domains.intervals import Interval


def of(body: str, dtype: str = "f32", shape: str = "[4]", **ranges: tuple[float, float]) -> Said:
    *_, last = (line for line in body.splitlines() if " = " in line)
    return said(f"graph(%x: {dtype}{shape}) {{\n{body}\n  return {last.split(' = ')[0].strip()}\n}}", **ranges)


class TestHalves:
    @pytest.mark.parametrize(("dtype", "alarm"), [("f16", True), ("bf16", False), ("f32", False), ("f64", False)])
    def test_squares_leave_the_smallest_type_first(self, dtype: str, alarm: bool) -> None:
        found = of("%y = mul(%x, %x)", dtype, x=(0, 1000))
        assert found.forward == ({"y": "half-precision-overflow"} if alarm else {})

    def test_the_same_in_single_precision_has_another_name(self) -> None:
        assert of("%y = mul(%x, %x)", x=(0, 1e30)).forward == {"y": "arithmetic-overflow"}

    def test_a_sum_of_many_leaves_half_precision(self) -> None:
        body = "%y = reduce_sum(%x, _) {keepdims=false}"
        assert of(body, "f16", "[100]", x=(0, 100)).forward == {}
        assert of(body, "f16", "[1000]", x=(0, 100)).forward == {"y": "half-precision-overflow"}

    def test_so_does_a_matrix_product(self) -> None:
        body = "%y = matmul(%x, %x)"
        assert of(body, "f16", "[64, 64]", x=(-30, 30)).forward == {}
        assert of(body, "f16", "[64, 64]", x=(-40, 40)).forward == {"y": "half-precision-overflow"}

    @pytest.mark.parametrize(("dtype", "high"), [("f16", 11), ("bf16", 88), ("f32", 88), ("f64", 709)])
    def test_exponentials(self, dtype: str, high: int) -> None:
        assert of("%y = exp(%x)", dtype, x=(0, high)).forward == {}
        assert list(of("%y = exp(%x)", dtype, x=(0, high + 1)).forward) == ["y"]

    def test_after_an_overflow_the_analysis_goes_on_without_it(self) -> None:
        found = of("%e = exp(%x)\n%l = log1p(%e)\n%y = neg(%l)", x=(0, 1000))
        assert found.forward == {"e": "exp-overflow"}
        assert found["e"].high == pytest.approx(np.finfo(np.float32).max)


class TestCasts:
    def test_to_half_precision(self) -> None:
        body = "%y = cast(%x) {to=f16}"
        assert of(body, x=(-65504, 65504)).forward == {}
        assert list(of(body, x=(-65504, 70000)).forward) == ["y"]

    def test_to_an_integer(self) -> None:
        body = "%y = cast(%x) {to=i8}"
        assert of(body, x=(-128, 127.5)).forward == {}
        found = of(body, x=(-128, 128))
        assert found.forward == {"y": "cast-overflow"}
        assert found.hazard("y").outcome is Outcome.WRAPPED
        assert found["y"] == Interval(-128, 127)

    def test_to_a_wider_type_is_exact(self) -> None:
        assert of("%y = cast(%x) {to=f64}", x=(-1.5, 2.25))["y"] == Interval(-1.5, 2.25)

    def test_of_an_integer(self) -> None:
        assert of("%y = cast(%x) {to=f32}", "i64", x=(-3, 7))["y"] == Interval(-3, 7)


class TestIntegers:
    def test_arithmetic_wraps(self) -> None:
        assert of("%y = add(%x, %x)", "i8", x=(0, 63))["y"] == Interval(0, 126)
        assert of("%y = add(%x, %x)", "i8", x=(0, 64))["y"] == Interval(-128, 127)

    def test_the_least_integer_has_no_negative(self) -> None:
        assert of("%y = neg(%x)", "i8", x=(-128, -128))["y"].low == -128
        assert of("%y = abs(%x)", "i8", x=(-128, 0))["y"].low == -128

    def test_division_by_zero_is_a_failure_here_too(self) -> None:
        body = "constant %c = i32[] [7]\n%y = div(%c, %x)"
        assert of(body, "i32", x=(0, 5)).forward == {"y": "division-by-zero"}
        assert of(body, "i32", x=(1, 5)).forward == {}
        assert of(body, "i32", x=(-5, -1)).forward == {}


class TestRounding:
    def test_an_epsilon_that_is_lost_protects_nothing(self) -> None:
        body = """
        constant %little = {dtype}[] [{little}]
        constant %one = {dtype}[] [1.0]
        %p = sigmoid(%x)
        %a = add(%one, %little)
        %rest = sub(%a, %p)
        %y = log(%rest)"""
        lost = of(body.format(dtype="f32", little="1.0e-10"), x=(-100, 100))
        assert lost["a"] == Interval(1, 1)
        assert lost.forward == {"y": "log-of-nonpositive"}
        assert of(body.format(dtype="f32", little="1.0e-6"), x=(-100, 100)).forward == {}
        assert of(body.format(dtype="f64", little="1.0e-10"), "f64", x=(-100, 100)).forward == {}

    def test_an_epsilon_that_half_precision_cannot_hold_is_zero(self) -> None:
        body = "constant %little = f16[] [1.0e-8]\n%a = abs(%x)\n%b = add(%a, %little)\n%y = log(%b)"
        assert of(body, "f16", x=(-1, 1)).forward == {"y": "log-of-nonpositive"}
        assert of(body.replace("f16", "f32"), x=(-1, 1)).forward == {}

    def test_results_are_rounded_outward(self) -> None:
        body = "constant %three = f32[] [3.0]\n%y = div(%x, %three)"
        found = of(body, x=(1, 1))["y"]
        assert found.covers(Interval(float(np.float32(1) / np.float32(3)), float(np.float32(1) / np.float32(3))))
        assert found.width < 1e-6

    def test_numbers_that_are_not_normal_may_be_flushed(self) -> None:
        assert of("%y = reciprocal(%x)", x=(1e-30, 1)).forward == {}
        assert of("%y = reciprocal(%x)", x=(1e-39, 1)).forward == {"y": "division-by-zero"}
        body = "constant %tiny = f32[] [1.0e-20]\n%t = mul(%x, %tiny)\n%y = log(%t)"
        assert of(body, x=(1e-10, 1)).forward == {}
        assert of(body, x=(1e-20, 1)).forward == {"y": "log-of-nonpositive"}
