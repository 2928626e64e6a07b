"""Which range an input or a parameter gets: the user's word first, the element type last."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import (
    Assumed,
    Assumptions,
    Given,
    Origin,
    Sample,
    assume,
    assumed_ranges,
)
from mlvet.analyses.numerics.request import NumericsRequest, request_of
from mlvet.analyses.numerics.settings import NumericAbstraction, TensorAbstraction
from mlvet.analyses.shapes.inference import infer
from mlvet.core.config import NUMERIC_ABSTRACTIONS, TENSOR_ABSTRACTIONS, Config
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Data, Initialiser

Shape = tuple[int, ...]


def assumptions(name: str, dtype: DType = dtypes.f32, given: Given | None = None, shape: Shape = (2, 3)) -> Assumptions:
    """The assumptions on a graph of one input."""
    builder = Builder()
    x = builder.input(name, Tensor(dtype, shape))
    graph = builder.graph([builder.add("identity", x)])
    return assume(graph, infer(graph), given or Given())


def of_input(name: str, dtype: DType = dtypes.f32, given: Given | None = None, shape: Shape = (2, 3)) -> Assumed:
    (found,) = assumptions(name, dtype, given, shape).ranges.values()
    return found


def of_parameter(
    name: str,
    initialiser: Initialiser | None = None,
    given: Given | None = None,
    *,
    dtype: DType = dtypes.f32,
    trainable: bool = True,
    added_to: bool = False,
) -> Assumed:
    builder = Builder()
    value = builder.parameter(name, Tensor(dtype, (4,)), initialiser=initialiser, trainable=trainable)
    result = builder.add("assign_add" if added_to else "add", value, value)
    graph = builder.graph([result])
    return assumed_ranges(graph, infer(graph), given)[value]


def given(**ranges: tuple[float, float]) -> Given:
    return Given(ranges=ranges)


def sampled(low: float, high: float, *, count: int = 7, whole: bool = False) -> Given:
    return Given(data={"x": Sample(low, high, count, whole, "samples.npz")})


class TestTheElementType:
    @pytest.mark.parametrize("dtype", [dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64, dtypes.i8, dtypes.u64])
    def test_without_any_knowledge_every_finite_number_is_possible(self, dtype: DType) -> None:
        found = of_input("x", dtype)
        assert found.origin is Origin.DTYPE
        assert (found.interval.low, found.interval.high, found.interval.nan) == (dtype.least, dtype.largest, False)

    def test_a_bool_is_zero_or_one(self) -> None:
        assert of_input("x", dtypes.bool_).interval == Interval(0, 1)

    def test_text_has_no_range(self) -> None:
        assert not assumptions("x", dtypes.text).ranges

    def test_an_unknown_element_type_may_be_the_widest(self) -> None:
        builder = Builder()
        graph = builder.graph([builder.add("identity", builder.input("x"))])
        (found,) = assumed_ranges(graph, infer(graph)).values()
        assert found.interval.high == dtypes.f64.largest


class TestTheUsersWord:
    def test_it_is_taken(self) -> None:
        found = of_input("x", given=given(x=(-1, 2)))
        assert (found.interval, found.origin) == (Interval(-1, 2), Origin.GIVEN)

    def test_it_wins_over_data_and_meaning(self) -> None:
        both = Given(ranges={"image": (5, 6)}, data={"image": Sample(0, 1, 3, False, "samples.npz")})
        assert of_input("image", given=both, shape=(1, 3, 32, 32)).interval == Interval(5, 6)

    def test_ends_that_the_element_type_lacks_are_rounded_outward(self) -> None:
        interval = of_input("x", given=given(x=(0.1, 0.3))).interval
        assert interval.low <= 0.1 < 0.3 <= interval.high
        assert np.float32(0.3) in interval
        assert interval.low == np.float32(interval.low)

    def test_the_ends_of_integers_are_rounded_inward(self) -> None:
        assert of_input("x", dtypes.i32, given(x=(0.5, 2.5))).interval == Interval(1, 2)

    def test_an_infinite_end_means_without_a_limit(self) -> None:
        found = assumptions("x", given=given(x=(0, float("inf"))))
        (assumed,) = found.ranges.values()
        assert assumed.interval == Interval(0, dtypes.f32.largest)
        assert not found.remarks

    def test_what_is_beyond_the_element_type_is_cut_with_a_remark(self) -> None:
        found = assumptions("x", dtypes.f16, given(x=(0, 1e6)))
        (assumed,) = found.ranges.values()
        assert assumed.interval == Interval(0, 65504)
        assert found.remarks == ["the range 0:1e+06 of `x` is cut to the finite f16: [0, 65504]"]

    @pytest.mark.parametrize(("dtype", "low", "high"), [(dtypes.u8, -5, -1), (dtypes.i32, 0.2, 0.8)])
    def test_a_range_without_a_number_of_the_element_type_is_refused(
        self, dtype: DType, low: float, high: float
    ) -> None:
        found = assumptions("x", dtype, given(x=(low, high)))
        (assumed,) = found.ranges.values()
        assert assumed.origin is Origin.DTYPE
        assert found.refusals == [f"the range {low:g}:{high:g} of `x` holds no {dtype}, which it is made of"]

    def test_names_that_mean_a_value_are_told(self) -> None:
        found = assumptions("x", given=given(x=(0, 1), y=(0, 1)))
        assert found.meant == {"x"}

    @pytest.mark.parametrize(("said", "name"), [("x:0", "x"), ("x", "x:0")])
    def test_the_first_output_of_a_node_goes_by_the_node_name(self, said: str, name: str) -> None:
        assert of_input(name, given=Given(ranges={said: (0, 1)})).origin is Origin.GIVEN

    def test_a_stored_parameter_has_a_range_only_if_the_user_gives_one(self) -> None:
        builder = Builder()
        data = Data(dtypes.f32, (4,), lambda: np.zeros(4, np.float32))
        value = builder.parameter("w", Tensor(dtypes.f32, (4,)), data=data)
        graph = builder.graph([builder.add("identity", value)])
        assert assumed_ranges(graph, infer(graph)) == {}
        assert assumed_ranges(graph, infer(graph), given(w=(0, 1)))[value].interval == Interval(0, 1)


class TestData:
    def test_the_extremes_are_the_range(self) -> None:
        found = of_input("x", given=sampled(-2.5, 4))
        assert (found.interval, found.origin) == (Interval(-2.5, 4), Origin.DATA)
        assert "7 samples in samples.npz" in found.why

    def test_fractions_are_no_integers(self) -> None:
        found = assumptions("x", dtypes.i64, sampled(0.5, 4))
        assert found.refusals == ["the array `x` of samples.npz has fractions, but the value is i64"]
        assert found.sampled == {"x"}

    def test_whole_floats_are_integers(self) -> None:
        assert of_input("x", dtypes.i64, sampled(0, 4, whole=True)).interval == Interval(0, 4)

    def test_numbers_beyond_the_element_type_are_refused(self) -> None:
        assert "beyond f16" in assumptions("x", dtypes.f16, sampled(0, 1e6)).refusals[0]

    def test_infinity_in_data_is_a_value(self) -> None:
        assert of_input("x", given=sampled(float("-inf"), 0)).interval == Interval(float("-inf"), 0)


class TestParameters:
    def test_the_initialiser_says_where_training_starts(self) -> None:
        found = of_parameter("w", Initialiser("zeros"))
        assert (found.interval, found.origin) == (Interval(-1, 1), Origin.INITIALISER)
        assert "training moves it by at most 1" in found.why

    def test_without_an_initialiser_nothing_is_known(self) -> None:
        assert of_parameter("w").origin is Origin.DTYPE

    def test_the_user_knows_better(self) -> None:
        assert of_parameter("w", Initialiser("zeros"), given(w=(2, 3))).interval == Interval(2, 3)

    @pytest.mark.parametrize("name", ["bn/moving_variance", "bn.running_var", "bn/moving_variance:0"])
    @pytest.mark.parametrize("trainable", [True, False])
    def test_a_running_variance_is_not_negative_and_not_bounded_by_its_start(self, name: str, trainable: bool) -> None:
        found = of_parameter(name, Initialiser("ones"), trainable=trainable)
        assert found.origin is Origin.HEURISTIC
        assert found.interval.low == 0
        assert 1e15 < found.interval.high < dtypes.f32.largest / 2

    def test_a_learned_variance_can_become_negative(self) -> None:
        assert of_parameter("kernel/variance", Initialiser("constant", (("value", 0.5),))).interval.low < 0

    def test_the_logarithm_of_a_variance_is_none(self) -> None:
        assert of_parameter("log_variance", trainable=False).origin is Origin.DTYPE

    def test_a_running_mean_is_not_bounded_by_its_start(self) -> None:
        assert 255 in of_parameter("bn/moving_mean", Initialiser("zeros"), trainable=False).interval

    def test_a_counter_is_at_least_one(self) -> None:
        found = of_parameter("count", dtype=dtypes.i64, trainable=False)
        assert (found.interval.low, found.origin) == (1, Origin.HEURISTIC)

    def test_a_counter_that_starts_at_zero_can_be_zero(self) -> None:
        assert of_parameter("global_step", Initialiser("zeros"), dtype=dtypes.i64, trainable=False).interval.low == 0

    def test_a_power_of_a_decay_rate_stays_below_one(self) -> None:
        interval = of_parameter("beta1_power", Initialiser("constant", (("value", 0.9),)), trainable=False).interval
        assert 0.9 in interval
        assert interval.high < 1

    def test_the_start_of_a_sum_that_is_added_to_says_nothing(self) -> None:
        assert of_parameter("total", Initialiser("zeros"), trainable=False, added_to=True).origin is Origin.DTYPE
        assert of_parameter("total", Initialiser("zeros"), trainable=False).origin is Origin.INITIALISER

    def test_an_integer_that_nothing_adds_to_stays(self) -> None:
        elements = Initialiser("elements", (("low", 2.0), ("high", 9.0)))
        assert of_parameter("table", elements, dtype=dtypes.i32).interval == Interval(2, 9)


def test_symbolic_sizes_do_no_harm() -> None:
    builder = Builder()
    x = builder.input("image", Tensor(dtypes.f32, (symbol("n"), 3, symbol("h"), symbol("w"))))
    graph = builder.graph([builder.add("relu", x)])
    assert assumed_ranges(graph, infer(graph))[x].origin is Origin.MEANING


def test_the_settings_of_the_configuration_are_those_of_the_engine() -> None:
    assert [each.value for each in TensorAbstraction] == list(TENSOR_ABSTRACTIONS)
    assert [each.value for each in NumericAbstraction] == list(NUMERIC_ABSTRACTIONS)
    assert request_of(Config()) == NumericsRequest()
